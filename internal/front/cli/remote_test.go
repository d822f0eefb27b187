package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/config"
)

// TestRemoteArgument: which arguments name a repository elsewhere, and what is left
// for the task.
func TestRemoteArgument(t *testing.T) {
	for _, tt := range []struct {
		remote bool
		args   string // separated by |
		url    string // "" is none
		rest   string
		fails  bool
	}{
		{true, "pallets/flask", "https://github.com/pallets/flask", "", false},
		{true, "pallets/flask|fix|cookies", "https://github.com/pallets/flask", "fix|cookies", false},
		{true, "gitlab.com/a/b/c", "https://gitlab.com/a/b/c", "", false},
		{true, "git.example.org:8443/a", "https://git.example.org:8443/a", "", false},
		{true, "https://example.org/a/b", "https://example.org/a/b", "", false},
		{true, "git@github.com:a/b.git", "git@github.com:a/b.git", "", false},
		{true, "", "", "", true},
		{true, "./flask", "", "", true},
		{true, "/srv/git/flask", "", "", true},
		{true, "flask", "", "", true},
		{true, "-oProxyCommand=x/y", "", "", true},
		{true, "ext::sh -c x", "", "", true},
		{false, "https://github.com/pallets/flask", "https://github.com/pallets/flask", "", false},
		{false, "https://github.com/pallets/flask/", "https://github.com/pallets/flask", "", false},
		{false, "https://www.github.com/pallets/flask?tab=readme#x", "https://www.github.com/pallets/flask", "", false},
		{false, "https://github.com/pallets/flask.git", "https://github.com/pallets/flask.git", "", false},
		{false, "https://gitlab.com/a/b/c/d", "https://gitlab.com/a/b/c/d", "", false},
		{false, "https://example.org/a/b.git", "https://example.org/a/b.git", "", false},
		{false, "git@example.org:a", "git@example.org:a", "", false},
		{false, "ssh://git@example.org/a", "ssh://git@example.org/a", "", false},
		{false, "https://example.org/a", "", "", true},
		{false, "https://github.com/pallets", "", "", true},
		{false, "https://github.com/pallets/flask/issues/1", "", "", true},
		{false, "https://github.com/pallets/flask|is slow", "", "https://github.com/pallets/flask|is slow", false},
		{false, "pallets/flask", "", "pallets/flask", false},
		{false, "std::vector", "", "std::vector", false},
		{false, "see https://github.com/a/b", "", "see https://github.com/a/b", false},
		{false, "", "", "", false},
	} {
		a := newApp(Env{Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)})
		a.settings = new(config.Settings)
		var args []string
		if tt.args != "" {
			args = strings.Split(tt.args, "|")
		}
		r, rest, err := a.remote(&packFlags{remote: tt.remote}, args)
		got := ""
		if r != nil {
			got = r.URL
		}
		if got != tt.url || (err != nil) != tt.fails || err == nil && strings.Join(rest, "|") != tt.rest {
			t.Errorf("remote(%v, %q) = %q, %q, %v, want %q, %q, error %v", tt.remote, tt.args, got, rest, err, tt.url, tt.rest, tt.fails)
		}
	}
}
