package base

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/budget"
)

// ParseBytes reads a number of bytes, such as 500m; k, m and g are decimal.
func ParseBytes(s string) (int64, error) {
	units := map[string]float64{"": 1, "k": 1e3, "m": 1e6, "g": 1e9}
	digits := strings.TrimRight(strings.ToLower(s), "kmgb")
	unit, ok := units[strings.TrimSuffix(strings.ToLower(s)[len(digits):], "b")]
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !ok || n*unit < 1 || n*unit > math.MaxInt64/2 || math.IsNaN(n) {
		return 0, errors.New("want a number of bytes, such as 500m")
	}
	return int64(n * unit), nil
}

// A TokensFlag is a number of tokens as a flag takes it: 60000, 60k or 1.5m.
type TokensFlag struct{ N *int }

func (f TokensFlag) Set(text string) error {
	l, err := budget.Parse(text)
	if err != nil || l.NeedsWindow() {
		return errors.New("want a number of tokens such as 200k")
	}
	*f.N, _, err = l.Tokens(0, 0, budget.Auto{})
	return err
}

func (f TokensFlag) String() string {
	if f.N == nil || *f.N == 0 {
		return ""
	}
	return strconv.Itoa(*f.N)
}

func (f TokensFlag) Type() string { return "tokens" }

// ParseAge reads an age such as 30d, 2w or 12h, or a date, and returns the time
// that is meant.
func ParseAge(s string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	hours := map[byte]float64{'h': 1, 'd': 24, 'w': 7 * 24}
	if len(s) > 1 && hours[s[len(s)-1]] > 0 {
		n, err := strconv.ParseFloat(s[:len(s)-1], 64)
		if err == nil && n >= 0 && n < 1e6 {
			return now.Add(-time.Duration(n * hours[s[len(s)-1]] * float64(time.Hour))), nil
		}
	}
	return time.Time{}, errors.New("want an age such as 30d, 2w or 12h, or a date such as 2026-01-31")
}

// The formats of a review.
const (
	FormatText   = "text"
	FormatMD     = "md"
	FormatJSON   = "json"
	FormatSARIF  = "sarif"
	FormatGitHub = "github"
)

// CountSet returns how many texts are not empty.
func CountSet(list ...string) int {
	return len(slices.DeleteFunc(list, func(s string) bool { return s == "" }))
}
