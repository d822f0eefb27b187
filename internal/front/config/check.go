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
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/tokens"
)

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

// A Share is a share of one. As a text, it is 0.4 or 40%.
type Share float64

// UnmarshalText reads the text of a share.
func (s *Share) UnmarshalText(text []byte) error {
	digits, percent := strings.CutSuffix(string(text), "%")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return fmt.Errorf("%q: want a share such as 0.4 or 40%%", text)
	}
	if percent {
		n /= 100
	}
	*s = Share(n)
	return nil
}

// oneLine requires a command of one line.
func oneLine(text string) error {
	if strings.ContainsAny(text, "\r\n\x00") {
		return fmt.Errorf("%.60q: want one line", text)
	}
	return nil
}

func shareOrNone(v Share) error {
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

// lowerCount refuses a larger number.
func (k *Key) lowerCount(old, next *Config) error {
	if was, is := k.field(old), k.field(next); is.Int() > was.Int() {
		return moreThan(is, was)
	}
	return nil
}

func moreThan(is, was any) error {
	return fmt.Errorf("%v is more than %v: a repository may only lower it", is, was)
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

// readers requires auto, never or a number of readers.
func readers(text string) error {
	if n, err := strconv.Atoi(text); text != "auto" && text != "never" && (err != nil || n < 1 || n > 10 || strconv.Itoa(n) != text) {
		return fmt.Errorf("%q: want auto, never, or 1 to 10", text)
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

// lowerDocs also says what to do, as documents are off unless the user has them on.
func lowerDocs(old, next *Config) error {
	if next.Docs > old.Docs {
		return fmt.Errorf("%w; set it in your own config.toml", moreThan(next.Docs, old.Docs))
	}
	return nil
}

// lowerDocsShare compares shares. 0 means the share for the task, at least 0.3.
func lowerDocsShare(old, next *Config) error {
	of := func(c *Config) Share { return cmp.Or(c.DocsShare, Share(budget.DocumentShare(budget.Complexity{}))) }
	if of(next) > of(old) {
		return moreThan(of(next), of(old))
	}
	return nil
}

// lowerBudget compares what two budgets come to at most. A percentage and a
// number of tokens compare only if the model's window is known.
func lowerBudget(old, next *Config) error {
	most := func(c *Config) (int, error) {
		_, n, err := c.Limit()
		n = cmp.Or(n, math.MaxInt) // no limit
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
		return moreThan(strconv.Quote(next.Budget), strconv.Quote(old.Budget))
	}
	return nil
}

// A model is a table [[models]] of the user's file.
type model struct {
	Name   string `toml:"name"`
	Family string `toml:"family"`
	Window Count  `toml:"window"`
	Output int    `toml:"output"` // 0: the output has no limit of its own
	Source string `toml:"source"`
}

// readModels reads the [[models]] of the user's file.
func readModels(text []byte) (models []tokens.Model, err error) {
	var tables struct{ Models []model }
	if err := decode(text, &tables); err != nil {
		return nil, err
	}
	for _, m := range tables.Models {
		if m.Name == "" || m.Window == 0 {
			return nil, errors.New("a model needs a name and a window")
		}
		if err := between(m.Output, 0, mostNumber); err != nil {
			return nil, fmt.Errorf("output: %w", err)
		}
		models = append(models, tokens.Model{Name: m.Name, Family: m.Family, Window: int(m.Window), Output: m.Output, Source: cmp.Or(m.Source, "your config.toml")})
	}
	return models, nil
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

var languageTags = lazy.Regexp(`^([A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$`)

// languageTag refuses a text that does not look like a language tag (BCP 47), since a
// model gets it as an instruction.
func languageTag(tag string) error {
	if !languageTags().MatchString(tag) {
		return fmt.Errorf("%.40q: want a language tag such as de or pt-BR", tag)
	}
	return nil
}
