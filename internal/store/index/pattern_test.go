package index

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPattern(t *testing.T) {
	tests := []struct{ pattern, path, want string }{
		{"*.log", "a.log", "a.log"},
		{"*.log", "x/y/a.log", "x/y/a.log"},
		{"*.log", "a.log.txt", ""},
		{"*.log", "a.log/b", "a.log/"},
		{"build", "build", "build"},
		{"build", "x/build/y/z", "x/build/"},
		{"build/", "build", ""},
		{"build/", "x/build/y", "x/build/"},
		{"/build", "build/y", "build/"},
		{"/build", "x/build/y", ""},
		{"a/b", "a/b/c", "a/b/"},
		{"a/b", "x/a/b", ""},
		{"a/*/c", "a/b/c", "a/b/c"},
		{"a/*/c", "a/b/b/c", ""},
		{"a/**/c", "a/c", "a/c"},
		{"a/**/c", "a/b/b/c/d", "a/b/b/c/"},
		{"**/c", "c", "c"},
		{"**/c", "a/b/c", "a/b/c"},
		{"a/**", "a/b/c", "a/b/"},
		{"a/**", "a", ""},
		{"a/**", "b/a", ""},
		{"**", "a", "a"},
		{"a/**/b/**/c", "a/b/x/b/y/c", "a/b/x/b/y/c"},
		{"a/**/b/**/c", "a/x/y/c", ""},
		{"**/a/b", "a/a/b", "a/a/b"},
		{"**/**/**/**/**/**/**/**/**/x", strings.Repeat("a/", 500) + "y", ""},
		{strings.Repeat("**/a/", 100) + "b", strings.Repeat("a/", 1000) + "c", ""},
		{"[ab].go", "x/a.go", "x/a.go"},
		{"[ab].go", "x/c.go", ""},
		{"f?o", "fxo", "fxo"},
		{`\*`, "*", "*"},
		{`\*`, "a", ""},
	}
	for _, test := range tests {
		p, err := parsePattern(test.pattern)
		if err != nil {
			t.Errorf("parsePattern(%q): %v", test.pattern, err)
			continue
		}
		if got := p.match(test.path); got != test.want {
			t.Errorf("pattern %q matches %q of %q, want %q", test.pattern, got, test.path, test.want)
		}
	}
}

func TestBadPattern(t *testing.T) {
	for _, s := range []string{"", "/", "!a", "a//b", "[", "a/["} {
		if _, err := Open(Options{Exclude: []string{s}}); err == nil || !strings.Contains(err.Error(), "pattern") {
			t.Errorf("Open with pattern %q: error %v", s, err)
		}
	}
}

func TestAttributes(t *testing.T) {
	var a attributes
	a.add("", []byte("# comment\n*.gen linguist-generated\n[attr]mine -diff\n/third/** linguist-vendored=true\n"+
		"*.bin binary\n\"with space.txt\" -diff\nnested/*.txt -diff other=x\n[ broken\nlone\n"))
	a.add("nested/", []byte("*.gen -linguist-generated\n*.bin !diff !binary\n"))
	tests := []struct {
		path string
		want map[string]string
	}{
		{"a.gen", map[string]string{"linguist-generated": "set"}},
		{"x/a.gen", map[string]string{"linguist-generated": "set"}},
		{"nested/a.gen", map[string]string{"linguist-generated": "unset"}},
		{"third/x/y.c", map[string]string{"linguist-vendored": "true"}},
		{"x/third/y.c", nil},
		{"a.bin", map[string]string{"binary": "set", "diff": "unset", "text": "unset"}},
		{"nested/a.bin", map[string]string{"text": "unset"}},
		{"with space.txt", map[string]string{"diff": "unset"}},
		{"nested/a.txt", map[string]string{"diff": "unset"}},
		{"lone", nil},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, a.of(test.path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.path, diff)
		}
	}
}
