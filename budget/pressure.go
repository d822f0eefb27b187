package budget

import (
	"fmt"
	"math"
	"slices"

	"github.com/satchel-dev/satchel/tokens"
)

// Thresholds are the shares of a window at which pressure is spoken of.
type Thresholds struct {
	Show float64 `json:"show"` // below it, nothing is said
	Note float64 `json:"note"` // above it, older turns are being summarized
	Warn float64 `json:"warn"` // above it, the window is nearly full
}

// Check returns an error if the thresholds are no shares, or not in order.
func (t Thresholds) Check() error {
	for _, v := range []float64{t.Show, t.Note, t.Warn} {
		if !(v >= 0 && v <= 1) { // NaN too
			return fmt.Errorf("threshold %v: want a share from 0 to 1", v)
		}
	}
	if t.Note > t.Warn {
		return fmt.Errorf("thresholds: note (%v) is above warn (%v)", t.Note, t.Warn)
	}
	return nil
}

// A Level says how loudly to speak of pressure.
type Level int

const (
	Hidden Level = iota // nothing is said
	Shown               // the bar
	Noted               // and that older turns are summarized
	Warned              // and that the window is nearly full
)

func (l Level) String() string {
	return [...]string{"hidden", "shown", "noted", "warned"}[max(Hidden, min(l, Warned))]
}

// MarshalText writes the level as a word.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Pressure says how full a context window is.
type Pressure struct {
	Used    tokens.Count `json:"used"`    // the context as it would be sent next
	Window  int          `json:"window"`  // tokens; never 0
	Percent int          `json:"percent"` // Used of Window, to the nearest; may exceed 100
	Level   Level        `json:"level"`

	// Turns is how many more turns fit, if they are like the last ones; -1 if
	// that is unknown.
	Turns int `json:"turns"`

	// Frees is how many tokens a trim would free; 0 if nobody asked.
	Frees int `json:"frees,omitempty"`
}

// PressureOf measures how full a window is. A window of 0 or less, which means
// unknown, is an error: without it there is no percentage.
func PressureOf(used tokens.Count, window int, t Thresholds) (Pressure, error) {
	if window <= 0 {
		return Pressure{}, fmt.Errorf("pressure: the window is %d tokens: want a positive number", window)
	}
	if err := t.Check(); err != nil {
		return Pressure{}, fmt.Errorf("pressure: %v", err)
	}
	p := Pressure{Used: used, Window: window, Turns: -1}
	// Halves are rounded up, as in the reference.
	p.Percent = int(math.Floor(float64(max(used.Tokens, 0))/float64(window)*100 + 0.5))
	// Thresholds are compared with the percentage that people see: 80.4 % is
	// shown as 80, and is not above 80.
	shown := float64(p.Percent)
	switch {
	case shown > hundredfold(t.Warn):
		p.Level = Warned
	case shown > hundredfold(t.Note):
		p.Level = Noted
	case shown >= hundredfold(t.Show):
		p.Level = Shown
	}
	if shown < hundredfold(t.Show) {
		p.Level = Hidden
	}
	return p, nil
}

// hundredfold returns a share in percent, without the last digits of 0.29*100.
func hundredfold(share float64) float64 { return math.Round(share*100*1e6) / 1e6 }

// recentTurns is how many of the last turns tell how the next ones will be.
const recentTurns = 8

// TurnsLeft returns how many more turns fit into the window. The sizes are
// those of the context after each turn, oldest first. A turn that made the
// context smaller was a compaction, and only what came after it counts. It
// returns -1 if no turn tells how much a turn takes, and 0 if the window is full.
func TurnsLeft(sizes []int, window int) int {
	if len(sizes) == 0 || window <= 0 {
		return -1
	}
	last := sizes[len(sizes)-1]
	if last >= window {
		return 0
	}
	var grown []int
	for i := len(sizes) - 1; i > 0 && len(grown) < recentTurns; i-- {
		d := sizes[i] - sizes[i-1]
		if d < 0 {
			break
		}
		if d > 0 {
			grown = append(grown, d)
		}
	}
	if len(grown) == 0 {
		return -1
	}
	// The mean of the middle half: one huge file read does not make the next
	// turns huge, and one "yes" does not make them tiny.
	slices.Sort(grown)
	cut := len(grown) / 4
	sum := 0
	for _, d := range grown[cut : len(grown)-cut] {
		sum += d
	}
	n := len(grown) - 2*cut
	return (window - last) * n / max(sum, 1)
}
