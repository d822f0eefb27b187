package outline

import "testing"

func TestDeclaresVendored(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"client/packages/README.rst", "These are independent libraries which we\nvendor into client. Any change belongs there.\n", true},
		{"tempfork/acme/README.md", "# acme\n\nThis is a vendored copy of an ACME client.\n", true},
		{"pkg/boto/README", "A subset of the code has been vendored here.\n", true},
		{"README.md", "This is a vendored copy of everything.\n", false},
		{"lm/README.md", "Registers a chat provider (a `vendor`) and its vendors in a list.\n", false},
		{"tools/README.md", "It can be copied, vendored, or downloaded.\n", false},
		{"tools/notes.md", "This is a vendored copy.\n", false},
		{"tools/README.md", string(make([]byte, readme)) + "This is a vendored copy.\n", false},
	} {
		if got := DeclaresVendored(c.name, []byte(c.text)); got != c.want {
			t.Errorf("%s: %.50q declares %v, want %v", c.name, c.text, got, c.want)
		}
	}
}
