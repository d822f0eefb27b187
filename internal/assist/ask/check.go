package ask

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// MostChecked is how many findings one second look is about.
const MostChecked = 5

// CheckOptions are what [Check] says beside the findings.
type CheckOptions struct {
	Budget int // tokens of the messages; 0 means DefaultBudget

	// Around are the definitions that the findings stand in, and those that call
	// them, the most needed first.
	Around []satchel.Entry
}

// Check asks for a second look at findings about one file, of which it shows the
// changed lines, then what stands around. How sure the first look was is not said:
// who knows agrees.
//
// The error is a *satchel.OverflowError if the findings do not fit.
func Check(r *change.Report, list []finding.Finding, o CheckOptions) (*Ask, error) {
	a := &Ask{Name: "check", System: checkSystem, Schema: schemaOf(verdictSchema)}
	var w wording
	for i := range list[:min(MostChecked, len(list))] {
		w.said("Finding "+clean.Line(list[i].ID).String()+":", findingText(&list[i]))
	}
	w.line("Look at each finding again.")
	var paths []string
	for i := range list {
		paths = append(paths, list[i].Path)
	}
	files := filesOf(r, slices.Compact(paths))
	asks := w.take()
	d := newDeep(files, budgetOr(o.Budget))
	d.before, d.elsewhere, d.around = headOf(r), countOf(asks), o.Around
	v, err := d.show()
	if err != nil {
		return nil, err
	}
	a.Shared, a.Question = v.text, asks
	a.close(r, d, v, &w)
	return a, nil
}

// findingText writes a finding without what tells how sure it is.
func findingText(f *finding.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, lines %s (%s), %s, %s\n", clean.Inline(f.Path), satchel.Range{From: f.From, To: f.To}, f.Side, f.Severity, f.Category)
	for _, part := range []struct{ name, text string }{
		{"", f.Title}, {"line: ", f.Quote}, {"trigger: ", f.Trigger}, {"consequence: ", f.Consequence}, {"", f.Body},
	} {
		if part.text != "" {
			b.WriteString(part.name + part.text + "\n")
		}
	}
	for _, e := range f.Evidence {
		fmt.Fprintf(&b, "evidence: %s:%d %s\n", clean.Inline(e.Path), e.Line, e.Quote)
	}
	return b.String()
}

// What submit takes for a second look.
var verdictSchema = object("verdicts", list(object(
	"id", text,
	"verdict", oneOf(string(finding.Confirmed), string(finding.Refuted), string(finding.Unsure)),
	"why", text, "path", text, "line", number, "quote", text,
)))

// ReadVerdicts reads what a model submitted to a [Check]: a look for each finding
// that it spoke of, by id.
func ReadVerdicts(a *Ask, input json.RawMessage, list []finding.Finding) (looks map[string]finding.Look, err error) {
	var v struct {
		Verdicts []struct {
			ID, Verdict, Why, Path string
			Line                   int
			Quote                  string
		} `json:"verdicts"`
	}
	err = a.Read(input, &v)
	looks = map[string]finding.Look{}
	for _, x := range v.Verdicts {
		_, twice := looks[x.ID]
		switch {
		case !slices.ContainsFunc(list, func(f finding.Finding) bool { return f.ID == x.ID }):
			err = fault(err, "unknown finding %.20q", x.ID)
		case twice:
			err = fault(err, "finding %s has two verdicts", x.ID)
		default:
			looks[x.ID] = finding.Look{Verdict: finding.Verdict(x.Verdict), Why: x.Why, Path: x.Path, Line: x.Line, Quote: x.Quote}
		}
	}
	for i := range list[:min(MostChecked, len(list))] {
		if _, ok := looks[list[i].ID]; !ok {
			err = fault(err, "finding %s has no verdict", list[i].ID)
		}
	}
	return looks, err
}
