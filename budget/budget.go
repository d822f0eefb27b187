// Package budget turns what a user says about room ("16k", "40%", "auto")
// into a number of tokens, and divides a window between its sections.
//
// It knows nothing about what will fill the room: package pack chooses, and
// package tokens counts. Start with [Parse] and [Limit.Tokens], or with [Split]
// and [DivideBy].
//
// All quantities are tokens; k and m are decimal (16k is 16,000).
package budget

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Default is the budget of a request that names none.
const Default = 16_000

// MostTokens bounds a Limit and a window, so that sums of tokens never overflow an int32.
const MostTokens = 1_000_000_000

// A Limit is a budget as a user wrote it: a number of tokens, a share of the
// model's window, a share that grows with the task, or none. The zero value
// means no limit.
type Limit struct {
	kind    kind
	tokens  int     // of a fixed limit
	percent float64 // of a share of the window, in (0, 100]
}

type kind uint8

const (
	none kind = iota
	fixed
	share
	auto
)

// Of returns the Limit of n tokens; 0 or less means no limit.
func Of(n int) Limit {
	if n <= 0 {
		return Limit{}
	}
	return Limit{kind: fixed, tokens: min(n, MostTokens)}
}

// Parse reads a budget: "200000", "200,000", "16k", "1.5m", "40%", "auto", or "0" for no
// limit. Letters may be of either case.
func Parse(s string) (Limit, error) {
	fail := func(why string) (Limit, error) {
		return Limit{}, fmt.Errorf("budget %q: %s (want tokens such as 16k, a share of the window such as 40%%, auto, or 0 for no limit)", s, why)
	}
	t := strings.ToLower(strings.TrimSpace(s))
	if t == "" {
		return fail("empty")
	}
	if t == "auto" {
		return Limit{kind: auto}, nil
	}
	digits := strings.TrimRight(t, "km%")
	unit := t[len(digits):]
	for i := len(digits) - 4; i > 0 && digits[i] == ','; i -= 4 { // as our own reports write numbers
		digits = digits[:i] + digits[i+1:]
	}
	// A plain decimal number: ParseFloat alone would also take "inf", "0x1p4",
	// "1e9" and "+1".
	whole, frac, dotted := strings.Cut(digits, ".")
	if !allDigits(whole) || dotted && !allDigits(frac) {
		return fail("not a number of tokens")
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return fail("not a number of tokens")
	}
	switch unit {
	case "":
		if dotted {
			return fail("not a whole number of tokens")
		}
	case "k":
		n *= 1_000
	case "m":
		n *= 1_000_000
	case "%":
		if n <= 0 || n > 100 {
			return fail("a share is above 0% and at most 100%")
		}
		return Limit{kind: share, percent: n}, nil
	default:
		return fail("unknown unit " + strconv.Quote(unit))
	}
	if n > MostTokens {
		return fail(fmt.Sprintf("more than %d tokens", MostTokens))
	}
	if n > 0 && n < 1 {
		return fail("less than one token")
	}
	return Of(int(math.Round(n))), nil
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// String returns the Limit in a form that [Parse] reads back.
func (l Limit) String() string {
	switch l.kind {
	case fixed:
		switch {
		case l.tokens%1_000_000 == 0:
			return strconv.Itoa(l.tokens/1_000_000) + "m"
		case l.tokens%1_000 == 0:
			return strconv.Itoa(l.tokens/1_000) + "k"
		}
		return strconv.Itoa(l.tokens)
	case share:
		return strconv.FormatFloat(l.percent, 'f', -1, 64) + "%"
	case auto:
		return "auto"
	}
	return "0"
}

// NeedsWindow reports whether the Limit is a share of a model's window.
func (l Limit) NeedsWindow() bool { return l.kind == share || l.kind == auto }

// UnmarshalText reads a Limit as [Parse] does.
func (l *Limit) UnmarshalText(b []byte) (err error) {
	*l, err = Parse(string(b))
	return err
}

// MarshalText writes a Limit as [Limit.String] does.
func (l Limit) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Complexity is how large a task looks before any of it is done.
type Complexity struct {
	Files       int // files that the task names
	Directories int // directories that the likely files lie in
	Words       int // words of the task
	Imports     int // imports between these directories
}

// work is how much there is to do, in units.
func (c Complexity) work() float64 {
	return float64(max(c.Files, 0))/unitFiles + float64(max(c.Directories, 0))/unitDirectories +
		float64(max(c.Words, 0))/unitWords + float64(max(c.Imports, 0))/unitImports
}

// growth is how far from its least to its most a task of this complexity takes
// what grows with the work, in [0, 1):
//
//	work   = Files/8 + Directories/4 + Words/800 + Imports/16
//	growth = work / (1 + work)
//
// so that one unit of work earns half of the way, three units three quarters, and
// no task all of it.
func (c Complexity) growth() float64 {
	work := c.work()
	return work / (1 + work)
}

// Between returns what a task of this complexity gets of a number that lies
// between two: least for one that says nothing, towards most for the largest.
func (c Complexity) Between(least, most int) int {
	return least + int(float64(most-least)*c.growth()) // one product: nothing for compilers to fuse
}

// Auto bounds an automatic budget. Zero fields mean the defaults.
type Auto struct {
	Floor   float64 // share of the window for the smallest task; 0 means 0.05
	Ceiling float64 // share that the largest task approaches; 0 means 0.40
}

// Defaults of [Auto]: below a twentieth of a window nothing is gained by
// saving, and above two fifths an agent lacks room to work.
const (
	defaultFloor   = 0.05
	defaultCeiling = 0.40
)

// One unit of work is this many files, directories, words or imports.
// They are judgement: an issue of 200 words that names two files in one
// directory is about three quarters of a unit.
const (
	unitFiles       = 8
	unitDirectories = 4
	unitWords       = 800
	unitImports     = 16
)

// check refuses bounds that contradict each other, and fills in the defaults.
func (a Auto) check() (Auto, error) {
	a.Floor = cmp.Or(a.Floor, defaultFloor)
	a.Ceiling = cmp.Or(a.Ceiling, defaultCeiling)
	if !(a.Floor > 0 && a.Floor <= a.Ceiling && a.Ceiling <= 1) {
		return a, fmt.Errorf("automatic budget: floor %v and ceiling %v: want 0 < floor <= ceiling <= 1", a.Floor, a.Ceiling)
	}
	return a, nil
}

// Tokens returns the number of tokens that the Limit allows, 0 meaning no limit:
// least and most are the same, but of an automatic one, where the task decides
// between them; see [Complexity.Between]. The window is that of the model, 0 if no
// model was named; the reserve is the part of the window kept for the response.
//
// A share of the window never reaches into the reserve; a fixed limit that
// does is an error, since the user asked for something that cannot be had.
func (l Limit) Tokens(window, reserve int, cfg Auto) (least, most int, err error) {
	if l.kind == none {
		return 0, 0, nil
	}
	if window <= 0 {
		if l.NeedsWindow() {
			return 0, 0, fmt.Errorf("budget %v is a share of a model's window: name the model with --model, or give a number of tokens", l)
		}
		return l.tokens, l.tokens, nil
	}
	reserve = max(reserve, 0)
	room := window - reserve
	if room <= 0 {
		return 0, 0, fmt.Errorf("budget %v: the reserve of %d tokens leaves nothing of the window of %d", l, reserve, window)
	}
	switch l.kind {
	case fixed:
		if l.tokens > room {
			return 0, 0, fmt.Errorf("budget %v is too large: the window of %d tokens leaves %d after the reserve of %d", l, window, room, reserve)
		}
		return l.tokens, l.tokens, nil
	case auto:
		cfg, err := cfg.check()
		if err != nil {
			return 0, 0, err
		}
		return of(window, cfg.Floor, room), of(window, cfg.Ceiling, room), nil
	}
	n := of(window, l.percent/100, room)
	return n, n, nil
}

// of returns a share of the window: at least one token, at most room.
func of(window int, share float64, room int) int {
	// Half a thousandth of a token makes up for shares such as 0.07 that are
	// not exact in binary.
	return max(1, min(int(float64(window)*share+0.0005), room))
}
