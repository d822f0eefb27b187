package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/dialect/gitclaw"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// talk is a long conversation whose every text holds a secret; the blocks of a
// private key are so long that no digest shows the whole of it.
func talk(n int) []transcript.Message {
	var key strings.Builder
	key.WriteString("-----BEGIN RSA PRIVATE KEY-----\n")
	for i := range 20 {
		fmt.Fprintf(&key, "%s%02d\n", strings.Repeat("MIIEpAIBAAKC", 5), i)
	}
	key.WriteString("-----END RSA PRIVATE KEY-----\n")
	token := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	var ms []transcript.Message
	for i := range n {
		id := fmt.Sprintf("c%d", i)
		in, err := json.Marshal(map[string]string{"command": "curl -H 'Authorization: token " + token + "' part" + id})
		if err != nil {
			panic(err)
		}
		ms = append(ms,
			transcript.Message{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: fmt.Sprintf("Use %s for part %d. %s", token, i, strings.Repeat("Really. ", 200))}}},
			transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer, Blocks: []transcript.Block{
				{Type: transcript.Thinking, Text: "PONDERING " + token}, {Type: transcript.Text, Text: "Fetching with " + token},
				{Type: transcript.Call, ID: id, Name: "bash", Input: in}}},
			transcript.Message{Role: transcript.User, Kind: transcript.Results, Blocks: []transcript.Block{{Type: transcript.Result, ID: id, Text: key.String() + "done " + token}}})
	}
	return append(ms, transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer, Blocks: []transcript.Block{{Type: transcript.Text, Text: "All parts are there."}}})
}

// TestAskForSummary shows what is sent: within the limit, no secret nor a part
// of one, no thinking.
func TestAskForSummary(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	for _, n := range []int{3, 30, 300} {
		in := talk(n)
		before := fmt.Sprint(in)
		for _, cut := range []trim.Cut{trim.Trim, gitclaw.Trim} {
			budget := max(trim.Estimate(in)/3, 1500)
			r, err := session.AskForSummary(in, trim.Options{Budget: budget}, cut, session.SummaryLimits{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Prompt) > 124<<10 {
				t.Errorf("%d messages: %d bytes are sent", len(in), len(r.Prompt))
			}
			for _, bad := range []string{"ghp_", "292c6912E7710", "MIIEpAIB", "PONDERING"} {
				if i := strings.Index(r.Prompt, bad); i >= 0 {
					t.Errorf("%d messages: %q is sent: …%s…", len(in), bad, r.Prompt[max(0, i-60):min(len(r.Prompt), i+60)])
				}
			}
			if !strings.Contains(r.Prompt, "[secret:github-token") || !strings.Contains(r.Prompt, "Agent: All parts are there.") || r.Redacted == 0 {
				t.Errorf("%d messages: the prompt lacks what it should hold: %s", len(in), r.Prompt)
			}
		}
		if fmt.Sprint(in) != before {
			t.Fatal("the messages were changed")
		}
	}
	for _, budget := range []int{0, 399, 1 << 30} {
		if _, err := session.AskForSummary(talk(2), trim.Options{Budget: budget}, trim.Trim, session.SummaryLimits{}); !errors.Is(err, session.ErrNothingToSummarize) {
			t.Errorf("budget %d: error %v, want ErrNothingToSummarize", budget, err)
		}
	}
}

type scripted func(ctx context.Context) (string, error)

func (s scripted) Ask(ctx context.Context, _ *llm.Call, _ func(llm.Delta)) (*llm.Answer, error) {
	text, err := s(ctx)
	if err != nil {
		return nil, err
	}
	return &llm.Answer{Stop: llm.StopEnd, Message: transcript.Message{Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}}}, nil
}

func TestSummarize(t *testing.T) {
	in := talk(10)
	o := trim.Options{Budget: 2500}
	plain, err := trim.Trim(in, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, answer string
		err          error
		note         string // empty means that the answer is on top
	}{
		{"an answer", "Goal: all parts.", nil, ""},
		{"with controls", "Goal:\x1b[31m all parts.\u202e", nil, ""},
		{"with what shows nothing", "Goal:\U000e0148 all\u3164parts.", nil, ""},
		{"with a secret", "Goal: use ghp_" + "x7Kq2mVtB9sLr4WnYc6HdJ3pFzGa8RvTeQ1u", nil, ""},
		{"an error", "", errors.New("no answer within 60s"), "no model summary: no answer within 60s"},
		{"nothing", " \n", nil, "no model summary: the model's answer is empty"},
		{"nothing that shows", "\x1b\u200b \u3164", nil, "no model summary: the model's answer is empty"},
		{"too much", strings.Repeat("all parts ", 600), nil, "and there is room for 500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, err := session.Summarize(t.Context(), in, o, trim.Trim, scripted(func(context.Context) (string, error) { return tt.answer, tt.err }), "m-1", session.SummaryLimits{})
			if err != nil {
				t.Fatal(err)
			}
			top := res.Messages[0].Blocks[0].Text
			if tt.note == "" {
				if len(res.Diagnostics) != len(plain.Diagnostics) || !strings.Contains(top, "## Summary by m-1; it may be wrong") || !strings.Contains(top, "\nGoal:") || strings.ContainsAny(top, "\x1b\u202e\u3164\U000e0148") || strings.Contains(top, "x7Kq2mVt") {
					t.Errorf("diagnostics %v, digest %q", res.Diagnostics, top)
				}
				return
			}
			if len(res.Diagnostics) == 0 || !strings.Contains(res.Diagnostics[len(res.Diagnostics)-1].Text, tt.note) || top != plain.Messages[0].Blocks[0].Text {
				t.Errorf("diagnostics %v, want %q; digest %q", res.Diagnostics, tt.note, top)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = session.Summarize(ctx, in, o, trim.Trim, scripted(func(context.Context) (string, error) { cancel(); return "", ctx.Err() }), "m-1", session.SummaryLimits{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: error %v", err)
	}
}

// TestSummaryLimits: GITCLAW asks a model about more than five turns, and keeps of
// its answer what its share of the budget holds.
func TestSummaryLimits(t *testing.T) {
	in := talk(12)
	o := trim.Options{Budget: max(trim.Estimate(in)/3, 1500)}
	asked := 0
	long := scripted(func(context.Context) (string, error) {
		asked++
		return strings.Repeat("Goal: fetch all parts.\n", 300), nil
	})
	for _, tt := range []struct {
		l     session.SummaryLimits
		asked int
		note  string
	}{
		{session.SummaryLimits{Room: 200, Above: 5, Cut: true}, 1, ""},
		{session.SummaryLimits{Room: 200, Above: 5}, 1, "there is room for 200"},
		{session.SummaryLimits{Room: 200, Above: len(in), Cut: true}, 0, "no model summary: there are 27 turns, and up to 37 need no model"},
	} {
		asked = 0
		res, err := session.Summarize(t.Context(), in, o, gitclaw.Trim, long, "m-1", tt.l)
		if err != nil {
			t.Fatal(err)
		}
		var notes []string
		for _, d := range res.Diagnostics {
			notes = append(notes, d.Text)
		}
		said := strings.Contains(fmt.Sprint(res.Messages[0].Blocks[0].Text), "Goal: fetch all parts.")
		if all := strings.Join(notes, "; "); asked != tt.asked || !strings.Contains(all, tt.note) || said != (tt.note == "") || tt.note == "" && all != "" {
			t.Errorf("%+v: asked %d times, %q, with the model's words: %v", tt.l, asked, all, said)
		}
		if n := trim.Estimate(res.Messages); n > o.Budget {
			t.Errorf("%+v: %d tokens, the budget is %d", tt.l, n, o.Budget)
		}
	}
}
