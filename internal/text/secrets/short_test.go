package secrets

import (
	"strings"
	"testing"
)

// Whatever stands behind a prefix, and however little of it, is looked at safely.
func TestShortKeys(t *testing.T) {
	for _, r := range rules {
		for _, c := range []string{"a", "0", "B", "f"} {
			for n := range 50 {
				for _, end := range []string{"", " end", "_", "-"} {
					Redact("", []byte(r.prefix+strings.Repeat(c, n)+end))
				}
			}
		}
	}
}
