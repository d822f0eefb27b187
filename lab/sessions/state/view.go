package state

import (
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// A view is what a reader of a conversation sees: its lines, and where each
// stands.
type view struct {
	lines []line
	at    map[string][]int // of each reading of a line
	text  string
	flat  string // the text with its white space collapsed
}

// A line of a view may be read in several ways: with and without its number, a
// sign of a patch or the name of a field before it.
type line struct {
	text     string // its white space collapsed
	readings []string
	old      bool // shown as what an edit took out
}

func (l *line) reads(s string) bool { return slices.Contains(l.readings, s) }

func (l *line) readsOne(of map[string]bool) bool {
	for _, r := range l.readings {
		if of[r] {
			return true
		}
	}
	return false
}

var (
	fieldName = regexp.MustCompile(`^[a-zA-Z_]{2,20}: `)

	// Where the text that an edit replaces begins, and where it ends at the
	// latest.
	oldBegins = regexp.MustCompile(`^(?:` + strings.Join(beforeKeys, "|") + `): ?`)
	oldEnds   = regexp.MustCompile(`^(?:` + strings.Join(slices.Concat(afterKeys, pathKeys, commandKeys, contentKeys), "|") + `|description|pattern|prompt): `)
)

// edge stands between two blocks: no run of lines goes over it.
const edge = "\x00"

// viewOf returns the view of a conversation.
func viewOf(ms []transcript.Message) *view {
	v := &view{at: map[string][]int{}}
	var texts []string
	for i := range ms {
		var parts []string
		for k := range ms[i].Blocks {
			b := &ms[i].Blocks[k]
			if b.Type != transcript.Thinking {
				parts = append(parts, textOf(b))
			}
			if shows(b) {
				v.add(textOf(b))
			}
		}
		texts = append(texts, strings.Join(parts, "\n"))
	}
	v.text = strings.Join(texts, "\n")
	v.flat = collapsed(v.text)
	return v
}

func (v *view) add(text string) {
	old := false
	for l := range strings.SplitSeq(text, "\n") {
		n := collapsed(l)
		switch {
		case n == "", n == "+", n == "-":
			continue
		case oldBegins.MatchString(n):
			old = true
		case oldEnds.MatchString(n):
			old = false
		}
		v.put(line{n, readingsOf(n), old || n[0] == '-'})
	}
	v.put(line{edge, []string{edge}, false})
}

func (v *view) put(l line) {
	for _, r := range l.readings {
		v.at[r] = append(v.at[r], len(v.lines))
	}
	v.lines = append(v.lines, l)
}

func readingsOf(n string) []string {
	out := []string{first(n, maxLine)}
	also := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	also(normalBody(n))
	if n[0] == '+' || n[0] == '-' {
		also(normal(n[1:]))
	}
	if name := fieldName.FindString(n); name != "" {
		also(normal(n[len(name):]))
	}
	return out
}

// starts returns where any of the lines stand, in order.
func (v *view) starts(of []string) []int {
	var out []int
	for _, l := range of {
		out = append(out, v.at[l]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A run is some lines of a view that follow one another.
type run struct{ from, to int }

// runs returns the runs of lines that are wanted or stand around what is, with
// at least so many wanted ones.
func (v *view) runs(wanted []string, around map[string]bool, least int) []run {
	want := map[string]bool{}
	for _, l := range wanted {
		want[l] = true
	}
	var out []run
	end := -1
	for _, s := range v.starts(wanted) {
		if s <= end {
			continue
		}
		n := 0
		for end = s; end < len(v.lines) && (v.lines[end].readsOne(around) || v.lines[end].readsOne(want)); end++ {
			if v.lines[end].readsOne(want) {
				n++
			}
		}
		if n >= least {
			out = append(out, run{s, end})
		}
	}
	return out
}

// together returns where lines stand one right after the other.
func (v *view) together(lines []string) []int {
	if len(lines) == 0 {
		return nil
	}
	var out []int
	for _, at := range v.at[lines[0]] {
		ok := at+len(lines) <= len(v.lines)
		for k := 0; ok && k < len(lines); k++ {
			ok = v.lines[at+k].reads(lines[k])
		}
		if ok {
			out = append(out, at)
		}
	}
	return out
}
