package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// TestReadmeOutput compares the example in README.md with a real pack. The task is the
// bug that a commit of satchel's history fixed, and testdata/receipt.tree is part of its
// code before the fix.
func TestReadmeOutput(t *testing.T) {
	env := base.Env{Dir: clitest.Unpacked(t, "testdata/receipt.tree", "render: print packs"), Environ: clitest.Isolated(t.TempDir())}
	code, stdout, stderr := run(t, env, "pack", "the receipt says 1 tokens", "--budget", "1k")
	if code != 0 || !strings.Contains(stderr, "\nmatch  strong: ") {
		t.Fatalf("exit code %d, want a strong match: %s", code, stderr)
	}
	place := between(t, stdout, "### render/receipt.go\n", "```go\n")
	fix := between(t, stdout, "\t\tfor _, n := range r.names {\n", "\t\t\ts = append(s, l)\n")
	if !strings.Contains(fix, "\t\t\tif n.tokens > 0 {\n") {
		t.Errorf("the pack lacks the lines of the fix: %q", fix)
	}
	var b strings.Builder
	b.WriteString("\n    $ satchel pack \"the receipt says 1 tokens\" --budget 1k\n")
	for line := range strings.Lines(place + "…\n" + fix + "…\n" + between(t, stderr, "█", "\nrender/markdown.go")) {
		b.WriteString(strings.TrimRight("    "+strings.ReplaceAll(line, "\t", "  "), " \n") + "\n")
	}
	marked(t, "../README.md", "outputs", b.String()+"\n")
}

// between returns a text from one part to the next, without the second.
func between(t *testing.T, text, from, to string) string {
	t.Helper()
	start := strings.Index(text, from)
	if start < 0 {
		t.Fatalf("no %q in:\n%s", from, text)
	}
	n := strings.Index(text[start:], to)
	if n < 0 {
		t.Fatalf("no %q after %q in:\n%s", to, from, text)
	}
	return text[start : start+n]
}

// TestReviewPreview compares the preview in docs/review.md with a real one.
func TestReviewPreview(t *testing.T) {
	dir := clitest.Unpacked(t, "testdata/relay.tree", "proxy: dial with a timeout")
	proxy, err := os.ReadFile(filepath.Join(dir, "internal/proxy/proxy.go"))
	if err != nil {
		t.Fatal(err)
	}
	r := gittest.In(t, dir, t.TempDir())
	r.Write("internal/proxy/proxy.go", strings.Replace(string(proxy), "2 * time", "30 * time", 1))
	r.Commit("proxy: wait longer")
	code, stdout, stderr := run(t, base.Env{Dir: dir, Environ: clitest.Isolated(t.TempDir())}, "review", "--commit", "HEAD", "--dry-run")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var b strings.Builder
	b.WriteString("\n    $ satchel review --commit HEAD --dry-run\n")
	for line := range strings.Lines(stdout + stderr) {
		b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
	}
	marked(t, "review.md", "dry run", b.String()+"\n")
}
