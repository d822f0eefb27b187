// Usage measures how well transcript.Measure knows the size of a session.
//
//	go run ./eval/usage FILE...
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

	"github.com/satchel-dev/satchel/transcript"
)

func main() {
	all := map[string][]float64{}
	for _, name := range os.Args[1:] {
		if err := measure(name, all); err != nil {
			fmt.Fprintln(os.Stderr, "usage:", err)
			os.Exit(1)
		}
	}
	for _, key := range []string{"1 call later", "5 calls later", "20 calls later", "unanchored", "unanchored less what is hidden"} {
		show("all: "+key, all[key])
	}
}

func measure(name string, all map[string][]float64) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	s, err := transcript.Read(f, info.Size())
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	model := transcript.ModelOf(s)
	z := transcript.Measure(s, model)
	base := filepath.Base(name)
	fmt.Printf("%.60s\n  %s, %s, %d messages, %d steps; context %d (%s, ±%.2f %%), hidden %d; %s ±%.1f %%\n", base,
		s.Format, s.Model, len(s.Messages), len(z.Steps), z.Context.Tokens, z.Context.Method, 100*z.Context.Error, z.Hidden.Tokens, z.Rate.Method(), 100*z.Rate.Error)
	var anchors []int
	for i := range s.Messages {
		if u := s.Messages[i].Usage; u != nil && u.Prompt() > 0 {
			anchors = append(anchors, i)
		}
	}
	own := map[string][]float64{}
	for _, later := range []int{1, 5, 20} {
		key := fmt.Sprintf("%d calls later", later)
		if later == 1 {
			key = "1 call later"
		}
		for k := 0; k+later < len(anchors); k++ {
			to := anchors[k+later]
			cut := *s
			cut.Messages = slices.Clone(s.Messages[:to])
			for i := anchors[k] + 1; i < to; i++ {
				cut.Messages[i].Usage = nil
			}
			truth := float64(s.Messages[to].Usage.Prompt())
			e := (float64(transcript.Measure(&cut, model).Context.Tokens) - truth) / truth
			own[key] = append(own[key], e)
		}
	}
	if n := len(anchors); n > 0 {
		to := anchors[n-1]
		cut := *s
		cut.Messages = slices.Clone(s.Messages[:to])
		for i := range cut.Messages {
			cut.Messages[i].Usage = nil
		}
		truth := float64(s.Messages[to].Usage.Prompt())
		bare := float64(transcript.Measure(&cut, model).Context.Tokens)
		own["unanchored"] = append(own["unanchored"], (bare-truth)/truth)
		first := s.Messages[anchors[0]].Usage.Prompt()
		cut.Messages = cut.Messages[:anchors[0]]
		hidden := float64(first - transcript.Measure(&cut, model).Context.Tokens)
		own["unanchored less what is hidden"] = append(own["unanchored less what is hidden"], (bare+hidden-truth)/truth)
	}
	for _, key := range []string{"1 call later", "5 calls later", "20 calls later", "unanchored", "unanchored less what is hidden"} {
		show("  "+key, own[key])
		all[key] = append(all[key], own[key]...)
	}
	return nil
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
