package ask

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
)

// MostAcross is how many findings a merge may add.
const MostAcross = 3

// Merge asks to put the findings of the parts of a review together: which repeat
// each other, in what order they are told, and what shows only across parts.
//
// The error is a *satchel.OverflowError if not a line of each finding fits.
func Merge(r *change.Report, list []finding.Finding, budget int) (*Ask, error) {
	a := &Ask{Name: "merge", System: mergeSystem, Schema: schemaOf(mergeSchema)}
	budget = budgetOr(budget)
	a.Shared = headOf(r) + ledgerHead + "\n" + render.Fenced("", ledger(filesOf(r, nil), int(broadLedger*float64(budget)), all))
	var w wording
	texts := make([][]string, len(list))
	for i := range list {
		f := &list[i]
		t := w.clean(findingText(f), false)
		texts[i] = strings.SplitAfter(clean.Line(f.ID).String()+" "+strings.TrimSpace(t), "\n")
	}
	lay := func(limit int) pack.Layout[string] {
		for i := range texts {
			w.b.WriteString(render.Fenced("", strings.Join(texts[i][:min(limit, len(texts[i]))], "")))
		}
		w.line("Put these findings together.")
		s := "Findings, each with its id:\n" + w.take()
		return pack.Layout[string]{Shown: s, Size: countOf(s) + countOf(a.Shared)}
	}
	s, ok, _ := pack.Within(budget, pack.Range{First: mostFindingLines, Most: mostFindingLines}, func(limit int) (pack.Layout[string], error) { return lay(limit), nil })
	if !ok {
		return nil, &satchel.OverflowError{Need: lay(1).Size, Limit: budget}
	}
	a.Question = s
	a.Receipt.Redacted = w.secrets
	a.Receipt.Tokens = countOf(a.Shared) + countOf(a.Question)
	return a, nil
}

// mostFindingLines is how many lines of a finding are shown.
const mostFindingLines = 16

// What submit takes for a merge.
var mergeSchema = object(
	"drop", list(object("id", text, "of", text)),
	"join", list(list(text)),
	"order", list(text),
	"findings", list(findingSchema),
)

// A MergeAnswer is how findings of several parts go together.
type MergeAnswer struct {
	Drop     []Repeat        `json:"drop"`
	Join     [][]string      `json:"join"`     // ids of findings about one thing; the first stands for all
	Order    []string        `json:"order"`    // ids, the most serious first
	Findings []FindingAnswer `json:"findings"` // that show only across parts
}

// A Repeat is a finding that says what another one says.
type Repeat struct {
	ID string `json:"id"`
	Of string `json:"of"`
}

// ReadMerge reads what a model submitted to a [Merge]: of its new findings the first
// MostAcross.
func ReadMerge(a *Ask, input json.RawMessage) (m MergeAnswer, err error) {
	err = a.Read(input, &m)
	if n := len(m.Findings); n > MostAcross {
		m.Findings = m.Findings[:MostAcross]
		err = fault(err, "findings: got %d, want at most %d", n, MostAcross)
	}
	return m, err
}

// ApplyMerge returns findings in the order of a merge, those that repeat others
// marked as such. It changes no words, and no finding goes that weighs more than the
// one that would stand for it. Ids that are no finding's are passed over; findings
// that the order does not name come after those that it does.
func ApplyMerge(list []finding.Finding, m *MergeAnswer) []finding.Finding {
	out := slices.Clone(list)
	at := map[string]*finding.Finding{}
	for i := range out {
		at[out[i].ID] = &out[i]
	}
	fold := func(id, of string) {
		f, into := at[id], at[of]
		if f == nil || into == nil || f == into || f.State == finding.Duplicate || into.State == finding.Duplicate || !into.Severity.AtLeast(f.Severity) {
			return
		}
		for i := range out { // what it stood for, the other one does now
			if out[i].State == finding.Duplicate && out[i].Of == id {
				out[i].Of = of
			}
		}
		f.State, f.Of = finding.Duplicate, of
		if f.Path != into.Path || f.From > into.To || f.To < into.From {
			into.Places = append(slices.Clip(into.Places), finding.Place{Path: f.Path, From: f.From, To: f.To})
		}
	}
	for _, r := range m.Drop {
		fold(r.ID, r.Of)
	}
	for _, ids := range m.Join {
		for k := 1; k < len(ids); k++ {
			fold(ids[k], ids[0])
		}
	}
	place := map[string]int{}
	for _, id := range m.Order {
		if _, twice := place[id]; !twice && at[id] != nil {
			place[id] = len(place) - len(m.Order) - 1
		}
	}
	slices.SortStableFunc(out, func(a, b finding.Finding) int { return place[a.ID] - place[b.ID] })
	return out
}
