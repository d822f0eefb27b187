package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
)

// TestAutoBudget shows how a budget grows with the task, between its ends, in a
// pack, a prompt, and the pages of a pack.
func TestAutoBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r := grown(t, 1, 6)
	e := open(t, engine.Options{Dir: r.Dir, NoCache: true})
	auto := &satchel.Auto{Least: 1000, Most: 9000}
	for _, x := range []struct {
		what string
		req  satchel.Request
		over int // tokens that it gets more than
	}{
		{"no task", satchel.Request{}, 999},
		{"nothing of the repository", satchel.Request{Task: "zzyzx"}, 1000},
		{"a few words", satchel.Request{Task: "flush pending writes"}, 2000},
		{"an issue", satchel.Request{Task: task}, 4000},
		{"an issue with many files", satchel.Request{Task: task + strings.Repeat(" see pkg0/store0.go, pkg2/store0.go, pkg3/store0.go and pkg4/store0.go, which retry", 20)}, 6000},
		{"a change", satchel.Request{Changes: "HEAD^!"}, 2000},
	} {
		x.req.Auto, x.req.Budget = auto, 60 // which is not heeded
		p, err := e.Pack(context.Background(), x.req)
		if err != nil {
			t.Fatalf("%s: %v", x.what, err)
		}
		if p.Budget <= x.over || p.Budget > auto.Most || p.Used > p.Budget {
			t.Errorf("%s: %d tokens of %d, want more than %d and at most %d", x.what, p.Used, p.Budget, x.over, auto.Most)
		}
		fixed := x.req
		fixed.Auto, fixed.Budget = nil, p.Budget
		if q, err := e.Pack(context.Background(), fixed); err != nil || rendered(t, p, "md") != rendered(t, q, "md") {
			t.Errorf("%s: the pack of %d tokens is another one (%v)", x.what, p.Budget, err)
		}
		paged, _, err := e.PackPage(context.Background(), x.req, "")
		if err != nil || paged.Budget != p.Budget {
			t.Errorf("%s: a page: %v, %v", x.what, paged, err)
		}
	}

	p, err := e.Prompt(context.Background(), engine.PromptRequest{Request: satchel.Request{Task: task, Auto: auto}, Round: 1, Rounds: 1})
	if err != nil || p.Tokens <= auto.Least || p.Tokens > auto.Most {
		t.Errorf("Prompt = %v, %v", p, err)
	}
	for _, a := range []satchel.Auto{{}, {Least: 5}, {Least: -1, Most: 5}, {Least: 6, Most: 5}, {Least: 1, Most: 1 << 40}} {
		if _, err := e.Pack(context.Background(), satchel.Request{Task: task, Auto: &a}); err == nil {
			t.Errorf("%+v: no error", a)
		}
	}
}
