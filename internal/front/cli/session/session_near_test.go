package session

import (
	"testing"

	"github.com/satchel-dev/satchel/render"
)

// TestNear: files below the session's folder are named from there, and no others.
func TestNear(t *testing.T) {
	for _, x := range []struct{ text, dir, want string }{
		{"read /w/app/a.go", "/w/app", "read a.go"},
		{"read /w/app/a.go, bash ls /w/app/b", "/w/app/", "read a.go, bash ls b"},
		{"read /w/apple/a.go", "/w/app", "read /w/apple/a.go"},
		{"bash cd /w/app", "/w/app", "bash cd /w/app"},
		{`read C:\w\a.go`, `C:\w`, "read a.go"},
		{"read /etc/hosts", "/", "read /etc/hosts"},
		{"read /etc/hosts", "", "read /etc/hosts"},
	} {
		if got := near(x.text, x.dir); got != x.want {
			t.Errorf("near(%q, %q) = %q, want %q", x.text, x.dir, got, x.want)
		}
	}
}

// TestFitFile: of a file's path the end stays, of everything else the beginning.
func TestFitFile(t *testing.T) {
	for _, x := range []struct {
		text  string
		width int
		want  string
	}{
		{"read internal/proxy/proxy.go", 0, "read internal/proxy/proxy.go"},
		{"read internal/proxy/proxy.go", 28, "read internal/proxy/proxy.go"},
		{"read internal/proxy/proxy.go", 20, "read …proxy/proxy.go"},
		{"read internal/日本語/日本語.go", 20, "read …本語/日本語.go"},
		{"answer: internal/proxy/proxy.go", 20, "answer: internal/pr…"},
		{"bash ls internal/proxy", 15, "bash ls intern…"},
		{"read internal/proxy/proxy.go", 10, "read inte…"},
		{"edit input internal/proxy/proxy.go", 26, "edit input …proxy/proxy.go"},
	} {
		got := fitFile(x.text, x.width)
		if x.width > 0 && render.Width(got) > x.width {
			t.Errorf("fitFile(%q, %d) = %q, %d wide", x.text, x.width, got, render.Width(got))
		}
		if got != x.want {
			t.Errorf("fitFile(%q, %d) = %q, want %q", x.text, x.width, got, x.want)
		}
	}
}
