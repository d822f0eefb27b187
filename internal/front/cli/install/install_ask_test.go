package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
)

// TestInstallAsks: on a terminal, install without a name asks, and does what the
// answer says.
func TestInstallAsks(t *testing.T) {
	const (
		pi       = ".pi/agent/extensions/satchel.ts"
		windsurf = ".codeium/windsurf/mcp_config.json"
		claude   = ".claude.json"
	)
	for _, tt := range []struct {
		answer string
		want   []string // files that are made
		stderr string
	}{
		{"\n", []string{pi, windsurf, claude}, "satchel: Enter installs into: claude pi windsurf; or type names, numbers, none: "},
		{"2\n", []string{pi}, ""},
		{"claude, 3\n", []string{claude, windsurf}, ""},
		{"Claude 1\n", []string{claude}, ""},
		{"none\n", nil, "nothing was installed"},
		{"q\n", nil, "nothing was installed"},
		{"", nil, "nothing was installed"},
		{"vim\n4\npi\n", []string{pi}, `"4" is not one of these`},
		{strings.Repeat("x", 1<<20), nil, "nothing was installed"},
	} {
		home := t.TempDir()
		for _, dir := range []string{".claude", ".codeium/windsurf", ".pi/agent/extensions"} {
			if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		code, stdout, stderr := suite.Run(t, base.Env{Dir: home, Environ: []string{"HOME=" + home, "PATH=/nowhere"}, Stdin: strings.NewReader(tt.answer), StdinTTY: true, StderrTTY: true}, "install")
		if code != base.ExitOK || !strings.Contains(stderr, tt.stderr) || !strings.Contains(stdout, " 3  windsurf  Windsurf     not installed\n") {
			t.Errorf("%.20q: %d\n%s%s", tt.answer, code, stdout, stderr)
		}
		for _, name := range []string{pi, windsurf, claude} {
			_, err := os.Stat(filepath.Join(home, name))
			want := false
			for _, w := range tt.want {
				want = want || w == name
			}
			if (err == nil) != want {
				t.Errorf("%.20q: %s is there: %v, want %v", tt.answer, name, err == nil, want)
			}
		}
	}
}

// TestInstallAsksNotForBroken: what Enter installs into leaves out an agent whose
// settings are broken, and the list says why.
func TestInstallAsksNotForBroken(t *testing.T) {
	for _, tt := range []struct{ other, stderr string }{
		{".pi/agent/extensions", "satchel: Enter installs into: pi; or type names, numbers, none: "},
		{".cursor", "satchel: Enter installs nothing; or type names or numbers: "},
	} {
		home := t.TempDir()
		for _, dir := range []string{".cursor", tt.other} {
			if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(home, ".cursor/mcp.json"), []byte("[]\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := suite.Run(t, base.Env{Dir: home, Environ: []string{"HOME=" + home, "PATH=/nowhere"}, Stdin: strings.NewReader("\n"), StdinTTY: true, StderrTTY: true}, "install")
		if code != base.ExitOK || !strings.HasPrefix(stderr, tt.stderr) || !strings.Contains(stdout, "mcp.json:1:1: the top level is an array, not an object; not installed\n") {
			t.Errorf("%d\n%s%s", code, stdout, stderr)
		}
		if text, err := os.ReadFile(filepath.Join(home, ".cursor/mcp.json")); err != nil || string(text) != "[]\n" {
			t.Errorf("%q, %v", text, err)
		}
	}
}
