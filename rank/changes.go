package rank

import (
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel"
)

// A Profile is a table that turns what was measured about a changed file into
// its relevance. Package change measures; the names of its signals are those of
// the Rules.
type Profile struct {
	Name  string
	Base  float64 // what every file starts from
	Rules []Rule

	// Clamped says that files are ordered by the relevance that is shown, so
	// that those above 1 are equal. Otherwise they are ordered by the plain sum.
	Clamped bool
}

// A Rule is what one signal adds.
type Rule struct {
	Signal string
	Why    string  // as the explanation of a score has it
	Add    float64 // times the value, or once if the rule has bounds

	Neutral float64 // value that adds nothing, of a rule without bounds
	Judged  bool    // Add is judgement: lab/train/changes does not learn it

	// Unit makes an explanation say what was measured: "substantive changes (87
	// lines)".
	Unit string

	Bounded     bool    // add once if Over < value < Under
	Over, Under float64 // Under 0 means no bound

	// Reason is what stands behind the path in a list of files, "" if nothing
	// does. A rule that adds nothing may still give a reason.
	Reason string
}

// holds returns what the rule adds for a value, and whether it applies.
func (r *Rule) holds(v float64) (add float64, ok bool) {
	if !r.Bounded {
		return r.Add * (v - r.Neutral), true
	}
	return r.Add, v > r.Over && (r.Under == 0 || v < r.Under)
}

// Base is the reason of what every file starts from.
const baseWhy = "base score"

// each calls fn for every rule that applies, in the order of the signals.
func (p *Profile) each(signals []satchel.Signal, fn func(r *Rule, value, add float64)) {
	for _, s := range signals {
		for i := range p.Rules {
			if r := &p.Rules[i]; r.Signal == s.Name {
				if add, ok := r.holds(s.Value); ok {
					fn(r, s.Value, add)
				}
			}
		}
	}
}

// Score returns the reasons why a changed file matters: the base, then what the
// signals add, in their order. Multipliers by the names of signals scale what
// they add, such as the weights of a project.
func (p *Profile) Score(signals []satchel.Signal, multipliers ...map[string]float64) satchel.Score {
	var score satchel.Score
	score.Add(baseWhy, p.Base)
	p.each(signals, func(r *Rule, value, add float64) {
		for _, m := range multipliers {
			if x, ok := m[r.Signal]; ok {
				add *= x
			}
		}
		why := r.Why
		if r.Unit != "" {
			why = fmt.Sprintf("%s (%.0f %s)", why, value, r.Unit)
		}
		score.Add(why, add)
	})
	return score
}

// Reasons returns what is said about a changed file in a list, in the order of
// the signals.
func (p *Profile) Reasons(signals []satchel.Signal) []string {
	var out []string
	p.each(signals, func(r *Rule, _, _ float64) {
		if r.Reason != "" && !slices.Contains(out, r.Reason) {
			out = append(out, r.Reason)
		}
	})
	return out
}

// Relevance returns a score as it is shown, 0..1, and as files are ordered by
// it. The sum is made in single precision, as Git-Iris does, so that what is
// equal there is equal here.
func (p *Profile) Relevance(score satchel.Score) (relevance, order float64) {
	var sum float32
	for _, r := range score {
		sum += float32(r.Add)
	}
	relevance = float64(min(max(sum, 0), 1))
	if p.Clamped {
		return relevance, relevance
	}
	return relevance, score.Value()
}

// ChangeSignalNames returns the names of the signals that the default profile
// weighs, each once, in the order of its table.
func ChangeSignalNames() []string {
	var names []string
	for i := range Changes.Rules {
		if s := Changes.Rules[i].Signal; !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}
