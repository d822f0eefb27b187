// Package hygiene takes out of a model's words what would act: on a terminal, on
// the forge that a text is sent to, or on whoever reads it there. What is left says
// the same, and what was taken is told.
//
// Every text that a model wrote for people goes through a [Guard], be it the message
// of a commit, a finding, an answer or a change log. It judges no content. A Guard's
// work done twice is done once.
package hygiene

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// A Guard says what may stay of what would act. Its zero value lets nothing.
type Guard struct {
	// Given is what a person wrote for this text: a hint, the message before it was
	// amended, the name of the branch. What closes an issue, names somebody or
	// stands at the end of a message stays if it stands here.
	Given []string

	// Hosts are those that may be linked to: of the remotes, and those that
	// [HostsOf] finds in what the model was shown.
	Hosts []string

	// Message says that the text is the message of a commit, in which marks of
	// Markdown mean nothing: a name in backticks is mentioned all the same.
	Message bool

	Limit int // bytes; zero means 10 KiB
}

// Limits of a text.
const (
	defaultLimit = 10 << 10
	longestLine  = 500 // bytes
)

// Breaking begins a line of a message that announces a breaking change: nothing but
// the text itself may put it at the beginning of a line.
const Breaking = "BREAKING"

// Kinds of what is taken out.
const (
	Thought   = "thought"     // <think> … </think>
	Fence     = "outer fence" // around all of it
	Hidden    = "hidden sign" // control and invisible characters, terminal escapes
	Secret    = "secret"
	Closing   = "closing keyword" // fixes #12
	Reference = "reference"       // (#12) at the end of a subject
	Trailer   = "trailer"         // Signed-off-by: and the like
	SkipCI    = "CI order"        // [skip ci]
	Order     = "order"           // /merge, ::set-output or ##vso[ at the beginning of a line
	Mention   = "mention"         // @name
	Image     = "image"
	HTML      = "HTML tag"
	Link      = "link" // to a host that nobody has shown
	Length    = "text beyond the limit"
)

// A Taken is something that was taken out.
type Taken struct {
	What string `json:"what"` // one of the kinds
	Text string `json:"text"` // the beginning of it
}

// Sum says what was taken in a few words, such as "1 closing keyword (fixes #12), 2
// links (a.example)"; "" if that is nothing.
func Sum(list []Taken) string {
	var kinds, out []string
	count, first := map[string]int{}, map[string]string{}
	for _, t := range list {
		if count[t.What]++; count[t.What] == 1 {
			kinds = append(kinds, t.What)
			first[t.What] = t.Text
		}
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		s := fmt.Sprintf("%d %s", count[k], k)
		if count[k] > 1 && k != Length {
			s += "s"
		}
		if first[k] != "" {
			s += " (" + first[k] + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// A pass is one text on its way.
type pass struct {
	*Guard
	s     string
	taken []Taken
}

// Text returns the text without what would act, and what that was.
func (g *Guard) Text(s string) (string, []Taken) {
	p := &pass{Guard: g, s: s}
	limit := cmp.Or(max(g.Limit, 0), defaultLimit)
	p.hidden()
	p.secrets() // before anything is cut, after which no rule knows them
	p.cut(limit)
	for {
		before := p.s
		p.thoughts()
		p.fence()
		p.hidden()
		p.secrets()
		p.trailers()
		p.closings()
		p.orders()
		p.images()
		p.html()
		p.links()
		p.mentions()
		p.tidy()
		if p.s == before { // what was apart may act together
			break
		}
	}
	p.cut(limit)
	return p.s, p.taken
}

// Line is [Guard.Text] for a title: one line, its white space single spaces.
func (g *Guard) Line(s string) (string, []Taken) {
	s, taken := g.Text(s)
	for {
		one := strings.Join(strings.Fields(s), " ")
		again, more := g.Text(one)
		taken = append(taken, more...)
		if again == s {
			return s, taken
		}
		s = again
	}
}

func (p *pass) take(what, text string) {
	text, _ = clean.Strip(text)
	p.taken = append(p.taken, Taken{what, clip.Cut(strings.Join(strings.Fields(text), " "), 40)})
}

// drop replaces what matches, unless keep says that a match stays.
func (p *pass) drop(what string, re *regexp.Regexp, with func(m []string) string) {
	p.s = replace(re, p.s, func(m []string) string {
		w := with(m)
		if w != m[0] {
			p.take(what, m[0])
		}
		return w
	})
}

// replace is regexp.ReplaceAllStringFunc with the groups of each match.
func replace(re *regexp.Regexp, s string, with func(m []string) string) string {
	var b strings.Builder
	at := 0
	for _, loc := range re.FindAllStringSubmatchIndex(s, -1) {
		m := make([]string, len(loc)/2)
		for i := range m {
			if loc[2*i] >= 0 {
				m[i] = s[loc[2*i]:loc[2*i+1]]
			}
		}
		b.WriteString(s[at:loc[0]])
		b.WriteString(with(m))
		at = loc[1]
	}
	b.WriteString(s[at:])
	return b.String()
}

// cut keeps the text within its limit, and breaks lines that are too long at spaces.
func (p *pass) cut(limit int) {
	long := false
	if len(p.s) > limit {
		p.s, long = clip.Cut(p.s, limit-len("…")), true
	}
	var out []string
	for _, l := range strings.Split(p.s, "\n") {
		for len(l) > longestLine {
			i := strings.LastIndexByte(l[:longestLine], ' ')
			for i > 0 && strings.HasPrefix(l[i+1:], Breaking) {
				i = strings.LastIndexByte(l[:i], ' ')
			}
			if i <= 0 {
				l, long = clip.Cut(l, longestLine-len("…")), true
				break
			}
			out = append(out, l[:i])
			l = l[i+1:]
		}
		out = append(out, l)
	}
	p.s = strings.Join(out, "\n")
	if long {
		p.take(Length, "")
	}
}

var (
	thought  = lazy.Regexp(`(?is)(?:\A|\n)[ \t]*<(think|thinking|reasoning|reflection)>.*?</(?:think|thinking|reasoning|reflection)>[ \t]*`)
	unclosed = lazy.Regexp(`(?is)\A\s*<(?:think|thinking|reasoning|reflection)>.*\z`)
	unopened = lazy.Regexp(`(?is)\A.*(?:\A|\n)[ \t]*</(?:think|thinking|reasoning|reflection)>[ \t]*(?:\n|\z)`)
)

// thoughts takes out what a model wrote for itself. A tag within a line is one that
// the text is about.
func (p *pass) thoughts() {
	p.drop(Thought, thought(), func([]string) string { return "\n" })
	p.drop(Thought, unopened(), func([]string) string { return "" })
	p.drop(Thought, unclosed(), func([]string) string { return "" })
}

var outer = lazy.Regexp("(?s)\\A\\s*(```+|~~~+)[ \t]*[\\w+-]*[ \t]*\n(.*?)\n?[ \t]*(```+|~~~+)\\s*\\z")

// fence unwraps a text that stands in one block of code.
func (p *pass) fence() {
	m := outer().FindStringSubmatch(p.s)
	if m == nil || m[1] != m[3] || strings.Contains(m[2], m[1]) {
		return
	}
	p.take(Fence, "")
	p.s = m[2]
}

func (p *pass) hidden() {
	s, c := clean.Strip(p.s)
	for range c.Hidden + c.Invalid {
		p.taken = append(p.taken, Taken{What: Hidden})
	}
	p.s = s
}

// secrets redacts what a model was not shown, and may have guessed or been told.
func (p *pass) secrets() {
	if s := clean.New("", p.s).String(); s != p.s {
		p.taken = append(p.taken, Taken{What: Secret})
		p.s = s
	}
}

var (
	blanks   = lazy.Regexp(`\n[ \t]*\n(?:[ \t]*\n)+`)
	trailing = lazy.Regexp(`[ \t]+(\n|\z)`)
)

// tidy takes away the blank lines and spaces that were left over.
func (p *pass) tidy() {
	p.s = trailing().ReplaceAllString(p.s, "$1")
	p.s = blanks().ReplaceAllString(p.s, "\n\n")
	p.s = strings.TrimSpace(strings.TrimLeft(p.s, "\n"))
}
