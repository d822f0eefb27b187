package files_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/source/files"
)

func TestParsePosition(t *testing.T) {
	for _, tt := range []struct {
		arg, name string
		ranges    []satchel.Range
	}{
		{"a.go", "a.go", nil},
		{"a.go:7", "a.go", []satchel.Range{{From: 7, To: 7}}},
		{"a.go:7-9", "a.go", []satchel.Range{{From: 7, To: 9}}},
		{"a.go:7-", "a.go", []satchel.Range{{From: 7}}},
		{"a.go:1-2,5,9-", "a.go", []satchel.Range{{From: 1, To: 2}, {From: 5, To: 5}, {From: 9}}},
		{"a.go:", "a.go", nil},
		{"a:1:2", "a:1", []satchel.Range{{From: 2, To: 2}}},
		{"a:1:", "a:1", nil},
		{"a:b", "a:b", nil},
		{"a:-3", "a:-3", nil},
		{"a\nb:1", "a\nb", []satchel.Range{{From: 1, To: 1}}},
		{":1", ":1", nil},
		{"C:/x.go:1", "C:/x.go", []satchel.Range{{From: 1, To: 1}}},
	} {
		name, ranges, err := files.ParsePosition(tt.arg)
		if err != nil || name != tt.name || !cmp.Equal(ranges, tt.ranges) {
			t.Errorf("files.ParsePosition(%q) = %q, %v, %v, want %q, %v", tt.arg, name, ranges, err, tt.name, tt.ranges)
		}
	}
	for _, arg := range []string{"a:0", "a:5-4", "a:99999999999999999999", "a:1,0"} {
		if name, ranges, err := files.ParsePosition(arg); err == nil {
			t.Errorf("files.ParsePosition(%q) = %q, %v, want an error", arg, name, ranges)
		}
	}
}

func TestRewritten(t *testing.T) {
	for arg, want := range map[string]string{
		"a.go":                  "a.go",
		"a.go:2":                "a.go:2",
		"a.go:2:5":              "a.go:2",
		"a.go#L2":               "a.go:2",
		"a.go#L2-L9":            "a.go:2-9",
		"a.go#L2-9":             "a.go:2-9",
		"a.go#top":              "a.go#top",
		"a/x.go":                "x.go",
		"b/x.go:3":              "x.go:3",
		"c/x.go":                "c/x.go",
		"a/b.go":                "b.go",
		"a/b/x.go":              "a/b/x.go",
		"a.go:1:2:3:4":          "a.go:1",
		"b/x.go#L3":             "b/x.go:3",
		"file:///r/a%20b.go":    "/r/a b.go",
		"file:///r/a.go#L2-L3":  "/r/a.go:2-3",
		"file:///r/bad%zz":      "file:///r/bad%zz",
		"https://example.com/a": "https://example.com/a",
	} {
		if got := files.Rewritten(arg); got != want {
			t.Errorf("Rewritten(%q) = %q, want %q", arg, got, want)
		}
	}
}

// FuzzParsePosition: what a Ref is written as is read back as the same lines.
func FuzzParsePosition(f *testing.F) {
	f.Add("a.go", 1, 2)
	f.Add("a:1", 3, 3)
	f.Add("a:1-2,", 7, 9)
	f.Fuzz(func(t *testing.T, path string, from, to int) {
		if _, _, err := files.ParsePosition(path); err != nil && !strings.Contains(err.Error(), "want PATH:FROM-TO") {
			t.Errorf("files.ParsePosition(%q): %v", path, err)
		}
		if path == "" || from < 1 || to < from {
			return
		}
		ref := satchel.Ref{Path: path, From: from, To: to}
		name, ranges, err := files.ParsePosition(ref.String())
		if err != nil || name != path || len(ranges) != 1 || ranges[0] != (satchel.Range{From: from, To: to}) {
			t.Errorf("files.ParsePosition(%q) = %q, %v, %v", ref.String(), name, ranges, err)
		}
	})
}
