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
	n := (len(line) - len(wrapBegin+wrapMiddle+wrapEnd)) / 2 // of the user's in quotes
	if n < 2 {
		return "", false
	}
	quoted := line[len(wrapBegin):][1 : n-1]
	users = strings.ReplaceAll(quoted, `'\''`, `'`)
	return users, wrapStatus(users) == line
}

// quoteShell writes a text as one word of a POSIX shell.
func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
