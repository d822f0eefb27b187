package cli_test

import (
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// TestReadmeOutput compares the outputs in README.md with what the program prints in
// the repository of the examples.
func TestReadmeOutput(t *testing.T) {
	dir := exampleRepository(t)
	r := gittest.In(t, dir, t.TempDir())
	r.Write("internal/proxy/proxy.go", "// Package proxy dials through a proxy.\npackage proxy\n\nimport \"time\"\n\n// Timeout is how long a dial may take.\nconst Timeout = 30 * time.Second\n\n// Dial dials the proxy.\nfunc Dial(address string) error {\n\treturn retryWithBackoff(address)\n}\n\nfunc retryWithBackoff(address string) error {\n\treturn nil\n}\n")
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
		`satchel pack "login times out behind a proxy" --budget 1k -o ctx.md`,
		`satchel search "dial the proxy" --limit 1 --explain`,
		`satchel show internal/proxy/proxy.go:9-12`,
	))
	marked(t, "../README.md", "dry run", show(`satchel review --commit HEAD --dry-run`))
}
