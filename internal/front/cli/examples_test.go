package cli_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// TestExamples runs every example of every command's help, in a repository in
// which all of them have an answer.
func TestExamples(t *testing.T) {
	env := append(isolated(t.TempDir()), "PATH="+os.Getenv("PATH"))
	n := 0
	for _, c := range everyCommand() {
		dir := exampleRepository(t)
		if strings.HasPrefix(c.CommandPath(), "satchel snapshot") {
			for _, budget := range []string{"1k", "2k"} { // two packs to look back at
				cmd := exec.Command("satchel", "pack", "dial the proxy", "--snapshot", "--budget", budget)
				cmd.Dir, cmd.Env = dir, env
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
		}
		for line := range strings.Lines(c.Example) {
			line = strings.TrimSpace(line)
			if line == "" {
				continue
			}
			n++
			t.Run(line, func(t *testing.T) {
				cmd := exec.Command("sh", "-c", line)
				cmd.Dir, cmd.Env = dir, env
				out, err := cmd.CombinedOutput()
				if err != nil || len(out) == 0 {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
	if n < 10 {
		t.Errorf("%d examples; is the walk right?", n)
	}
}

// everyCommand returns the root and all commands below it.
func everyCommand() []*cobra.Command {
	all := []*cobra.Command{cli.Root()}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Commands()...)
	}
	return all
}

// exampleRepository unpacks testdata/examples.tree and commits it twice.
func exampleRepository(t *testing.T) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/examples.tree")
	if err != nil {
		t.Fatal(err)
	}
	r := gittest.New(t)
	for _, f := range archive.Files {
		r.Write(f.Name, string(f.Data))
	}
	r.Commit("proxy: dial with a timeout")
	r.Git("tag", "v1.2.0")
	r.Commit("login: say who is logged in")
	return r.Dir
}
