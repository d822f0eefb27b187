package assist_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
)

// submitRaw is a step that submits what need not be JSON.
func submitRaw(text string) llmtest.Step {
	return llmtest.Step{Calls: []llmtest.Call{{Name: "submit", Raw: text}}}
}

// with is an answer with another field.
func with(o obj, key string, value any) obj {
	o = maps.Clone(o)
	o[key] = value
	return o
}

// kernel is what has to stand in the output of a command for its good answer.
var kernel = map[string]string{"review": "It is removed too early.", "commit": "state: remove before closing", "ask": "It is in p0. [p0/f00.go:4]"}

// list names the list that an answer of a command consists of.
var list = map[string]string{"review": "findings", "commit": "names", "ask": "claims"}

// TestAnswers: whatever shape an answer has, what is complete of it is kept, and the
// exit code is never 0 with something lost.
func TestAnswers(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	many := llmtest.Step{}
	for i := range 200 {
		many.Calls = append(many.Calls, llmtest.Call{Name: "read", Input: encoded(obj{"path": fmt.Sprintf("p0/f%03d.go", i)})})
	}
	for _, c := range asking {
		good1 := good(c.name)
		text := string(encoded(goods[c.name]))
		cut := strings.TrimSuffix(text, "}")
		forever := func(s llmtest.Step) []llmtest.Step { return []llmtest.Step{always(s)} }
		for _, tt := range []struct {
			name   string
			script []llmtest.Step
			codes  []int // one of them
			kept   bool  // what is right of the answer is in the output
			only   string
		}{
			{"good", forever(good1), []int{0}, true, ""},
			{"fences", forever(llmtest.Step{Text: "```json\n" + text + "\n```"}), []int{0, 6}, true, ""},
			{"thoughts in the text", forever(llmtest.Step{Text: "<think>Is it {\"a\": 1}? No.</think>\n" + text}), []int{0, 6}, true, ""},
			{"prose around", forever(llmtest.Step{Text: "Here {as asked} it is:\n" + text + "\nI hope {that} helps."}), []int{0, 6}, true, ""},
			{"fences in submit", []llmtest.Step{submitRaw("```json\n" + text + "\n```"), good1}, []int{0}, true, ""},
			{"fences in submit, forever", forever(submitRaw("```json\n" + text + "\n```")), []int{0, 6}, true, ""},
			{"thoughts in submit, forever", forever(submitRaw("<think>{</think>" + text)), []int{0, 6}, true, ""},
			{"cut", forever(llmtest.Step{Calls: submitRaw(cut + `, "more": [{"a": "b`).Calls, Stop: "length"}), []int{6}, true, ""},
			{"cut in the text", forever(llmtest.Step{Text: cut + `, "more": [{"a": "b`, Stop: "length"}), []int{1, 6}, false, ""},
			{"half of the elements wrong", forever(call("submit", with(goods[c.name], list[c.name], append(slices.Clone(goods[c.name][list[c.name]].([]any)), 7)))), []int{6}, true, ""},
			{"extra keys", forever(call("submit", with(goods[c.name], "mood", "fine"))), []int{0}, true, ""},
			{"nothing", forever(llmtest.Step{}), []int{1}, false, ""},
			{"blank", forever(llmtest.Step{Text: " \n"}), []int{1}, false, ""},
			{"null", forever(submitRaw("null")), []int{1, 6}, false, ""},
			{"{}", forever(call("submit", obj{})), []int{1, 6}, false, ""},
			{"{} once", []llmtest.Step{call("submit", obj{}), good1}, []int{0}, true, ""},
			{"submit twice", forever(llmtest.Step{Calls: append(slices.Clone(good1.Calls), call("submit", obj{}).Calls...)}), []int{0, 6}, true, ""},
			{"text and a call", forever(llmtest.Step{Text: "So:", Calls: good1.Calls}), []int{0}, true, ""},
			{"an unknown tool", []llmtest.Step{call("run", obj{"command": "rm -rf /"}), good1}, []int{0}, true, ""},
			{"a tool without arguments", []llmtest.Step{call("read", obj{}), good1}, []int{0}, true, ""},
			{"200 calls", []llmtest.Step{many, good1}, []int{0}, true, ""},
			{"a refusal", forever(llmtest.Step{Text: "I cannot help with that.", Stop: "refusal"}), []int{1}, false, ""},
			{"wrong enums", forever(call("submit", with(goods["review"], "findings", []any{found(0, "It is removed too early."), with(found(1, "wrong"), "severity", "awful")}))), []int{6}, true, "review"},
			{"a wrong number", forever(call("submit", with(goods["review"], "findings", []any{found(0, "It is removed too early."), with(found(1, "wrong"), "confidence", "high")}))), []int{6}, true, "review"},
		} {
			if tt.only != "" && tt.only != c.name {
				continue
			}
			for i, kind := range kinds {
				if (len(tt.name)+i)%2 == 1 && c.name != "review" {
					continue // each shape once by a protocol
				}
				t.Run(c.name+" "+kind+" "+tt.name, func(t *testing.T) {
					t.Parallel()
					s := newStage(t, kind, 2)
					s.Play("", tt.script...)
					code, stdout, stderr := s.Asks(c.args...)
					if !slices.Contains(tt.codes, code) {
						t.Errorf("exit code %d, want one of %v: %s\n%s", code, tt.codes, stdout, last(stderr))
					}
					if tt.kept != strings.Contains(stdout, kernel[c.name]) && (tt.kept || code == 0) {
						t.Errorf("exit code %d, it prints %q and %s", code, stdout, last(stderr))
					}
					if code == 1 && stdout != "" || code == 6 && !strings.Contains(stderr, "incomplete") {
						t.Errorf("exit code %d, prints %q and %s", code, stdout, last(stderr))
					}
					if n := len(s.Bodies()); n > 6 {
						t.Errorf("%d requests", n)
					}
				})
			}
		}
	}
}

// TestLoops: a model that goes round in circles is stopped at most six turns after
// it began to, and what it has by then counts.
func TestLoops(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	paths := func(n int, format string) (script []llmtest.Step) {
		for i := range 40 {
			script = append(script, call("read", obj{"path": fmt.Sprintf(format, i%n)}))
		}
		return script
	}
	for _, c := range asking {
		if c.name == "commit" {
			continue // a small commit has no tools
		}
		for name, script := range map[string][]llmtest.Step{
			"the same call":     paths(1, "p0/f0%d.go"),
			"two in turns":      paths(2, "../p%d"),
			"two that exist":    {},
			"one error for all": paths(40, "p9/f%d.go"),
			"empty results":     {},
		} {
			switch name {
			case "two that exist":
				for i := range 40 {
					script = append(script, call("read", obj{"path": fmt.Sprintf("p%d/f0%d.go", i%2, i%2)}))
				}
			case "empty results":
				for i := range 40 {
					script = append(script, call("search", obj{"query": fmt.Sprintf("zzqx%dvv", i)}))
				}
			}
			for _, submits := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s %s %v", c.name, name, submits), func(t *testing.T) {
					t.Parallel()
					s := newStage(t, "anthropic", 2)
					all := slices.Clone(script)
					if submits {
						all = append([]llmtest.Step{always(llmtest.Step{In: `"tool_choice":{"type":"tool"`, Calls: good(c.name).Calls})}, all...)
					}
					s.Play("", all...)
					code, stdout, stderr := s.Asks(c.args...)
					want := 6
					if !submits {
						want = 1
					}
					if code != want || submits != (stdout != "") {
						t.Errorf("exit code %d, want %d, prints %q and %s", code, want, stdout, last(stderr))
					}
					if n := len(s.Bodies()); n > 6 {
						t.Errorf("%d turns", n)
					}
				})
			}
		}
	}
}

// last are the last lines of what is printed to people.
func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], "\n")
}
