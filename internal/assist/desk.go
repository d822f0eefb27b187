package assist

import (
	"cmp"
	"slices"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/text/clip"
)

// A Seat is a model, and what is to be known about it.
type Seat struct {
	Name   string // of its table in the user's configuration
	Model  Model
	Price  Price // nil means that none is known
	Window int   // in tokens; zero means [DefaultWindow]
}

// A Desk is what one command asks from: the project, the models, and what all its
// calls may cost together.
type Desk struct {
	Engine *engine.Engine
	Top    Seat
	Helper *Seat // for parts and second looks; nil means Top

	Spend *Spend

	// Tools are bound to what the command looks at. Nil means that no model may
	// look further than what it is shown.
	Tools Toolbox

	Turns    int // of the main conversation; zero means what the command usually takes
	Budget   int // tokens of the first prompt; zero means the lesser of 24,000 and 30 % of the window
	AtOnce   int // questions to ask at the same time; zero means four
	Parallel Parallel

	// Instructions are the user's own, and Language the one that answers are
	// written in; empty means what the material is written in.
	Instructions, Language string

	Watch func(Progress)
	Now   func() time.Time // nil means the system's clock; it reaches no request

	// Elapsed, if set, replaces how long something took by what was recorded of it.
	Elapsed func(label string, d time.Duration) time.Duration
}

// Parallel says in how many parts a change is read.
type Parallel int

// A number of parts, or one of these.
const (
	ParallelAuto  Parallel = 0
	ParallelNever Parallel = -1
)

// An Account is what a command's calls came to, and what is missing.
type Account struct {
	Spent Spent `json:"spent"`

	// Incomplete says what was not looked at, not answered or not verified; empty
	// if nothing.
	Incomplete []string `json:"incomplete,omitempty"`
}

// A Material is what models are shown first.
type Material struct {
	Report   *change.Report // of the change; nil if there is none
	Coverage []ask.Shown    // every file of the change, as the model sees it that sees most of it
	Beside   []ask.Shown    // other files
	Redacted int            // secrets that no model sees

	Diagnostics []satchel.Diagnostic // about what models are shown, each once
}

// add adds what models are shown that share one task.
func (m *Material) add(parts ...*ask.Ask) {
	redacted := 0
	for _, a := range parts {
		r := &a.Receipt
		redacted += r.Redacted
		m.Coverage, m.Beside = ask.Join(m.Coverage, r.Files...), ask.Join(m.Beside, r.Beside...)
		for _, d := range r.Diagnostics {
			if !slices.Contains(m.Diagnostics, d) {
				m.Diagnostics = append(m.Diagnostics, d)
			}
		}
	}
	m.Redacted = max(m.Redacted, redacted)
}

const (
	usualBudget = 24_000
	budgetShare = 0.30
)

// budget is how many tokens of o200k_base the first prompt may have.
func (d *Desk) budget() int {
	if d.Budget > 0 {
		return d.Budget
	}
	window := cmp.Or(max(d.Top.Window, 0), DefaultWindow)
	return min(usualBudget, int(budgetShare*float64(window)))
}

func (d *Desk) helper() *Seat {
	if d.Helper != nil {
		return d.Helper
	}
	return &d.Top
}

// run begins a conversation with a model of the desk.
func (d *Desk) run(s *Seat, label string) *Run {
	return &Run{Model: s.Model, Price: s.Price, Window: s.Window, Spend: d.Spend, Label: label, Watch: d.Watch}
}

// mostReason is how many characters say why something is missing: a line.
const mostReason = 200

// account sums up the calls and what is missing, each reason once and in a line.
func (d *Desk) account(why []string) Account {
	a := Account{Spent: d.Spend.Spent()}
	for _, reason := range why {
		if reason = clip.Runes(reason, mostReason); !slices.Contains(a.Incomplete, reason) {
			a.Incomplete = append(a.Incomplete, reason)
		}
	}
	return a
}

func (d *Desk) now() time.Time {
	if d.Now != nil {
		return d.Now()
	}
	return time.Now()
}

func (d *Desk) elapsed(label string, took time.Duration) time.Duration {
	if d.Elapsed != nil {
		return d.Elapsed(label, took)
	}
	return took
}
