package gitclaw

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/tokens"
)

func pressure(t *testing.T, used int) budget.Pressure {
	t.Helper()
	p, err := budget.PressureOf(tokens.Count{Tokens: used, Method: "usage + estimate", Error: 0.002}, 200_000, Thresholds)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPressureComment holds the bytes of GITCLAW's formatContextPressure.
func TestPressureComment(t *testing.T) {
	for _, tt := range []struct {
		used int
		want string
	}{
		{0, ""},
		{58_000, ""},
		{60_000, "\n\n<sub>📊 Context: ██████░░░░░░░░░░░░░░ 30%</sub>"},
		{118_000, "\n\n<sub>📊 Context: ███████████░░░░░░░░░ 59%</sub>"},
		{122_000, "\n\n<sub>📊 Context: ████████████░░░░░░░░ 61%\nℹ️ Older conversation turns are being summarized to preserve context quality.</sub>"},
		{162_000, "\n\n<sub>📊 Context: ████████████████░░░░ 81%\n⚠️ Context is nearly full. Consider starting a new issue for fresh context, or I'll start compressing older conversation turns.</sub>"},
		{200_000, "\n\n<sub>📊 Context: ████████████████████ 100%\n⚠️ Context is nearly full. Consider starting a new issue for fresh context, or I'll start compressing older conversation turns.</sub>"},
		// The reference throws a RangeError here.
		{224_000, "\n\n<sub>📊 Context: ████████████████████ 112%\n⚠️ Context is nearly full. Consider starting a new issue for fresh context, or I'll start compressing older conversation turns.</sub>"},
	} {
		if diff := cmp.Diff(tt.want, PressureComment(pressure(t, tt.used))); diff != "" {
			t.Errorf("%d tokens (-want +got):\n%s", tt.used, diff)
		}
	}
}

func TestPressureText(t *testing.T) {
	p := pressure(t, 60_000)
	p.Turns, p.Frees = 7, 41_000
	want := `📊 Context: ██████░░░░░░░░░░░░░░ 30%
60,000 of 200,000 tokens
estimated: usage + estimate, ±0.2 %
room for about 7 more turns like the last ones
a trim would free about 41,000 tokens
`
	if diff := cmp.Diff(want, PressureText(p, false)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	low := pressure(t, 2_000)
	if got := PressureText(low, false); got != "" {
		t.Errorf("below the threshold: %q, want nothing", got)
	}
	want = "📊 Context: ░░░░░░░░░░░░░░░░░░░░ 1%\n2,000 of 200,000 tokens\nestimated: usage + estimate, ±0.2 %\n"
	if diff := cmp.Diff(want, PressureText(low, true)); diff != "" {
		t.Errorf("always (-want +got):\n%s", diff)
	}
}
