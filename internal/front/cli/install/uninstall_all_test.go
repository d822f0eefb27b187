package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// TestUninstallAllAsks: on a terminal each consent is asked for, and nothing goes
// without it.
func TestUninstallAllAsks(t *testing.T) {
	clitest.Slow(t)
	for _, tt := range []struct {
		answers               string
		args                  []string
		index, notes, session bool // what is left
		asked                 int
	}{
		{"", nil, true, true, true, 1},
		{"n\n", nil, true, true, true, 1},
		{"maybe\n", nil, true, true, true, 1},
		{"y\n", nil, false, true, true, 3},
		{"y\nn\nn\n", nil, false, true, true, 3},
		{"yes\nY\nn\n", nil, false, false, true, 3},
		{"y\nn\ny\n", nil, false, true, false, 3},
		{"y\n\n", []string{"--notes"}, false, false, true, 2},
		{"", []string{"--yes", "--snapshots"}, false, true, false, 0},
	} {
		home := gittest.Isolate(t)
		r := gittest.New(t)
		r.Write("a.go", "package a\n\n// Run runs it.\nfunc Run() {}\n")
		r.Commit("first")
		environ := append(os.Environ(), "HOME="+home)
		env := base.Env{Dir: r.Dir, Environ: environ}
		for _, args := range [][]string{{"pack", "run it", "--snapshot", "--quiet"}, {"note", "add", "a fact", "--quiet"}} {
			if code, _, errs := suite.Run(t, env, args...); code != base.ExitOK {
				t.Fatalf("satchel %q: exit code %d, %s", args, code, errs)
			}
		}
		env.StdinTTY, env.StderrTTY, env.Stdin = true, true, strings.NewReader(tt.answers)
		code, out, errs := suite.Run(t, env, append([]string{"uninstall", "--all"}, tt.args...)...)
		if code != base.ExitOK || !strings.Contains(out, "notes ") || strings.Count(errs, "[y/N]") != tt.asked {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", tt.answers, code, out, errs)
		}
		_, index := os.Stat(filepath.Join(r.Dir, ".git", "satchel", "index"))
		_, notes := os.Stat(filepath.Join(r.Dir, ".git", "satchel", "state.db"))
		snapshots := r.Git("for-each-ref", "refs/satchel")
		if (index == nil) != tt.index || (notes == nil) != tt.notes || (snapshots != "") != tt.session {
			t.Errorf("%q %q: index %v, notes %v, snapshots %q are left", tt.answers, tt.args, index == nil, notes == nil, snapshots)
		}
	}
}
