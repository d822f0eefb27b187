// Usage measures how well transcript.Measure knows the size of a session.
//
//	cd lab && go run ./usage FILE...
//
// For every answer of a session that reports its usage it pretends that the
// file ends some calls before, and asks how large the context of that answer's
// call is: anchored on the last usage that is left, and without any usage. It
// prints the relative errors of both, the growth of single steps by the table's
// rate and by the fitted one, and what the fit found.
package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
)

// The kinds of errors, in the order in which they are printed.
var kinds = []string{"1 call later", "5 calls later", "20 calls later", unanchored, lessHidden}

const (
	unanchored = "unanchored"
	lessHidden = "unanchored less what is hidden"
)

func main() {
	all := map[string][]float64{}
	for _, name := range os.Args[1:] {
		if err := measure(name, all); err != nil {
			fmt.Fprintln(os.Stderr, "usage:", err)
			os.Exit(1)
		}
	}
	for _, key := range kinds {
		show("all: "+key, all[key])
	}
}

// measure prints the errors of one session, and adds them to all.
func measure(name string, all map[string][]float64) error {
	s, err := read(name)
	if err != nil {
		return err
	}
	model := transcript.ModelOf(s)
	z := transcript.Measure(s, model)
	fmt.Printf("%.60s\n  %s, %s, %d messages, %d steps; context %d (%s, ±%.2f %%), hidden %d; %s ±%.1f %%\n", filepath.Base(name),
		s.Format, s.Model, len(s.Messages), len(z.Steps), z.Context.Tokens, z.Context.Method, 100*z.Context.Error, z.Hidden.Tokens, z.Rate.Method(), 100*z.Rate.Error)

	var anchors []int
	for i := range s.Messages {
		if u := s.Messages[i].Usage; u != nil && u.Prompt() > 0 {
			anchors = append(anchors, i)
		}
	}
	own := map[string][]float64{}
	for i, later := range []int{1, 5, 20} {
		for k := 0; k+later < len(anchors); k++ {
			e := offBy(s, model, anchors[k]+1, anchors[k+later], 0)
			own[kinds[i]] = append(own[kinds[i]], e)
		}
	}
	if n := len(anchors); n > 0 {
		hidden := s.Messages[anchors[0]].Usage.Prompt() - guess(s, model, 0, anchors[0])
		own[unanchored] = []float64{offBy(s, model, 0, anchors[n-1], 0)}
		own[lessHidden] = []float64{offBy(s, model, 0, anchors[n-1], hidden)}
	}
	for _, key := range kinds {
		show("  "+key, own[key])
		all[key] = append(all[key], own[key]...)
	}
	return nil
}

func read(name string) (*transcript.Session, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	s, err := transcript.Read(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return s, nil
}

// guess measures the context of the messages before to, as if none from from on had
// reported its usage.
func guess(s *transcript.Session, model tokens.Model, from, to int) int {
	cut := *s
	cut.Messages = slices.Clone(s.Messages[:to])
	for i := from; i < to; i++ {
		cut.Messages[i].Usage = nil
	}
	return transcript.Measure(&cut, model).Context.Tokens
}

// offBy is the relative error of such a guess, to which tokens are added.
func offBy(s *transcript.Session, model tokens.Model, from, to, more int) float64 {
	truth := float64(s.Messages[to].Usage.Prompt())
	return (float64(guess(s, model, from, to)+more) - truth) / truth
}

// show prints the median and the ninth decile of absolute errors, and the
// median of the signed ones.
func show(what string, errs []float64) {
	if len(errs) == 0 {
		return
	}
	abs := make([]float64, len(errs))
	for i, e := range errs {
		abs[i] = math.Abs(e)
	}
	slices.Sort(abs)
	signed := slices.Sorted(slices.Values(errs))
	fmt.Printf("%-40s n %4d  median %.3f %%  p90 %.2f %%  bias %+.3f %%\n", what, len(abs), 100*abs[len(abs)/2], 100*abs[len(abs)*9/10], 100*signed[len(signed)/2])
}
