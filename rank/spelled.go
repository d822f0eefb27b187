package rank

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

// A Spelled is a name that a task spells as nobody spells a word: with a change to
// upper case inside, an underscore, what qualifies it, or in backticks. Whether
// anything has that name the repository knows.
//
// Token, run and Parse are none, though programs define them: people say such words
// and mean nothing by it. But who asks for one word alone means its name.
type Spelled struct {
	Text  string   // as the task writes it
	Name  string   // its last part
	Of    []string // what qualifies it, outermost first: a package, a class
	Title bool     // it stands in the first line
	Plain bool     // it reads as a word: backticks, or the lack of other words, make it a name
}

// maxSpelled bounds the look-ups that a long task causes.
const maxSpelled = 60

// BriefWords is how many words a task may have besides the names that it spells for
// these to be what it is about. Of the tasks of the benchmark with names that one to
// three files define, those with up to 15 other words are about one of these files
// in four of five cases; in longer ones names are mentioned in passing, too.
const BriefWords = 15

// Brief reports whether a task says so little besides names that they must be what
// it is about.
func (q *Query) Brief() bool { return q.Besides <= BriefWords }

// Words returns the number of words of a task, small talk aside.
func (q *Query) Words() int {
	n := q.Besides
	for i := range q.Spelled {
		if !q.Spelled[i].Plain {
			n++
		}
	}
	return n
}

var (
	spelledName = lazy.Regexp(`[A-Za-z_$][\w$]*(?:(?:\.|::|#|->|\\)~?[A-Za-z_$][\w$]*)*[?!]?`)
	separator   = lazy.Regexp(`\.|::|#|->|\\`)
	acronyms    = lazy.Regexp(`^[A-Z]+s$`)
)

// spelled collects the names of the prose, those of the title first. Lines of
// tracebacks are no prose, and programs in fences hold names for other reasons.
func (q *Query) spelled() {
	seen := map[string]bool{}
	scan := func(text string, title, quoted bool) {
		for _, m := range spelledName().FindAllString(text, -1) {
			for _, s := range asSpelled(m) {
				s.Title, s.Plain = title, len(s.Of) == 0 && !Compound(s.Name)
				if len(s.Name) < 2 && len(s.Of) == 0 || seen[s.Text] || len(q.Spelled) == maxSpelled || s.Plain && !(quoted && m == strings.TrimRight(strings.Trim(text, "`"), "()")) {
					continue
				}
				seen[s.Text] = true
				q.Spelled = append(q.Spelled, s)
			}
		}
	}
	quotes := func(text string, title bool) {
		for _, m := range fence().FindAllString(text, -1) {
			if !strings.HasPrefix(m, "```") {
				scan(m, title, true)
			}
		}
	}
	quotes(q.Title, true)
	scan(strings.TrimSpace(q.Title), true, strings.TrimSpace(q.Text) == strings.TrimSpace(q.Title))
	said := withoutTrace(strings.TrimPrefix(q.Text, q.Title))
	prose := fence().ReplaceAllStringFunc(said, func(m string) string {
		if strings.HasPrefix(m, "```") {
			return "\n"
		}
		return m
	})
	quotes(prose, false)
	scan(prose, false, false)
	q.Paths = filesIn(q.Title + "\n" + prose)

	parts := map[uint64]bool{}
	var a terms.Analyzer
	for _, s := range q.Spelled {
		if !s.Plain {
			a.Each([]byte(s.Text), func(t uint64) { parts[t] = true })
		}
	}
	a.Each([]byte(q.Title+"\n"+said), func(t uint64) {
		if !parts[t] && !Smalltalk(t) {
			parts[t] = true
			q.Besides++
		}
	})
}

// fewFrames is how many lines may name a place in a file before they are a traceback;
// the frames of Python and Java are never anything else.
const fewFrames = 2

// withoutTrace takes the lines of tracebacks out of a text, with what belongs to
// them: Python shows the code of a frame after it, Go names the function before it.
func withoutTrace(text string) string {
	lines := slices.Collect(strings.Lines(text))
	trace := make([]bool, len(lines)+1)
	places, frames := 0, false
	for i, line := range lines {
		switch {
		case pyFrame().MatchString(line):
			trace[i], trace[i+1], frames = true, true, true
		case jvmFrame().MatchString(line):
			trace[i], frames = true, true
		case lineFrame().MatchString(line):
			trace[i] = true
			if i > 0 && line[0] == '\t' {
				trace[i-1] = true
			}
			places++
		}
	}
	if !frames && places <= fewFrames {
		return text
	}
	var b strings.Builder
	for i, line := range lines {
		if !trace[i] {
			b.WriteString(line)
		}
	}
	return b.String()
}

// asSpelled returns what a run of names may mean: all of it, and in Ruby a name that
// ends in a mark, which elsewhere is the end of a sentence.
func asSpelled(run string) []Spelled {
	one := func(run string) Spelled {
		parts := separator().Split(run, -1)
		return Spelled{Text: run, Name: parts[len(parts)-1], Of: parts[:len(parts)-1]}
	}
	if bare := strings.TrimRight(run, "?!"); bare != run {
		return []Spelled{one(run), one(bare)}
	}
	return []Spelled{one(run)}
}

// Compound reports whether a word has parts as names have them, and is no plural of
// an acronym: parseHeader, HTTPServer, max_size.
func Compound(w string) bool {
	w = strings.Trim(w, "_$?!")
	if strings.ContainsAny(w, "_$") {
		return true
	}
	if acronyms().MatchString(w) {
		return false
	}
	upper, lower := 0, false
	for _, c := range []byte(w) {
		switch {
		case 'A' <= c && c <= 'Z':
			if lower {
				return true
			}
			upper++
		case 'a' <= c && c <= 'z':
			if upper > 1 {
				return true
			}
			lower = true
		}
	}
	return false
}
