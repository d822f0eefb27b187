package secrets

import "testing"

// TestByteOrderMark: the first line of a file is read without the mark before it.
func TestByteOrderMark(t *testing.T) {
	for in, want := range map[string]string{
		"\ufeffKEY=0\nKEY=0\n": "\ufeffKEY=[secret:value]\nKEY=[secret:value]\n",
		"\ufeff# no value\n":   "\ufeff# no value\n",
	} {
		if got, _ := Redact(".env", []byte(in)); string(got) != want {
			t.Errorf("Redact(%q) = %q, want %q", in, got, want)
		}
	}
}
