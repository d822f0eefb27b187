package rank

import (
	"cmp"
	"math"
	"time"
)

// A Decay says how fast what is remembered fades. The weight of what was never
// touched again is
//
//	w(t) = max(Floor, Base · 2^(−Δ/HalfLife)),  Δ the time since the last touch
//
// so it is a function of the record and of the time asked about, and asking
// changes nothing. The zero value fades by [NoteHalfLife] and has no floor.
//
// # Touches
//
// A touch says that something was of use. It halves what is missing to full
// weight, and it makes all later fading slower, the more the longer ago the last
// touch was: what is needed again after weeks is worth more than what is read
// five times in a minute (the spacing effect of human memory). So
//
//	Base     = 1 − (1−w)/2
//	Spaced  += massed + (1−massed) · (1 − 2^(−Δ/h))
//	h        = HalfLife · (1 + log2(1+Spaced))
//
// A touch never lowers a weight, now or later. A clock that goes backwards is
// taken to stand still.
type Decay struct {
	// HalfLife is the time after which half of an untouched weight is left. Zero
	// or less means NoteHalfLife.
	HalfLife time.Duration

	// Floor is the least weight, in 0..1: what is old is still worth more than
	// nothing. [Decay.Left] does not heed it, so that pruning can.
	Floor float64
}

// Half-lives. They are judgement: a decision made about a project is half as
// likely to matter a month of work later, what an agent looked at half an hour
// later.
const (
	NoteHalfLife    = 30 * 24 * time.Hour
	WorkingHalfLife = 30 * time.Minute
)

// massed is what a touch right after another counts, of one after a long time.
const massed = 0.1

// NoteDecay is the decay of notes: what was once worth writing down never weighs
// less than a twentieth.
func NoteDecay() Decay { return Decay{HalfLife: NoteHalfLife, Floor: 0.05} }

// WorkingDecay is the decay of the working set, which is empty again after a day.
func WorkingDecay() Decay { return Decay{HalfLife: WorkingHalfLife} }

// A Trace is the record of how something was used, from which a Decay computes
// weights. [Fresh] makes one.
type Trace struct {
	Base    float64   // weight at the last touch, in 0..1
	Touched time.Time // the last touch, or when it began
	Spaced  float64   // the touches, each counted by how long after the last it came
	Touches int
	Pinned  bool // weighs 1 and does not fade
}

// Fresh is the trace of what begins now.
func Fresh(now time.Time) Trace { return Trace{Base: 1, Touched: now} }

// Weight returns how much a trace weighs at a time, in 0..1: 1 if it is pinned.
// It never rises from one time to a later one.
func (d Decay) Weight(t Trace, now time.Time) float64 {
	return max(share(d.Floor), d.Left(t, now))
}

// Left is Weight without the floor.
func (d Decay) Left(t Trace, now time.Time) float64 {
	if t.Pinned {
		return 1
	}
	return share(t.Base) * d.kept(t, now)
}

// kept is the share of the base that is left.
func (d Decay) kept(t Trace, now time.Time) float64 {
	gone := max(0, now.Sub(t.Touched)) // saturates after 292 years
	half := cmp.Or(max(d.HalfLife, 0), NoteHalfLife)
	spaced := t.Spaced
	if !(spaced > 0) { // NaN too
		return math.Exp2(-float64(gone) / float64(half))
	}
	return math.Exp2(-float64(gone) / (float64(half) * (1 + math.Log2(1+spaced))))
}

// Touch returns the trace after a touch.
func (d Decay) Touch(t Trace, now time.Time) Trace {
	w := d.Weight(t, now)
	gap := 1 - d.kept(t, now)
	if !(t.Spaced > 0) {
		t.Spaced = 0
	}
	t.Base = 1 - (1-w)/2
	t.Spaced += massed + (1-massed)*gap
	t.Touches++
	t.Touched = later(t.Touched, now)
	return t
}

// Pin returns the trace pinned. Fading begins anew when the pin is taken away:
// what was held until now is not suddenly old.
func (t Trace) Pin(now time.Time) Trace {
	t.Pinned = true
	t.Base, t.Touched = 1, later(t.Touched, now)
	return t
}

// Unpin returns the trace without its pin; it fades from full weight on.
func (t Trace) Unpin(now time.Time) Trace {
	if t.Pinned {
		t.Pinned = false
		t.Base, t.Touched = 1, later(t.Touched, now)
	}
	return t
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// share cuts a number to 0..1; what is no number is 0.
func share(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return min(v, 1)
}
