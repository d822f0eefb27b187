package transcript

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

var big = flag.Bool("big", false, "read files of 500 MB and of 2 GB, not of 50 MB")

// sized returns the size of a large file, which is 50 MB unless -big is set.
func sized(n int64) int64 {
	if *big {
		return n
	}
	return 50 << 20
}

func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	claude := func(uuid, parent, text string) string {
		return `{"parentUuid":` + parent + `,"sessionId":"s","type":"user","message":{"role":"user","content":"` + text + `"},"uuid":"` + uuid + `"}` + "\n"
	}
	const depth = 20_000 // encoding/json takes 10,000
	deep := strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
	for _, x := range []struct {
		name, data string
		want       Format // "" means ErrFormat
		text       string // of the last message
		note       string // part of a note
	}{
		{"empty", "", "", "", ""},
		{"blank lines", "\n \n\r\n", "", "", ""},
		{"prose", "Dear diary,\n{\nno", "", "", ""},
		{"another document", `{"name":"x","dependencies":{}}`, "", "", ""},
		{"an array of numbers", `[1,2,3]`, "", "", ""},
		{"binary", "\x00\x01\xff{\"type\"", "", "", ""},
		{"an unclosed string", `{"type":"session","id":"`, "", "", ""},
		{"a bad first line", "garbage \x80\n" + claude("u", "null", "hi"), ClaudeCode, "hi", "1 damaged line left out"},
		{"a byte order mark", "\uFEFF" + claude("u", "null", "hi"), ClaudeCode, "hi", ""},
		{"carriage returns", strings.ReplaceAll(claude("u", "null", "hi")+claude("v", `"u"`, "ho"), "\n", "\r\n"), ClaudeCode, "ho", ""},
		{"a long first line", `{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"c","base_instructions":{"text":"` + strings.Repeat("x", 300_000) + `"}}}` +
			"\n" + `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}`, Codex, "hi", ""},
		{"a torn last line", claude("u", "null", "hi") + `{"parentUuid":"u","type":"us`, ClaudeCode, "hi", "last line is torn"},
		{"no newline at the end", strings.TrimSpace(claude("u", "null", "hi")), ClaudeCode, "hi", ""},
		{"invalid UTF-8", claude("u", "null", "a\xffb"), ClaudeCode, "a\uFFFDb", ""},
		{"half a surrogate pair", claude("u", "null", `a\ud83db`), ClaudeCode, "a\uFFFDb", ""},
		{"a surrogate pair", claude("u", "null", `\ud83d\ude00`), ClaudeCode, "😀", ""},
		{"a bad escape", claude("u", "null", `a\u12`), ClaudeCode, "a\uFFFD12", ""},
		{"of pi, an object that is no entry at the end", `{"type":"session","version":3,"id":"p"}` + "\n" + `{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hi"}}` + "\n" + deep, Pi, "hi", ""},
		{"deep JSON beside", strings.Replace(claude("u", "null", "hi"), `"sessionId"`, `"toolUseResult":`+deep+`,"sessionId"`, 1), ClaudeCode, "hi", ""},
		{"deep JSON as input", `{"type":"session","id":"p"}` + "\n" +
			`{"type":"message","id":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"n","arguments":` + deep + `}]}}`, Pi, noResult, ""},
		{"a child of itself", claude("u", `"u"`, "hi"), ClaudeCode, "hi", "circle"},
		{"members twice", `{"type":"user","sessionId":"s","uuid":"u","parentUuid":null,"message":{"content":"no"},"message":{"content":"hi"}}`, ClaudeCode, "hi", ""},
		{"fields of wrong types", `{"type":"user","sessionId":5,"uuid":{},"parentUuid":[],"timestamp":true,"isMeta":"x","message":{"content":[1,null,"hi",{},[],{"type":5}]}}` + "\n" +
			`{"type":"assistant","sessionId":"s","uuid":"a","parentUuid":"u","message":7}` + "\n" + claude("v", `"a"`, "ho"), ClaudeCode, "ho", ""},
		{"a torn document", `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"h`, Anthropic, "hi", "ends early"},
		{"a document with more behind", `[{"role":"user","content":"hi"}] x`, Anthropic, "hi", "ends early"},
		{"a document with a bad element", `[{"role":"user","content":"hi"},7,null,"x"]`, Anthropic, "hi", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			data := []byte(x.data)
			s, err := laws(t, data)
			if x.want == "" {
				if !errors.Is(err, ErrFormat) {
					t.Fatalf("Read = %v, %v; want ErrFormat", s, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			writeLaws(t, data, s)
			if s.Format != x.want {
				t.Errorf("format %s, want %s", s.Format, x.want)
			}
			if len(s.Messages) == 0 {
				t.Fatal("no messages")
			}
			if got := s.Messages[len(s.Messages)-1].text(); got != x.text {
				t.Errorf("last message %q, want %q", got, x.text)
			}
			found := x.note == ""
			for _, n := range s.Diagnostics {
				found = found || strings.Contains(n.Text, x.note)
			}
			if !found {
				t.Errorf("diagnostics %v, want one about %q", s.Diagnostics, x.note)
			}
		})
	}
}

// A virtual is a file that is made up as it is read: prefix, filler as often as
// it takes, suffix.
type virtual struct {
	prefix, filler, suffix string
	size                   int64
}

func (v virtual) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && off < v.size {
		var from string
		switch tail := v.size - int64(len(v.suffix)); {
		case off < int64(len(v.prefix)):
			from = v.prefix[off:]
		case off >= tail:
			from = v.suffix[off-tail:]
		default:
			at := (off - int64(len(v.prefix))) % int64(len(v.filler))
			from = v.filler[at:min(int64(len(v.filler)), at+tail-off)]
		}
		c := copy(p[n:], from)
		n += c
		off += int64(c)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// TestLongRecord reads a line and an element of 500 MB: its text is cut, its
// pair and what follows are not, and little memory is needed.
func TestLongRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("50 MB in each form")
	}
	size := sized(500 << 20)
	result := `{"type":"message","id":"c","parentId":"b","message":{"role":"toolResult","toolCallId":"t","content":[{"type":"text","text":"head`
	for _, x := range []struct {
		name string
		v    virtual
	}{
		{"line", virtual{
			prefix: `{"type":"session","version":3,"id":"p"}` + "\n" +
				`{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"go"}}` + "\n" +
				`{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"cat","arguments":{}}]}}` + "\n" + result,
			filler: `line of text é\n\u00e9\\`,
			suffix: `"}],"isError":false}}` + "\n" + `{"type":"message","id":"d","parentId":"c","message":{"role":"assistant","content":[{"type":"text","text":"end"}]}}` + "\n",
			size:   size,
		}},
		{"element", virtual{
			prefix: `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"cat","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"head`,
			filler: `line of text é\n\u00e9\\`,
			suffix: `"}]},{"role":"assistant","content":"end"}]`,
			size:   size,
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			file := measureHeap(t, x.v)
			s, err := Read(file, x.v.size)
			if err != nil {
				t.Fatal(err)
			}
			if err := Valid(s.Messages); err != nil {
				t.Error(err)
			}
			if len(s.Messages) != 4 || s.Messages[3].text() != "end" {
				t.Fatalf("%d messages, want 4, the last one \"end\"", len(s.Messages))
			}
			r := s.Messages[2].Blocks[0]
			if r.ID != "t" || !strings.HasPrefix(r.Text, "headline of text é\né\\") || !strings.Contains(r.Text, "bytes left out …]") || strings.Contains(r.Text, "\uFFFD") {
				t.Errorf("result %s %.60q … %q", r.ID, r.Text, r.Text[max(0, len(r.Text)-60):])
			}
			if len(s.Diagnostics) != 1 || !strings.Contains(s.Diagnostics[0].Text, "too large to hold") {
				t.Errorf("diagnostics %v, want one about the record", s.Diagnostics)
			}
			peak := file.peak
			if limit := uint64(40 << 20); peak > limit {
				t.Errorf("peak heap %d MiB, want below %d", peak>>20, limit>>20)
			}
		})
	}
}

// A measured file notes the largest heap seen while it is read.
type measured struct {
	io.ReaderAt
	calls int
	base  uint64
	peak  uint64
}

func measureHeap(t *testing.T, r io.ReaderAt) *measured {
	percent := debug.SetGCPercent(20) // little garbage on the heap, whatever GOGC says
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return &measured{ReaderAt: r, base: m.HeapInuse}
}

func (m *measured) ReadAt(p []byte, off int64) (int, error) {
	if m.calls++; m.calls%16 == 0 {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		m.peak = max(m.peak, now.HeapInuse-min(m.base, now.HeapInuse))
	}
	return m.ReaderAt.ReadAt(p, off)
}

// A numbered file repeats a line, with its number in the place of each @.
type numbered struct {
	line string // with one run of eleven @ for the number, and one of eleven % for the one before
	size int64
}

func (v numbered) ReadAt(p []byte, off int64) (n int, err error) {
	line := []byte(v.line)
	number, before := strings.Index(v.line, "@@@@@@@@@@@"), strings.Index(v.line, "%%%%%%%%%%%")
	for n < len(p) && off < v.size {
		i := off / int64(len(line))
		copy(line[number:], fmt.Sprintf("%011d", i))
		copy(line[before:], fmt.Sprintf("%011d", max(i-1, 0)))
		c := copy(p[n:], line[off-i*int64(len(line)):])
		n += c
		off += int64(c)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// TestMemory gathers statistics of 2 GB (23 and 153 MiB) in small records, of an agent whose
// sessions are lists and of one whose tree has to be remembered.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("50 MB of each format")
	}
	size := sized(2 << 30)
	for _, x := range []struct {
		name string
		r    io.ReaderAt
	}{
		{"codex", virtual{
			prefix: `{"type":"session_meta","payload":{"id":"c"}}` + "\n",
			filler: `{"type":"response_item","payload":{"type":"function_call","name":"sh","arguments":"{}","call_id":"c"}}` + "\n" +
				`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"` + strings.Repeat("x", 4000) + `"}}` + "\n",
			suffix: `{"type":"compacted","payload":{"message":"S","replacement_history":[]}}` + "\n", size: size}},
		{"claude", numbered{`{"parentUuid":"00000000-0000-4000-8000-x%%%%%%%%%%%","isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":"` +
			strings.Repeat("some words ", 150) + `"},"uuid":"00000000-0000-4000-8000-x@@@@@@@@@@@"}` + "\n", size}},
	} {
		t.Run(x.name, func(t *testing.T) {
			n := 0
			m := measureHeap(t, x.r)
			if _, err := Scan(m, size, func(*Message) error { n++; return nil }); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d messages, peak heap %d MiB", n, m.peak>>20)
			if limit := uint64(8<<20 + size/8); m.peak > limit {
				t.Errorf("peak heap %d MiB, want below %d", m.peak>>20, limit>>20)
			}
		})
	}
}
