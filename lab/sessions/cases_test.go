package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/lab/sessions/state"
	"github.com/satchel-dev/satchel/transcript"
)

// TestBeforeCompactions: what a session held before a compaction is a conversation
// of its own, and what the agent was sent after it another.
func TestBeforeCompactions(t *testing.T) {
	lines := []string{
		`{"type":"user","uuid":"1","sessionId":"s","message":{"role":"user","content":"first"}}`,
		`{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"id":"a","role":"assistant","content":[{"type":"text","text":"done"}]}}`,
		`{"type":"system","subtype":"compact_boundary","uuid":"3","parentUuid":null,"logicalParentUuid":"2","sessionId":"s","compactMetadata":{"trigger":"auto","preTokens":9}}`,
		`{"type":"user","uuid":"4","parentUuid":"3","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"summary"}}`,
		`{"type":"assistant","uuid":"5","parentUuid":"4","sessionId":"s","message":{"id":"b","role":"assistant","content":[{"type":"text","text":"on"}]}}`,
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.jsonl":   `{"file":"session.jsonl","repo":"o/r","split":"dev"}` + "\n",
		"session.jsonl": strings.Join(lines, "\n") + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ss, err := readSessions(dir, "dev")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range ss[0].conversations() {
		got = append(got, strings.Join(texts(c.Messages), " "))
	}
	if want := []string{"first done", "summary on"}; !slices.Equal(got, want) {
		t.Errorf("conversations = %q, want %q", got, want)
	}
}

// TestVocabulary: names of tools and fields, and what they are set to, are no names
// of the session; a name in a value is.
func TestVocabulary(t *testing.T) {
	call := transcript.Block{Type: transcript.Call, Name: "TodoWrite", Input: []byte(`{"max_tokens":4000,"todos":[{"taskId":"7","status":"in_progress","on":true}],"state":"completed","query":"parseAll"}`)}
	got := vocabulary([]transcript.Message{{Blocks: []transcript.Block{call}}})
	for name, want := range map[string]bool{
		"TodoWrite": true, "max_tokens": true, "4000": true, "taskId": true, "completed": true,
		"7": false, "in_progress": false, "parseAll": false, "true": false,
	} {
		if got[name] != want {
			t.Errorf("vocabulary holds %s: %v, want %v", name, got[name], want)
		}
	}
}

// TestMean: a session of many moments counts as one of few, and what a question
// does not ask for does not count.
func TestMean(t *testing.T) {
	s := func(file string, v float64) graded { return graded{file: file, row: row{S: v}} }
	all := []graded{s("a", 1), s("a", 1), s("a", 1), s("b", 0), s("b", math.NaN())}
	if got := mean(all, func(r *row) float64 { return r.S }); got != 0.5 {
		t.Errorf("mean = %v, want 0.5", got)
	}
	if got := mean(nil, func(r *row) float64 { return r.S }); !math.IsNaN(got) {
		t.Errorf("mean of none = %v, want NaN", got)
	}
}

// TestTable: a row for each packer at each budget, and one over all.
func TestTable(t *testing.T) {
	nothing := row{recall: &state.Recall{}, reading: &state.Reading{}, invalid: "empty"}
	var all []graded
	for _, p := range []string{"clear", "ours"} {
		for _, b := range []float64{0.1, 20000} {
			all = append(all, graded{file: "a", packer: p, budget: b, row: nothing})
		}
	}
	all = append(all, graded{file: "a", packer: "full", budget: math.Inf(1), row: nothing})
	var w strings.Builder
	printTable(&w, all, []float64{0.1, 20000})
	var heads []string
	width := 0
	for l := range strings.Lines(w.String()) {
		if f := strings.Fields(l); len(f) > 0 {
			heads = append(heads, strings.Join(f[:3], " "))
			width = max(width, len(l))
			if len(l) != width {
				t.Errorf("the line %q is %d wide, want %d", l, len(l), width)
			}
		}
	}
	want := []string{"packer budget n", "clear 10% 1", "ours 10% 1", "full - 1", "clear 20k 1", "ours 20k 1", "clear all 2", "ours all 2"}
	if !slices.Equal(heads, want) {
		t.Errorf("rows %q, want %q", heads, want)
	}
}
