package seen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// file is what the repository has.
const file = `package proxy

import "time"

// Dial connects to the proxy.
func Dial(host string) error {
	if host == "" {
		return errNoHost
	}
	return connect(host, time.Second)
}
`

// session returns a session of Claude Code in which tools were called, each with
// what was said and what it answered, and after some of them was compacted.
func session(t *testing.T, compactedAfter int, calls ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	say := func(v map[string]any) {
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	last := "u0"
	next := func(kind string, message, more map[string]any) {
		v := map[string]any{"type": kind, "uuid": fmt.Sprintf("u%d", b.Len()+1), "parentUuid": last, "sessionId": "s", "cwd": "/r", "timestamp": "2026-01-05T09:00:00.000Z", "message": message}
		for k, x := range more {
			v[k] = x
		}
		last = v["uuid"].(string)
		say(v)
	}
	say(map[string]any{"type": "user", "uuid": "u0", "parentUuid": nil, "sessionId": "s", "cwd": "/r", "timestamp": "2026-01-05T09:00:00.000Z", "message": map[string]any{"role": "user", "content": "Read it."}})
	for i, c := range calls {
		id := fmt.Sprintf("c%d", i)
		next("assistant", map[string]any{"id": "m" + id, "role": "assistant", "model": "claude-sonnet-4-5", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": "Read", "input": map[string]any{"file_path": c[0]}}}}, nil)
		next("user", map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": c[1]}}}, nil)
		if i+1 == compactedAfter {
			say(map[string]any{"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": nil, "logicalParentUuid": last, "sessionId": "s", "timestamp": "2026-01-05T09:00:00.000Z", "compactMetadata": map[string]any{"trigger": "auto", "preTokens": 1}})
			last = "b"
			next("user", map[string]any{"role": "user", "content": "The proxy was read."}, map[string]any{"isCompactSummary": true})
		}
	}
	return b.Bytes()
}

func numbers(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fmt.Fprintf(&b, "%6d→%s\n", i+1, line)
	}
	return b.String()
}

func TestLines(t *testing.T) {
	all := strings.Repeat("x", strings.Count(file, "\n"))
	none := strings.ReplaceAll(all, "x", ".")
	for _, tt := range []struct {
		name      string
		compacted int
		calls     [][2]string
		want      string // a mark for each line of the file: x is seen
	}{
		{"the whole file", 0, [][2]string{{"/r/proxy/dial.go", file}}, all},
		{"with numbers", 0, [][2]string{{"/r/proxy/dial.go", numbers(file)}}, all},
		{"some lines of it", 0, [][2]string{{"/r/proxy/dial.go", strings.Join(strings.Split(file, "\n")[4:10], "\n")}}, "....xxxxxx."},
		{"in two answers, each of lines enough", 0, [][2]string{{"/r/proxy/dial.go", file[:60]}, {"/r/proxy/dial.go", file[60:]}}, all},
		{"an older text: what is unchanged", 0, [][2]string{{"/r/proxy/dial.go", strings.ReplaceAll(file, "time.Second", "0")}}, "xxxxxxxxx.."},
		{"before the compaction", 1, [][2]string{{"/r/proxy/dial.go", file}}, none},
		{"behind it", 1, [][2]string{{"/r/a.go", "a\nb\nc\n"}, {"/r/proxy/dial.go", file}}, all},
		{"of a file of another name", 0, [][2]string{{"/r/proxy/redial.go", file}}, none},
		{"named in the text, as a pack does", 0, [][2]string{{"satchel pack", "### proxy/dial.go\n" + file}}, all},
		{"too few lines", 0, [][2]string{{"/r/proxy/dial.go", "func Dial(host string) error {\n\tif host == \"\" {\n\t}\n}\n"}}, none},
		{"the lines in another order", 0, [][2]string{{"/r/proxy/dial.go", "import \"time\"\n\npackage proxy\nfunc Dial(host string) error {\n// Dial connects to the proxy.\n"}}, none},
		{"it says so, but does not show it", 0, [][2]string{{"/r/proxy/dial.go", "(all 11 lines of proxy/dial.go\nare shown above\nand unchanged)"}}, none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := session(t, tt.compacted, tt.calls...)
			w, _, err := Read(t.Context(), bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, seen := range w.Lines("proxy/dial.go", strings.Split(strings.TrimSuffix(file, "\n"), "\n")) {
				got += map[bool]string{true: "x", false: "."}[seen]
			}
			if got != tt.want {
				t.Errorf("seen %s, want %s", got, tt.want)
			}
		})
	}
}

func TestTorn(t *testing.T) {
	data := session(t, 0, [2]string{"/r/proxy/dial.go", file})
	data = append(data, `{"type":"user","uuid":"u9","message":{"role":"us`...)
	_, diags, err := Read(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil || len(diags) == 0 || !strings.Contains(diags[len(diags)-1].Text, "torn") {
		t.Errorf("a torn line gives %v, %v, want a note", diags, err)
	}
}

func TestOldestTextsAreForgotten(t *testing.T) {
	w := newWindow()
	w.put("a.go", file)
	for range 3 {
		w.put("b.go", strings.Repeat("other text here\n", maxText/32))
	}
	if w.bytes > maxText {
		t.Errorf("%d bytes are held, want at most %d", w.bytes, maxText)
	}
	if got := w.Lines("a.go", strings.Split(file, "\n")); got[0] {
		t.Error("what was forgotten is seen")
	}
}

// One call may have very many short texts, each of which is looked for a path with all
// that the call says.
func TestTextsAreBounded(t *testing.T) {
	w := newWindow()
	for range 100_000 {
		w.put(strings.Repeat("x", maxAbout), "\n\n")
	}
	if len(w.texts) > maxText/maxAbout || w.bytes > maxText {
		t.Errorf("%d texts of %d bytes are held", len(w.texts), w.bytes)
	}
}

func TestSpoken(t *testing.T) {
	got := spoken(json.RawMessage(`{"file_path":"a.go","edits":[{"new_string":"b\nc"}],"n":1`))
	if diff := cmp.Diff([]string{"file_path", "a.go", "edits", "new_string", "b\nc", "n"}, got); diff != "" {
		t.Error(diff)
	}
}

// Whatever a session holds, a line that counts as seen stands in it, literally and
// in a row with others.
func FuzzLines(f *testing.F) {
	f.Add(numbers(file), file)
	f.Add("abc\nabc\nabc\nabc\n", "abc\nabc\nabc\n\n}\n")
	f.Add("+ one line\n+ two line\n- gone\n+ three line\n", "one line\ntwo line\nthree line\n")
	f.Fuzz(func(t *testing.T, body, text string) {
		w := newWindow()
		w.put("a.go", body)
		lines := strings.Split(text, "\n")
		run := 0
		for i, seen := range append(w.Lines("a.go", lines), false) {
			if seen {
				if run++; !strings.Contains(body, lines[i]) {
					t.Fatalf("%q counts as seen in %q", lines[i], body)
				}
				continue
			}
			if run > 0 && run < leastRun {
				t.Fatalf("a run of %d lines before line %d counts as seen", run, i)
			}
			run = 0
		}
	})
}
