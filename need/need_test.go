package need

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"NEED_CODE: a/b.go", "NEED_CODE: a/b.go"},
		{"NEED_CODE:a/b.go:10-40  \r\n", "NEED_CODE: a/b.go:10-40"},
		{"NEED_CODE: a/b.go:7", "NEED_CODE: a/b.go:7"},
		{"NEED_CODE: a/b.go:7-", "NEED_CODE: a/b.go:7-"},
		{"NEED_CODE: `a/b.go`", "NEED_CODE: a/b.go"},
		{"NEED_CODE: `a b.go:3-4`", "NEED_CODE: a b.go:3-4"},
		{"NEED_CODE: \"a/b.go\":3-4", "NEED_CODE: a/b.go:3-4"},
		{"NEED_DOC: docs/auth.md#tokens", "NEED_DOC: docs/auth.md#tokens"},
		{"NEED_DOC: [[auth]]", "NEED_DOC: [[auth]]"},
		{"NEED_SYMBOL: Store.Flush", "NEED_SYMBOL: Store.Flush"},
		{"NEED_SYMBOL: Store::flush", "NEED_SYMBOL: Store::flush"},
		{"NEED_DIFF: HEAD~2..HEAD", "NEED_DIFF: HEAD~2..HEAD"},
		{"I see.\n\nNEED_CODE: a\nNEED_DOC: b\nNEED_CODE: a\n", "NEED_CODE: a|NEED_DOC: b"},
		{"NEED_CODE: ../../etc/passwd", "NEED_CODE: ../../etc/passwd"}, // whether it may be had is not judged here

		// not at the start of a line, or quoted
		{" NEED_CODE: a", ""},
		{"- NEED_CODE: a", ""},
		{"> NEED_CODE: a", ""},
		{"Say NEED_CODE: a", ""},
		{"need_code: a", ""},
		{"```\nNEED_CODE: a\n```\nNEED_CODE: b", "NEED_CODE: b"},
		{"````md\n```\nNEED_CODE: a\n```\nNEED_CODE: c\n````\nNEED_CODE: b", "NEED_CODE: b"},
		{"~~~\nNEED_CODE: a\n```\nNEED_CODE: c\n~~~\nNEED_CODE: b", "NEED_CODE: b"},
		{"```never closed\nNEED_CODE: a", ""},
		{"``` a ` b\nNEED_CODE: a", "NEED_CODE: a"}, // backticks after it: no fence
		{"    ```\nNEED_CODE: a", "NEED_CODE: a"},   // indented code, no fence

		// bad lines
		{"NEED_FILE: a", "! unknown request"},
		{"NEED_CODE a", "! want NEED_CODE"},
		{"NEED_CODE:", "! nothing follows"},
		{"NEED_CODE: ``", "! nothing follows"},
		{"NEED_CODE: a:9-3", "! the lines are wrong"},
		{"NEED_CODE: a:0-3", "! the lines are wrong"},
		{"NEED_CODE: a:99999999999999999999", "! the lines are wrong"},
		{"NEED_SYMBOL: a:3", "! only NEED_CODE"},
		{"NEED_CODE: a\x00b", "! the locator holds control"},
		{"NEED_CODE: a\x1b[2J", "! the locator holds control"},
		{"NEED_CODE: \xff", "! the line is not UTF-8"},
		{"NEED_CODE: " + strings.Repeat("x", 600), "! the locator is too long"},
		{"NEED_CODE: " + strings.Repeat("x", 6000), "! the line is too long"},
	} {
		if got := listed(Parse(test.text)); !matches(got, test.want) {
			t.Errorf("Parse(%.80q) = %s, want %s", test.text, got, test.want)
		}
	}
}

// matches compares a list; of a bad line the beginning of the reason counts.
func matches(got, want string) bool {
	if strings.HasPrefix(want, "!") {
		return strings.HasPrefix(got, want) && !strings.Contains(got, "|")
	}
	return got == want
}

func listed(needs []Need, bad []Bad) string {
	var out []string
	for _, n := range needs {
		out = append(out, n.String())
	}
	for _, b := range bad {
		out = append(out, "! "+b.Why)
	}
	return strings.Join(out, "|")
}

func TestScanner(t *testing.T) {
	for _, test := range []struct {
		name, output, want, session, said string
	}{
		{"plain", "I look.\nNEED_CODE: a.go\n", "NEED_CODE: a.go", "", "I look.\nNEED_CODE: a.go"},
		{"plain without an end", "NEED_CODE: a.go", "NEED_CODE: a.go", "", "NEED_CODE: a.go"},
		{
			"claude", `{"type":"system","subtype":"init","session_id":"11111111-2222"}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"NEED_CODE: a.go\nNEED_DOC: b.md"},{"type":"tool_use","name":"Read","input":{}}]}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"NEED_CODE: /etc/passwd"}]}}
{"type":"result","result":"NEED_SYMBOL: Again","session_id":"11111111-2222"}
`, "NEED_CODE: a.go|NEED_DOC: b.md", "11111111-2222", "NEED_CODE: a.go\nNEED_DOC: b.md",
		},
		{"claude, one document", `{"type":"result","result":"hm\nNEED_CODE: a.go","session_id":"s1"}`, "NEED_CODE: a.go", "s1", "hm\nNEED_CODE: a.go"},
		{
			"codex", `{"type":"thread.started","thread_id":"0198-ab"}
{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"NEED_CODE: thought.go"}}
{"type":"item.completed","item":{"id":"item_1","type":"command_execution","aggregated_output":"NEED_CODE: printed.go","text":""}}
{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"NEED_CODE: a.go:1-2"}}
`, "NEED_CODE: a.go:1-2", "0198-ab", "NEED_CODE: a.go:1-2",
		},
		{
			"gemini, in parts", `{"type":"init","session_id":"g-1","model":"m"}
{"type":"message","role":"user","content":"NEED_CODE: prompt.go"}
{"type":"message","role":"assistant","content":"Hm.\nNEED_CO","delta":true}
{"type":"message","role":"assistant","content":"DE: a.go\nNEED_DOC: b","delta":true}
{"type":"tool_use","tool_name":"x"}
{"type":"message","role":"assistant","content":".md","delta":true}
{"type":"result","status":"success","stats":{}}
`, "NEED_CODE: a.go|NEED_DOC: b", "g-1", "Hm.\nNEED_CODE: a.go\nNEED_DOC: b\n.md",
		},
		{
			"opencode", `{"type":"step_start","sessionID":"ses_1","part":{"type":"step-start"}}
{"type":"text","sessionID":"ses_1","part":{"type":"text","text":"NEED_DIFF: HEAD"}}
`, "NEED_DIFF: HEAD", "ses_1", "NEED_DIFF: HEAD",
		},
		{
			"pi", `{"type":"session","version":3,"id":"0198c0de"}
{"type":"message_update","message":{"role":"assistant","content":[{"type":"text","text":"NEED_CODE: par"}]}}
{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"NEED_CODE: prompt.go"}]}}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"NEED_CODE: a.go"}]}}
{"type":"agent_end","messages":[{"role":"assistant","content":[{"type":"text","text":"NEED_CODE: a.go"}]}]}
`, "NEED_CODE: a.go", "0198c0de", "NEED_CODE: a.go",
		},
		{"a session that is an option", `{"type":"session","id":"--danger"}`, "", "", ""},
		{"JSON that is no event", "{\"a\":1}\n{torn\nNEED_CODE: a.go\n", "NEED_CODE: a.go", "", "{\"a\":1}\n{torn\nNEED_CODE: a.go"},
		{"a fence over several lines", "```\nNEED_CODE: a.go\n```\n", "", "", "```\nNEED_CODE: a.go\n```"},
		{"a line without end", strings.Repeat("x", 1<<16) + "\nNEED_CODE: a.go\n", "NEED_CODE: a.go", "", ""},
		{"a need without end", "NEED_CODE: " + strings.Repeat("x", 1<<16) + "\n", "! the line is too long", "", ""},
	} {
		for _, step := range []int{1, 7, 1 << 20} {
			var s Scanner
			for i := 0; i < len(test.output); i += step {
				if _, err := s.Write([]byte(test.output[i:min(len(test.output), i+step)])); err != nil {
					t.Fatal(err)
				}
			}
			r := s.Result()
			if got := listed(r.Needs, r.Bad); got != test.want {
				t.Errorf("%s, %d bytes at a time: %s, want %s", test.name, step, got, test.want)
			}
			if r.Session != test.session {
				t.Errorf("%s: session %q, want %q", test.name, r.Session, test.session)
			}
			if test.said != "" && r.Said != test.said {
				t.Errorf("%s: said\n%s", test.name, cmp.Diff(r.Said, test.said))
			}
		}
	}
}

func TestScannerKeepsAHundred(t *testing.T) {
	var s Scanner
	for i := range 1000 {
		fmt.Fprintf(&s, "NEED_CODE: f%d.go\n", i)
	}
	if r := s.Result(); len(r.Needs) != 100 || r.More != 900 {
		t.Errorf("%d needs and %d more, want 100 and 900", len(r.Needs), r.More)
	}
}

// FuzzParse: what is parsed prints to a line that parses to the same; needs are
// lines of the text; nothing of a fence is heeded; however the output is cut
// into writes, a Scanner finds what Parse finds.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"NEED_CODE: a.go:1-2", "x\nNEED_DOC: `[[a]]`:3\n", "```\nNEED_CODE: a\n```", "NEED_SYMBOL: ''a''", "NEED_CODE: a:1:2", "NEED_CODE: \" `a` \":4-"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, text string, step int) {
		needs, bad := Parse(text)
		for _, n := range needs {
			again, worse := Parse(n.String())
			if len(worse) > 0 || len(again) != 1 || again[0] != n {
				t.Fatalf("%q parses to %#v, and its line %q to %#v %v", text, n, n.String(), again, worse)
			}
			if n.Locator == "" || len(n.Locator) > maxLocator || strings.ContainsAny(n.Locator, "\r\n\x00\x1b") || n.From < 0 || n.To != 0 && n.To < n.From {
				t.Fatalf("%q: %#v", text, n)
			}
			if !strings.Contains(text, n.Locator) {
				t.Fatalf("%q does not hold %q", text, n.Locator)
			}
		}
		if len(needs)+len(bad) > strings.Count(text, "NEED_") {
			t.Fatalf("%q: %d needs, %d bad lines", text, len(needs), len(bad))
		}
		if got, _ := Parse("~~~~~~~~\n" + strings.ReplaceAll(text, "~", "-") + "\n~~~~~~~~\n"); len(got) > 0 {
			t.Fatalf("in a fence, %q asks for %v", text, got)
		}
		if strings.Contains(text, "{") { // may be an event
			return
		}
		var s Scanner
		step = max(1, min(step, 1<<16))
		for i := 0; i < len(text); i += step {
			s.Write([]byte(text[i:min(len(text), i+step)]))
		}
		if r := s.Result(); listed(r.Needs, r.Bad) != listed(needs, bad) {
			t.Fatalf("%q in steps of %d: %s, want %s", text, step, listed(r.Needs, r.Bad), listed(needs, bad))
		}
	})
}

// FuzzScanner: no output makes it fail, hold more than its limits, or name a
// session that could be taken for an option.
func FuzzScanner(f *testing.F) {
	f.Add([]byte(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"NEED_CODE: a"}]},"session_id":"a"}`))
	f.Add([]byte(`{"type":"message","role":"assistant","content":"NEED_","delta":true}`))
	f.Fuzz(func(t *testing.T, output []byte) {
		var s Scanner
		s.Write(output)
		r := s.Result()
		if len(r.Needs)+len(r.Bad) > maxKept || len(r.Said) > 4*maxSaid {
			t.Fatalf("%d needs, %d bad, %d bytes said", len(r.Needs), len(r.Bad), len(r.Said))
		}
		if strings.HasPrefix(r.Session, "-") || strings.ContainsAny(r.Session, " /\n\x00") {
			t.Fatalf("session %q", r.Session)
		}
	})
}
