package transcript

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// opencodeTwice is a session of two prompts, whose second one may be taken back.
const opencodeTwice = `{"info":{"id":"ses_1","slug":"s","directory":"/w","version":"1.18.33","time":{"created":1000,"updated":9000}REVERT},"messages":[
{"info":{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":1000}},"parts":[{"id":"prt_1","sessionID":"ses_1","messageID":"msg_1","type":"text","text":"read a"}]},
{"info":{"id":"msg_2","sessionID":"ses_1","role":"assistant","parentID":"msg_1","modelID":"m","providerID":"p","time":{"created":2000,"completed":2100}},"parts":[{"id":"prt_2","sessionID":"ses_1","messageID":"msg_2","type":"tool","callID":"c1","tool":"read","state":{"status":"completed","input":{"path":"a"},"output":"a long result","title":"","metadata":{},"time":{"start":1,"end":2}}}]},
{"info":{"id":"msg_3","sessionID":"ses_1","role":"user","time":{"created":3000}},"parts":[{"id":"prt_3","sessionID":"ses_1","messageID":"msg_3","type":"text","text":"go on"}]},
{"info":{"id":"msg_4","sessionID":"ses_1","role":"assistant","parentID":"msg_3","modelID":"m","providerID":"p","time":{"created":4000,"completed":4100}},"parts":[{"id":"prt_4","sessionID":"ses_1","messageID":"msg_4","type":"text","text":"Done."}]}
]}
`

// TestOpenCodeRenewed: what cannot be added to a session as a compaction is a session
// of its own. opencode leaves a message whose id it has as it was, and sorts by time.
func TestOpenCodeRenewed(t *testing.T) {
	for _, tt := range []struct {
		name, revert string
		summary      bool
		want         []string // role and text or result, in order
	}{
		{"shortened only", "", false, []string{"user read a", "assistant short", "user go on", "assistant Done."}},
		{"taken back", `,"revert":{"messageID":"msg_3"}`, true, []string{"user ", "assistant what was", "user read a", "assistant short"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := []byte(strings.Replace(opencodeTwice, "REVERT", tt.revert, 1))
			ms := slices.Clone(readOnly(t, data).Messages)
			ms[2].Blocks = []Block{{Type: Result, ID: "c1", Name: "read", Text: "short"}}
			if tt.summary {
				ms = slices.Insert(ms, 0, Message{Role: User, Kind: Summary, Blocks: []Block{{Type: Text, Text: "what was"}}})
			}
			var out bytes.Buffer
			if err := Write(&out, bytes.NewReader(data), int64(len(data)), &Rewrite{Messages: ms}); err != nil {
				t.Fatal(err)
			}
			info := field(out.Bytes(), "info")
			session := str(field(info, "id"))
			if session == "ses_1" || !strings.HasPrefix(session, "ses_") || field(info, "revert") != nil || str(field(info, "directory")) != "/w" {
				t.Errorf("the session is %s", info)
			}
			var got, ids []string
			last, asked := "", ""
			for it := walk(field(out.Bytes(), "messages")); it.next(); {
				own := field(it.val, "info")
				id, role := str(field(own, "id")), str(field(own, "role"))
				at := string(path(own, "time", "created"))
				if len(at) < len(last) || len(at) == len(last) && at <= last {
					t.Errorf("%s is of %s, the one before of %s", id, at, last)
				}
				if last = at; role == "user" {
					asked = id
				} else if parent := str(field(own, "parentID")); parent != asked {
					t.Errorf("%s answers %q, want %q", id, parent, asked)
				}
				ids = append(ids, id)
				text := ""
				for p := walk(field(it.val, "parts")); p.next(); {
					text += str(field(p.val, "text")) + str(path(p.val, "state", "output"))
					ids = append(ids, str(field(p.val, "id")))
					if m, s := str(field(p.val, "messageID")), str(field(p.val, "sessionID")); m != id || s != session {
						t.Errorf("a part of %s in %s says that it is one of %s in %s", id, session, m, s)
					}
				}
				if s := str(field(own, "sessionID")); s != session {
					t.Errorf("%s is one of session %s, want %s", id, s, session)
				}
				got = append(got, role+" "+text)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("messages %q, want %q", got, tt.want)
			}
			all := len(ids)
			slices.Sort(ids)
			if len(slices.Compact(ids)) != all || slices.ContainsFunc(ids, func(id string) bool { return bytes.Contains(data, []byte(`"`+id+`"`)) }) {
				t.Errorf("ids are not new: %q", ids)
			}
		})
	}
}
