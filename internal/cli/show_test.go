package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
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
		name, ranges, err := parsePosition(tt.arg)
		if err != nil || name != tt.name || !cmp.Equal(ranges, tt.ranges) {
			t.Errorf("parsePosition(%q) = %q, %v, %v, want %q, %v", tt.arg, name, ranges, err, tt.name, tt.ranges)
		}
	}
	for _, arg := range []string{"a:0", "a:5-4", "a:99999999999999999999", "a:1,0"} {
		if name, ranges, err := parsePosition(arg); err == nil {
			t.Errorf("parsePosition(%q) = %q, %v, want an error", arg, name, ranges)
		}
	}
}
