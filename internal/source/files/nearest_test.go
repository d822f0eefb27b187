package files

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	paths := []string{"src/flask/app.py", "src/flask/ctx.py", "tests/test_app.py", "README.md"}
	for name, want := range map[string]string{
		"src/flask/apq.py":       "src/flask/app.py",
		"src/falsk/app.py":       "src/flask/app.py",
		"REAMDE.md":              "README.md",
		strings.Repeat("x", 400): "",
	} {
		if got := Nearest(paths, name); got != want {
			t.Errorf("Nearest(%.40q) = %q, want %q", name, got, want)
		}
	}
}
