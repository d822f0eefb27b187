// Package provider gathers what an agent wants to know besides code: where the
// repository stands, what changed lately, what failed, what the project depends on
// and what it runs on.
//
// A [Provider] offers items about a query; [Gather] asks several at the same time,
// waits for none too long, survives those that panic, and puts what they said in
// their order, not in that of their answers. [Choose] keeps what fits.
//
// Nothing is run but git, and that only to read; see package git. Files are opened
// below a folder that links cannot leave. Secrets are redacted in all that
// providers return, and no environment variable is read. Sizes are tokens of
// o200k_base.
package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/tokens"
)

// A Request is what a provider is asked for.
type Request struct {
	Query  string    // the task in words; may be empty
	Budget int       // tokens that the answer may take; zero means the provider's own Budget
	Now    time.Time // zero if it does not matter
}

// A Provider knows one kind of thing about a project.
type Provider interface {
	// Name is a word, such as git.
	Name() string

	// Budget is how many tokens its answer takes if nobody says less.
	Budget() int

	// Gather returns items, in any order, with the signal [Relevance], and notes
	// about what it could not read. It returns no items, rather than an error, if
	// there is nothing to say.
	Gather(ctx context.Context, req Request) ([]satchel.Item, []satchel.Diagnostic, error)
}

// Relevance is the name of the signal that says how likely an item is to matter,
// in 0..1.
const Relevance = "relevance"

// Names lists the providers of this package, in their order.
var Names = []string{"git", "recent", "errors", "dependencies", "environment"}

// ByName returns the provider with one of the Names, of a place.
func ByName(name string, p *Place) (Provider, error) {
	switch name {
	case "git":
		return &Git{Place: p}, nil
	case "recent":
		return &Recent{Place: p}, nil
	case "errors":
		return &Errors{Place: p}, nil
	case "dependencies":
		return &Dependencies{Place: p}, nil
	case "environment":
		return &Environment{Place: p}, nil
	}
	return nil, fmt.Errorf("provider %q: want one of %s", name, strings.Join(Names, ", "))
}

// defaultTimeout is how long a provider may take: the slowest of them reads the
// state of a work tree of 100,000 files in a second.
const defaultTimeout = 5 * time.Second

// An Answer is what one provider said.
type Answer struct {
	Provider    string
	Items       []satchel.Item // by relevance, then by Ref
	Diagnostics []satchel.Diagnostic
	Err         error // it failed, took too long or panicked; also told in Diagnostics
}

// Gather asks providers at the same time and returns their answers in the order of
// the list. Each may answer with as many tokens as its own Budget and that of the
// request allow: what the others have to say is not known yet, so all answers
// together may exceed the request's budget, and [Choose] then decides. Items are
// cut to what their provider may say, and redacted. A provider that fails, panics
// or does not answer within the timeout (zero means defaultTimeout) has an Answer
// with a Diagnostic; the others are not affected.
func Gather(ctx context.Context, list []Provider, req Request, timeout time.Duration) []Answer {
	timeout = cmp.Or(max(timeout, 0), defaultTimeout)
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answers := make([]Answer, len(list))
	type reply struct {
		i int
		a Answer
	}
	replies := make(chan reply, len(list)) // so that none waits for us
	for i, p := range list {
		r := req
		r.Budget = max(p.Budget(), 0)
		if req.Budget > 0 && (r.Budget == 0 || r.Budget > req.Budget) {
			r.Budget = req.Budget
		}
		answers[i] = Answer{Provider: p.Name(), Err: context.DeadlineExceeded} // until it answers
		// It ends when the provider heeds its context; one that does not is left
		// behind.
		go func() { replies <- reply{i, ask(ctx, p, r)} }()
	}
	for range list {
		select {
		case r := <-replies:
			answers[r.i] = r.a
			continue
		case <-ctx.Done():
		}
		for { // what is there by now counts
			select {
			case r := <-replies:
				answers[r.i] = r.a
				continue
			default:
			}
			break
		}
		break
	}
	for i := range answers {
		a := &answers[i]
		switch {
		case !errors.Is(a.Err, context.DeadlineExceeded):
		case errors.Is(caller.Err(), context.Canceled):
			a.Err = context.Canceled
		default:
			a.Err = fmt.Errorf("no answer within %v", timeout)
		}
		if a.Err != nil {
			a.Diagnostics = append(a.Diagnostics, satchel.Diagnostic{Text: a.Provider + ": " + a.Err.Error()})
		}
	}
	return answers
}

// ask asks one provider.
func ask(ctx context.Context, p Provider, req Request) (a Answer) {
	a.Provider = p.Name()
	defer func() {
		if r := recover(); r != nil {
			a.Items, a.Err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	items, diags, err := p.Gather(ctx, req)
	if a.Diagnostics = diags; err != nil {
		a.Err = err
		return a
	}
	for i := range items {
		if bound(&items[i], req.Budget) {
			a.Items = append(a.Items, items[i])
		}
	}
	slices.SortStableFunc(a.Items, func(x, y satchel.Item) int {
		return cmp.Or(cmp.Compare(RelevanceOf(&y), RelevanceOf(&x)), x.Ref.Compare(y.Ref))
	})
	if req.Budget > 0 {
		a.Items = within(a.Items, req.Budget)
	}
	return a
}

// within returns the most relevant items that have so many tokens together, in
// their order.
func within(items []satchel.Item, budget int) []satchel.Item {
	offers := make([]Offer, len(items))
	for i := range items {
		offers[i] = Offer{Relevance: RelevanceOf(&items[i]), Tokens: items[i].Forms[0].Tokens}
	}
	chosen := Choose(offers, budget)
	slices.Sort(chosen)
	out := make([]satchel.Item, len(chosen))
	for k, i := range chosen {
		out[k] = items[i]
	}
	return out
}

// bound counts the texts of an item and cuts them to the budget; it reports
// whether anything is left.
func bound(it *satchel.Item, budget int) bool {
	forms := it.Forms[:0:0]
	for _, f := range it.Forms {
		f.Tokens = count(f.Text)
		if budget > 0 && f.Tokens > budget {
			f.Text = cut(f.Text, budget)
			f.Detail = min(f.Detail, satchel.Trimmed)
			f.Tokens = count(f.Text)
		}
		if !f.Text.Blank() {
			forms = append(forms, f)
		}
	}
	it.Forms = forms
	return len(forms) > 0
}

func count(t clean.Text) int { return tokens.O200k().Count(t.String()) }

// RelevanceOf returns the relevance of an item, in 0..1.
func RelevanceOf(it *satchel.Item) float64 {
	v, _ := it.Signal(Relevance)
	if math.IsNaN(v) {
		return 0
	}
	return max(0, min(v, 1))
}

// cut returns whole lines from the start of a text that have at most so many
// tokens, with a line that says that some were left out; "" if not one fits.
func cut(text clean.Text, most int) clean.Text {
	if count(text) <= most {
		return text
	}
	lines, end := text.Split(), clean.Const(mark)
	low, high := 0, len(lines)-1 // so many lines fit, and one more than high do not
	for low < high {
		n := (low + high + 1) / 2
		if count(clean.Concat(append(lines[:n:n], end)...)) <= most {
			low = n
		} else {
			high = n - 1
		}
	}
	if low == 0 {
		return clean.Text{}
	}
	return clean.Concat(append(lines[:low:low], end)...)
}

// mark stands for lines that were left out.
const mark = "⋮\n"

// An Offer is what Choose needs to know of an item.
type Offer struct {
	Source    string
	Relevance float64 // 0..1
	Tokens    int
}

// Choose returns the indices of the offers that are taken within a number of
// tokens, most relevant first, and of equally relevant ones those that come first
// in the list. The best offer of each source that fits is taken before any second
// one, so that no source drowns the others.
func Choose(list []Offer, budget int) []int {
	order := largestFirst(len(list), func(i int) float64 { return list[i].Relevance })
	taken := make([]bool, len(list))
	has := map[string]bool{}
	left := budget
	for _, second := range []bool{false, true} {
		for _, i := range order {
			o := &list[i]
			if taken[i] || !second && has[o.Source] || max(o.Tokens, 0) > left {
				continue
			}
			taken[i], has[o.Source] = true, true
			left -= max(o.Tokens, 0)
		}
	}
	return slices.DeleteFunc(order, func(i int) bool { return !taken[i] })
}

// largestFirst returns the indices below n by their values, the first of equal ones first
// and NaN last.
func largestFirst(n int, value func(i int) float64) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value(b), value(a)) })
	return order
}

// faded is what is left of a worth after n steps, each of which leaves a share.
func faded(worth, share float64, n int) float64 {
	for range n {
		worth *= share
	}
	return worth
}

// weigh sets the relevance of items: what their kind is worth, and up to as much
// again for what they have to do with the query.
func weigh(query string, items []satchel.Item, base func(i int) float64) {
	texts := make([]rank.Note, len(items))
	for i := range items {
		it := &items[i]
		texts[i].Text = it.Ref.Path + "\n" + it.Title.String()
		if len(it.Forms) > 0 {
			texts[i].Text += "\n" + it.Forms[0].Text.String()
		}
	}
	for i, v := range overlaps(query, texts) {
		// In 0..1, and nothing is worthless because the query is about code.
		r := base(i)
		items[i].Signals = append(items[i].Signals, satchel.Signal{Name: Relevance, Value: math.Round((r+(1-r)*v)*1e4) / 1e4})
	}
}

// overlaps returns what each text has to do with a query, in 0..1.
func overlaps(query string, list []rank.Note) []float64 {
	if strings.TrimSpace(query) == "" {
		return make([]float64, len(list))
	}
	q := rank.Analyze(query)
	return rank.Overlaps(&q, nil, list)
}

// item makes an item of a text, which is cleaned.
func item(kind satchel.Kind, path string, from, to int, text string) satchel.Item {
	f := satchel.Form{Detail: satchel.Full, Text: clean.New(path, text)}
	f.Tokens = count(f.Text)
	if from > 0 {
		f.Lines = []satchel.Range{{From: from, To: to}}
	}
	return satchel.Item{Ref: satchel.Ref{Kind: kind, Path: path, From: from, To: to}, Forms: []satchel.Form{f}}
}
