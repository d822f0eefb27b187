package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// TestReadmeOutput compares the outputs in README.md with what the program prints in
// the repository of testdata/readme.tree.
func TestReadmeOutput(t *testing.T) {
	dir := unpackedRepository(t, "testdata/readme.tree", "proxy: dial with a timeout")
	r := gittest.In(t, dir, t.TempDir())
	proxy, err := os.ReadFile(filepath.Join(dir, "internal/proxy/proxy.go"))
	if err != nil {
		t.Fatal(err)
	}
	r.Write("internal/proxy/proxy.go", strings.Replace(string(proxy), "2 * time", "30 * time", 1))
	r.Commit("proxy: wait longer")
	env := cli.Env{Dir: dir, Environ: isolated(t.TempDir())}
	show := func(lines ...string) string {
		var b strings.Builder
		for i, line := range lines {
			args := strings.Fields(line)
			if before, task, ok := strings.Cut(line, ` "`); ok {
				task, after, _ := strings.Cut(task, `"`)
				args = append(append(strings.Fields(before), task), strings.Fields(after)...)
			}
			code, stdout, stderr := run(t, env, args[1:]...)
			if code != 0 || stdout+stderr == "" {
				t.Errorf("%s: exit code %d: %s", line, code, stderr)
			}
			if i > 0 {
				b.WriteString("\n")
			}
			b.WriteString("    $ " + line + "\n")
			for text := range strings.Lines(stdout + stderr) {
				b.WriteString(strings.TrimRight("    "+text, " \n") + "\n")
			}
		}
		return "\n" + b.String() + "\n"
	}
	marked(t, "../README.md", "outputs", show(
		`satchel pack "login times out behind a proxy" --budget 400 -o ctx.md`,
		`satchel search "dial through the proxy" --limit 1 --explain`,
		`satchel show internal/proxy/proxy.go:12-17`,
	))
	marked(t, "../README.md", "dry run", show(`satchel review --commit HEAD --dry-run`))
}
