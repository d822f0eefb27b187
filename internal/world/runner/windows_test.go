package runner

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

func TestWindowsLook(t *testing.T) {
	files := map[string]bool{
		`C:\bin\git.exe`: true, `C:\npm\claude`: true, `C:\npm\claude.cmd`: true, `D:\own\tool.ps1`: true, `D:\own\git.exe`: true,
		`C:\work\build.bat`: true, `C:\work\sub\run.exe`: true, `C:\bin\a.b.exe`: true, `.\evil.exe`: true, `C:\work\evil.exe`: true,
	}
	env := []string{"HOME=x", `Path=.;"C:\npm";C:\bin\;sub;D:\own`, "PATHEXT=.COM;.EXE;.BAT;.CMD"}
	for _, test := range []struct{ name, want string }{
		{"git", `C:\bin\git.exe`},
		{"GIT.exe", ""}, // the files of this test have one case
		{"git.exe", `C:\bin\git.exe`},
		{"claude", `C:\npm\claude.cmd`}, // not the script for sh beside it
		{"tool.ps1", `D:\own\tool.ps1`},
		{"tool", ""},
		{"a.b", `C:\bin\a.b.exe`},
		{"build", ""}, // the current folder does not count
		{`.\build`, `C:\work\.\build.bat`},
		{"./build.bat", `C:\work\./build.bat`},
		{`sub/run`, `C:\work\sub/run.exe`},
		{`C:\bin\git`, `C:\bin\git.exe`},
		{"evil", ""},
	} {
		got, err := windowsLook(test.name, `C:\work`, env, func(name string) bool {
			return files[strings.ReplaceAll(strings.ReplaceAll(name, "/", `\`), `\.\`, `\`)]
		})
		if got != test.want || (err == nil) != (test.want != "") || err != nil && !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("windowsLook(%q) = %q, %v, want %q", test.name, got, err, test.want)
		}
	}
	if got, _ := windowsLook("git", "", []string{`PATH=C:\bin`}, func(name string) bool { return files[name] }); got != `C:\bin\git.exe` {
		t.Errorf("without PATHEXT git is %q", got)
	}
}

func TestWindowsAbs(t *testing.T) {
	for path, want := range map[string]bool{
		`C:\x`: true, "c:/x": true, `\\server\share`: true, "//server/share": true, `\\?\C:\x`: true,
		"": false, ".": false, "C:": false, "C:x": false, `\x`: false, "/x": false, "x": false,
	} {
		if got := windowsAbs(path); got != want {
			t.Errorf("windowsAbs(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestWindowsExit(t *testing.T) {
	for code, want := range map[uint32]Exit{0: {}, 3: {Code: 3}, statusControlC: {Code: 130, Signal: "interrupt"}} {
		if got := windowsExit(code); got != want {
			t.Errorf("windowsExit(%#x) = %+v, want %+v", code, got, want)
		}
	}
}

func TestBatchArgs(t *testing.T) {
	for _, test := range []struct {
		program, arg string
		bad          string
	}{
		{`C:\npm\claude.cmd`, "fix the bug", ""},
		{`C:\npm\claude.cmd`, "--model=x,y", ""},
		{`C:\npm\claude.CMD`, "a&calc", "'&'"},
		{`C:\npm\claude.bat`, "two\nlines", `'\n'`},
		{`C:\npm\claude.cmd`, "100%PATH%", "'%'"},
		{`C:\npm\claude.cmd`, `say "x"`, `'"'`},
		{`C:\npm\claude.cmd.`, "a&calc", "'&'"},
		{`C:\npm\claude.BAT .. `, "a&calc", "'&'"},
		{`C:\npm\claude.exe`, `say "x" & %PATH%`, ""},
	} {
		err := batchArgs(test.program, []string{"-p", test.arg})
		if (err == nil) != (test.bad == "") || err != nil && !strings.Contains(err.Error(), test.bad) {
			t.Errorf("batchArgs(%s, %q) = %v, want %q", test.program, test.arg, err, test.bad)
		}
	}
}
