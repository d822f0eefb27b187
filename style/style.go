// Package style learns how a repository's people write the messages of their
// commits, and holds a new message to it.
//
// It reads no repository and asks no model. Start with [Learn]; a [Convention] puts
// a message together of its parts ([Convention.Compose]), makes good what needs no
// judgement ([Convention.Mend]), and says what else is wrong ([Convention.Check]).
package style

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
