package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-dev/satchel"
)

// fixtures returns the golden sessions by name.
func fixtures(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	out := make(map[string][]byte, len(files))
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(file), ".txtar")] = ar.Files[0].Data
	}
	return out
}

func readAll(t *testing.T, data []byte) *Session {
	t.Helper()
	s, err := laws(t, data)
	if err != nil {
		t.Fatal(err)
	}
	writeLaws(t, data, s)
	return s
}

func readOnly(t *testing.T, data []byte) *Session {
	t.Helper()
	s, err := Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// outputs lists what tools answered, sorted; not what stands in for it.
func outputs(s *Session) (texts []string) {
	for i := range s.Messages {
		for _, b := range s.Messages[i].Blocks {
			if b.Type == Result && b.Text != noResult {
				texts = append(texts, b.Text)
			}
		}
	}
	slices.Sort(texts)
	return texts
}

// TestBadInput damages every golden session, of every format, in each way that
// sessions were seen damaged.
func TestBadInput(t *testing.T) {
	if testing.Short() {
		t.Skip("damages every session in each way")
	}
	for name, data := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			s, err := Read(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			t.Run("torn", func(t *testing.T) { tearEnd(t, s, data) })
			t.Run("ids", func(t *testing.T) { sameIDs(t, s, data) })
			t.Run("orphans", func(t *testing.T) { loseCalls(t, s, data) })
			t.Run("UTF-8", func(t *testing.T) { breakText(t, s, data) })
			t.Run("deep", func(t *testing.T) { nest(t, s, data) })
			t.Run("lines", func(t *testing.T) { badLines(t, s, data) })
		})
	}
}

func isLines(s *Session) bool { return findLayout(s.Format).records == "" }

// findLayout returns the layout of a format's own files.
func findLayout(f Format) *layout {
	for i := range layouts {
		if layouts[i].format == f {
			return &layouts[i]
		}
	}
	return nil
}

// tearEnd cuts a file anywhere, as a writer that died leaves it: what can be read
// is valid, and what is missing is said.
func tearEnd(t *testing.T, s *Session, data []byte) {
	step := max(1, len(data)/40)
	for n := len(data) - 2; n > len(data)/2; n -= step {
		cut := data[:n]
		got, err := Read(bytes.NewReader(cut), int64(n))
		if err != nil || isLines(got) && cut[n-1] == '\n' {
			continue // nothing is left that tells the format; or it is whole
		}
		if last := bytes.TrimSpace(cut[bytes.LastIndexByte(cut, '\n')+1:]); isLines(got) && (len(last) == 0 || json.Valid(last)) {
			continue
		}
		if !isLines(got) && json.Valid(cut) {
			continue
		}
		if !slices.ContainsFunc(got.Diagnostics, func(n satchel.Diagnostic) bool {
			return strings.Contains(n.Text, "torn") || strings.Contains(n.Text, "ends early")
		}) {
			t.Fatalf("cut after %d bytes: diagnostics %v, want one about the end", n, got.Diagnostics)
		}
	}
}

// sameIDs gives all calls one id, as redaction tools and careless clients do: no
// output is lost.
func sameIDs(t *testing.T, s *Session, data []byte) {
	for _, id := range []string{"REDACTED", "same"} {
		changed := data
		for i := range s.Messages {
			for _, b := range s.Messages[i].Blocks {
				if b.Type == Call {
					changed = bytes.ReplaceAll(changed, []byte(`"`+cmp.Or(b.Native, b.ID)+`"`), []byte(`"`+id+`"`))
				}
			}
		}
		if got, want := outputs(readAll(t, changed)), outputs(s); !slices.Equal(got, want) {
			t.Errorf("with the id %s for all calls, outputs %q, want %q", id, got, want)
		}
	}
}

// loseCalls takes the records of calls out of a file of lines: their results stand
// alone, are left out, and are told of. What was said stays.
func loseCalls(t *testing.T, s *Session, data []byte) {
	if !isLines(s) || len(outputs(s)) == 0 || s.Compactions > 0 {
		return
	}
	var kept []byte
	lost := 0
	for line := range bytes.Lines(data) {
		called := slices.ContainsFunc(s.Messages, func(m Message) bool {
			return slices.ContainsFunc(m.Blocks, func(b Block) bool {
				id := []byte(`"` + cmp.Or(b.Native, b.ID) + `"`)
				return b.Type == Call && b.Name != "" && bytes.Contains(line, id) && bytes.Contains(line, []byte(`"`+b.Name+`"`)) &&
					bytes.Contains(line, []byte("ssistant"))
			})
		})
		if called {
			lost++
			continue
		}
		kept = append(kept, line...)
	}
	if lost == 0 {
		return
	}
	got := readAll(t, kept)
	if len(outputs(got)) >= len(outputs(s)) {
		t.Errorf("without %d records of calls there are still %d outputs", lost, len(outputs(got)))
	}
	if !slices.ContainsFunc(got.Diagnostics, func(n satchel.Diagnostic) bool { return strings.Contains(n.Text, "without a call") }) {
		t.Errorf("diagnostics %v, want one about results without their call", got.Diagnostics)
	}
}

// breakText puts bytes into the text that are no UTF-8.
func breakText(t *testing.T, s *Session, data []byte) {
	for i := range s.Messages {
		for _, b := range s.Messages[i].Blocks {
			if b.Type != Text || len(b.Text) < 4 || strings.ContainsAny(b.Text, "\n\"\\<>&") {
				continue
			}
			got := readOnly(t, bytes.ReplaceAll(data, []byte(b.Text), []byte(b.Text[:2]+"\xff\xc3"+b.Text[2:])))
			for k := range got.Messages {
				if !utf8.ValidString(got.Messages[k].text()) {
					t.Fatalf("message %d is no UTF-8: %q", k, got.Messages[k].text())
				}
			}
			if len(got.Messages) < len(s.Messages)/2 {
				t.Errorf("%d of %d messages are left", len(got.Messages), len(s.Messages))
			}
			return
		}
	}
}

// nest gives the first object of each record a member of 12,000 brackets: it
// changes nothing.
func nest(t *testing.T, s *Session, data []byte) {
	deep := `"deep":` + strings.Repeat("[", 12_000) + strings.Repeat("]", 12_000)
	for i := range s.Messages {
		for _, sp := range s.Messages[i].Spans {
			at := sp.Offset
			if data[at] != '{' || isLines(s) && at > 0 && data[at-1] != '\n' {
				continue
			}
			got := readAll(t, slices.Concat(data[:at+1], []byte(deep+","), data[at+1:])) // json.Valid takes 10,000
			if len(got.Messages) != len(s.Messages) || got.Skipped != s.Skipped {
				t.Errorf("%d messages and %d records skipped, want %d and %d", len(got.Messages), got.Skipped, len(s.Messages), s.Skipped)
			}
			return
		}
	}
}

// badLines puts a line that is none into a file of lines, and two records on one
// line: nothing else is lost.
func badLines(t *testing.T, s *Session, data []byte) {
	if !isLines(s) || json.Valid(data) { // Gemini has both kinds of files
		return
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	for i := 1; i < len(lines)-1; i++ {
		bad := slices.Concat(slices.Concat(lines[:i]...), []byte("{\"torn\": \"by another writ\n"), slices.Concat(lines[i:]...))
		if got := readOnly(t, bad); len(got.Messages) != len(s.Messages) || got.Skipped != s.Skipped+1 {
			t.Fatalf("a bad line %d: %d messages, %d skipped; want %d, %d", i, len(got.Messages), got.Skipped, len(s.Messages), s.Skipped+1)
		}
		if !json.Valid(lines[i]) || !json.Valid(lines[i-1]) {
			continue
		}
		one := slices.Concat(slices.Concat(lines[:i-1]...), bytes.TrimSpace(lines[i-1]), slices.Concat(lines[i:]...))
		if got := readOnly(t, one); len(got.Messages) != len(s.Messages) || got.Skipped != s.Skipped {
			t.Fatalf("lines %d and %d in one: %d messages, %d skipped; want %d, %d", i-1, i, len(got.Messages), got.Skipped, len(s.Messages), s.Skipped)
		}
	}
}
