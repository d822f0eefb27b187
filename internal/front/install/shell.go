package install

import "strings"

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
