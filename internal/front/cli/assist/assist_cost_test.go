package assist_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
	"github.com/satchel-dev/satchel/transcript"
)

// total is what the log says that all calls of a repository cost.
func (s *stage) total() assist.Spent {
	s.T.Helper()
	_, stdout, stderr := s.Asks("log", "cost", "--json")
	var doc struct {
		Total struct {
			Spent assist.Spent `json:"spent"`
		} `json:"total"`
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		s.T.Fatalf("satchel log cost: %v: %s%s", err, stdout, stderr)
	}
	return doc.Total.Spent
}

// reported adds up what a server said that its answers cost.
func reported(s *llmtest.Server, script []llmtest.Step) (u transcript.Usage) {
	for _, r := range s.Requests() {
		if r.Step < 0 || script[r.Step].Usage == nil || script[r.Step].NoUsage || script[r.Step].Status != 0 {
			continue
		}
		x := script[r.Step].Usage
		u.Input, u.CacheRead, u.CacheWrite, u.Output = u.Input+x.Input, u.CacheRead+x.CacheRead, u.CacheWrite+x.CacheWrite, u.Output+x.Output
	}
	return u
}

// costs gives each step a usage of its own, large enough to be believed.
func costs(kind string, script []llmtest.Step) []llmtest.Step {
	for i := range script {
		u := &llmtest.Usage{Input: 9000 + 7*i, CacheRead: 1000 + 31*i, CacheWrite: 500 + 13*i, Output: 100 + i}
		if kind == "openai" { // which knows nothing of writing to its cache
			u.Input, u.CacheWrite = u.Input+u.CacheWrite, 0
		}
		script[i].Usage = u
	}
	return script
}

// TestCost: what a command says that it cost is the sum of what the server reported:
// of tries, of parts, of readers side by side.
func TestCost(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	for _, kind := range kinds {
		for _, tt := range []struct {
			name   string
			args   []string
			script []llmtest.Step
			calls  int
		}{
			{"readers side by side", []string{"review", "--check", "never"}, longReview(), 7},
			{"parts", []string{"review", "--check", "never", "--set", "parallel=3"}, []llmtest.Step{
				always(llmtest.Step{Match: "[result 1]", Calls: good("review").Calls}), always(call("read", obj{"path": "p0/f00.go"}))}, 6},
			{"passes", []string{"review", "--check", "never", "--passes", "security,api,tests"}, []llmtest.Step{always(good("review"))}, 3},
			{"second looks", []string{"review"}, []llmtest.Step{always(good("review"))}, 0},
			{"busy twice", []string{"commit", "--print"}, []llmtest.Step{
				{Status: 529, Header: map[string]string{"Retry-After-Ms": "1"}}, {Status: 503, Header: map[string]string{"Retry-After-Ms": "1"}}, good("commit")}, 1},
			{"mended twice", []string{"commit", "--print"}, []llmtest.Step{call("submit", obj{}), call("submit", obj{}), good("commit")}, 3},
			{"ask", []string{"ask", "where is Close00?"}, []llmtest.Step{call("read", obj{"path": "p0/f00.go"}), good("ask")}, 2},
		} {
			t.Run(kind+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, kind, 7)
				script := costs(kind, tt.script)
				s.Play("price = [3, 0.3, 3.75, 15]", script...)
				code, stdout, stderr := s.Asks(tt.args...)
				if code != 0 && code != 6 {
					t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
				}
				want, got := reported(s.Server, script), s.total()
				if got.Usage != assist.TokensOf(&want) {
					t.Errorf("used %+v, reported was %+v", got.Usage, want)
				}
				usd := (3*float64(want.Input) + 0.3*float64(want.CacheRead) + 3.75*float64(want.CacheWrite) + 15*float64(want.Output)) / 1e6
				if !got.Known || math.Abs(got.USD-usd) > 1e-9 {
					t.Errorf("cost %v (known: %v), want %v", got.USD, got.Known, usd)
				}
				if tt.calls > 0 && got.Calls != tt.calls {
					t.Errorf("%d calls, want %d", got.Calls, tt.calls)
				}
				if want.Output == 0 {
					t.Error("nothing was reported: the test says nothing")
				}
			})
		}
	}
}

// TestCostUnknown: what has no price, no usage, or a try that broke before its usage
// came, costs something unknown, and not nothing.
func TestCostUnknown(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	const price = "price = [3, 0.3, 3.75, 15]"
	for _, kind := range kinds {
		for _, tt := range []struct {
			name, more string
			bend       func(*llmtest.Step)
		}{
			{"no price", "", func(*llmtest.Step) {}},
			{"no usage", price, func(s *llmtest.Step) { s.NoUsage = true }},
			{"broke off", price, func(s *llmtest.Step) { s.Cut = 700 }},
			{"an error event", price, func(s *llmtest.Step) { s.EventError = "overloaded_error" }},
		} {
			if kind == "anthropic" && (tt.name == "broke off" || tt.name == "an error event") {
				continue // it reports what the question costs with its first event
			}
			for _, c := range asking {
				t.Run(kind+" "+tt.name+" "+c.name, func(t *testing.T) {
					t.Parallel()
					s := newStage(t, kind, 2)
					bad := good(c.name)
					tt.bend(&bad)
					s.Play(tt.more, bad, always(good(c.name)))
					code, stdout, stderr := s.Asks(append(slices.Clone(c.args), "--json")...)
					if code != 0 {
						t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
					}
					if got := s.total(); got.Known || got.Tokens() == 0 {
						t.Errorf("spent %+v", got)
					}
					if c.name == "review" && !strings.Contains(stdout, `"cost": "unknown"`) || c.name != "review" && !strings.Contains(stdout, `"known": false`) {
						t.Errorf("the document says\n%s", stdout)
					}
					_, text, _ := s.Asks("log")
					if !strings.Contains(text, "cost unknown") {
						t.Errorf("the log says %s", text)
					}
					_, stdout, stderr = s.with("SATCHEL_REPLAY", "latest").Asks(append(slices.Clone(c.args), "--set", "snapshot=false")...)
					if strings.Contains(stdout+stderr, "$0.00") {
						t.Errorf("it prints %s%s", stdout, stderr)
					}
				})
			}
		}
	}
}

// TestSpendLimits: no limit is broken; what runs out midway gives a result and 6, and
// what runs out before the first answer is an error.
func TestSpendLimits(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	for _, kind := range kinds {
		seen := map[int]int{}
		for _, args := range [][]string{
			{"review", "--check", "never"},
			{"review", "--check", "never", "--set", "parallel=3"},
			{"ask", "where is Close00?"},
		} {
			if kind == "openai" && args[0] == "ask" {
				continue // the loop is the same
			}
			t.Run(kind+" "+strings.Join(args, " "), func(t *testing.T) {
				s := newStage(t, kind, 7)
				name := args[0]
				step := func(result, path string) llmtest.Step {
					return always(llmtest.Step{Match: result, Calls: call("read", obj{"path": path}).Calls})
				}
				script := []llmtest.Step{
					always(llmtest.Step{Match: "[result 4]", Calls: good(name).Calls}),
					step("[result 3]", "p0/f03.go"), step("[result 2]", "p2/f02.go"), step("[result 1]", "p1/f01.go"),
					// Who has to answer is answered.
					always(llmtest.Step{In: `"tool_choice":{"type":"tool"`, Calls: good(name).Calls}),
					always(llmtest.Step{In: `"tool_choice":{"type":"function"`, Calls: good(name).Calls}),
					step("", "p0/f00.go"),
				}
				// Forced answers come first.
				script = append(script[4:6], append(slices.Clone(script[:4]), script[6])...)
				s.Play("max-tokens = 600\nprice = [3, 0.3, 3.75, 15]", script...)
				var before assist.Spent
				for _, limit := range []int{300, 6000, 12000, 400000} {
					for _, money := range []bool{false, true} {
						flag := []string{"--max-spend", fmt.Sprint(limit)}
						if money {
							flag = []string{"--max-spend", "0", "--max-spend", fmt.Sprintf("%.6fusd", 4e-6*float64(limit))}
						}
						code, stdout, stderr := s.Asks(append(slices.Clone(args), flag...)...)
						after := s.total()
						seen[code]++
						tokens, usd := after.Tokens()-before.Tokens(), after.USD-before.USD
						before = after
						if !money && tokens > limit || money && usd > 4e-6*float64(limit)+1e-9 {
							t.Errorf("%q: spent %d tokens, $%f", flag, tokens, usd)
						}
						switch {
						case code == 6 && (stdout == "" || !strings.Contains(stderr, "incomplete") || !strings.Contains(stdout+stderr, "used up")):
							t.Errorf("%q: incomplete with %q and %q", flag, stdout, stderr)
						case code == 1 && (stdout != "" || !strings.Contains(stderr, map[bool]string{false: "the first call may take up to", true: "the first call may cost up to"}[money])):
							t.Errorf("%q: failed with %q and %q", flag, stdout, stderr)
						case code != 0 && code != 1 && code != 6:
							t.Errorf("%q: exit code %d: %s", flag, code, stderr)
						}
					}
				}
				s.Bodies()
			})
		}
		if seen[0] == 0 || seen[1] == 0 || seen[6] == 0 {
			t.Errorf("%s: exit codes %v: the test says little", kind, seen)
		}
	}
}
