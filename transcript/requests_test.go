package transcript_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/transcript"
)

// hashed is the hash of canonical JSON.
func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// A recorder writes the records of requests as Claude Code does: keys in any
// order, with white space, in the middle of others.
type recorder struct{ strings.Builder }

func (r *recorder) line(format string, args ...any) { fmt.Fprintf(&r.Builder, format+"\n", args...) }

const (
	shape   = `{"system":[{"text":"You are an agent.","type":"text"}],"tools":[{"name":"Read"}]}`
	asked   = `{"content":[{"text":"why <ä>   \u2028?","type":"text"}],"role":"user"}`
	said    = `{"content":[{"text":"Look.","type":"text"},{"id":"c","input":{"a":1.50,"b":[]},"name":"Read","type":"tool_use"}],"role":"assistant"}`
	results = `{"content":[{"content":"x","tool_use_id":"c","type":"tool_result"}],"role":"user"}`
)

func recorded() *recorder {
	r := new(recorder)
	r.line(`{"type":"user","message":{"role":"user","content":"why?"},"uuid":"u","sessionId":"s","parentUuid":null}`)
	r.line(`{"type":"api-request-shape","shapeHash":%q,"shape":{ "tools" : [{"name":"Read"}], "system":[{"type":"text","text":"You are an agent."}]}}`, hashed(shape))
	r.line(`{"type":"api-request-blob","hash":%q,"message":{"role":"user","content":[{"type":"text","text":"why <ä>   \u2028?"}]}}`, hashed(asked))
	r.line(`{"type":"api-request","id":"one","timestamp":"2026-01-05T09:00:00.000Z","shapeHash":%q,"params":{"model":"m"},"keep":0,"tail":[%q]}`, hashed(shape), hashed(asked))
	r.line(`{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"Look."}]},"requestRef":"one"}`)
	r.line(`{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"c","name":"Read","input":{"b":[],"a":1.50}}]},"requestRef":"one"}`)
	r.line(`{"type":"api-request-blob","hash":%q,"message":%s}`, hashed(results), results)
	r.line(`{"type":"api-request","id":"two","shapeHash":%q,"params":{"model":"m"},"base":"one","keep":1,"tail":[%q,{"hash":%q}]}`, hashed(shape), hashed(said), hashed(results))
	return r
}

func requests(t *testing.T, text string) []transcript.Request {
	t.Helper()
	list, _, err := transcript.Requests(strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestRequests(t *testing.T) {
	list := requests(t, recorded().String())
	if len(list) != 2 || list[1].ID != "two" || list[1].Model != "m" || len(list[1].Messages) != 3 {
		t.Fatalf("%+v", list)
	}
	for i, want := range []string{asked, said, results} {
		if m := list[1].Messages[i]; string(m.JSON) != want || m.Hash != hashed(want) {
			t.Errorf("message %d: %s\nwant %s", i, m.JSON, want)
		}
	}
	if got := `{"system":` + string(list[0].System) + `,"tools":` + string(list[0].Tools) + `}`; got != shape {
		t.Errorf("shape %s", got)
	}
	if !strings.Contains(list[0].Diagnostics[0].Text, "does not record") {
		t.Errorf("%+v", list[0].Diagnostics)
	}
}

// TestRequestsProven changes one thing each: what no hash proves any more is
// missing, is said to be, and is never something else.
func TestRequestsProven(t *testing.T) {
	good := recorded().String()
	for _, tt := range []struct{ name, old, new, note string }{
		{"a message was changed", "why <ä>", "why <o>", "1 of 3 messages"},
		{"an answer was changed", `"text":"Look."`, `"text":"Look!"`, "1 of 3 messages"},
		{"a number is written otherwise", `"a":1.50}}]},"requestRef"`, `"a":1.5}}]},"requestRef"`, "1 of 3 messages"},
		{"tools were added", `[{"name":"Read"}], "system"`, `[{"name":"Reap"}], "system"`, "the system prompt and the tools are not recorded"},
		{"the base is gone", `"base":"one"`, `"base":"none"`, "the request that it builds on is not recorded"},
		{"more is kept than there was", `"keep":1`, `"keep":2`, "the request that it builds on is not recorded"},
		{"a blob is torn", `"hash":"` + hashed(results) + `","message":`, `"hash":"` + hashed(results) + `","message":{`, "1 of 3 messages"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(good, tt.old, tt.new, 1)
			if text == good {
				t.Fatal("nothing was changed")
			}
			list := requests(t, text)
			two := list[len(list)-1]
			notes := fmt.Sprint(two.Diagnostics)
			if !strings.Contains(notes, tt.note) {
				t.Errorf("notes %s, want %q", notes, tt.note)
			}
			proven(t, list)
		})
	}
	if _, _, err := transcript.Requests(strings.NewReader("{}\n"), 3); !errors.Is(err, transcript.ErrNoRequests) {
		t.Errorf("%v", err)
	}
}

// proven checks that whatever is there has the hash that was asked for.
func proven(t *testing.T, list []transcript.Request) {
	t.Helper()
	for _, r := range list {
		for _, m := range r.Messages {
			if m.JSON != nil && hashed(string(m.JSON)) != m.Hash {
				t.Errorf("request %s: %s has not the hash %s", r.ID, m.JSON, m.Hash)
			}
		}
		if r.System != nil && r.Tools != nil && hashed(`{"system":`+string(r.System)+`,"tools":`+string(r.Tools)+`}`) != r.Shape {
			t.Errorf("request %s: its shape has not the hash %s", r.ID, r.Shape)
		}
	}
}

// FuzzRequests has the law of proven, and that what is there is JSON.
func FuzzRequests(f *testing.F) {
	f.Add([]byte(recorded().String()))
	f.Add([]byte(`{"type":"api-request","id":"a","keep":-1,"base":"a","tail":[[[[`))
	f.Add(bytes.Repeat([]byte(`{"type":"api-request","id":"a","keep":1,"tail":["x"]}`+"\n"), 20))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, _, err := transcript.Requests(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return
		}
		for _, r := range list {
			for _, m := range r.Messages {
				if m.JSON != nil && hashed(string(m.JSON)) != m.Hash {
					t.Errorf("%s has not the hash %s", m.JSON, m.Hash)
				}
			}
			_ = json.Valid(r.Params)
		}
	})
}
