package assist

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
)

// A dryDocument is the JSON form of a dry run.
type dryDocument struct {
	Version  int             `json:"version"`
	URL      string          `json:"url"`
	Kind     string          `json:"kind"`
	Model    string          `json:"model"`
	Key      string          `json:"key"`     // where it would come from
	Assumed  bool            `json:"assumed"` // no model is configured, and this one is assumed
	Request  json.RawMessage `json:"request"` // the first one, byte for byte
	Tokens   dryTokens       `json:"tokens"`
	Limits   dryLimits       `json:"limits"`
	Files    []ask.Shown     `json:"files"`  // of the change, and what of each would be sent
	Beside   []ask.Shown     `json:"beside"` // other files that something would be sent from
	Redacted int             `json:"redacted"`
	Tools    []string        `json:"tools"` // by which the model may read other files
}

// dryTokens estimates the tokens of the first request, as the model counts.
type dryTokens struct {
	System   int `json:"system"`
	Tools    int `json:"tools"`
	Messages int `json:"messages"`
	Answer   int `json:"answer"` // at most
}

type dryLimits struct {
	Tokens int      `json:"tokens"`        // of all calls; 0 is no limit
	USD    float64  `json:"usd,omitempty"` // 0 is no limit
	First  *float64 `json:"first_usd,omitempty"`
}

// A dryCall is the first call of a dry run.
type dryCall struct {
	*llm.Call
	body []byte
	to   *caller
}

// keep keeps the first call of a dry run. The error is assist.ErrDry, or why the call
// has no form.
func (c *caller) keep(call *llm.Call) error {
	body, err := c.Body(call)
	if err != nil {
		return err
	}
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	if c.run.dry == nil {
		c.run.dry = &dryCall{call, body, c}
	}
	return assist.ErrDry
}

// writeDry says what would be sent first, and to whom. Nothing was connected to.
func (r *deskRun) writeDry(shown *assist.Material) error {
	call := r.dry
	if call == nil {
		return errors.New("dry run: no model would be asked")
	}
	e := call.to.Endpoint()
	factor := 1.1
	if m, err := tokens.ModelByName(e.Model); err == nil {
		factor = m.Factor(tokens.Code)
	}
	count := func(s string) int { return int(float64(tokens.O200k().Count(s))*factor + 0.5) }
	n := dryTokens{System: count(call.System), Answer: cmp.Or(call.MaxTokens, e.MaxTokens)}
	d := dryDocument{
		Version: 1, URL: e.Address(), Kind: string(e.Kind), Model: e.Model, Key: keyOrigin(r.app, call.to.llm), Assumed: r.absent != nil, Request: call.body,
		Limits: dryLimits{Tokens: r.flags.spend.tokens, USD: r.flags.spend.usd}, Files: shown.Coverage, Beside: shown.Beside, Redacted: shown.Redacted,
	}
	for _, t := range call.Tools {
		n.Tools += count(t.Name + t.Use + string(t.Schema))
		if t.Name != call.Submit {
			d.Tools = append(d.Tools, t.Name)
		}
	}
	for i := range call.Messages {
		for _, b := range call.Messages[i].Blocks {
			n.Messages += count(b.Text)
		}
	}
	d.Tokens = n
	if price := call.to.price; price != nil {
		if usd, known := price(&transcript.Usage{Input: n.System + n.Tools + n.Messages, Output: n.Answer}); known {
			d.Limits.First = &usd
		}
	}
	if r.app.JSON {
		return r.app.writeRaw(&d)
	}
	_, err := r.app.Out.WriteString(d.text(call.Label))
	return err
}

// writeRaw writes a document with the exact bytes of a request.
func (a *app) writeRaw(d *dryDocument) error {
	body := d.Request
	d.Request = nil
	head, err := json.Marshal(schema.WithLists(d))
	if err != nil {
		return err
	}
	// An encoder would rewrite the request.
	text := strings.Replace(string(head), `"request":null`, `"request":`+string(body), 1)
	_, err = a.Out.WriteString(text + "\n")
	return err
}

func (d *dryDocument) text(label string) string {
	var b strings.Builder
	in := d.Tokens.System + d.Tokens.Tools + d.Tokens.Messages
	fmt.Fprintf(&b, "would send   POST %s (%s, %s, key from %s)\n", clean.Inline(d.URL), d.Kind, clean.Inline(d.Model), clean.Inline(d.Key))
	if d.Assumed {
		b.WriteString("assumed      no model is configured; this preview assumes the one above\n")
	}
	fmt.Fprintf(&b, "first        %s: system %s + tools %s + material %s = about %s tokens; answer at most %s\n", clean.Inline(label),
		render.Thousands(d.Tokens.System), render.Thousands(d.Tokens.Tools), render.Thousands(d.Tokens.Messages), render.Thousands(in), render.Thousands(d.Tokens.Answer))
	most := "no limit"
	if d.Limits.Tokens > 0 {
		most = "at most " + render.Thousands(d.Limits.Tokens) + " tokens"
	}
	if d.Limits.USD > 0 {
		most += fmt.Sprintf(" and $%.2f", d.Limits.USD)
	}
	if d.Limits.First != nil {
		most += fmt.Sprintf("; the first call at most $%.4f", *d.Limits.First)
	}
	fmt.Fprintf(&b, "all calls    %s\n", most)
	listShown(&b, "files", d.Files)
	listShown(&b, "other files", d.Beside)
	if d.Redacted > 0 {
		fmt.Fprintf(&b, "redacted     %s\n", render.Plural(d.Redacted, "secret"))
	}
	if len(d.Tools) > 0 {
		fmt.Fprintf(&b, "later        the model may read more files with %s\n", strings.Join(d.Tools, ", "))
	}
	b.WriteString("--dry-run --json prints the exact request\n")
	return b.String()
}

// listShown lists the files that something would be sent from.
func listShown(b *strings.Builder, what string, list []ask.Shown) {
	if len(list) == 0 {
		return
	}
	c := coverageOf(list)
	fmt.Fprintf(b, "%-12s %d: %d in full, %d in part, %d folded, %d by name\n", what, len(list), c.Full, len(c.Part), len(c.Folded), len(c.Unlooked))
	for _, f := range list {
		fmt.Fprintf(b, "  %-7s %s\n", f.How, clean.Inline(f.Path))
	}
}

// promptBudget is the --budget of the command line, 0 if none was given: the setting
// of that name is about packs.
func (a *app) promptBudget() (int, error) {
	if len(a.Given["budget"]) == 0 {
		return 0, nil
	}
	var req satchel.Request
	if err := a.Limit(&req); err != nil {
		return 0, err
	}
	if req.Auto != nil || req.Budget <= 0 {
		return 0, base.Usagef("--budget: want a number of tokens, such as 16k")
	}
	return req.Budget, nil
}
