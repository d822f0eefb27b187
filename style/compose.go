package style

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parts are what a message is put together from.
type Parts struct {
	Type     string // of Conventional and Gitmoji; an emoji, if one was chosen
	Scope    string // of Conventional; the packages of Package
	Breaking bool
	Subject  string // what changes, without a prefix
	Body     string

	// Ticket is what a person named, as in the name of the branch. Nothing else makes
	// up a ticket.
	Ticket string
}

// Compose puts a message together as messages are written here. A prefix that the
// subject has already stands there once, and a part that is missing is left out.
func (c *Convention) Compose(p Parts) string {
	subject := strings.Join(strings.Fields(p.Subject), " ")
	p.Type, p.Scope = word(p.Type), strings.TrimSpace(strings.Join(strings.Fields(p.Scope), " "))
	if s := ParseSubject(subject).as(c.Kind); s.Kind == c.Kind && c.Kind != Plain {
		subject = s.Text
		p.Type = cmp.Or(p.Type, s.Type)
		p.Scope = cmp.Or(p.Scope, s.Scope)
		p.Breaking = p.Breaking || s.Breaking
	} else if s.Kind == Conventional && strings.EqualFold(s.Type, p.Type) {
		subject = s.Text // the type was said twice, and has no place here
	}
	subject = c.cased(subject)
	switch c.Kind {
	case Conventional:
		subject = c.conventional(p) + subject
	case Gitmoji:
		subject = c.sign(p.Type) + " " + subject
	case Package:
		if p.Scope != "" {
			subject = strings.TrimSuffix(p.Scope, ":") + ": " + subject
		}
	case Ticket:
		if p.Ticket != "" {
			subject = c.ticket(p.Ticket) + " " + subject
		}
	}
	if c.Stop && !strings.HasSuffix(subject, ".") {
		subject += "."
	}
	if body := strings.TrimSpace(p.Body); body != "" {
		subject += "\n\n" + body
	}
	return subject
}

// word returns what may be a type: letters and dashes, or an emoji.
func word(s string) string {
	s = strings.TrimSpace(s)
	if sign, _ := emoji(s); sign != "" {
		return sign
	}
	if i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != ':' && r != '_' }); i >= 0 {
		s = s[:i]
	}
	return s
}

// conventional returns what stands before the subject. A type that nobody uses here
// becomes the one that says least.
func (c *Convention) conventional(p Parts) string {
	t := strings.Trim(p.Type, ":")
	if t == "" || !c.hasType(t) {
		t = "chore"
	}
	for _, w := range c.Types { // as people here spell it
		if strings.EqualFold(w.Text, t) {
			t = w.Text
			break
		}
	}
	if p.Scope != "" && len(p.Scope) <= longestScope && !strings.ContainsAny(p.Scope, "()\n") {
		t += "(" + p.Scope + ")"
	}
	if p.Breaking {
		t += "!"
	}
	return t + ": "
}

// cased gives a subject's first letter the case that is usual here, unless it begins
// with a name.
func (c *Convention) cased(s string) string {
	first, _, _ := strings.Cut(s, " ")
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case c.Case == AnyCase || isName(first):
		return s
	case c.Case == LowerCase:
		return string(unicode.ToLower(r)) + s[n:]
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// longestScope is how long a scope may be, in bytes; see conventional.
const longestScope = 60

// signs are the emoji of types, as gitmoji has them.
var signs = []struct{ kind, sign, code string }{
	{"feat", "✨", ":sparkles:"}, {"fix", "🐛", ":bug:"}, {"docs", "📝", ":memo:"}, {"style", "🎨", ":art:"}, {"refactor", "♻️", ":recycle:"}, {"perf", "⚡️", ":zap:"},
	{"test", "✅", ":white_check_mark:"}, {"build", "👷", ":construction_worker:"}, {"ci", "👷", ":construction_worker:"}, {"chore", "🔧", ":wrench:"}, {"revert", "⏪️", ":rewind:"},
	{"security", "🔒️", ":lock:"}, {"remove", "🔥", ":fire:"}, {"rename", "🚚", ":truck:"}, {"deps", "⬆️", ":arrow_up:"}, {"release", "🔖", ":bookmark:"},
}

// sign returns the emoji of a type, in the form that is usual here.
func (c *Convention) sign(t string) string {
	if s, _ := emoji(t); s != "" {
		return s
	}
	if strings.HasPrefix(t, ":") && strings.HasSuffix(t, ":") && len(t) > 2 {
		return t
	}
	i := slices.IndexFunc(signs, func(s struct{ kind, sign, code string }) bool { return strings.EqualFold(s.kind, strings.Trim(t, ":")) })
	if i < 0 {
		i = slices.IndexFunc(signs, func(s struct{ kind, sign, code string }) bool { return s.kind == "chore" })
	}
	codes := 0
	for _, w := range c.Types {
		if strings.HasPrefix(w.Text, ":") {
			codes += w.Count
		} else {
			codes -= w.Count
		}
	}
	if codes > 0 {
		return signs[i].code
	}
	return signs[i].sign
}

// ticket writes a ticket as people here do: with the brackets and the colon of the last
// one.
func (c *Convention) ticket(t string) string {
	t = strings.Trim(strings.TrimSpace(t), "[]: ")
	if strings.HasPrefix(c.Ticket, "[") {
		t = "[" + t + "]"
	}
	if strings.HasSuffix(c.Ticket, ":") {
		t += ":"
	}
	return t
}
