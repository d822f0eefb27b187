package program

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
)

func TestSpelled(t *testing.T) {
	for _, test := range []struct {
		goos     string
		in, want []string
	}{
		{"linux", []string{"Path=x", "USERPROFILE=y"}, []string{"Path=x", "USERPROFILE=y"}},
		{"windows", []string{`Path=C:\bin`, `UserProfile=C:\Users\a`}, []string{`PATH=C:\bin`, `USERPROFILE=C:\Users\a`}},
		{"windows", []string{`Home=C:\h`, "Satchel_Budget=9k", "Pager=", "novalue"}, []string{`HOME=C:\h`, "SATCHEL_BUDGET=9k", "PAGER=", "NOVALUE"}},
		{"windows", []string{`HomeDrive=H:`, `HOMEPATH=\`, `USERPROFILE=C:\Users\a`}, []string{`HOMEDRIVE=H:`, `HOMEPATH=\`, `USERPROFILE=C:\Users\a`}},
		{"windows", []string{`=C:=C:\work`, "A=b"}, []string{`=C:=C:\work`, "A=b"}},
	} {
		if d := cmp.Diff(test.want, spelled(test.in, test.goos)); d != "" {
			t.Errorf("%s, %q (-want +got):\n%s", test.goos, test.in, d)
		}
	}
}

// A console that shows no escape sequences is one that gets none: neither colours nor
// a bar.
func TestDumbed(t *testing.T) {
	for _, escapes := range []bool{true, false} {
		a := &base.App{Settings: &config.Settings{}, Env: base.Env{Environ: dumbed([]string{"TERM=xterm"}, escapes), StderrTTY: true, Stderr: io.Discard}}
		if got := a.Color(true); got != escapes {
			t.Errorf("escapes %v: colours are %v", escapes, got)
		}
		if got := a.Progress().W != nil; got != escapes {
			t.Errorf("escapes %v: a bar is %v", escapes, got)
		}
	}
}
