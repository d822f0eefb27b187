package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// TestFalseConfidence asks questions that the repository of relay.tree cannot answer, or
// not wholly. Each line of confidence.tsv holds a kind, an exit code, a pattern and the
// arguments of a command, separated by tabs. The pattern matches the output only if it says what is missing.
func TestFalseConfidence(t *testing.T) {
	clitest.Slow(t)
	dir := clitest.Unpacked(t, "testdata/relay.tree", "relay: begin")
	home := t.TempDir()
	r := gittest.In(t, dir, home)
	r.Write("dist/app.min.js", strings.Repeat("function a(){return 1};", 400))
	r.Write(".env", "TOKEN=abc\n")
	r.Write("logo.png", "\x89PNG\r\n\x1a\n\x00\x00\x00")
	r.Commit("relay: add assets")

	if err := os.Remove(filepath.Join(dir, "internal/report/csv.go")); err != nil {
		t.Fatal(err)
	}
	r.Write("big/data.txt", strings.Repeat("x", 9_000_000))
	r.Write("big/blob.go", "a\x00b")
	if err := os.Symlink("/etc/hosts", filepath.Join(dir, "big/hosts")); err != nil {
		t.Skip(err)
	}
	r.Write("internal/proxy/empty.go", "")
	r.Write("internal/proxy/backoff.go", "package wait\n\n// Untracked backoff.\nfunc Backoff() {}\n")

	env := base.Env{Dir: dir, Environ: clitest.Isolated(home)}
	for _, note := range []string{"Dial waits for two minutes, see internal/proxy/wait.go", "Login asks internal/auth/oauth.go for a token"} {
		if code, _, stderr := run(t, env, "note", "add", note); code != 0 {
			t.Fatal(stderr)
		}
	}

	cases, err := os.ReadFile("testdata/confidence.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(cases)) {
		n++
		field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		want, err := strconv.Atoi(field[1])
		if err != nil {
			t.Fatal(err)
		}
		args := field[3:]
		code, stdout, stderr := run(t, env, args...)
		if code != want || !regexp.MustCompile(field[2]).MatchString(stdout+stderr) {
			t.Errorf("%s: %q: exit code %d, want %d with %s:\n%s%s", field[0], args, code, want, field[2], stdout, stderr)
		}
	}
	if n < 60 {
		t.Errorf("%d cases, want at least 60", n)
	}
}
