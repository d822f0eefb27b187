package install

import "strings"

// hookLine is the command line that an agent runs at an event.
//
// It must never keep a prompt from the model, and in three agents an exit code
// of 2 does, which is what a Go program that dies of a fatal error ends with; in
// Gemini every code from 2 on does, 127 of a missing program included. So the
// line ends with 0 if satchel is gone, too old to know hooks, or killed. It must
// never change from version to version either: Codex trusts a line by its hash.
//
// Gemini ends a hook that takes too long by ending the shell, and then waits for
// what the shell started. So there the shell ends satchel with itself.
func hookLine(c Client, event string) string {
	const there = "sh -c 'command -v satchel >/dev/null 2>&1 || exit 0; "
	if c == "gemini" {
		return there + `exec 3<&0; satchel hook gemini <&3 & p=$!; trap "kill $p 2>/dev/null; exit 0" TERM INT HUP; wait $p || exit 0'`
	}
	call := "satchel hook " + string(c)
	if event != "" {
		call += " " + event
	}
	return there + call + " || exit 0'"
}

// statusLine is the command line of Claude Code's status line.
const statusLine = "sh -c 'command -v satchel >/dev/null 2>&1 || exit 0; satchel statusline || exit 0'"

// The parts of a status line that runs the user's first, and alone if satchel
// is gone.
const (
	wrapBegin  = "if command -v satchel >/dev/null 2>&1; then satchel statusline --then "
	wrapMiddle = "; else sh -c "
	wrapEnd    = "; fi"
)

// wrapStatus returns the status line that runs the user's.
func wrapStatus(users string) string {
	q := quoteShell(users)
	return wrapBegin + q + wrapMiddle + q + wrapEnd
}

// unwrapStatus returns the user's status line of one that wrapStatus made.
func unwrapStatus(line string) (users string, ok bool) {
	rest, ok := strings.CutPrefix(line, wrapBegin)
	if !ok {
		return "", false
	}
	rest, ok = strings.CutSuffix(rest, wrapEnd)
	if !ok || (len(rest)-len(wrapMiddle))%2 != 0 || len(rest) < len(wrapMiddle) {
		return "", false
	}
	n := (len(rest) - len(wrapMiddle)) / 2
	q := rest[:n]
	if rest[n:] != wrapMiddle+q || len(q) < 2 || q[0] != '\'' || q[len(q)-1] != '\'' {
		return "", false
	}
	users = strings.ReplaceAll(q[1:len(q)-1], `'\''`, `'`)
	return users, quoteShell(users) == q
}

// quoteShell writes a text as one word of a POSIX shell.
func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
