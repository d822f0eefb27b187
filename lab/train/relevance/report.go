package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Limits of the thresholds: the share of the prompts in choose.txt that may be strong, and
// the share of whole tasks that may be weak although a file that they change is among the
// first. A strong match promises that file, so other tasks do not count.
const (
	mostAnswered = 0.01
	mostWeak     = 0.08
	mostSpared   = 0.02 // of these tasks, those whose pack may leave budget over
)

// thresholds returns the lowest relevance, in hundredths, that keeps both limits, with the
// highest kinship that does.
func thresholds(samples []sample, of func(*sample) verdict) (relevant, kin float64) {
	for i := range perfect {
		relevant = float64(i) / perfect
		kin = kinAt(samples, of, relevant, mostWeak)
		if share(samples, isKind(chooses), of, relevant, kin) <= mostAnswered {
			break
		}
	}
	return relevant, kin
}

// kinAt returns the highest kinship, in hundredths, from which on no more than a
// share of whole tasks is weak.
func kinAt(samples []sample, of func(*sample) verdict, relevant, weak float64) float64 {
	var kinships []float64
	n := 0
	for i := range samples {
		if s := &samples[i]; s.kind == whole {
			n++
			if v := of(s); v.strong(relevant, math.Inf(-1)) {
				kinships = append(kinships, v.kinship)
			}
		}
	}
	slices.Sort(kinships)
	lose := int(weak*float64(n)) - (n - len(kinships)) // that relevance does not lose
	if len(kinships) == 0 {
		return 0
	}
	return math.Floor(kinships[min(max(lose, 0), len(kinships)-1)]*100) / 100
}

func isKind(kind string) func(string) bool { return func(k string) bool { return k == kind } }

// share is how much of some kinds is a strong match.
func share(samples []sample, kind func(string) bool, of func(*sample) verdict, relevant, kin float64) float64 {
	n, hits := 0, 0
	for i := range samples {
		if s := &samples[i]; kind(s.kind) {
			n++
			if of(s).strong(relevant, kin) {
				hits++
			}
		}
	}
	return float64(hits) / float64(max(n, 1))
}

// report prints what the matches of each kind are.
func report(what string, samples []sample, of func(*sample) verdict, relevant, kin float64) {
	fmt.Printf("\n%s: relevance from %.2f, kinship from %.2f\n%-22s %6s  %6s  %6s  %6s\n", what, relevant, kin, "prompts", "number", "strong", "weak", "none")
	row := func(name string, kind func(string) bool) {
		n, strong, none := 0, 0, 0
		for i := range samples {
			s := &samples[i]
			if !kind(s.kind) {
				continue
			}
			n++
			switch v := of(s); {
			case v.none:
				none++
			case v.strong(relevant, kin):
				strong++
			}
		}
		p := func(k int) float64 { return 100 * float64(k) / float64(max(n, 1)) }
		fmt.Printf("%-22s %6d  %5.1f%%  %5.1f%%  %5.1f%%\n", name, n, p(strong), p(n-strong-none), p(none))
	}
	seen := slices.Clone(kinds)
	for i := range samples {
		if k := samples[i].kind; !slices.Contains(seen, k) {
			seen = append(seen, k)
		}
	}
	for _, k := range seen {
		row(k, isKind(k))
	}
	row(nowhere+", all", isUnrelated)
}

func isUnrelated(kind string) bool { return strings.HasPrefix(kind, nowhere+" ") }
