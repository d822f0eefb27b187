package hook_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	kept "github.com/satchel-dev/satchel/internal/session"
)

// TestEcho compacts a session of Claude Code by hand, which repeats to the model
// what was told before it: what must survive comes back once, by whichever way.
func TestEcho(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	const (
		pre      = `{"session_id":"s","transcript_path":"$DIR/t.jsonl","cwd":"$DIR","hook_event_name":"PreCompact","trigger":"TRIGGER","custom_instructions":"keep names"}`
		after    = `{"session_id":"s","transcript_path":"$DIR/t.jsonl","cwd":"$DIR","hook_event_name":"SessionStart","source":"compact"}`
		prompt   = `{"session_id":"s","transcript_path":"$DIR/t.jsonl","cwd":"$DIR","hook_event_name":"UserPromptSubmit","prompt":"PROMPT"}`
		boundary = `{"type":"system","subtype":"compact_boundary","content":"Conversation compacted"}` + "\n"
	)
	line := func(kind, before, text string) string {
		b, err := json.Marshal(map[string]any{"type": kind, "message": map[string]string{"role": "user", "content": before + text}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + "\n"
	}
	const stdout = "<local-command-stdout>Compacted PreCompact [satchel hook claude] completed successfully: "
	for _, tt := range []struct {
		name, trigger string
		shown         func(told string) string // what the transcript gains by the compaction
		start, next   bool                     // when what must survive comes back
	}{
		{"the client repeats it", "manual", func(told string) string { return boundary + line("user", stdout, told) }, false, false},
		{"it does not", "manual", func(string) string { return boundary }, false, true},
		{"it did, of the compaction before", "manual", func(told string) string { return boundary + line("user", stdout, told) + boundary }, false, true},
		{"the user quotes it", "manual", func(told string) string { return boundary + line("user", "", told) }, false, true},
		{"the model does", "manual", func(told string) string { return boundary + line("assistant", stdout, told) }, false, true},
		{"a line is torn", "manual", func(told string) string { l := line("user", stdout, told); return boundary + l[:len(l)/2] }, false, true},
		{"the client compacts by itself", "auto", func(string) string { return boundary }, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			text := strings.NewReplacer("$DIR", filepath.ToSlash(d.Dir), "$TOKEN", token).Replace(session)
			d.write("t.jsonl", text)
			e, err := d.open(t.Context(), d.Dir)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if _, _, err := e.Memory().Add(t.Context(), "the shop runs on sqlite", "", true, noon); err != nil {
				t.Fatal(err)
			}
			told, r := d.say("claude", "", strings.Replace(pre, "TRIGGER", tt.trigger, 1))
			if !strings.HasPrefix(told, kept.KeepMark) || !strings.Contains(told, "sqlite") || r.Snapshot == "" {
				t.Fatalf("the summary is told %q, %+v", told, r)
			}
			d.write("t.jsonl", text+tt.shown(told))
			say := func(when, input string, want bool) {
				t.Helper()
				answer, r := d.say("claude", "", input)
				if n := strings.Count(d.context(answer), "sqlite"); r.Error != "" || n != map[bool]int{true: 1}[want] {
					t.Errorf("%s: the note comes back %d times, want it %t: %+v", when, n, want, r)
				}
				if got := strings.Contains(answer, "Never touch the public API"); got != want {
					t.Errorf("%s: the user's words come back: %t, want %t", when, got, want)
				}
			}
			say("start", after, tt.start)
			say("next prompt", strings.Replace(prompt, "PROMPT", "thanks", 1), tt.next)
			say("the one after", strings.Replace(prompt, "PROMPT", "DialThroughProxy retries with backoff", 1), false)
		})
	}
}
