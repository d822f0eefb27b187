package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// plain is what of a message Write promises: role, kind, blocks, the latter
// without what only the file's own form can hold.
func plain(ms []Message, f Format) []string {
	var out []string
	for i := range ms {
		m := ms[i]
		m.Spans, m.ID, m.Usage, m.Kept = nil, "", nil, false
		m.Blocks = slices.Clone(m.Blocks)
		for j := range m.Blocks {
			b := &m.Blocks[j]
			if b.Native != "" { // renamed
				b.Native = ""
			}
			if f == Chat || f == Responses || f == Codex {
				b.Failed = false
			}
			if f == Chat || f == Responses || f == Anthropic {
				m.Kind = folded(m.Kind)
			}
		}
		if m.Kind == Summary {
			m.Blocks = []Block{{Type: Text, Text: m.text()}}
		}
		var b strings.Builder
		say(&b, "", &m)
		out = append(out, b.String())
	}
	return out
}

// folded folds the kinds that requests cannot tell apart.
func folded(k Kind) Kind {
	if k == Meta || k == Summary {
		return Prompt
	}
	return k
}

// rewrites are ways to rewrite a session: what a trim does and what it may do.
func rewrites(s *Session) map[string][]Message {
	out := map[string][]Message{"same": s.Messages}
	summary := Message{Role: User, Kind: Summary, Blocks: []Block{{Type: Text, Text: "Summary of what was.\n\t\"Quoted\" <tag> é \u2028 end"}}}
	n := len(s.Messages)
	for name, from := range map[string]int{"tail": n / 2, "last": n - 1, "all": 0} {
		for from < n && from > 0 && s.Messages[from].Kind == Results {
			from--
		}
		if from >= 0 && from < n {
			out[name] = append([]Message{summary}, s.Messages[from:]...)
		}
	}
	out["only"] = []Message{summary}
	// Results shrink, text in between stays: the middle zone.
	shrunk := append([]Message{summary}, s.Messages...)
	for i := range shrunk {
		if shrunk[i].Kind != Results {
			continue
		}
		shrunk[i].Blocks = slices.Clone(shrunk[i].Blocks)
		for j := range shrunk[i].Blocks {
			b := &shrunk[i].Blocks[j]
			b.Text, b.Raw, b.Images = "[cut] "+b.Name, nil, 0
		}
	}
	out["shrunk"] = shrunk
	if n > 0 && s.Messages[0].Role == User {
		out["cleaned"] = shrunk[1:]
	}
	second := summary
	second.Blocks = []Block{{Type: Text, Text: "Another summary."}}
	out["two"] = append([]Message{summary, {Role: User, Kind: Prompt, Blocks: []Block{{Type: Text, Text: "kept prompt"}}}, second}, shrunk[1:]...)
	return out
}

// writeLaws checks, for each way to rewrite a session that was read, that what Write writes
// begins with the same bytes, where the format appends, and reads back to the
// messages given; and that it is the same each time.
func writeLaws(t *testing.T, data []byte, s *Session) {
	t.Helper()
	size := int64(len(data))
	for name, ms := range rewrites(s) {
		if Valid(ms) != nil {
			continue
		}
		rw := &Rewrite{Messages: ms, TokensBefore: 1234, Read: []string{"a.go"}, Modified: []string{"b \"c\".go"}}
		var out, again bytes.Buffer
		err := Write(&out, bytes.NewReader(data), size, rw)
		if errors.Is(err, ErrNoWriter) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := Write(&again, bytes.NewReader(data), size, rw); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
			t.Errorf("%s: not the same bytes twice (%v)", name, err)
		}
		switch s.Format {
		case ClaudeCode, Codex, Pi:
			var kept bytes.Buffer
			if err := Copy(&kept, bytes.NewReader(data), size); err != nil || !bytes.HasPrefix(out.Bytes(), kept.Bytes()) {
				t.Errorf("%s: the session's bytes are not kept (%v)", name, err)
			}
			if !strings.Contains(fmt.Sprint(s.Diagnostics), "damaged line") && !bytes.Equal(kept.Bytes(), data) {
				t.Errorf("%s: the bytes of a session without damage are not kept", name)
			}
		}
		if l, err := find(bytes.NewReader(data), size); err == nil && l.records == "" {
			wholeLines(t, out.Bytes())
		}
		back, err := laws(t, out.Bytes())
		if err != nil {
			t.Errorf("%s: read back: %v\n%s", name, err, out.Bytes())
			continue
		}
		// Without calls and system prompts the two look the same.
		if back.Format != s.Format && (s.Format != Chat || back.Format != Anthropic) {
			t.Errorf("%s: %s reads back as %s", name, s.Format, back.Format)
		}
		if back.Skipped > s.Skipped {
			t.Errorf("%s: %d records read back are malformed", name, back.Skipped-s.Skipped)
		}
		if d := cmp.Diff(plain(ms, s.Format), plain(back.Messages, s.Format)); d != "" {
			t.Errorf("%s %s: what was written reads back otherwise (-given +read):\n%s", s.Format, name, d)
		}
	}
}

// wholeLines checks that each line of a session is a record that its agent can load.
func wholeLines(t *testing.T, session []byte) {
	t.Helper()
	for line := range bytes.Lines(bytes.TrimPrefix(session, []byte("\uFEFF"))) {
		if one, rest, damaged := (record{raw: line}).next(); damaged || len(one.raw) == 0 || len(rest.raw) > 0 {
			t.Errorf("a written line is not one record: %q", line)
		}
	}
}

func TestWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			// Whole, with a last line without its newline, and with one that is torn.
			whole := ar.Files[0].Data
			data := bytes.TrimSuffix(whole, []byte("\n"))
			for _, data := range [][]byte{whole, data, data[:len(data)-len(data)/7]} {
				if s, err := Read(bytes.NewReader(data), int64(len(data))); err == nil {
					writeLaws(t, data, s)
				}
			}
		})
	}
}

// TestWriteGolden shows the records that each agent gets.
func TestWriteGolden(t *testing.T) {
	const file = "testdata/write.txtar"
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got txtar.Archive
	got.Comment = ar.Comment
	for _, name := range []string{"pi", "pi-v1", "claude-blocks", "codex", "codex-ordinal", "chat", "anthropic"} {
		in, err := txtar.ParseFile("testdata/read/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		data := in.Files[0].Data
		s, err := Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		all := rewrites(s)
		for _, how := range []string{"last", "shrunk"} {
			var out bytes.Buffer
			if err := Write(&out, bytes.NewReader(data), int64(len(data)), &Rewrite{Messages: all[how], TokensBefore: 1234, Read: []string{"a.go"}}); err != nil {
				t.Fatal(err)
			}
			text := string(bytes.TrimPrefix(out.Bytes(), data))
			if !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			got.Files = append(got.Files, txtar.File{Name: name + " " + how, Data: []byte(text)})
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(&got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(txtar.Format(ar)), string(txtar.Format(&got))); d != "" {
		t.Errorf("written records (-want +got):\n%s", d)
	}
}

// TestEncode makes arrays of every golden session and reads them back.
func TestEncode(t *testing.T) {
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Read(bytes.NewReader(ar.Files[0].Data), int64(len(ar.Files[0].Data)))
		if err != nil || Valid(s.Messages) != nil {
			continue
		}
		for _, f := range []Format{Messages, Anthropic, Chat, Responses} {
			t.Run(fmt.Sprintf("%s/%s", strings.TrimSuffix(filepath.Base(file), ".txtar"), f), func(t *testing.T) {
				var out bytes.Buffer
				if err := Encode(&out, f, s.Messages); err != nil {
					t.Fatal(err)
				}
				back, err := laws(t, out.Bytes())
				if err != nil {
					t.Fatalf("%v\n%s", err, out.Bytes())
				}
				if err := Valid(back.Messages); err != nil {
					t.Errorf("%v\n%s", err, out.Bytes())
				}
				if f != Messages {
					return
				}
				for i := range s.Messages { // what only the file's form can hold
					for j := range s.Messages[i].Blocks {
						if b := &s.Messages[i].Blocks[j]; b.Type == Other && b.Raw != nil && openAI(b.Raw) {
							b.Type, b.Name, b.Opaque = Text, "", 0
						}
					}
				}
				if d := cmp.Diff(plain(s.Messages, f), plain(back.Messages, f)); d != "" {
					t.Errorf("read back otherwise (-given +read):\n%s", d)
				}
			})
		}
	}
}

func TestWriteErrors(t *testing.T) {
	data := []byte(`{"type":"session","version":3,"id":"p","cwd":"/w"}` + "\n")
	err := Write(&bytes.Buffer{}, bytes.NewReader(data), int64(len(data)), &Rewrite{})
	if err == nil || !strings.Contains(err.Error(), "no messages") {
		t.Errorf("Write of no messages = %v, want an error that says so", err)
	}
	prompt := []Message{{Role: User, Kind: Prompt, Blocks: []Block{{Type: Text, Text: "x"}}}}
	if err := Write(&bytes.Buffer{}, strings.NewReader("hello"), 5, &Rewrite{Messages: prompt}); !errors.Is(err, ErrFormat) {
		t.Errorf("Write to a file of another kind = %v, want ErrFormat", err)
	}
	if err := Encode(&bytes.Buffer{}, Pi, prompt); !errors.Is(err, ErrNoWriter) {
		t.Errorf("Encode for pi = %v, want ErrNoWriter", err)
	}
}

// TestWriteSamePrompts writes prompts that say the same into one record, and
// then the session as it is: that changes no byte.
func TestWriteSamePrompts(t *testing.T) {
	for _, name := range []string{"codex", "pi", "claude-blocks", "opencode"} {
		data := goldenSession(t, name)
		say := func(kind Kind, text string) Message {
			return Message{Role: User, Kind: kind, Blocks: []Block{{Type: Text, Text: text}}}
		}
		var once bytes.Buffer
		rw := &Rewrite{Messages: []Message{say(Summary, "what was"), say(Prompt, "go on"), say(Prompt, "go on"), say(Prompt, "go on")}}
		if err := Write(&once, bytes.NewReader(data), int64(len(data)), rw); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r, size := bytes.NewReader(once.Bytes()), int64(once.Len())
		s, err := Read(r, size)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var twice bytes.Buffer
		if err := Write(&twice, r, size, &Rewrite{Messages: s.Messages}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("%s: written as it is, %d bytes became %d", name, once.Len(), twice.Len())
		}
	}
}

// TestLargest shows that a compaction does not hide what the provider accepted
// before it.
func TestLargest(t *testing.T) {
	for name, want := range map[string]int{"pi-compaction": 90009, "codex-bare": 0} {
		data := goldenSession(t, name)
		s, err := Read(bytes.NewReader(data), int64(len(data)))
		if err != nil || s.Largest != want {
			t.Errorf("%s: the largest context is %d, want %d; %v", name, s.Largest, want, err)
		}
	}
}

// goldenSession returns the session of a golden file.
func goldenSession(t *testing.T, name string) []byte {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("testdata", "read", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return ar.Files[0].Data
}

// TestPiWithoutSummary: what was only shortened becomes a branch that hangs where
// the first message hung, so that pi keeps its settings, and the branch that is
// left ends with a compaction: readers that know no branches do not count it.
func TestPiWithoutSummary(t *testing.T) {
	data := []byte(`{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/w"}
{"type":"thinking_level_change","id":"t1","parentId":null,"timestamp":"2026-03-01T10:00:00.000Z","thinkingLevel":"high"}
{"type":"message","id":"u1","parentId":"t1","timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"read a"}}
{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-03-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a"}}],"api":"x","provider":"y","model":"z"}}
{"type":"message","id":"r1","parentId":"a1","timestamp":"2026-03-01T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"a long result"}],"isError":false}}
`)
	s := readOnly(t, data)
	ms := slices.Clone(s.Messages)
	ms[2].Blocks = []Block{{Type: Result, ID: "c1", Name: "read", Text: "short"}}
	var out bytes.Buffer
	if err := Write(&out, bytes.NewReader(data), int64(len(data)), &Rewrite{Messages: ms}); err != nil {
		t.Fatal(err)
	}
	rest, ok := bytes.CutPrefix(out.Bytes(), data)
	if !ok {
		t.Fatal("the session's own lines are not as they were")
	}
	lines := bytes.Split(bytes.TrimSpace(rest), []byte("\n"))
	var kinds []string
	for _, l := range lines {
		kinds = append(kinds, str(field(l, "type")))
	}
	if want := []string{"compaction", "message", "message", "message"}; !slices.Equal(kinds, want) {
		t.Fatalf("entries %q, want %q", kinds, want)
	}
	mark := lines[0]
	if !bytes.Equal(field(mark, "firstKeptEntryId"), field(mark, "id")) || str(field(mark, "parentId")) != "r1" {
		t.Errorf("the compaction %s does not end the branch that is left, or keeps something", mark)
	}
	if got := str(field(lines[1], "parentId")); got != "t1" {
		t.Errorf("the new branch hangs on %q, want t1", got)
	}
	got := readAll(t, out.Bytes())
	if len(got.Messages) != 3 || got.Messages[2].Blocks[0].Text != "short" || got.Compactions != 0 {
		t.Errorf("read %d messages, %d compactions", len(got.Messages), got.Compactions)
	}
}
