package runner

import (
	"cmp"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// What Windows does in other ways stands here as functions of texts and numbers, so
// that every system tests it.

// statusControlC is what a process ends with that Ctrl-C ended.
const statusControlC = 0xC000013A

// windowsExit says how a command ended by its exit code, which has 32 bits there.
func windowsExit(code uint32) Exit {
	if code == statusControlC {
		return Exit{Code: codeSignal + 2, Signal: "interrupt"} // as SIGINT elsewhere
	}
	return Exit{Code: int(code)}
}

// windowsExts are the ends of names of programs where PATHEXT is not set.
const windowsExts = ".COM;.EXE;.BAT;.CMD"

// windowsLook finds a program by a name with or without its end. isFile reports
// whether there is such a file.
func windowsLook(name, dir string, env []string, isFile func(string) bool) (string, error) {
	exts := cmp.Or(windowsVariable(env, "PATHEXT"), windowsExts)
	complete := func(path string) (string, bool) {
		if strings.Contains(path[strings.LastIndexAny(path, `/\`)+1:], ".") && isFile(path) {
			return path, true
		}
		for ext := range strings.SplitSeq(exts, ";") {
			if ext != "" && isFile(path+strings.ToLower(ext)) {
				return path + strings.ToLower(ext), true
			}
		}
		return "", false
	}
	if strings.ContainsAny(name, `/\:`) {
		if !windowsAbs(name) {
			name = strings.TrimRight(dir, `/\`) + `\` + name
		}
		if path, ok := complete(name); ok {
			return path, nil
		}
		return "", exec.ErrNotFound
	}
	for folder := range strings.SplitSeq(windowsVariable(env, "PATH"), ";") {
		folder = strings.Trim(folder, `"`)
		if !windowsAbs(folder) {
			continue
		}
		if path, ok := complete(strings.TrimRight(folder, `/\`) + `\` + name); ok {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

// windowsSh returns the sh of PATH, or that of the Git for Windows whose git.exe is on
// it: its installer puts Git\cmd there alone. "" is none.
func windowsSh(env []string, isFile func(string) bool) string {
	if sh, err := windowsLook("sh", "", env, isFile); err == nil {
		return sh
	}
	dir, err := windowsLook("git", "", env, isFile)
	if err != nil {
		return ""
	}
	for _, ends := range gitFolders {
		i := max(strings.LastIndexAny(dir, `/\`), 0)
		if left := strings.ToLower(dir[i:]); ends != nil && !slices.Contains(ends, strings.Trim(left, `/\`)) {
			return "" // above git's own folder others may put programs
		}
		dir = dir[:i]
		if sh := dir + `\bin\sh.exe`; dir != "" && isFile(sh) {
			return sh
		}
	}
	return ""
}

// gitFolders are what the folders of Git for Windows are called above its git.exe, as
// Git\cmd\git.exe and Git\mingw64\bin\git.exe: what is left at each step up.
var gitFolders = [][]string{nil, {"cmd", "bin"}, {"mingw64", "mingw32", "clangarm64"}}

// windowsCmd returns the path of cmd.exe.
func windowsCmd(env []string) string {
	if shell := windowsVariable(env, "COMSPEC"); windowsAbs(shell) && strings.HasSuffix(strings.ToLower(shell), `\cmd.exe`) {
		return shell
	}
	root := windowsVariable(env, "SystemRoot")
	if !windowsAbs(root) {
		root = `C:\Windows`
	}
	return strings.TrimRight(root, `/\`) + `\System32\cmd.exe`
}

// windowsCmdLine has cmd.exe run a line as it is: it takes off the outer quotes, and no
// other program's rules are about what is between them.
func windowsCmdLine(program, line string) string {
	return `"` + program + `" /d /s /c "` + line + `"`
}

// windowsVariable returns the value of a variable, whose name may be written in any
// case: it is mostly Path.
func windowsVariable(env []string, name string) (value string) {
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok && strings.EqualFold(k, name) {
			value = v
		}
	}
	return value
}

// windowsAbs reports whether a path says from which drive or machine it goes.
func windowsAbs(path string) bool {
	slash := func(i int) bool { return len(path) > i && (path[i] == '/' || path[i] == '\\') }
	return len(path) > 2 && path[1] == ':' && slash(2) || slash(0) && slash(1)
}

// batchArgs refuses arguments that a batch file would not get as they are: cmd.exe
// reads them as part of its own language, and no quoting prevents that for all.
// Agents that npm installs are such files.
func batchArgs(program string, args []string) error {
	lower := strings.TrimRight(strings.ToLower(program), ". ") // Windows opens it without that end
	if !strings.HasSuffix(lower, ".cmd") && !strings.HasSuffix(lower, ".bat") {
		return nil
	}
	for _, a := range args {
		if i := strings.IndexAny(a, "&|<>^%!\"\r\n"); i >= 0 {
			return fmt.Errorf("%s is a batch file, and an argument with %q would be read by cmd.exe", program, a[i])
		}
	}
	return nil
}
