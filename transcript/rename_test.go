package transcript

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestRename(t *testing.T) {
	const old, id = "0198c0de-0000-7000-8000-000000000001", "11111111-2222-4333-8444-555555555555"
	for _, test := range []struct{ name, in, want string }{
		{
			"codex",
			`{"type":"session_meta","payload":{"id":"OLD","session_id":"OLD","cwd":"/OLD"}}
{"type":"session_meta","payload":{"id":"origin of a fork"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"OLD"}]}}
{"type":"event_msg","payload":{"type":"x","thread_id":"OLD"}}
{"torn "OLD"`,
			`{"type":"session_meta","payload":{"id":"NEW","session_id":"NEW","cwd":"/OLD"}}
{"type":"session_meta","payload":{"id":"origin of a fork"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"OLD"}]}}
{"type":"event_msg","payload":{"type":"x","thread_id":"NEW"}}
{"torn "OLD"`,
		},
		{
			"gemini",
			`{"sessionId":"OLD","projectHash":"p","startTime":"2026-03-01T10:00:00Z"}
{"id":"1","type":"user","content":[{"text":"OLD"}]}
{"$set":{"sessionId":"OLD"}}
`,
			`{"sessionId":"NEW","projectHash":"p","startTime":"2026-03-01T10:00:00Z"}
{"id":"1","type":"user","content":[{"text":"OLD"}]}
{"$set":{"sessionId":"NEW"}}
`,
		},
		{
			"gemini, a document",
			`{"sessionId": "OLD", "projectHash": "p", "messages": [{"id":"1","type":"user","content":"OLD"}]}`,
			`{"sessionId": "NEW", "projectHash": "p", "messages": [{"id":"1","type":"user","content":"OLD"}]}`,
		},
		{
			"claude",
			`{"sessionId":"OLD","type":"user","uuid":"u","parentUuid":null,"message":{"role":"user","content":"OLD \"sessionId\":\"OLD\""}}
{"sessionId":"an earlier one","type":"user","uuid":"v","parentUuid":"u","message":{"role":"user","content":[{"type":"text","text":"x","sessionId":"OLD"}]}}
{"type":"summary","summary":"OLD","leafUuid":"OLD"}
{"type":"system","sessionId": "OLD" ,"uuid":"w","forkedFrom":{"sessionId":"OLD"}}
{"type":"user","sessionId":null}
{"sessionId":"torn`,
			`{"sessionId":"NEW","type":"user","uuid":"u","parentUuid":null,"message":{"role":"user","content":"OLD \"sessionId\":\"OLD\""}}
{"sessionId":"NEW","type":"user","uuid":"v","parentUuid":"u","message":{"role":"user","content":[{"type":"text","text":"x","sessionId":"OLD"}]}}
{"type":"summary","summary":"OLD","leafUuid":"OLD"}
{"type":"system","sessionId": "NEW" ,"uuid":"w","forkedFrom":{"sessionId":"OLD"}}
{"type":"user","sessionId":null}
{"sessionId":"torn`,
		},
		{
			"pi",
			`{"type":"session","version":3,"id":"OLD","cwd":"/OLD","parentSession":"/OLD.jsonl"}
{"type":"message","id":"OLD","parentId":null,"message":{"role":"user","content":[{"type":"text","text":"OLD"}]}}
`,
			`{"type":"session","version":3,"id":"NEW","cwd":"/OLD","parentSession":"/OLD.jsonl"}
{"type":"message","id":"OLD","parentId":null,"message":{"role":"user","content":[{"type":"text","text":"OLD"}]}}
`,
		},
	} {
		fill := strings.NewReplacer("OLD", old, "NEW", id)
		in := []byte(fill.Replace(test.in))
		before := bytes.Clone(in)
		got, err := Rename(in, id)
		if want := fill.Replace(test.want); err != nil || string(got) != want {
			t.Errorf("%s: Rename = %s, %v, want %s", test.name, got, err, want)
		}
		if !bytes.Equal(in, before) {
			t.Errorf("%s: Rename changed its input", test.name)
		}
	}
	for _, in := range []string{
		`{"sessionId":null,"type":"user","uuid":"u","message":{"role":"user","content":"x"}}`, // without an id
		`[{"role":"user","content":"x"}]`,                                                  // of no agent
		`{"type":"response_item","payload":{"type":"message","role":"user","content":[]}}`, // without an id
	} {
		if _, err := Rename([]byte(in), id); !errors.Is(err, ErrNoWriter) {
			t.Errorf("Rename(%s) = %v, want ErrNoWriter", in, err)
		}
	}
	if _, err := Rename([]byte("x"), id); !errors.Is(err, ErrFormat) {
		t.Errorf("Rename(x) = %v, want ErrFormat", err)
	}
}
