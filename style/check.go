package style

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// A Fault is something about a message that is not as messages are written here.
type Fault struct {
	Name string `json:"name"` // one of Checks
	What string `json:"what"` // in a few words
}

// Checks are the names of what [Convention.Check] looks at, in its order.
var Checks = []string{"subject", "length", "kind", "type", "case", "full stop", "blank line", "body width", "fence", "hidden"}

// certain is the share of people's subjects that makes a case a rule, and not a habit.
const certain = 0.97

// trailer is a line of the last paragraph of a message that programs read.
var trailer = lazy.Regexp(`^[A-Za-z][A-Za-z0-9-]*: \S`)

// Check returns what is wrong with a message. It finds nothing in almost all messages
// that people write in this style.
func (c *Convention) Check(text string) (list []Fault) {
	add := func(name, format string, args ...any) { list = append(list, Fault{name, fmt.Sprintf(format, args...)}) }
	subject, body, _ := strings.Cut(strings.TrimRight(text, "\n"), "\n")
	if strings.TrimSpace(subject) == "" {
		add("subject", "it has no subject")
		return list
	}
	line := pulled().ReplaceAllString(strings.TrimSpace(subject), "")
	if n := utf8.RuneCountInString(line); n > max(c.Most, usualLength) {
		add("length", "the subject has %d characters, at most %d are allowed", n, max(c.Most, usualLength))
	}
	s := ParseSubject(line).as(c.Kind)
	if s.Kind != c.Kind && c.Kind != Plain {
		add("kind", "the subject is %s, the style is %s", s.Kind, c.Kind)
	}
	if c.Kind == Conventional && s.Kind == Conventional && !c.hasType(s.Type) {
		add("type", "the history has no type %s", clean.Inline(s.Type))
	}
	if got := caseOf(s.Text); c.Case != AnyCase && got != AnyCase && got != c.Case && c.Sure >= certain {
		add("case", "%.20q should have the other case, as subjects do here", clean.Inline(s.Text))
	}
	if strings.HasSuffix(line, ".") && !strings.HasSuffix(line, "..") && !c.Stop && c.Seen == 0 {
		add("full stop", "the subject ends in a full stop")
	}
	if body != "" && strings.TrimSpace(strings.SplitN(body, "\n", 2)[0]) != "" {
		add("blank line", "no blank line follows the subject")
	}
	if n := widest(body); n > bodyWidth {
		add("body width", "a line of the body has %d characters", n)
	}
	if strings.HasPrefix(subject, "```") {
		add("fence", "it is in a block of code")
	}
	if shown, _ := clean.Visible(text); shown != text {
		add("hidden", "it has control or invisible characters")
	}
	return list
}

// hasType reports whether a type is used here or everywhere.
func (c *Convention) hasType(t string) bool {
	return slices.Contains(usualTypes, strings.ToLower(t)) || slices.ContainsFunc(c.Types, func(w Word) bool { return strings.EqualFold(w.Text, t) })
}

// widest returns the characters of the longest line of a body that could be broken.
func widest(body string) (n int) {
	for _, p := range paragraphs(body) {
		if p.kept {
			continue
		}
		for _, l := range p.lines {
			if strings.Contains(strings.TrimSpace(l), " ") {
				n = max(n, utf8.RuneCountInString(l))
			}
		}
	}
	return n
}
