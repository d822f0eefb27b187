package rank

import (
	"strings"
	"unicode"

	"github.com/satchel-dev/satchel/internal/text/markdown"
)

// A Form is what the templates say that a repository gives to those who write
// issues and pull requests. The lines of a task that stand in one are about
// reporting, not about the program.
type Form map[string]bool // lines, by formLine

// Add adds the lines of a template: Markdown, or a form in YAML, whose labels,
// descriptions and values become text of an issue.
func (f Form) Add(template string) {
	for line := range strings.Lines(template) {
		f.line(line)
		if key, value, ok := strings.Cut(line, ":"); ok && !strings.Contains(strings.Trim(key, " -"), " ") {
			f.line(value)
		}
	}
}

func (f Form) line(s string) {
	if s = formLine(s); s != "" {
		f[s] = true
	}
}

// formLine is what two lines must share to be the same: letters and digits, in
// lower case, with the gaps between them.
func formLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), " ")
}

// Lengths from which on a line is the template's for sure, in words: code has
// short lines that everybody writes.
const (
	formProse = 2
	formCode  = 4
)

// strip takes the lines of the form out of a task. The title stays whatever it is.
func (f Form) strip(task string) string {
	if len(f) == 0 {
		return task
	}
	var b strings.Builder
	var fences markdown.Fences
	first := true
	for line := range strings.Lines(task) {
		least := formProse
		switch fences.Line([]byte(line)) {
		case markdown.Code:
			least = formCode
		case markdown.Fence:
			least = MaxTask
		}
		if key := formLine(line); first || strings.Count(key, " ")+1 < least || !f[key] {
			b.WriteString(line)
		}
		first = first && strings.TrimSpace(line) == ""
	}
	return b.String()
}
