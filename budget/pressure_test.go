package budget_test

import (
	"testing"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/tokens"
)

var thresholds = budget.Thresholds{Show: 0.30, Note: 0.60, Warn: 0.80}

func TestPressureLevels(t *testing.T) {
	for _, tt := range []struct {
		used, window int
		t            budget.Thresholds
		percent      int
		level        budget.Level
	}{
		{0, 200_000, thresholds, 0, budget.Hidden},
		{58_999, 200_000, thresholds, 29, budget.Hidden},
		{59_000, 200_000, thresholds, 30, budget.Shown}, // 29.5 is rounded up
		{120_000, 200_000, thresholds, 60, budget.Shown},
		{120_999, 200_000, thresholds, 60, budget.Shown},
		{121_000, 200_000, thresholds, 61, budget.Noted},
		{160_999, 200_000, thresholds, 80, budget.Noted},
		{161_000, 200_000, thresholds, 81, budget.Warned},
		{224_000, 200_000, thresholds, 112, budget.Warned},
		{-5, 200_000, thresholds, 0, budget.Hidden},
		{29, 100, budget.Thresholds{Show: 0.29, Note: 0.57, Warn: 0.58}, 29, budget.Shown}, // 0.29*100 is not 29 in binary
		{57, 100, budget.Thresholds{Show: 0.29, Note: 0.57, Warn: 0.58}, 57, budget.Shown},
		{58, 100, budget.Thresholds{Show: 0.29, Note: 0.57, Warn: 0.58}, 58, budget.Noted},
		{1, 100, budget.Thresholds{Show: 0, Note: 1, Warn: 1}, 1, budget.Shown},
		{95, 100, budget.Thresholds{Show: 1, Note: 0, Warn: 0}, 95, budget.Hidden}, // hidden wins
	} {
		p, err := budget.PressureOf(tokens.Count{Tokens: tt.used}, tt.window, tt.t)
		if err != nil {
			t.Errorf("PressureOf(%d, %d): %v", tt.used, tt.window, err)
			continue
		}
		if p.Percent != tt.percent || p.Level != tt.level {
			t.Errorf("PressureOf(%d, %d, %v) = %d %%, %v, want %d %%, %v", tt.used, tt.window, tt.t, p.Percent, p.Level, tt.percent, tt.level)
		}
	}
}

func TestPressureErrors(t *testing.T) {
	for _, tt := range []struct {
		window int
		t      budget.Thresholds
		want   string
	}{
		{0, thresholds, "pressure: the window is 0 tokens: want a positive number"},
		{-1, thresholds, "pressure: the window is -1 tokens: want a positive number"},
		{1, budget.Thresholds{Show: 1.5}, "pressure: threshold 1.5: want a share from 0 to 1"},
		{1, budget.Thresholds{Note: 0.9, Warn: 0.8}, "pressure: thresholds: note (0.9) is above warn (0.8)"},
	} {
		if _, err := budget.PressureOf(tokens.Count{}, tt.window, tt.t); err == nil || err.Error() != tt.want {
			t.Errorf("PressureOf(0, %d, %v): error %v, want %s", tt.window, tt.t, err, tt.want)
		}
	}
}

func TestTurnsLeft(t *testing.T) {
	for _, tt := range []struct {
		why   string
		sizes []int
		want  int
	}{
		{"nothing happened yet", nil, -1},
		{"one turn tells nothing about growth", []int{20_000}, -1},
		{"ten thousand a turn", []int{20_000, 30_000, 40_000}, 6},
		{"one huge read does not make the next turns huge", []int{10_000, 11_000, 12_000, 13_000, 53_000}, 47},
		{"growth before a compaction still counts for nothing", []int{10_000, 90_000, 20_000, 21_000}, 79},
		{"right after a compaction nobody knows", []int{10_000, 90_000, 20_000}, -1},
		{"full", []int{90_000, 100_000}, 0},
		{"over", []int{90_000, 120_000}, 0},
		{"no growth", []int{20_000, 20_000}, -1},
	} {
		if got := budget.TurnsLeft(tt.sizes, 100_000); got != tt.want {
			t.Errorf("%s: TurnsLeft(%v) = %d, want %d", tt.why, tt.sizes, got, tt.want)
		}
	}
	if got := budget.TurnsLeft([]int{1, 2}, 0); got != -1 {
		t.Errorf("without a window: %d, want -1", got)
	}
}
