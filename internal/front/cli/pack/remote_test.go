package pack

import (
	"bytes"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
)

// TestRemoteArgument: which arguments name a repository elsewhere, and what is left
// for the task.
func TestRemoteArgument(t *testing.T) {
	for _, tt := range []struct {
		args  string // separated by |
		url   string // empty if the arguments name no repository
		rest  string
		fails bool
	}{
		{"https://github.com/pallets/flask", "https://github.com/pallets/flask", "", false},
		{"https://github.com/pallets/flask/", "https://github.com/pallets/flask", "", false},
		{"https://www.github.com/pallets/flask?tab=readme#x", "https://www.github.com/pallets/flask", "", false},
		{"https://github.com/pallets/flask.git", "https://github.com/pallets/flask.git", "", false},
		{"https://gitlab.com/a/b/c/d", "https://gitlab.com/a/b/c/d", "", false},
		{"https://example.org/a/b.git", "https://example.org/a/b.git", "", false},
		{"git@example.org:a", "git@example.org:a", "", false},
		{"ssh://git@example.org/a", "ssh://git@example.org/a", "", false},
		{"https://example.org/a", "", "", true},
		{"https://github.com/pallets", "", "", true},
		{"https://github.com/pallets/flask/issues/1", "", "", true},
		{"https://github.com/pallets/flask|is slow", "", "https://github.com/pallets/flask|is slow", false},
		{"pallets/flask", "", "pallets/flask", false},
		{"std::vector", "", "std::vector", false},
		{"see https://github.com/a/b", "", "see https://github.com/a/b", false},
		{"", "", "", false},
	} {
		a := &app{base.NewApp(base.Env{Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)})}
		a.Settings = new(config.Settings)
		var args []string
		if tt.args != "" {
			args = strings.Split(tt.args, "|")
		}
		r, rest, err := a.remote(args)
		got := ""
		if r != nil {
			got = r.URL
		}
		if got != tt.url || (err != nil) != tt.fails || err == nil && strings.Join(rest, "|") != tt.rest {
			t.Errorf("remote(%q) = %q, %q, %v, want %q, %q, error %v", tt.args, got, rest, err, tt.url, tt.rest, tt.fails)
		}
	}
}
