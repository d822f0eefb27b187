package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// TestHostileAgents gives each layout what its fixtures do not hold: records of
// wrong types, circles, torn ends, foreign bytes. Every law holds, nothing
// panics, and what can be read is read.
func TestHostileAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("long texts")
	}
	deep := strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)
	oc := func(messages string) string {
		return `{"info":{"id":"s","projectID":"p"},"messages":[` + messages + `]}`
	}
	cp := func(lines ...string) string {
		return `{"type":"session.start","data":{"sessionId":"s"},"id":"1","parentId":null}` + "\n" + strings.Join(lines, "\n") + "\n"
	}
	ask := `{"type":"user.message","data":{"content":"hi"},"id":"2","parentId":"1"}`
	gem := func(lines ...string) string {
		return `{"sessionId":"g","projectHash":"h"}` + "\n" + strings.Join(lines, "\n") + "\n"
	}
	say := `{"id":"u","type":"user","content":"hi"}`
	for _, x := range []struct {
		name, data string
		want       Format
		text       string // of the last message; "" means there is none
	}{
		{"opencode of wrong types", oc(`{"info":5,"parts":{}},{"info":{"role":"user","time":[],"id":{}},"parts":[null,5,{"type":"text","text":7},{"type":"text","text":"hi"}]},{"info":{"role":"assistant"},"parts":[{"type":"tool"},{"type":"tool","state":7}]}`), OpenCode, openCodeInterrupted + "\n\n" + openCodeInterrupted},
		{"opencode that compacts itself", oc(`{"info":{"role":"user","id":"a"},"parts":[{"type":"compaction","tail_start_id":"a"}]},{"info":{"role":"assistant","id":"a","parentID":"a","summary":true,"finish":"stop"},"parts":[{"type":"text","text":"sum"}]}`), OpenCode, "sum"},
		{"opencode whose tail is nowhere", oc(`{"info":{"role":"user","id":"a"},"parts":[{"type":"text","text":"x"}]},{"info":{"role":"user","id":"b"},"parts":[{"type":"compaction","tail_start_id":"none"}]},{"info":{"role":"assistant","id":"c","parentID":"b","summary":true,"finish":"stop"},"parts":[{"type":"text","text":"sum"}]}`), OpenCode, "x"},
		{"opencode, deep", oc(`{"info":{"role":"user"},"parts":[{"type":"text","text":"hi","metadata":` + deep + `}]}`), OpenCode, "hi"},
		{"opencode without messages", oc(""), OpenCode, ""},
		{"opencode, torn", strings.TrimSuffix(oc(`{"info":{"role":"user"},"parts":[{"type":"text","text":"hi"}]},{"info":{"role":"us`), `]}`), OpenCode, "hi"},
		{"opencode, invalid UTF-8", oc(`{"info":{"role":"user"},"parts":[{"type":"text","text":"a` + "\xff" + `b"}]}`), OpenCode, "a\uFFFDb"},
		{"Copilot of wrong types", cp(`{"type":"assistant.message","data":{"content":5,"toolRequests":[null,7,{"toolCallId":{}}]},"parentId":""}`, `{"type":7,"data":[]}`, `{"type":"tool.execution_complete","data":"x"}`, ask), Copilot, "hi"},
		{"Copilot, complete without a start", cp(ask, `{"type":"session.compaction_complete","data":{"success":true,"summaryContent":"S","compactionAttemptId":"none"},"id":"3","parentId":"2"}`), Copilot, copilotSummary([]string{"hi"}, "S")},
		{"Copilot, a rewind to nowhere and to itself", cp(ask, `{"type":"session.snapshot_rewind","data":{"upToEventId":"none"},"id":"3"}`, `{"type":"session.snapshot_rewind","data":{"upToEventId":"4"},"id":"4"}`), Copilot, "hi"},
		{"Copilot, deep", cp(strings.Replace(ask, `"hi"`, `"hi","x":`+deep, 1)), Copilot, "hi"},
		{"Gemini of wrong types", gem(`{"$set":7}`, `{"$set":{"messages":[1,null,{"id":5},{"id":"a"}]}}`, `{"$rewindTo":"a"}`, `{"id":"b","type":"gemini","content":[7,null,{"functionCall":{}},{"functionResponse":7}],"toolCalls":[8,{}],"thoughts":[9],"tokens":"x"}`, say), Gemini, "hi"},
		{"Gemini, all taken back", gem(say, `{"$rewindTo":"none"}`), Gemini, ""},
		{"Gemini, one id for all", gem(say, `{"id":"u","type":"user","content":"ho"}`, `{"id":"u","type":"user","content":"hu"}`), Gemini, "hu"},
		{"Gemini, deep", gem(`{"id":"u","type":"user","content":[{"text":"hi"},{"functionCall":{"name":"n","args":` + deep + `}}]}`), Gemini, "hi"},
		{"SWE-agent of wrong types", `{"trajectory":5,"history":[{"role":"user","content":5},{"role":"assistant","content":null,"tool_calls":[7,{"function":8}],"action":{}},{"role":"tool","tool_call_ids":7},{"role":"user","content":"hi","agent":[]}],"replay_config":"{"}`, SWEAgent, "hi"},
		{"SWE-agent, empty", `{"trajectory":[],"history":[]}`, SWEAgent, ""},
		{"OpenHands of wrong types", `[{"source":"user","kind":"MessageEvent","llm_message":7},{"id":7,"source":"agent","kind":"ActionEvent","thought":{},"thinking_blocks":[7],"tool_call":[]},{"source":"environment","kind":"ObservationEvent","observation":{"content":8,"metadata":[]}},{"source":[],"kind":"SystemPromptEvent","system_prompt":"x"},{"source":"user","kind":"MessageEvent","llm_message":{"content":[{"type":"text","text":"hi"}]}}]`, OpenHands, "hi"},
		{"OpenHands that forgets all", `[{"id":"a","source":"user","kind":"MessageEvent","llm_message":{"content":[{"type":"text","text":"hi"}]}},{"id":"b","source":"environment","kind":"Condensation","forgotten_event_ids":["a","b"],"summary":"S","summary_offset":99}]`, OpenHands, "S"},
		{"Cline of wrong types", `[{"role":"user","ts":{},"content":7},{"role":"assistant","content":[7,null,{"type":"tool_use"},{"type":"text","text":"<read_file>"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":5},{"type":"text","text":"hi"}]}]`, Cline, "hi"},
		{"Cline, tags without end", `[{"role":"user","ts":1,"content":"x"},{"role":"assistant","content":"` + strings.Repeat("<read_file><path>", 10_000) + `"},{"role":"user","content":"hi"}]`, Cline, "hi"},
		{"Cline, one end for all", `[{"role":"user","ts":1,"content":"x"},{"role":"assistant","content":"` + strings.Repeat("<read_file><path>", 10_000) + `</path></read_file>"},{"role":"user","content":"hi"}]`, Cline, "hi"},
		{"Roo, a summary of itself", `[{"role":"user","ts":1,"content":"hi","isSummary":true,"condenseId":"k","condenseParent":"k","isTruncationMarker":true,"truncationId":"t"}]`, Cline, "hi"},
	} {
		t.Run(x.name, func(t *testing.T) {
			data := []byte(x.data)
			s, err := laws(t, data)
			if err != nil {
				t.Fatal(err)
			}
			writeLaws(t, data, s)
			got := ""
			if n := len(s.Messages); n > 0 {
				got = s.Messages[n-1].text()
			}
			if s.Format != x.want || got != x.text {
				t.Errorf("%s, last message %.200q; want %s, %.200q", s.Format, got, x.want, x.text)
			}
		})
	}
}

// TestNoWriter checks that Write refuses agents that cannot resume a shorter session.
func TestNoWriter(t *testing.T) {
	for name, data := range map[string]string{
		"OpenHands": `[{"id":"a","source":"user","kind":"MessageEvent","llm_message":{"content":[{"type":"text","text":"hi"}]}}]`,
		"Cline":     `[{"role":"user","content":"<task>x</task>","ts":1}]`,
		"Copilot":   `{"type":"session.start","data":{"sessionId":"s"},"id":"1","parentId":null}` + "\n" + `{"type":"user.message","data":{"content":"hi"},"id":"2","parentId":"1"}`,
		"SWE-agent": `{"trajectory":[],"history":[{"role":"user","content":"hi","agent":"main"}]}`,
	} {
		s, err := Read(strings.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		ms := append([]Message{{Role: User, Kind: Summary, Blocks: []Block{{Type: Text, Text: "S"}}}}, s.Messages...)
		if err := Write(io.Discard, strings.NewReader(data), int64(len(data)), &Rewrite{Messages: ms}); !errors.Is(err, ErrNoWriter) {
			t.Errorf("%s: %v, want ErrNoWriter", name, err)
		}
	}
}

// benchAgent makes a session of n turns in the proportions of recorded ones.
func benchAgent(f Format, n int) []byte {
	text := strings.Repeat("func (s *Server) Handle(w http.ResponseWriter, r *http.Request) error {\\n\\treturn nil // \\u2192 \\\"quoted\\\"\\n}\\n", 40)
	var b bytes.Buffer
	sep := ""
	put := func(format string, args ...any) {
		b.WriteString(sep)
		fmt.Fprintf(&b, format, args...)
		switch f {
		case Copilot, Gemini:
			sep = "\n"
		default:
			sep = ",\n"
		}
	}
	end := ""
	switch f {
	case OpenCode:
		b.WriteString(`{"info":{"id":"s","projectID":"p"},"messages":[`)
		end = "]}"
	case Copilot:
		put(`{"type":"session.start","data":{"sessionId":"s"},"id":"0","parentId":null}`)
	case Gemini:
		put(`{"sessionId":"s","projectHash":"h"}`)
	case SWEAgent:
		b.WriteString(`{"trajectory":[],"history":[`)
		end = "]}"
	case OpenHands:
		b.WriteString(`{"events":[`)
		end = "]}"
	case Cline:
		b.WriteString("[")
		end = "]"
	}
	for i := range n {
		switch f {
		case OpenCode:
			put(`{"info":{"id":"u%d","role":"user"},"parts":[{"type":"text","text":"do step %d"}]}`, i, i)
			put(`{"info":{"id":"a%d","role":"assistant","parentID":"u%d","tokens":{"input":9,"output":8,"reasoning":0,"cache":{"read":0,"write":0}}},"parts":[{"type":"step-start"},{"type":"tool","tool":"read","callID":"t%d","state":{"status":"completed","input":{"filePath":"server/handle.go"},"output":"%s","metadata":{"preview":"%s"},"title":"","time":{"start":1,"end":2}}}]}`, i, i, i, text, text[:len(text)/4])
		case Copilot:
			put(`{"type":"user.message","data":{"content":"do step %d"},"id":"u%d","parentId":"0"}`, i, i)
			put(`{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":"t%d","name":"view","arguments":{"path":"server/handle.go"}}],"apiCallId":"c%d"},"id":"a%d","parentId":"0"}`, i, i, i)
			put(`{"type":"tool.execution_complete","data":{"toolCallId":"t%d","success":true,"result":{"content":"%s","detailedContent":"%s"}},"id":"r%d","parentId":"0"}`, i, text, text, i)
		case Gemini:
			put(`{"id":"u%d","type":"user","content":[{"text":"do step %d"}]}`, i, i)
			put(`{"id":"a%d","type":"gemini","content":"","tokens":{"input":9,"output":8}}`, i)
			put(`{"id":"a%d","type":"gemini","content":"","toolCalls":[{"id":"t%d","name":"read_file","args":{"p":"x"},"result":[{"functionResponse":{"id":"t%d","name":"read_file","response":{"output":"%s"}}}],"status":"success"}]}`, i, i, i, text)
			put(`{"id":"f%d","type":"user","content":[{"functionResponse":{"id":"t%d","name":"read_file","response":{"output":"%s"}}}]}`, i, i, text)
		case SWEAgent:
			put(`{"role":"user","content":"do step %d","agent":"main"}`, i)
			put(`{"role":"assistant","content":"I read","agent":"main","tool_calls":[{"id":"t%d","function":{"name":"bash","arguments":"{\"command\":\"cat x\"}"}}]}`, i)
			put(`{"role":"tool","content":[{"type":"text","text":"%s"}],"agent":"main","tool_call_ids":["t%d"]}`, text, i)
		case OpenHands:
			put(`{"id":"u%d","source":"user","kind":"MessageEvent","llm_message":{"role":"user","content":[{"type":"text","text":"do step %d"}]}}`, i, i)
			put(`{"id":"a%d","source":"agent","kind":"ActionEvent","thought":[{"type":"text","text":"I read"}],"tool_name":"terminal","tool_call_id":"t%d","tool_call":{"id":"t%d","name":"terminal","arguments":"{\"command\":\"cat x\"}"},"llm_response_id":"r%d"}`, i, i, i, i)
			put(`{"id":"o%d","source":"environment","kind":"ObservationEvent","tool_name":"terminal","tool_call_id":"t%d","observation":{"content":[{"type":"text","text":"%s"}],"metadata":{"exit_code":0}},"action_id":"a%d"}`, i, i, text, i)
		case Cline:
			put(`{"role":"user","content":[{"type":"text","text":"do step %d"}],"ts":1}`, i)
			put(`{"role":"assistant","content":[{"type":"text","text":"I read.\n<read_file>\n<path>server/handle.go</path>\n</read_file>"}],"ts":2}`)
			put(`{"role":"user","content":[{"type":"text","text":"[read_file for 'server/handle.go'] Result:\n%s"}],"ts":3}`, text)
		}
	}
	b.WriteString(end + "\n")
	return b.Bytes()
}

var benched = []Format{OpenCode, Copilot, Gemini, SWEAgent, OpenHands, Cline}

func BenchmarkReadAgents(b *testing.B) {
	for _, f := range benched {
		data := benchAgent(f, 300)
		b.Run(string(f), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				s, err := Read(bytes.NewReader(data), int64(len(data)))
				if err != nil || s.Format != f || len(s.Messages) != 900 {
					b.Fatal(err, len(s.Messages))
				}
			}
		})
	}
}

// TestMemoryAgents scans 7 MB or more of each format and holds little of it at a time.
// Gemini is left out: what its last line leaves standing is held.
func TestMemoryAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("7 MB of each format")
	}
	for _, f := range benched {
		if f == Gemini {
			continue
		}
		data := benchAgent(f, 1500)
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		n, most := 0, uint64(0)
		if _, err := Scan(bytes.NewReader(data), int64(len(data)), func(*Message) error {
			if n++; n%500 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc-min(before.HeapAlloc, now.HeapAlloc))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if most > 2<<20 || n != 4500 {
			t.Errorf("%s: %d messages of %d MB, %d KB held", f, n, len(data)>>20, most>>10)
		}
	}
}

// TestOpenHandsForgetsAPart checks that a condensation may forget one action of a
// response: the other one is still answered.
func TestOpenHandsForgetsAPart(t *testing.T) {
	data := []byte(`[{"id":"0","source":"user","kind":"MessageEvent","llm_message":{"content":[{"type":"text","text":"hi"}]}},
{"id":"1","source":"agent","kind":"ActionEvent","tool_name":"run","tool_call_id":"a","tool_call":{"arguments":"{}"},"llm_response_id":"r"},
{"id":"2","source":"agent","kind":"ActionEvent","tool_name":"run","tool_call_id":"b","tool_call":{"arguments":"{}"},"llm_response_id":"r"},
{"id":"3","source":"environment","kind":"ObservationEvent","tool_call_id":"a","observation":{"content":[{"type":"text","text":"out a"}]}},
{"id":"4","source":"environment","kind":"ObservationEvent","tool_call_id":"b","observation":{"content":[{"type":"text","text":"out b"}]}},
{"id":"5","source":"environment","kind":"Condensation","forgotten_event_ids":["1","3"]},
{"id":"6","what":"is this"}]`)
	s, err := Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for i := range s.Messages {
		for _, b := range s.Messages[i].Blocks {
			found = found || b.Type == Result && b.ID == "b" && b.Text == "out b"
		}
	}
	if !found {
		t.Errorf("the result of the action that stays is lost: %+v", s.Messages)
	}
	if s.Skipped != 1 {
		t.Errorf("%d records skipped, want the one without a kind", s.Skipped)
	}
}

// An empty list of calls is none, however it is written.
func TestSWEAgentWithoutCalls(t *testing.T) {
	data := []byte(`{"trajectory":[],"history":[{"role":"user","content":"hi"},{"role":"assistant","content":"x","thought":"I look","action":"ls -la","tool_calls":[ ]},{"role":"user","content":"a.go"}]}`)
	s, err := Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Messages) != 3 || len(s.Messages[1].Blocks) != 2 || s.Messages[1].Blocks[1].Type != Call || s.Messages[2].Kind != Results {
		t.Errorf("got %+v", s.Messages)
	}
}
