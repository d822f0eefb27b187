package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/tokens"
)

func want(what string, got any) error { return fmt.Errorf("%s: want %s", quote(got), what) }

// union returns the texts of both lists once, in order, in fresh memory.
func union(old, more []string) []string {
	all := slices.Clone(old)
	for _, s := range more {
		if s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// merged returns both tables in fresh memory; the second wins.
func merged(old, more map[string]float64) map[string]float64 {
	all := maps.Clone(old)
	if all == nil {
		all = make(map[string]float64)
	}
	maps.Copy(all, more)
	return all
}

// count reads a whole number, with k and M for thousands and millions.
func count(text string) (int64, error) {
	digits, times := text, int64(1)
	switch {
	case strings.HasSuffix(text, "k"):
		digits, times = text[:len(text)-1], 1000
	case strings.HasSuffix(text, "M"):
		digits, times = text[:len(text)-1], 1000_000
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > math.MaxInt64/times || n < math.MinInt64/times {
		return 0, fmt.Errorf("%q: want a whole number", text)
	}
	return n * times, nil
}

// percentage reads a share of one: 0.4 or 40%.
func percentage(text string) (float64, error) {
	digits, percent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, fmt.Errorf("%q: want a share such as 0.4 or 40%%", text)
	}
	if percent {
		n /= 100
	}
	return n, nil
}

// oneLine requires a command of one line.
func oneLine(text string) error {
	if strings.ContainsAny(text, "\r\n\x00") {
		return fmt.Errorf("%.60q: want one line", text)
	}
	return nil
}

func shareOrNone(v float64) error {
	if !(v >= 0 && v <= 1) { // NaN too
		return fmt.Errorf("%v: want a share from 0 to 1", v)
	}
	return nil
}

func notNegative[T int | int64](n T) error {
	if n < 0 {
		return fmt.Errorf("%d: want 0 or more", n)
	}
	return nil
}

func oneOf(v string, names ...string) error {
	if slices.Contains(names, v) {
		return nil
	}
	last := len(names) - 1
	return fmt.Errorf("%q: want %s or %s", v, strings.Join(names[:last], ", "), names[last])
}

// maxWeight bounds a factor, so that a sum of scores stays a finite number.
const maxWeight = 1000

func knownWeights(weights map[string]float64) error {
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		if _, ok := rank.SignalByName(name); !ok {
			if changes := rank.ChangeSignalNames(); !slices.Contains(changes, name) {
				return fmt.Errorf("unknown signal %s: want %s; for changes, %s", name, strings.Join(rank.SignalNames(), ", "), strings.Join(changes, ", "))
			}
		}
		if w := weights[name]; !(w >= 0 && w <= maxWeight) { // NaN too
			return fmt.Errorf("%s = %v: want a number between 0 and %d", name, w, maxWeight)
		}
	}
	return nil
}

func lowerShare(old, next float64) error {
	if next > old {
		return fmt.Errorf("%v is more than %v: a repository may only lower it", next, old)
	}
	return nil
}

// mostLastPrompts is a day's work; the record is a small one.
const mostLastPrompts = 100

func atMost(n, most int) error { return between(n, 0, most) }

func between(n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("%d: want %d to %d", n, least, most)
	}
	return nil
}

// promptCharacters refuses what agents would cut, and what nothing has room in.
func promptCharacters(n int) error {
	if n != 0 && (n < leastCharacters || n > session.DefaultCharacters) {
		return fmt.Errorf("%d: want 0, or %d to %d", n, leastCharacters, session.DefaultCharacters)
	}
	return nil
}

// leastCharacters is room for the line that says what follows, and for one short
// function.
const leastCharacters = 500

func lowerCount(old, next int) error {
	if next > old {
		return fmt.Errorf("%d is more than %d: a repository may only lower it", next, old)
	}
	return nil
}

// lowerDocs also says what to do, as documents are off unless the user has them on.
func lowerDocs(old, next int) error {
	if err := lowerCount(old, next); err != nil {
		return fmt.Errorf("%w; set it in your own config.toml", err)
	}
	return nil
}

// lowerDocsShare compares shares. 0 means the share for the task, at least 0.3.
func lowerDocsShare(old, next *Config) error {
	of := func(c *Config) float64 { return cmp.Or(c.DocsShare, budget.DocumentShare(budget.Complexity{})) }
	return lowerShare(of(old), of(next))
}

// lowerBudget compares what two budgets come to at most. A percentage and a
// number of tokens compare only if the model's window is known.
func lowerBudget(old, next *Config) error {
	most := func(c *Config) (int, error) {
		_, n, err := c.Limit()
		if n == 0 {
			n = math.MaxInt // no limit
		}
		return n, err
	}
	have, errHave := most(old)
	may, errMay := most(next)
	switch {
	case old.Budget == next.Budget:
		return nil
	case errMay != nil:
		return fmt.Errorf("cannot compare %q with %q: %v", next.Budget, old.Budget, errMay)
	case errHave != nil:
		return fmt.Errorf("cannot compare %q with %q: %v", next.Budget, old.Budget, errHave)
	case may > have:
		return fmt.Errorf("%q is more than %q: a repository may only lower it", next.Budget, old.Budget)
	}
	return nil
}

// modelFields returns the fields of a model that satchel config shows.
func modelFields(m *tokens.Model) []field {
	return []field{{"name", &m.Name}, {"family", &m.Family}, {"window", &m.Window}, {"output", &m.Output}}
}

// modelTables reads the [[models]] of the user's file.
func modelTables(v any) (models []tokens.Model, err error) {
	list, err := typed[[]any]("tables [[models]]", v)
	for _, e := range list {
		m := tokens.Model{Source: "your config.toml"}
		if _, err := readTable("models", e, append(modelFields(&m), field{"source", &m.Source})); err != nil {
			return nil, err
		}
		if m.Name == "" || m.Window == 0 {
			return nil, errors.New("a model needs a name and a window")
		}
		models = append(models, m)
	}
	return models, err
}

// Field returns the name of the Go field that the key sets.
func Field(key string) string {
	if key == keyLLM.Name {
		return "LLMs"
	}
	var b strings.Builder
	for word := range strings.SplitSeq(key, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// providers checks the names in the setting with: one each, or several separated by
// commas.
func providers(names []string) error {
	for _, n := range Names(names) {
		if err := oneOf(n, source.Providers()...); err != nil {
			return err
		}
	}
	return nil
}

// Names returns the names of a list whose values may hold several, with commas
// between them.
func Names(list []string) []string {
	var out []string
	for _, s := range list {
		for n := range strings.SplitSeq(s, ",") {
			if n = strings.TrimSpace(n); !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}
