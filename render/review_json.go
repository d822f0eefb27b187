package render

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

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
