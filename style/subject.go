package style

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// A Subject is the first line of a message, taken apart.
type Subject struct {
	Kind     Kind
	Prefix   string // all before Text
	Type     string // of Conventional; the emoji of Gitmoji
	Scope    string // of Conventional; the packages of Package
	Breaking bool
	Ticket   string
	Text     string
}

var (
	conventional = lazy.Regexp(`^([A-Za-z][A-Za-z-]{1,14})(?:\(([^()\n]{1,60})\))?(!)?: ?(\S.*)$`)
	packaged     = lazy.Regexp(`^((?:[\w{][\w./{}*@+-]*|\.[\w/][\w./-]*|"[^"\s]+")(?:, ?[\w{][\w./{}*@+,-]*){0,5}(?:\([\w./ ,-]+\))?): (\S.*)$`)
	ticketed     = lazy.Regexp(`^(\[?(?:[A-Z][A-Z0-9]{1,11}-\d+|#\d+|(?i:gh|issue)[-# ]\d+)\]?(?:[ /,]+\[?(?:[A-Z][A-Z0-9]{1,11}-\d+|#\d+)\]?)*(?:\s*[:-])?)\s+(\S.*)$`)
	coded        = lazy.Regexp(`^(:[a-z0-9_+-]+:)\s*(\S.*)$`)
)

// ParseSubject takes a subject apart. Whether "test: x" is a type or a package nobody
// can tell of one subject: it is taken for a type, and [Learn] looks at all of them.
func ParseSubject(s string) Subject {
	s = strings.TrimSpace(s)
	if m := coded().FindStringSubmatch(s); m != nil {
		return Subject{Kind: Gitmoji, Prefix: m[1], Type: m[1], Text: m[2]}
	}
	if sign, rest := emoji(s); sign != "" && rest != "" {
		return Subject{Kind: Gitmoji, Prefix: sign, Type: sign, Text: rest}
	}
	if m := ticketed().FindStringSubmatch(s); m != nil {
		return Subject{Kind: Ticket, Prefix: m[1], Ticket: m[1], Text: m[2]}
	}
	if m := conventional().FindStringSubmatch(s); m != nil && (isType(m[1]) || m[2] != "" || m[3] != "") {
		return Subject{Kind: Conventional, Prefix: strings.TrimSuffix(s, m[4]), Type: m[1], Scope: m[2], Breaking: m[3] != "", Text: m[4]}
	}
	if m := packaged().FindStringSubmatch(s); m != nil {
		return Subject{Kind: Package, Prefix: m[1] + ":", Scope: m[1], Text: m[2]}
	}
	return Subject{Kind: Plain, Text: s}
}

// isType reports whether a word is a type of conventional commits, as people use it.
func isType(s string) bool {
	s = strings.ToLower(s)
	return slices.Contains(usualTypes, s) || slices.Contains(otherTypes, s)
}

// otherTypes are types that projects add to the usual ones.
var otherTypes = []string{"feature", "doc", "tests", "deps", "release", "security", "hotfix", "improvement", "types", "typo", "bugfix", "enhancement", "wip", "update", "upgrade", "breaking", "new", "i18n", "lint"}

// shared are types that projects name packages and topics by as well.
var shared = []string{"doc", "docs", "test", "tests", "build", "ci", "deps", "release", "security", "lint", "types", "update", "new", "i18n", "style"}

// emoji cuts the emoji off the beginning of a subject.
func emoji(s string) (sign, rest string) {
	i := 0
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		joins := i > 0 && (r == 0xfe0f || r == 0x200d || r >= 0x1f3fb && r <= 0x1f3ff)
		if !joins && !pictured(r) {
			break
		}
		i += n
	}
	return s[:i], strings.TrimLeft(s[i:], " \t")
}

func pictured(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x2139 && r <= 0x3299 && unicode.In(r, unicode.So, unicode.Sm, unicode.Po)
}

// other are subjects that say nothing of how people write: of merges and reverts, of
// releases, and of programs that update dependencies.
var other = lazy.Regexp(`(?i)^(?:merge (?:branch|branches|pull request|pr|remote|tag|commit|master|main|origin|upstream|'|\S+ into)\b|merged? (?:pull|pr|branch|#|from|latest)\b|revert\b|reapply "|back out|` +
	`\(?(?:build|chore|fix|ci|feat|docs|test|deps)\(deps[^)]*\)|(?:chore|build)?(?:\([^)]*\))?:? ?(?:bump|release|pin|lock file|auto-update)\b|bump \S+|\[?bump\b|update dependency |update (?:\S+ )?(?:action|digest|rust crate|github)|update \S+ to v?\d|` +
	`v?\d+(?:\.\d+)+\S*$|\S+[ -]v?\d+\.\d+\.\d+\S*$|(?:release|rel|version|prepare|tag)\b.{0,30}\d|fixup! |squash! |amend! |wip$|initial commit|\[create-pull-request\]|\[(?:release|automated|bot|pre-commit)|\S+ is now the|apply (?:automatic|suggestion)|` +
	`(?:\[|: )pre-commit|:arrow_up:|⬆|:rocket: ?release|(?:build|chore)\([^)]*\): update (?:dependency|rust crate|\S+ action|.* (?:to v?\d|digest|plugins))|chore: update \S* ?(?:schema|generated))`)

// ByPerson reports whether a person wrote a subject for a change, as far as it says:
// it is none of a merge, a revert, a release, or a program that updates dependencies.
func ByPerson(subject string) bool {
	return subject != "" && !other().MatchString(subject)
}

// KindOf returns the kind of a subject, where "test: x" is of the kind that is usual
// here.
func (c *Convention) KindOf(subject string) Kind {
	return ParseSubject(pulled().ReplaceAllString(strings.TrimSpace(subject), "")).as(c.Kind).Kind
}
