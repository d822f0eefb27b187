package agents

import (
	"fmt"
	"slices"
)

// windowsGOOS is Windows, where agents run command lines by other shells than sh.
const windowsGOOS = "windows"

// Lines are the command lines that identify an entry as ours, and the subset that
// works on this system.
type Lines struct {
	All, Here []string
	Fields    []string // of the line that counts here, the first that is there
}

// linesOf are the lines of an entry that has one for sh and one for Windows. What runs
// on Windows runs in sh, too.
func linesOf(goos, sh, windows string) Lines {
	if goos == windowsGOOS {
		return Lines{[]string{sh, windows}, []string{windows}, []string{"commandWindows", "powershell", "command", "bash"}}
	}
	return Lines{[]string{sh, windows}, []string{sh, windows}, []string{"command", "bash"}}
}

// Ours reports whether a line is one of them.
func (l *Lines) Ours(line string) bool { return slices.Contains(l.All, line) }

// Works reports whether it is one that works here.
func (l *Lines) Works(line string) bool { return slices.Contains(l.Here, line) }

// HookLine is the command line that an agent runs by sh at an event, or, if ev is nil,
// at any.
//
// It must never keep a prompt from the model, and in three agents an exit code
// of 2 does, which is what a Go program that dies of a fatal error ends with; in
// Gemini every code from 2 on does, 127 of a missing program included. So the
// line ends with 0 if satchel is gone, too old to know hooks, or killed. It must
// never change from version to version either: Codex trusts a line by its hash.
//
// An agent that EndsShell would wait for what the shell started. So there the
// shell ends satchel with itself.
//
// It holds no double quotes: Windows PowerShell, which a colleague may have, would
// take them off, and sh would end with 2 over what is left.
func (a *Agent) HookLine(ev *Event) string {
	const there = "sh -c 'command -v satchel >/dev/null 2>&1 || exit 0; "
	call := a.hookCall(ev)
	if a.Hooks.EndsShell {
		return there + fmt.Sprintf(`exec 3<&0; %s <&3 & p=$!; end() { kill $p 2>/dev/null; exit 0; }; trap end TERM INT HUP; wait $p || exit 0'`, call)
	}
	return there + call + " || exit 0'"
}

// WindowsLine is the command line that an agent runs on Windows. It follows the laws
// of HookLine and two more. sh accepts it too, because project settings are shared,
// and it has no quotes, because agents and shells pass them on by different rules.
func (a *Agent) WindowsLine(ev *Event) string { return a.Hooks.Windows(a.hookCall(ev)) }

// hookCall is what a line of hooks calls.
func (a *Agent) hookCall(ev *Event) string {
	call := "satchel hook " + a.Name
	if a.Hooks.Unnamed && ev != nil {
		call += " " + ev.Name
	}
	return call
}

// powerShell is a line for PowerShell, 5.1 and later, and for sh. Neither looks for
// programs in the current folder.
func powerShell(call string) string { return call + "; exit 0" }

// anyShell is a line for PowerShell, sh and cmd.exe. The first two stop at the exit
// and read the text after # as a comment. cmd.exe passes the text from ; to # as
// arguments, which satchel hook ignores, and continues after the bars on failure.
func anyShell(call string) string { return call + " ; exit 0 # || exit 0" }

// cmdShell is a line for cmd.exe and for sh. cmd.exe looks for programs in the
// current folder first, which may be a foreign repository, unless this variable is
// set; in sh it sets an unused parameter.
func cmdShell(call string) string {
	return "set NoDefaultCurrentDirectoryInExePath=1& " + call + " || exit 0"
}

// The command lines of Claude Code's status line. On Windows, Git Bash runs it, or
// else PowerShell.
const (
	StatusLine        = "sh -c 'command -v satchel >/dev/null 2>&1 || exit 0; satchel statusline || exit 0'"
	windowsStatusLine = "satchel statusline; exit 0"
)
