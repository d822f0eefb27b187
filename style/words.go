package style

import (
	"fmt"
	"strings"
)

// mostTold is how many types and scopes are named.
const mostTold = 15

// Words describes the convention to who writes a message by it. The examples are
// not part of it.
func (c *Convention) Words() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if c.Seen > 0 {
		line("Kind: %s (%.0f %% of %d messages that people wrote).", describe(c.Kind), 100*c.Share, c.Seen)
	} else {
		line("Kind: %s.", describe(c.Kind))
	}
	switch c.Kind {
	case Conventional:
		line("Types: %s.", told(c.Types))
		if len(c.Scopes) > 0 {
			line("Scopes: %s.", told(c.Scopes))
		}
	case Gitmoji:
		if len(c.Types) > 0 {
			line("Emoji: %s.", told(c.Types))
		}
	case Package:
		if len(c.Scopes) > 0 {
			line("Packages that were named: %s.", told(c.Scopes))
		}
	case Ticket:
		line("The ticket comes from the author; do not write one.")
	}
	switch c.Case {
	case LowerCase:
		line("The subject's first word is in lower case, unless it is a name.")
	case UpperCase:
		line("The subject's first word is capitalized, unless it is a name in code.")
	}
	if c.Stop {
		line("The subject ends in a full stop.")
	} else {
		line("The subject has no full stop at its end.")
	}
	line("Subjects have at most %d characters, prefix included.", min(c.Length, c.Most))
	switch {
	case c.Seen == 0:
	case c.Body < 0.2:
		line("Few messages have a body (%.0f %%).", 100*c.Body)
	default:
		line("%.0f %% of the messages have a body.", 100*c.Body)
	}
	return b.String()
}

func describe(k Kind) string {
	switch k {
	case Conventional:
		return "conventional, type(scope): subject"
	case Gitmoji:
		return "gitmoji, an emoji before the subject"
	case Ticket:
		return "ticket, the number of a ticket before the subject"
	case Package:
		return "package, the name of the package or part that changes, a colon, the subject"
	}
	return "plain, a subject without a prefix"
}

func told(list []Word) string {
	var out []string
	for _, w := range list[:min(len(list), mostTold)] {
		out = append(out, w.Text)
	}
	return strings.Join(out, ", ")
}
