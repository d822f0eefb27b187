package gitclaw

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/tokens"
)

// printedPlan is the context.json that GITCLAW's design prints.
const printedPlan = `{
  "totalTokens": 200000,
  "allocations": {
    "systemPrompt": 5,
    "skills": 3,
    "knowledgeBase": 3,
    "crossIssue": 2,
    "sessionSummary": 10,
    "sessionRecent": 30,
    "currentPrompt": 2,
    "reservedForResponse": 45
  },
  "compressionThreshold": 0.6,
  "showPressureAbove": 0.3,
  "useLLMSummarization": false
}`

func TestPlanDefaults(t *testing.T) {
	p, diags, err := ParsePlan([]byte(printedPlan))
	if err != nil || len(diags) > 0 {
		t.Fatalf("diagnostics %v, error %v", diags, err)
	}
	if diff := cmp.Diff(DefaultPlan(), p); diff != "" {
		t.Errorf("the printed context.json is not the default (-default +printed):\n%s", diff)
	}
	if p.sum() != 100 {
		t.Errorf("the percentages add up to %d, want 100", p.sum())
	}
	want := map[string]int{
		"systemPrompt": 10_000, "skills": 6_000, "knowledgeBase": 6_000, "crossIssue": 4_000,
		"sessionSummary": 20_000, "sessionRecent": 60_000, "currentPrompt": 4_000, "reservedForResponse": 90_000,
		"dessert": 0,
	}
	for name, n := range want {
		if got := p.tokens(name); got != n {
			t.Errorf("Tokens(%q) = %d, want %d", name, got, n)
		}
	}
	if p.session() != 80_000 {
		t.Errorf("a session may take %d tokens, want 80000", p.session())
	}
	if got := p.Thresholds(); got != Thresholds {
		t.Errorf("thresholds %+v, want %+v", got, Thresholds)
	}
}

// TestPlanWarns: whenever older turns are compressed, a nearly full window is
// warned of.
func TestPlanWarns(t *testing.T) {
	for _, tt := range []struct {
		compress string
		percent  int
		want     budget.Level
	}{
		{"0.6", 60, budget.Shown}, {"0.6", 61, budget.Noted}, {"0.6", 81, budget.Warned},
		{"0.95", 80, budget.Shown}, {"0.95", 81, budget.Warned},
		{"1", 100, budget.Warned}, {"0", 31, budget.Noted},
	} {
		p, _, err := ParsePlan([]byte(`{"compressionThreshold": ` + tt.compress + `}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := budget.PressureOf(tokens.Count{Tokens: tt.percent}, 100, p.Thresholds())
		if err != nil || got.Level != tt.want {
			t.Errorf("compressionThreshold %s, %d %% full: %v, %v, want %v", tt.compress, tt.percent, got.Level, err, tt.want)
		}
	}
}

func TestPlanRoundsDown(t *testing.T) {
	p, _, err := ParsePlan([]byte(`{"totalTokens": 199999}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.tokens("systemPrompt"); got != 9_999 { // 9999.95
		t.Errorf("5 %% of 199999 is %d, want 9999", got)
	}
}

// TestParsePlan: one document a line, then what becomes of it.
func TestParsePlan(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{}`, "window 200000, sum 100, compress 0.6, show 0.3, llm false"},
		{"\ufeff{}", "window 200000, sum 100, compress 0.6, show 0.3, llm false"},
		{`{"totalTokens": 1000000, "compressionThreshold": 0.5, "showPressureAbove": 0, "useLLMSummarization": true}`,
			"window 1000000, sum 100, compress 0.5, show 0, llm true"},
		{`{"allocations": {"reservedForResponse": 20.0}}`, "window 200000, sum 75, compress 0.6, show 0.3, llm false"},
		{`{"allocations": {"dessert": 5, "skills": 0}, "TotalTokens": 7}`,
			"window 200000, sum 97, compress 0.6, show 0.3, llm false; TotalTokens is not a key of context.json; allocations.dessert is not a key of context.json"},
		{`{"allocations": {"sessionRecent": 31}}`,
			"error: allocations add up to 101%, want at most 100% (systemPrompt 5, skills 3, knowledgeBase 3, crossIssue 2, sessionSummary 10, sessionRecent 31, currentPrompt 2, reservedForResponse 45)"},
		{`{"allocations": {"skills": 2.5}}`, "error: allocations.skills is 2.5: want a whole number from 0 to 100"},
		{`{"allocations": {"skills": -1}}`, "error: allocations.skills is -1: want a whole number from 0 to 100"},
		{`{"allocations": {"skills": "3"}}`, `error: allocations.skills is "3": want a whole number from 0 to 100`},
		{`{"allocations": {"skills": null}}`, "error: allocations.skills is null: want a whole number from 0 to 100"},
		{`{"allocations": [1]}`, "error: allocations is not a JSON object: json: cannot unmarshal array into Go value of type map[string]json.RawMessage"},
		{`{"allocations": null}`, "error: allocations is null: want a JSON object"},
		{`{"totalTokens": 0}`, "error: totalTokens is 0: want a whole number from 1 to 1000000000"},
		{`{"totalTokens": 1e99}`, "error: totalTokens is 1e99: want a whole number from 1 to 1000000000"},
		{`{"totalTokens": 0.5}`, "error: totalTokens is 0.5: want a whole number from 1 to 1000000000"},
		{`{"compressionThreshold": 60}`, "error: compressionThreshold is 60: want a share from 0 to 1"},
		{`{"showPressureAbove": -0.1}`, "error: showPressureAbove is -0.1: want a share from 0 to 1"},
		{`{"useLLMSummarization": "no"}`, `error: useLLMSummarization is "no": want true or false`},
		{`{"useLLMSummarization": null}`, "error: useLLMSummarization is null: want true or false"},
		{`null`, "error: the document is null: want a JSON object"},
		{``, "error: the document is not a JSON object: unexpected end of JSON input"},
		{strings.Repeat(" ", 70_000), "error: it has 70000 bytes, want at most 65536"},
	} {
		p, diags, err := ParsePlan([]byte(tt.in))
		got := fmt.Sprintf("window %d, sum %d, compress %v, show %v, llm %v", p.Total, p.sum(), p.Compress, p.Show, p.LLM)
		for _, n := range diags {
			got += "; " + n.Text
		}
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != tt.want {
			t.Errorf("ParsePlan(%.60s):\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

// FuzzParsePlan: whatever is read adds up to no more than the window.
func FuzzParsePlan(f *testing.F) {
	f.Add([]byte(printedPlan))
	f.Add([]byte(`{"allocations":{"skills":100,"crossIssue":0,"x":{}},"y":[[[]]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, diags, err := ParsePlan(data)
		if err != nil {
			return
		}
		total := 0
		for _, a := range p.Allocations {
			if n := p.tokens(a.Name); n < 0 || a.Percent < 0 {
				t.Fatalf("%s: %d %%, %d tokens", a.Name, a.Percent, n)
			}
			total += p.tokens(a.Name)
		}
		if total > p.Total || p.Total <= 0 {
			t.Fatalf("%d tokens of %d are given away", total, p.Total)
		}
		if err := p.Thresholds().Check(); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(data) && !strings.HasPrefix(string(data), "\ufeff") {
			t.Fatalf("took %q, which is no JSON; diagnostics %v", data, diags)
		}
	})
}

func TestDivide(t *testing.T) {
	d, err := Divide(200_000)
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, p := range d.Parts {
		got = append(got, p.Tokens)
	}
	want := []int{10_000, 6_000, 6_000, 4_000, 20_000, 60_000, 4_000, 90_000}
	if diff := cmp.Diff(got, want); diff != "" || d.Free != 0 {
		t.Errorf("free %d (-got +want):\n%s", d.Free, diff)
	}
	if n := Room(&d); n != 80_000 {
		t.Errorf("room of a session %d, want 80000", n)
	}
	for window := 1; window <= 10_000_000; window = window*3 + 1 {
		d, err := Divide(window)
		if err != nil {
			t.Fatal(err)
		}
		sum := d.Free
		for _, p := range d.Parts {
			sum += p.Tokens
		}
		if sum != window || d.Free < 0 {
			t.Fatalf("adds up to %d of %d: %+v", sum, window, d)
		}
	}
	for _, window := range []int{0, -1} {
		if _, err := Divide(window); err == nil {
			t.Errorf("divides a window of %d", window)
		}
	}
}
