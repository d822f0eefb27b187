package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
)

// A ticket is a Source of a program that knows what its users reported.
type ticket struct{ text string }

func (t ticket) Offer(_ context.Context, sc *engine.Scene) (engine.Offer, error) {
	c := satchel.Candidate{Item: satchel.Item{
		Ref:   satchel.Ref{Kind: satchel.KindDoc, Path: "tickets/17"},
		Forms: []satchel.Form{{Detail: satchel.Full, Text: satchel.Clean("", t.text)}},
	}}
	c.Score.Add("the ticket of "+sc.Request().Task, 12)
	return engine.Offer{Candidates: []satchel.Candidate{c}}, nil
}

func Example_source() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(dir+"/retry.go", []byte("package retry\n\nfunc Again(n int) int { return n + 1 }\n"), 0o644); err != nil {
		panic(err)
	}

	ctx := context.Background()
	e, err := engine.Open(ctx, &engine.Options{Dir: dir, NoCache: true, Sources: []engine.Source{ticket{"It retries for ever.\n"}}})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	p, err := e.Pack(ctx, satchel.Request{Task: "fix Again in retry.go", Budget: 1000})
	if err != nil {
		panic(err)
	}
	for _, x := range p.Entries {
		fmt.Printf("%s: %q\n", x.Ref.Path, x.Text)
	}
	// Output:
	// retry.go: "package retry\n\nfunc Again(n int) int { return n + 1 }\n"
	// tickets/17: "It retries for ever.\n"
}

func TestGivenSourcesAreCleaned(t *testing.T) {
	dir := write(t, map[string]string{"retry.go": "package retry\n\nfunc Again(n int) int { return n + 1 }\n"})
	token := secretKey
	for name, tt := range map[string]struct {
		source engine.Source
		want   string // in the pack; "" is an error
	}{
		"a secret":       {ticket{"token = " + token + "\n"}, "[secret:github-token"},
		"a control":      {ticket{"red \x1b[31m\n"}, `\u{1b}`},
		"reasons":        {telling{"\x1b " + token + "\n"}, `\u{1b} [secret:github-token`},
		"no form":        {empty{}, ""},
		"one that fails": {failing{}, ""},
		"a Must":         {demanding{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := engine.Open(t.Context(), &engine.Options{Dir: dir, NoCache: true, Sources: []engine.Source{tt.source}})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			for _, budget := range []int{0, 900} {
				p, err := e.Pack(t.Context(), satchel.Request{Task: "fix Again", Budget: budget})
				if (err == nil) != (tt.want != "") {
					t.Fatalf("budget %d: error %v", budget, err)
				}
				if err != nil {
					continue
				}
				text := fmt.Sprint(p.Entries, p.Omitted)
				if !strings.Contains(text, tt.want) || strings.Contains(text, token) || strings.Contains(text, "\x1b") {
					t.Errorf("budget %d: want %q, and nothing else of it: %s", budget, tt.want, text)
				}
			}
		})
	}
}

// telling has reasons that tell what they should not.
type telling struct{ why string }

func (s telling) Offer(ctx context.Context, sc *engine.Scene) (engine.Offer, error) {
	o, err := ticket{"It retries.\n"}.Offer(ctx, sc)
	o.Candidates[0].Score.Add(s.why, 1)
	o.Omitted = []satchel.Omission{{Ref: satchel.Ref{Kind: satchel.KindDoc, Path: "tickets/18"}, Why: s.why}}
	return o, err
}

type empty struct{}

func (empty) Offer(context.Context, *engine.Scene) (engine.Offer, error) {
	return engine.Offer{Candidates: make([]satchel.Candidate, 1)}, nil
}

type demanding struct{}

func (demanding) Offer(_ context.Context, sc *engine.Scene) (engine.Offer, error) {
	var o engine.Offer
	o.Musts = append(o.Musts, sc.Must(satchel.Candidate{}, -1))
	return o, nil
}

type failing struct{}

func (failing) Offer(context.Context, *engine.Scene) (engine.Offer, error) {
	return engine.Offer{}, errors.New("no answer")
}
