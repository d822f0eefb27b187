package tokens

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Model is a language model, or a family of them whose names begin alike.
type Model struct {
	Name   string `json:"name"`   // in lower case, without a date
	Family string `json:"family"` // decides how to count, if Method is nil: "claude", "openai", …
	Window int    `json:"window"` // tokens of the context window, the answer included; 0 means unknown
	Output int    `json:"output"` // most tokens of one answer; 0 means unknown
	Source string `json:"source"` // where Window and Output come from

	// Method is how to count, for a model of which more is known than of its
	// family. Nil means as the family, and an unknown family means an estimate
	// with a wide band.
	Method *Method `json:"method,omitempty"`
}

// Count counts text as [Code], which is what an agent mostly reads. See
// [Model.CountAs] for other kinds.
func (m Model) Count(text string) Count { return m.CountAs(Code, text) }

// CountAs counts text of a kind.
func (m Model) CountAs(k Kind, text string) Count {
	return m.estimate(k, m.Encoding().Count(text))
}

// estimate turns a number of tokens of m.Encoding(), counted in text of a kind,
// into tokens of m, rounded up. It saves counting the same text once for each
// model.
func (m Model) estimate(k Kind, tokens int) Count {
	return m.Counting().estimate(m.Family, k, tokens)
}

// Encoding returns the encoding that counts for m are made with.
func (m Model) Encoding() *Encoding { return m.Counting().encoding() }

// Factor returns how many tokens of m one token of m.Encoding() stands for in
// text of a kind, so that a limit in tokens of m can be turned into one that is
// counted exactly. It is 1 for a model with a published vocabulary.
func (m Model) Factor(k Kind) float64 { return m.Counting().factor(k) }

// Counting returns the method that m is counted with: its own, that of its
// family, or an estimate with a wide band.
func (m Model) Counting() Method {
	if m.Method != nil {
		return *m.Method
	}
	if f, ok := methods[m.Family]; ok {
		return f
	}
	return methods[""]
}

// check returns an error if the model makes no sense.
func (m Model) check() error {
	if m.Window < 0 || m.Output < 0 {
		return fmt.Errorf("window %d, output %d: want no negative number", m.Window, m.Output)
	}
	return m.Counting().check()
}

// Models returns the built-in table, ordered by family and name.
func Models() []Model {
	ms := slices.Clone(models)
	slices.SortFunc(ms, func(a, b Model) int {
		return cmp.Or(strings.Compare(a.Family, b.Family), strings.Compare(a.Name, b.Name))
	})
	return ms
}

// ModelByName returns the model with a name, or else the one with the longest
// name that the name continues: "claude-sonnet-4-5-20250929" is
// claude-sonnet-4-5. Case does not matter, and neither does a provider before a
// slash, as in "anthropic/claude-sonnet-4-5". A model in extra comes before the
// one of the same name in the table. "o200k_base" and "cl100k_base" are models without a
// window.
//
// The returned model has the name that was asked for, in lower case and without
// a provider. An unknown name is an error that lists the nearest ones.
func ModelByName(name string, extra ...Model) (Model, error) {
	want := strings.ToLower(strings.TrimSpace(name))
	if want == "" {
		return Model{}, fmt.Errorf("model name is empty")
	}
	all := slices.Concat(extra, models)
	for more := true; more; _, want, more = strings.Cut(want, "/") {
		if m, ok := longest(all, want); ok {
			if err := m.check(); err != nil {
				return Model{}, fmt.Errorf("model %q: %v", m.Name, err)
			}
			m.Name = want
			return m, nil
		}
	}
	return Model{}, unknownModel(name, all)
}

// longest returns the model with the longest name that want is or continues,
// the first of several.
func longest(all []Model, want string) (best Model, ok bool) {
	for _, m := range all {
		name := strings.ToLower(m.Name)
		if len(name) > len(best.Name) && (want == name || continues(want, name)) {
			best, ok = m, true
		}
	}
	return best, ok
}

// continues reports whether name is a family of want: a prefix that ends where
// a word ends, so that gpt-4 is no family of gpt-4o.
func continues(want, name string) bool {
	if len(want) <= len(name) || want[:len(name)] != name {
		return false
	}
	last, next := name[len(name)-1], want[len(name)]
	digit := next >= '0' && next <= '9'
	if next >= 'a' && next <= 'z' || digit {
		return digit && last >= 'a' && last <= 'z' // llama4
	}
	return true
}
