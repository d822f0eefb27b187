package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// reviewVersion is the version of the JSON form of a Review.
const reviewVersion = 1

// A Review is what a model found in a change, after it was verified. The words of its
// findings are clean already; see [finding.Change.Resolve].
type Review struct {
	Source   string            // what was reviewed, such as staged or main...HEAD
	From, To string            // commits; "" for a side that is none
	Totals   change.Totals     // of the change
	Findings []finding.Finding // all, also those that are not shown, in the order of [finding.Sort]
	Summary  string            // in the model's words
	Open     []Question        // what it could not settle

	Coverage   Coverage
	Incomplete []Gap // what was not done; nil if the review is complete

	Confidence int  // the least that is shown, in percent
	Checked    bool // findings of medium severity and more got a second look
	All        bool // text and Markdown list what was filtered, too

	Spent *Spent // nil if nothing was asked
}

// A Question is something that a reviewer could not settle.
type Question struct {
	Text string `json:"question"`
	Path string `json:"path,omitempty"`
}

// Coverage says what of a change was looked at.
type Coverage struct {
	Full     int      `json:"full"`       // files of which every changed line was shown
	Part     []string `json:"part"`       // files of which some were
	Folded   []string `json:"folded"`     // files that nobody reads, such as lock files
	Unlooked []string `json:"not_looked"` // files that no reader looked at
}

// A Gap is a part of the work that was not done.
type Gap struct {
	What string `json:"what"` // such as "part 3 of 4"
	Why  string `json:"why"`
}

// Spent is what a run of calls to models took.
type Spent struct {
	Parts, Calls int
	Usage        Tokens
	Cost         string // such as "$0.36"; "" if no price is known
}

// Tokens are those of a run.
type Tokens struct {
	Input  int `json:"input"`  // all that was sent
	Cached int `json:"cached"` // part of Input
	Output int `json:"output"`
}

// Add adds the tokens of another run.
func (t *Tokens) Add(o Tokens) {
	t.Input, t.Cached, t.Output = t.Input+o.Input, t.Cached+o.Cached, t.Output+o.Output
}

// String says it on one line: "4 parts, 19 calls, 214,900 in (161,300 cached), 9,870
// out, $0.36".
func (s *Spent) String() string {
	var b strings.Builder
	if s.Parts > 1 {
		b.WriteString(Plural(s.Parts, "part") + ", ")
	}
	cost := cmp.Or(s.Cost, "cost unknown")
	fmt.Fprintf(&b, "%s, %s in (%s cached), %s out, %s", Plural(s.Calls, "call"), Thousands(s.Usage.Input), Thousands(s.Usage.Cached), Thousands(s.Usage.Output), clean.Inline(cost))
	return b.String()
}

// mostNamed is how many paths or ids stand on a line; of the others the number does.
const mostNamed = 5

// count says how many findings are shown, and how many of each severity.
func (r *Review) count() string {
	shown := finding.Shown(r.Findings)
	switch c := &r.Coverage; {
	case len(shown) == 0 && c.Full+len(c.Part)+len(c.Folded) == 0 && len(c.Unlooked) > 0:
		return "Nothing looked at"
	case len(shown) == 0:
		return "No findings"
	}
	var of []string
	for _, s := range []finding.Severity{finding.Critical, finding.High, finding.Medium, finding.Low} {
		n := 0
		for i := range shown {
			if shown[i].Severity == s {
				n++
			}
		}
		if n > 0 {
			of = append(of, fmt.Sprintf("%d %s", n, s))
		}
	}
	return Plural(len(shown), "finding") + " (" + strings.Join(of, ", ") + ")"
}

// size says how large the change is.
func (r *Review) size() string {
	return fmt.Sprintf("%s, +%s -%s", Plural(r.Totals.Files, "file"), Thousands(r.Totals.Added), Thousands(r.Totals.Removed))
}

// looked says what was looked at.
func (c *Coverage) looked() string {
	out := []string{fmt.Sprintf("%d in full", c.Full)}
	for _, l := range []struct {
		what  string
		paths []string
	}{{"in part", c.Part}, {"folded", c.Folded}, {"not at all", c.Unlooked}} {
		if n := len(l.paths); n > 0 {
			out = append(out, fmt.Sprintf("%d %s (%s)", n, l.what, names(l.paths)))
		}
	}
	return strings.Join(out, ", ")
}

// names lists the first few of many paths.
func names(paths []string) string {
	var b strings.Builder
	for i, p := range paths {
		if i == mostNamed {
			fmt.Fprintf(&b, ", %d more", len(paths)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quotePath(p))
	}
	return b.String()
}

// filtered says why findings are not shown, "" if all are.
func (r *Review) filtered() string {
	var out []string
	for _, c := range finding.Hidden(r.Findings) {
		out = append(out, fmt.Sprintf("%d %s", c.Count, r.reason(c.State)))
	}
	return strings.Join(out, ", ")
}

// reason says of one hidden finding or several why.
func (r *Review) reason(s finding.State) string {
	switch s {
	case finding.TooLow:
		return fmt.Sprintf("below %d %%", r.Confidence)
	case finding.Disproved:
		return "refuted"
	case finding.Unfounded:
		return "with a quote that is not in the change"
	case finding.Dismissed:
		return "dismissed earlier"
	case finding.AlreadyKnew:
		return "known before"
	case finding.Duplicate:
		return "reported twice"
	}
	return string(s)
}

// standsAt is where a finding stands, such as "a/b.go:41-44".
func standsAt(f *finding.Finding) string {
	s := quotePath(f.Path)
	switch {
	case f.From > 0 && f.To > f.From:
		s += fmt.Sprintf(":%d-%d", f.From, f.To)
	case f.From > 0:
		s += fmt.Sprintf(":%d", f.From)
	}
	if f.Side == finding.Old && f.From > 0 {
		s += " (old)"
	}
	return s
}

// notes are what stands behind a finding's id.
func (r *Review) notes(f *finding.Finding) (list []string) {
	if f.State != finding.Visible {
		list = append(list, r.reason(f.State))
	}
	switch {
	case f.Check == finding.Confirmed, f.Check == finding.Unsure:
		list = append(list, string(f.Check))
	case r.Checked && f.Check != finding.Refuted && f.Severity.AtLeast(finding.Medium):
		list = append(list, "no second look")
	}
	if f.Why != "" {
		list = append(list, clean.Inline(f.Why))
	}
	for i, p := range f.Places {
		if i == mostNamed {
			list = append(list, fmt.Sprintf("and at %d more places", len(f.Places)-i))
			break
		}
		list = append(list, "also "+standsAt(&finding.Finding{Path: p.Path, From: p.From, To: p.To}))
	}
	return list
}

// categoryWords is a category in words.
func categoryWords(s string) string { return strings.ReplaceAll(clean.Inline(s), "_", " ") }

// standing are the lines of a finding's evidence that stand where they are said to.
func standing(f *finding.Finding) (list []finding.Evidence) {
	for _, e := range f.Evidence {
		if e.OK {
			list = append(list, e)
		}
	}
	return list
}

// listed are the findings of a text: those that are shown, and with All the others
// after them.
func (r *Review) listed() (list []*finding.Finding) {
	for i := range r.Findings {
		if r.Findings[i].State == finding.Visible {
			list = append(list, &r.Findings[i])
		}
	}
	for i := range r.Findings {
		if r.All && r.Findings[i].State != finding.Visible {
			list = append(list, &r.Findings[i])
		}
	}
	return list
}

// A jsonReview is the JSON form of a Review. It lists all findings, also those that
// are not shown, each with its state.
type jsonReview struct {
	Version    int               `json:"version"`
	Source     string            `json:"source"`
	From       string            `json:"from,omitempty"`
	To         string            `json:"to,omitempty"`
	Summary    string            `json:"summary"`
	Complete   bool              `json:"complete"`
	Change     jsonTotals        `json:"change"`
	Findings   []finding.Finding `json:"findings"`
	Hidden     []finding.Count   `json:"hidden"`
	Open       []Question        `json:"open"`
	Coverage   Coverage          `json:"coverage"`
	Incomplete []Gap             `json:"incomplete"`
	Spent      *jsonSpent        `json:"spent,omitempty"`
}

type jsonSpent struct {
	Parts     int      `json:"parts"`
	Calls     int      `json:"calls"`
	Usage     Tokens   `json:"usage"`
	Cost      string   `json:"cost"` // "unknown" if no price is
	Snapshots []string `json:"snapshots"`
}

// ReviewJSON returns a Review as JSON.
func ReviewJSON(r *Review) (string, error) {
	j := &jsonReview{
		Version: reviewVersion, Source: clean.Inline(r.Source), From: r.From, To: r.To, Summary: r.Summary, Complete: len(r.Incomplete) == 0,
		Change: jsonTotals(r.Totals), Findings: orEmpty(r.Findings), Hidden: orEmpty(finding.Hidden(r.Findings)), Open: orEmpty(r.Open), Incomplete: orEmpty(r.Incomplete),
		Coverage: Coverage{r.Coverage.Full, orEmpty(r.Coverage.Part), orEmpty(r.Coverage.Folded), orEmpty(r.Coverage.Unlooked)},
	}
	if s := r.Spent; s != nil {
		j.Spent = &jsonSpent{Parts: s.Parts, Calls: s.Calls, Usage: s.Usage, Cost: cmp.Or(s.Cost, "unknown"), Snapshots: []string{}}
	}
	return cleanJSON(j)
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// cleanJSON encodes a document for programs that people may look at.
func cleanJSON(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return string(clean.JSON(b.Bytes())), nil
}
