package agents

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// standIn tells this program that it is to be satchel, and how it ends.
const standIn = "TEST_STAND_IN"

func TestMain(m *testing.M) {
	if code, err := strconv.Atoi(os.Getenv(standIn)); err == nil {
		in, _ := io.ReadAll(os.Stdin)
		fmt.Printf("%s %s", strings.Join(os.Args[1:min(3, len(os.Args))], " "), in)
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// A windowsShell runs a line as an agent does.
type windowsShell struct {
	name string
	line func(line string) *exec.Cmd
}

// windowsShells are the shells that are there. Wine has a powershell.exe that does
// nothing, and no others.
func windowsShells(t *testing.T) (list []windowsShell) {
	t.Helper()
	cmd := filepath.Join(os.Getenv("SystemRoot"), `System32\cmd.exe`)
	raw := func(switches string) func(string) *exec.Cmd {
		return func(line string) *exec.Cmd {
			c := exec.Command(cmd)
			c.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe ` + switches + ` "` + line + `"`}
			return c
		}
	}
	list = append(list, windowsShell{"cmd of Codex", raw("/C")}, windowsShell{"cmd of Qwen Code", raw("/d /s /c")})
	for _, name := range []string{"powershell.exe", "pwsh.exe"} {
		program, err := exec.LookPath(name)
		var exit *exec.ExitError
		if err != nil || !errors.As(exec.Command(program, "-NoProfile", "-Command", "exit 7").Run(), &exit) || exit.ExitCode() != 7 {
			t.Logf("there is no %s here", name)
			continue
		}
		list = append(list, windowsShell{name, func(line string) *exec.Cmd { return exec.Command(program, "-NoProfile", "-Command", line) }})
		list = append(list, windowsShell{name + " of Gemini CLI", func(line string) *exec.Cmd {
			return exec.Command(program, "-NoProfile", "-NonInteractive", "-Command", line+"; if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }")
		}})
	}
	if git, err := exec.LookPath("git.exe"); err == nil {
		bash := filepath.Join(filepath.Dir(filepath.Dir(git)), `bin\bash.exe`)
		if _, err := os.Stat(bash); err == nil {
			list = append(list, windowsShell{"Git Bash", func(line string) *exec.Cmd { return exec.Command(bash, "-c", line) }})
		}
	}
	return list
}

// TestWindowsLinesRun: a line for Windows hands satchel what it is given, in each of
// the shells that it is for, gives back what it says, and ends with 0 if satchel fails
// or is gone. It runs no satchel.exe of the folder that it is in.
func TestWindowsLinesRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	bin, repo := t.TempDir(), t.TempDir()
	for _, dir := range []string{bin, repo} {
		if err := os.WriteFile(filepath.Join(dir, "satchel.exe"), text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	wine := syscall.NewLazyDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
	const input = "{\"prompt\":\"größer ✓\"}\n"
	for _, shell := range windowsShells(t) {
		for _, a := range All {
			isCmd, isPower := strings.HasPrefix(shell.name, "cmd"), strings.HasPrefix(shell.name, "p")
			switch {
			case a.Hooks == nil || a.Hooks.Handler == nil:
				continue
			case isCmd && (a == &gemini || a == &copilot), isPower && a == &qwen:
				continue // its line is not for it
			}
			line := a.WindowsLine(&a.Hooks.Events[0])
			for _, tt := range []struct {
				name, path, dir string
				ends            int
				want            string
			}{
				{"it answers", bin, bin, 0, "hook " + a.Name + " " + input},
				{"it dies", bin, bin, 2, "hook " + a.Name + " " + input},
				{"it is gone", "", os.TempDir(), 0, ""},
				{"another one is in the folder", "", repo, 0, ""},
			} {
				if tt.dir == repo && isCmd && (wine || a != &qwen) {
					continue // Wine heeds no variable, and the line of Codex can set none
				}
				cmd := shell.line(line)
				cmd.Dir = tt.dir
				cmd.Stdin = strings.NewReader(input)
				root := os.Getenv("SystemRoot")
				cmd.Env = append(os.Environ(), standIn+"="+strconv.Itoa(tt.ends), "PATH="+strings.Join([]string{tt.path, root + `\System32`, root}, ";"))
				out, err := cmd.Output()
				if err != nil || string(out) != tt.want {
					t.Errorf("%s of %s, %s: %q, %v, want %q", line, shell.name, tt.name, out, err, tt.want)
				}
			}
		}
	}
}
