package transcript

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// bench makes a session in the proportions of recorded ones: results are most
// of the text, and records for the client's own use are more.
func bench(f Format) []byte {
	var b bytes.Buffer
	text := strings.Repeat("func (s *Server) Handle(w http.ResponseWriter, r *http.Request) error {\\n\\treturn nil // \\u2192 \\\"quoted\\\"\\n}\\n", 40)
	if f == Pi {
		b.WriteString(`{"type":"session","version":3,"id":"p","cwd":"/w"}` + "\n")
	}
	parent := "null"
	for i := range 300 {
		u, a, r := fmt.Sprintf(`"u%d"`, i), fmt.Sprintf(`"a%d"`, i), fmt.Sprintf(`"r%d"`, i)
		switch f {
		case Pi:
			fmt.Fprintf(&b, `{"type":"message","id":%s,"parentId":%s,"message":{"role":"user","content":[{"type":"text","text":"do step %d"}]}}`+"\n", u, parent, i)
			fmt.Fprintf(&b, `{"type":"message","id":%s,"parentId":%s,"message":{"role":"assistant","content":[{"type":"text","text":"I read it."},{"type":"toolCall","id":"t%d","name":"read","arguments":{"path":"server/handle.go","limit":200}}],"usage":{"input":9,"output":8}}}`+"\n", a, u, i)
			fmt.Fprintf(&b, `{"type":"message","id":%s,"parentId":%s,"message":{"role":"toolResult","toolCallId":"t%d","toolName":"read","content":[{"type":"text","text":"%s"}],"isError":false}}`+"\n", r, a, i, text)
		case Codex:
			fmt.Fprintf(&b, `{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"do step %d"}]}}`+"\n", i)
			fmt.Fprintf(&b, `{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"function_call","name":"exec","arguments":"{\"cmd\":\"cat server/handle.go\"}","call_id":"t%d"}}`+"\n", i)
			fmt.Fprintf(&b, `{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"exec_command_end","stdout":"%s"}}`+"\n", text)
			fmt.Fprintf(&b, `{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"function_call_output","call_id":"t%d","output":"%s"}}`+"\n", i, text)
		case ClaudeCode:
			common := `"isSidechain":false,"cwd":"/w","sessionId":"s","version":"2.1.0","gitBranch":"main"`
			fmt.Fprintf(&b, `{"parentUuid":%s,%s,"type":"user","message":{"role":"user","content":"do step %d"},"uuid":%s,"timestamp":"2026-01-01T00:00:00.000Z"}`+"\n", parent, common, i, u)
			fmt.Fprintf(&b, `{"parentUuid":%s,%s,"type":"assistant","message":{"id":"m%d","role":"assistant","model":"claude-x","content":[{"type":"tool_use","id":"t%d","name":"Read","input":{"file_path":"server/handle.go"}}],"usage":{"input_tokens":9,"output_tokens":8}},"uuid":%s,"timestamp":"2026-01-01T00:00:00.000Z"}`+"\n", u, common, i, i, a)
			fmt.Fprintf(&b, `{"parentUuid":%s,%s,"type":"progress","data":{"type":"hook_progress","output":"%s"},"uuid":"p%d"}`+"\n", a, common, text[:len(text)/4], i)
			fmt.Fprintf(&b, `{"parentUuid":%s,%s,"type":"user","message":{"role":"user","content":[{"tool_use_id":"t%d","type":"tool_result","content":"%s"}]},"toolUseResult":{"file":{"content":"%s"}},"uuid":%s,"timestamp":"2026-01-01T00:00:00.000Z"}`+"\n", a, common, i, text, text, r)
		}
		parent = r
	}
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	for _, f := range []Format{ClaudeCode, Codex, Pi} {
		data := bench(f)
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

func BenchmarkWrite(b *testing.B) {
	for _, f := range []Format{ClaudeCode, Codex, Pi} {
		data := bench(f)
		s, err := Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			b.Fatal(err)
		}
		ms := rewrites(s)["shrunk"]
		b.Run(string(f), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				if err := Write(&out, bytes.NewReader(data), int64(len(data)), &Rewrite{Messages: ms}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
