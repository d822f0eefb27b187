package assist

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A guard ends a run that goes round in circles.
//
//   - A call that was made before is not made again: its answer names the result.
//     The third time, the run has to end.
//   - A tool that fails three times in a row, whatever it is asked, is switched off.
//   - After three turns that brought no line that was not seen before, the run has
//     to end.
type guard struct {
	seen   map[string]int // call → number of its result, from 1
	asked  map[string]int // call → how often
	failed map[string]int // tool → errors in a row
	lines  map[string]bool
	dry    int // turns in a row without a new line
	result int
	why    string
}

const (
	mostSame   = 3
	mostFailed = 3
	mostDry    = 3
)

func newGuard() *guard {
	return &guard{seen: map[string]int{}, asked: map[string]int{}, failed: map[string]int{}, lines: map[string]bool{}}
}

// forget lets calls be made again, as when their results are no longer there.
func (g *guard) forget() { clear(g.seen) }

// stuck says why the run has to end; "" if it may go on.
func (g *guard) stuck() string { return g.why }

// before says what a call is answered without being made; false if it has to be made.
func (g *guard) before(name string, input json.RawMessage) (string, bool) {
	key := name + " " + canonical(input)
	g.asked[key]++
	n, seen := g.seen[key]
	switch {
	case g.failed[name] >= mostFailed:
		return fmt.Sprintf("%s is switched off: it failed %d times in a row", name, mostFailed), true
	case !seen:
		return "", false
	case g.asked[key] >= mostSame:
		g.why = "the model repeats itself"
	}
	return fmt.Sprintf("see result %d: the same call was answered there", n), true
}

// after takes the answer to a call that was made.
func (g *guard) after(name string, input json.RawMessage, text string, failed bool) (number int, fresh bool) {
	g.result++
	g.seen[name+" "+canonical(input)] = g.result
	if failed {
		g.failed[name]++
		return g.result, false
	}
	g.failed[name] = 0
	for line := range strings.Lines(withoutArguments(text, input)) {
		if line = strings.TrimSpace(line); line != "" && !g.lines[line] {
			g.lines[line] = true
			fresh = true
		}
	}
	return g.result, fresh
}

// withoutArguments is a result without what it repeats of the call: that nothing is
// known of another word is nothing new.
func withoutArguments(text string, input json.RawMessage) string {
	var args map[string]any
	if json.Unmarshal(input, &args) != nil {
		return text
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if s, ok := args[name].(string); ok && s != "" {
			text = strings.ReplaceAll(text, s, "…")
		}
	}
	return text
}

// turn ends a turn of calls, of which some brought something new or none.
func (g *guard) turn(fresh bool) {
	if fresh {
		g.dry = 0
		return
	}
	if g.dry++; g.dry >= mostDry {
		g.why = "the model finds nothing new"
	}
}

// canonical is JSON with its keys sorted and without blanks, so that the same
// arguments are the same text.
func canonical(input json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(input)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(input)
	}
	return string(out)
}
