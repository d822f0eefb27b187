package style

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// Limits of what is learned from, and what decides.
const (
	mostMessages = 500  // of people, the newest: styles change
	fewest       = 8    // subjects of people without which nothing is learned
	majority     = 0.45 // share of the subjects that makes a kind more than Plain: what people do half of the time they mean
	kindly       = 0.9  // share of first letters that makes a case
	withStop     = 0.6  // share of full stops that makes them part of the style
	mostWords    = 30   // types and scopes
	examples     = 8
	leastLength  = 50 // characters of a subject that nobody finds too many
)

// A message is one that a person wrote.
type message struct {
	Subject
	line string // without the number of a pull request at its end
	all  int    // characters, with it
	body bool
}

// pulled is the number of a pull request, which forges put behind subjects.
var pulled = lazy.Regexp(`\s*\((?:#\d+|GH-\d+|!\d+)\)\.?$`)

// Learn returns how messages are written, from messages of a history, newest first.
// Merges, reverts, releases and what programs wrote do not count. With too few of
// people it is plain, with Seen as 0.
func Learn(messages []string) Convention {
	var list []message
	looked := 0
	for _, m := range messages {
		if len(list) == mostMessages {
			break
		}
		looked++
		head, body, _ := strings.Cut(strings.TrimSpace(m), "\n")
		if head = strings.TrimSpace(head); !ByPerson(head) || !utf8.ValidString(head) {
			continue
		}
		line := pulled().ReplaceAllString(head, "")
		list = append(list, message{ParseSubject(line), line, utf8.RuneCountInString(head), hasBody(body)})
	}
	c := Of(Plain)
	c.Of = looked
	if len(list) < fewest {
		return c
	}
	c.Seen = len(list)
	c.Kind, c.Share = kindOf(list)
	var own []message
	for _, m := range list {
		if m.Subject = m.Subject.as(c.Kind); m.Kind == c.Kind {
			own = append(own, m)
		}
	}
	c.words(own)
	c.measure(own)
	bodies := 0
	for _, m := range list {
		if m.body {
			bodies++
		}
	}
	c.Body = float64(bodies) / float64(len(list))
	c.Subjects = newest(own)
	return c
}

// hasBody reports whether there is more than trailers behind a subject.
func hasBody(s string) bool {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" && !trailer().MatchString(line) && !strings.HasPrefix(line, "git-svn-id:") {
			return true
		}
	}
	return false
}

// as reads a subject as one of a kind, if it may be one: "test: x" is of a type among
// types, and of a package among packages.
func (s Subject) as(k Kind) Subject {
	switch {
	case k == Package && s.Kind == Conventional && s.Scope == "" && !s.Breaking:
		return Subject{Kind: Package, Prefix: s.Prefix, Scope: s.Type, Text: s.Text}
	case k == Plain && s.Kind == Package:
		return Subject{Kind: Plain, Text: s.Prefix + " " + s.Text}
	}
	return s
}

// halfLife is the age, in messages, at which a message counts half. Of 34 repositories
// 30 and 40 classify all correctly; with 50 and more, one or two that changed their
// style are wrong.
const halfLife = 40

// kindOf returns the kind that most subjects are of. Newer ones weigh more: of a style
// that was given up there are many.
func kindOf(list []message) (Kind, float64) {
	weight := map[Kind]float64{}
	all, both := 0.0, 0.0
	for i, m := range list {
		w := math.Pow(0.5, float64(i)/halfLife)
		all += w
		if m.Kind == Conventional && m.Scope == "" && slices.Contains(shared, strings.ToLower(m.Type)) {
			both += w
			continue
		}
		weight[m.Kind] += w
	}
	if weight[Conventional] >= weight[Package] {
		weight[Conventional] += both
	} else {
		weight[Package] += both
	}
	best := Plain
	for _, k := range []Kind{Conventional, Package, Ticket, Gitmoji} {
		if weight[k] >= majority*all && weight[k] > weight[best] || weight[k] > weight[best] && best != Plain {
			best = k
		}
	}
	if best == Plain { // the others are written plainly, too
		return Plain, (weight[Plain] + weight[Package]) / all
	}
	return best, weight[best] / all
}

// words counts types, scopes and tickets.
func (c *Convention) words(list []message) {
	types, scopes := map[string]int{}, map[string]int{}
	for _, m := range list {
		if m.Type != "" {
			types[m.Type]++
		}
		if m.Scope != "" {
			scopes[m.Scope]++
		}
		c.Ticket = cmp.Or(c.Ticket, clean.Inline(m.Ticket))
	}
	c.Types, c.Scopes = counted(types), counted(scopes)
}

func counted(m map[string]int) (list []Word) {
	for w, n := range m {
		list = append(list, Word{clean.Inline(w), n})
	}
	slices.SortFunc(list, func(a, b Word) int { return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Text, b.Text)) })
	return list[:min(len(list), mostWords)]
}

// measure learns lengths, the case and the full stop.
func (c *Convention) measure(list []message) {
	var lengths []int
	lower, upper, stops := 0, 0, 0
	for _, m := range list {
		lengths = append(lengths, m.all)
		switch caseOf(m.Text) {
		case LowerCase:
			lower++
		case UpperCase:
			upper++
		}
		if strings.HasSuffix(m.line, ".") && !strings.HasSuffix(m.line, "..") {
			stops++
		}
	}
	slices.Sort(lengths)
	c.Length = max(leastLength, at(lengths, 0.9))
	c.Most = max(usualLength, at(lengths, 0.99)+8)
	c.Case = AnyCase
	if n := float64(lower + upper); n > 0 {
		switch {
		case float64(lower)/n >= kindly:
			c.Case, c.Sure = LowerCase, float64(lower)/n
		case float64(upper)/n >= kindly:
			c.Case, c.Sure = UpperCase, float64(upper)/n
		}
	}
	c.Stop = float64(stops) >= withStop*float64(len(list))
}

// at returns the value below which a share of a sorted list lies.
func at(list []int, share float64) int {
	if len(list) == 0 {
		return usualLength
	}
	return list[min(len(list)-1, int(math.Ceil(share*float64(len(list))))-1)]
}

// caseOf returns the case of a text's first word; AnyCase if that is a name of code,
// which is written as it is.
func caseOf(s string) Case {
	word, _, _ := strings.Cut(s, " ")
	if isName(word) {
		return AnyCase
	}
	switch r, _ := utf8.DecodeRuneInString(s); {
	case unicode.IsLower(r):
		return LowerCase
	case unicode.IsUpper(r):
		return UpperCase
	}
	return AnyCase
}

// isName reports whether a word is a name of code, a path or an abbreviation, whose
// case is not free.
func isName(word string) bool {
	word = strings.TrimRight(word, ",:;")
	if strings.ContainsAny(word, "_./`'\"()[]{}<>@#$=*0123456789\\") || len(word) < 2 && word != "a" && word != "A" {
		return true
	}
	for i, r := range word {
		if i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

// newest returns the first few distinct subjects of a list, which is newest first.
func newest(list []message) (subjects []string) {
	for _, m := range list {
		s := clean.Line(m.line).String()
		if len(s) <= 200 && !slices.Contains(subjects, s) {
			subjects = append(subjects, s)
		}
		if len(subjects) == examples {
			break
		}
	}
	return subjects
}
