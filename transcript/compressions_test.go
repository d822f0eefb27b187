package transcript_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/transcript"
)

// TestCompressions marks the lines that have to be found with a star.
func TestCompressions(t *testing.T) {
	const (
		head    = `{"sessionId":"s","projectHash":"h","kind":"main"}`
		context = `{"id":"c","type":"user","content":[{"text":"<session_context>"}]}`
		one     = `{"id":"s1","type":"user","content":[{"text":"<state_snapshot>one</state_snapshot>"}]}`
		again   = `{"id":"s9","type":"user","content":[{"text":"<state_snapshot>one</state_snapshot>"}]}`
		two     = `{"id":"s2","type":"user","content":[{"text":"<scratchpad>hm</scratchpad>\n\n<state_snapshot>two</state_snapshot>"}]}`
		got     = `{"id":"k","type":"gemini","content":[{"text":"Got it. Thanks for the additional context!"}]}`
		pasted  = `{"id":"p","type":"user","content":[{"text":"<state_snapshot>by me</state_snapshot>"}]}`
		quoted  = `{"id":"q","type":"gemini","content":"<state_snapshot>is what a compression leaves</state_snapshot>"}`
	)
	set := func(messages ...string) string { return `{"$set":{"messages":[` + strings.Join(messages, ",") + `]}}` }
	for _, tt := range []struct {
		name  string
		lines []string
	}{
		{"none", []string{head, set(context), pasted, quoted, set(context, pasted, quoted), `{"$set":{"lastUpdated":"state_snapshot"}}`}},
		{"two, repeated by what a resumed session writes", []string{head, set(context), "*" + set(context, one, got), quoted, set(context), set(context, one, got, quoted), set(context, again, got), "*" + set(context, two, got), set(context, two, got)}},
		{"one that holds an older one", []string{head, "*" + set(one, two)}},
		{"wrong types", []string{head, `{"$set":"state_snapshot"}`, `{"$set":{"messages":{"text":"<state_snapshot>"}}}`, `{"$set":{"messages":["<state_snapshot>",null,7]}}`, `{"$set":{"messages":[` + one, "*" + set(two)}},
		{"of another agent", []string{`{"type":"user","message":{"role":"user","content":"<state_snapshot>"},"uuid":"u1","sessionId":"s"}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var text strings.Builder
			var want []int64
			for _, line := range tt.lines {
				line, found := strings.CutPrefix(line, "*")
				if found {
					want = append(want, int64(text.Len()))
				}
				text.WriteString(line + "\n")
			}
			got, err := transcript.Compressions(strings.NewReader(text.String()), int64(text.Len()))
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("Compressions = %v, %v, want %v", got, err, want)
			}
		})
	}
}
