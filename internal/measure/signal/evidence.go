package signal

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// What Evidence looks at, so that a long prompt costs no more than a short one.
const (
	evidenceTerms = 40 // the rarest of the prompt
	evidenceNames = 40
	evidenceFiles = 60 // the files whose functions may be shown
	leadFiles     = 20 // the files that a task at most needs
)

// Evidence measures how well the query fits the repository, in the functions of the
// first files of an order with its scores. Elsewhere returns the rate of a term in other
// repositories.
func (m *Measurement) Evidence(order []int32, scores []float32, elsewhere func(term uint64) float64) rank.Evidence {
	var e rank.Evidence
	m.measureKinship(&e, elsewhere)
	list := m.knownTerms(&e)
	if e.Held == 0 && m.spellsName() {
		e.Held = 1
	}
	for _, named := range m.Table.Columns[rank.FileNamed] {
		e.Files = max(e.Files, float64(named))
	}
	m.measureTerms(&e, list[:min(len(list), evidenceTerms)], order)
	m.measureDefined(&e)
	if len(order) > 0 {
		e.Lead = float64(scores[order[0]] - scores[order[min(leadFiles, len(order))-1]])
	}
	return e
}

// A knownTerm is a term of the task that the repository has.
type knownTerm struct {
	term uint64
	idf  float64
}

// knownTerms returns the terms of the task that the repository has, rarest first,
// and counts those that it has not.
func (m *Measurement) knownTerms(e *rank.Evidence) []knownTerm {
	var list []knownTerm
	for i, t := range m.Query.Terms {
		w, ok := m.weights[t.Hash]
		if ok {
			e.Held++
		}
		if rank.Smalltalk(t.Hash) {
			continue
		}
		if !ok || m.held[i].told { // what is said anywhere is no evidence for the program
			e.Unknown++
		} else if n := querySaturation(t.Count) + titleWeight*querySaturation(t.Title); n > 0 {
			list = append(list, knownTerm{t.Hash, float64(w / n)})
		}
	}
	slices.SortFunc(list, func(a, b knownTerm) int { return cmp.Or(cmp.Compare(b.idf, a.idf), cmp.Compare(a.term, b.term)) })
	return list
}

// measureTerms measures how rare the terms are, how much of them one function of a
// likely file has, and how often they name what they occur in.
func (m *Measurement) measureTerms(e *rank.Evidence, list []knownTerm, order []int32) {
	unique := m.idf(1)
	likely := make(map[int32]bool, evidenceFiles)
	for _, i := range order[:min(len(order), evidenceFiles)] {
		likely[m.files[i].Doc] = true
	}
	cover := make(map[int32]float64)
	for _, k := range list {
		w := k.idf / unique
		e.Known += w
		m.postings = m.View.Postings(m.postings[:0], k.term)
		e.Terms++
		named := 0
		for _, p := range m.postings {
			if p.Def > 0 {
				named++
			}
			if likely[m.chunks[p.Chunk].Doc] {
				cover[p.Chunk] += w
				e.Cover = max(e.Cover, cover[p.Chunk])
			}
		}
		if n := len(m.postings); n > 0 {
			e.Defs += float64(named) / float64(n)
		}
	}
}

// measureDefined measures what of the names in the task is defined, and how seldom.
func (m *Measurement) measureDefined(e *rank.Evidence) {
	for _, n := range m.Query.Names[:min(len(m.Query.Names), evidenceNames)] {
		if !terms.Compound(n.Spelling) && n.Weight < 1 {
			continue // a plain word
		}
		if m.postings = m.View.Postings(m.postings[:0], terms.Def(n.Spelling)); len(m.postings) > 0 {
			e.Named += 1 / float64(len(m.postings))
		}
	}
	for _, name := range m.Query.Exact {
		if m.postings = m.View.Postings(m.postings[:0], terms.Def(name)); len(m.postings) > 0 {
			e.Exact = max(e.Exact, 1/float64(len(m.postings)))
		}
	}
}

// titleWords is how many words of a task may be the name of something.
const titleWords = 20

// spellsName reports whether a word of the title is the name of a file or a
// definition, whatever it means besides: hello is no word to look for, but somebody
// may have written a function of that name.
func (m *Measurement) spellsName() (found bool) {
	n := 0
	title := []byte(m.Query.Title)
	terms.Words(title, func(from, to int) {
		if n++; found || n > titleWords {
			return
		}
		w := string(title[from:to])
		lower := strings.ToLower(w)
		for _, name := range []string{w, lower, upperFirst(lower)} {
			m.postings = m.View.Postings(m.postings[:0], terms.Def(name))
			found = found || len(m.postings) > 0
		}
		found = found || len(m.titles()[lower]) > 0
	})
	return found
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
