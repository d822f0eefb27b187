package signal

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// Bounds of Found. It reads the beginning and the end of a long task, which show its
// topic. A long word is data.
const (
	foundHead  = 6 << 10
	foundTail  = 2 << 10
	foundRunes = 32
)

// tellingFrom is the least surprise of words that show a task to be about this
// repository.
const tellingFrom = 0.4

// Named reports whether the task names file i, as one of few.
func (m *Measurement) Named(i int32) bool {
	for s, least := range map[rank.Signal]float32{rank.FileNamed: rank.FileFrom, rank.InTraceback: 0} {
		if col := m.Table.Columns[s]; col != nil && col[i] > 0 && col[i] >= least {
			return true
		}
	}
	return false
}

// Found finds the words of a text that the repository has, and those that it lacks. The
// text is the task, or the part that may be shown. Small talk counts only if the text has
// no other words.
func (m *Measurement) Found(text string) rank.Found {
	text = terms.Normal(ends(text))
	if f, said := m.found(text, false); said {
		return f
	}
	f, _ := m.found(text, true)
	return f
}

// ends returns the beginning and the end of a long text, cut between words.
func ends(text string) string {
	if len(text) <= foundHead+foundTail {
		return text
	}
	head, tail := text[:foundHead], text[len(text)-foundTail:]
	if n := strings.LastIndexAny(head, " \n\t"); n > 0 {
		head = head[:n]
	}
	if n := strings.IndexAny(tail, " \n\t"); n > 0 {
		tail = tail[n:]
	}
	return strings.ToValidUTF8(head, "") + "\n" + strings.ToValidUTF8(tail, "")
}

// found is Found for words of small talk only (talk), or for all others. said is false
// if the text has no such words.
func (m *Measurement) found(text string, talk bool) (f rank.Found, said bool) {
	f.Names, f.Missing = m.foundNames(text)
	for _, name := range m.Query.Paths { // their words say nothing more
		excluded := m.Excluded(name) != nil
		said = said || excluded
		if excluded || slices.Contains(f.Names, name) || slices.Contains(f.Missing, name) {
			text = strings.ReplaceAll(text, name, "\n")
		}
	}
	here, parts, missing := m.foundWords(text, talk, f.Names)
	slices.SortStableFunc(here, func(a, b foundWord) int { return cmp.Compare(b.surprise, a.surprise) })
	for _, w := range here {
		if w.surprise >= tellingFrom {
			f.Telling = append(f.Telling, shortWord(w.spelling))
		} else {
			f.Common = append(f.Common, shortWord(w.spelling))
		}
	}
	for _, w := range parts {
		f.Parts = append(f.Parts, shortWord(w.spelling))
	}
	for _, w := range missing {
		f.Missing = append(f.Missing, shortWord(w.spelling))
	}
	return f, said || len(f.Names)+len(here)+len(parts)+len(f.Missing) > 0
}

// foundNames returns the names of definitions and files in a text that few places of the
// repository have, and the paths in it that neither a file nor an excluded file has.
func (m *Measurement) foundNames(text string) (names, missing []string) {
	for _, name := range m.Query.Exact {
		if n := len(m.View.Postings(m.postings[:0], terms.Def(name))); n > 0 && rank.ExactFrom <= 1/float64(n) && strings.Contains(text, name) {
			names = append(names, name)
		}
	}
	for _, name := range m.Query.Files {
		switch _, files := longestSuffix(name, m.lower, m.bases()); {
		case !strings.Contains(text, name):
		case len(files) > 0 && m.Named(files[0]):
			names = append(names, name)
		case len(files) == 0 && slices.Contains(m.Query.Paths, name) && m.Excluded(name) == nil:
			missing = append(missing, name)
		}
	}
	return names, missing
}

// Excluded returns the excluded file or folder that a path names. It returns nil if there
// is none, and if the path is the end of several.
func (m *Measurement) Excluded(name string) (found *satchel.Omission) {
	for i := range m.View.Excluded() {
		o := &m.View.Excluded()[i]
		if o.Ref.Path == name || strings.HasSuffix(o.Ref.Path, "/") && strings.HasPrefix(name, o.Ref.Path) {
			return o
		}
		if strings.HasSuffix(o.Ref.Path, "/"+name) {
			if found != nil {
				return nil
			}
			found = o
		}
	}
	return found
}

// A foundWord is a word of the task with its surprise: how much more frequent it is here
// than in other repositories.
type foundWord struct {
	spelling string
	surprise float64
}

// foundWords returns the words of a text except names, each once: words that the
// repository has, identifiers with only their parts in it, and words that it lacks.
func (m *Measurement) foundWords(text string, talk bool, names []string) (here, parts, missing []foundWord) {
	at := make(map[uint64]int, len(m.Query.Terms))
	for i, t := range m.Query.Terms {
		at[t.Hash] = i
	}
	seen := make(map[string]bool)
	var a terms.Analyzer
	src := []byte(text)
	terms.Words(src, func(from, to int) {
		spelling := text[from:to]
		low := strings.ToLower(spelling)
		if seen[low] || slices.Contains(names, spelling) || slices.Contains(names, strings.TrimLeft(spelling, ".")) {
			return
		}
		seen[low] = true

		w := foundWord{spelling: spelling}
		known, held, compound, whole := false, false, false, false
		a.EachOfWord(src[from:to], func(t uint64) {
			i, ok := at[t]
			if !ok || rank.Smalltalk(t) != talk {
				return
			}
			known = true
			compound = compound || terms.KindOf(t) == terms.KindIdent
			if _, ok := m.weights[t]; ok {
				held = true
				whole = whole || terms.KindOf(t) == terms.KindIdent
				w.surprise = max(w.surprise, rank.Surprise(len(m.held[i].chunks), len(m.chunks), rank.Background(t)))
			}
		})
		switch {
		case !known:
		case held && compound && !whole:
			parts = append(parts, w)
		case held:
			here = append(here, w)
		default:
			missing = append(missing, w)
		}
	})
	return here, parts, missing
}

func shortWord(s string) string {
	if utf8.RuneCountInString(s) <= foundRunes {
		return s
	}
	return string([]rune(s)[:foundRunes]) + "…"
}

// Worth returns the weight of the task's words in each chunk, as a share of the best
// chunk. Small talk, and words that only documents have, count only if there are no
// other words.
func (m *Measurement) Worth() []float32 {
	worth := make([]float32, len(m.chunks))
	add := func(counts func(term uint64, told bool) bool) (best float32) {
		for i, t := range m.Query.Terms {
			if !counts(t.Hash, m.held[i].told) {
				continue
			}
			for _, c := range m.held[i].chunks {
				worth[c.chunk] += m.weights[t.Hash]
				best = max(best, worth[c.chunk])
			}
		}
		return best
	}
	best := add(func(term uint64, told bool) bool { return !told && !rank.Smalltalk(term) })
	if best == 0 {
		best = add(func(term uint64, told bool) bool { return !told })
	}
	if best == 0 {
		best = add(func(uint64, bool) bool { return true })
	}
	for i := range worth {
		if best == 0 { // there is a name alone
			worth[i] = 1
			continue
		}
		worth[i] /= best
	}
	return worth
}
