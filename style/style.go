// Package style learns how a repository's people write the messages of their
// commits, and holds a new message to it.
//
// It reads no repository and asks no model. Start with [Learn]; a [Convention] puts
// a message together of its parts ([Convention.Compose]), makes good what needs no
// judgement ([Convention.Mend]), and says what else is wrong ([Convention.Check]).
package style

import (
	"fmt"
	"strings"
)

// A Kind is a way to write the subject of a commit.
type Kind string

// The kinds.
const (
	Plain        Kind = "plain"
	Conventional Kind = "conventional" // fix(scope): subject
	Gitmoji      Kind = "gitmoji"      // an emoji or its :code: first
	Ticket       Kind = "ticket"       // ABC-123 or #123 first
	Package      Kind = "package"      // internal/git: subject
)

// Kinds are all kinds.
var Kinds = []Kind{Plain, Conventional, Gitmoji, Ticket, Package}

// A Convention is how messages are written.
type Convention struct {
	Kind  Kind
	Share float64 // of the people's subjects that are of the kind
	Seen  int     // subjects that it was learned from; 0 for one that was not learned
	Of    int     // messages that were looked at, with merges and what programs wrote

	Types  []Word // of Conventional, and the emoji of Gitmoji, most used first
	Scopes []Word // of Conventional, and the packages of Package, most used first
	Ticket string // the last ticket of Ticket, with its brackets and what follows it

	Case   Case    // of the first letter of what follows the prefix
	Sure   float64 // share of the subjects that have it
	Stop   bool    // subjects end in a full stop
	Length int     // of subjects, in characters: nine of ten are no longer
	Most   int     // of subjects: hardly any is longer
	Body   float64 // share of messages that have a body

	Subjects []string // a few that differ from each other, and that others are like
}

// A Word is a type or a scope, and how often it was used.
type Word struct {
	Text  string
	Count int
}

// A Case is that of a first letter.
type Case string

// The cases.
const (
	AnyCase   Case = ""
	LowerCase Case = "lower"
	UpperCase Case = "upper"
)

// Lengths that hold where nothing was learned, in characters.
const (
	usualLength = 72
	bodyWidth   = 72
)

// Of returns the convention of a kind about which nothing was learned.
func Of(k Kind) Convention {
	c := Convention{Kind: k, Length: usualLength, Most: usualLength}
	switch k {
	case Conventional:
		c.Case = LowerCase
		for _, t := range usualTypes {
			c.Types = append(c.Types, Word{Text: t})
		}
	case Gitmoji:
		c.Case = UpperCase
	}
	return c
}

// usualTypes are those of conventional commits.
var usualTypes = []string{"feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"}

// As returns the convention for another kind, as a person asks for it: lengths stay
// as they were learned, and what belongs to the kind only if it is the same.
func (c Convention) As(k Kind) Convention {
	if k == c.Kind {
		return c
	}
	o := Of(k)
	o.Body, o.Of = c.Body, c.Of
	if c.Seen > 0 {
		o.Length, o.Most = min(c.Length, usualLength), c.Most
	}
	return o
}

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
