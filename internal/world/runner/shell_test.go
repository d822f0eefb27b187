package runner

import (
	"context"
	"os"
	"os/exec"
	"testing"
)

func TestWindowsSh(t *testing.T) {
	for _, tt := range []struct {
		name, path, want string
		files            []string
	}{
		{"on PATH", `C:\msys\usr\bin`, `C:\msys\usr\bin\sh.exe`, []string{`C:\msys\usr\bin\sh.exe`}},
		{"beside Git\\cmd", `C:\x;C:\Program Files\Git\cmd`, `C:\Program Files\Git\bin\sh.exe`, []string{`C:\Program Files\Git\cmd\git.exe`, `C:\Program Files\Git\bin\sh.exe`}},
		{"above mingw64", `D:\Git\mingw64\bin`, `D:\Git\bin\sh.exe`, []string{`D:\Git\mingw64\bin\git.exe`, `D:\Git\bin\sh.exe`}},
		{"above clangarm64", `D:\Git\ClangArm64\bin`, `D:\Git\bin\sh.exe`, []string{`D:\Git\ClangArm64\bin\git.exe`, `D:\Git\bin\sh.exe`}},
		{"not above MinGit", `C:\Git\cmd`, "", []string{`C:\Git\cmd\git.exe`, `C:\bin\sh.exe`}},
		{"not above a shim", `C:\ProgramData\chocolatey\bin`, "", []string{`C:\ProgramData\chocolatey\bin\git.exe`, `C:\ProgramData\bin\sh.exe`}},
		{"not above a folder of programs", `C:\tools`, "", []string{`C:\tools\git.exe`, `C:\bin\sh.exe`}},
		{"a git of its own", `D:\shims`, "", []string{`D:\shims\git.exe`}},
		{"of the current folder", `.`, "", []string{`.\sh.exe`, `sh.exe`}},
		{"no git", `C:\x`, "", nil},
	} {
		isFile := func(name string) bool {
			for _, f := range tt.files {
				if f == name {
					return true
				}
			}
			return false
		}
		if got := windowsSh([]string{"Path=" + tt.path, "PATHEXT=.EXE"}, isFile); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWindowsCmd(t *testing.T) {
	for env, want := range map[string]string{
		`ComSpec=D:\w\system32\cmd.exe`: `D:\w\system32\cmd.exe`,
		`COMSPEC=C:\ps\powershell.exe`:  `C:\Windows\System32\cmd.exe`,
		`comspec=cmd.exe`:               `C:\Windows\System32\cmd.exe`,
		`SYSTEMROOT=E:\Windows\`:        `E:\Windows\System32\cmd.exe`,
		`SystemRoot=relative`:           `C:\Windows\System32\cmd.exe`,
	} {
		if got := windowsCmd([]string{env}); got != want {
			t.Errorf("%s: %q, want %q", env, got, want)
		}
	}
	if got, want := windowsCmdLine(`C:\cmd.exe`, `echo "a b" && more`), `"C:\cmd.exe" /d /s /c "echo "a b" && more"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestShell: a line of a shell runs, with its words and operators.
func TestShell(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh here")
	}
	out, err := Shell(context.Background(), `echo "a  b" && echo $SAID`, append(os.Environ(), "SAID=c")).Output()
	if err != nil || string(out) != "a  b\nc\n" {
		t.Errorf("%q, %v", out, err)
	}
}
