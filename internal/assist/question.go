package assist

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/text/hygiene"
)

// A QuestionRequest is a question about a repository.
type QuestionRequest struct {
	Question string
	Rev      string   // empty means the work tree
	Paths    []string // as in satchel.Request
}

// An Answered is the answer to a question: claims, and the lines that each rests on.
type Answered struct {
	Account
	Material
	Claims    []ask.Claim
	NotFound  []string // what was looked for in vain
	Unsourced int      // claims of which no citation stands where it says
	Taken     []hygiene.Taken
}

const (
	questionTurns  = 10
	questionBudget = 12_000 // tokens of the first prompt: the model may look further
)

// Ask answers a question from the repository. It is an error if the model gave no
// answer; one without any source is incomplete.
func (d *Desk) Ask(ctx context.Context, q QuestionRequest) (*Answered, error) {
	budget := d.budget()
	if d.Budget == 0 {
		budget = min(budget, questionBudget)
	}
	p, err := d.Engine.Pack(ctx, satchel.Request{Task: q.Question, Rev: q.Rev, Paths: q.Paths, Budget: budget, Fill: true})
	if err != nil {
		return nil, err
	}
	a, err := ask.Question(p, q.Question, ask.QuestionOptions{Budget: budget, Instructions: d.Instructions, Language: d.Language})
	if err != nil {
		return nil, err
	}
	v := &Answered{}
	v.add(a)
	run := d.run(&d.Top, "ask")
	run.Tools, run.Turns = d.Tools, d.turns(questionTurns)
	if d.Parallel != ParallelNever && d.Tools != nil {
		run.Parallel = d.parallel("ask")
	}
	run.Check = func(input json.RawMessage) error {
		_, err := ask.ReadAnswer(a, input)
		return err
	}
	out, err := run.Do(ctx, a)
	if err != nil {
		return v, err
	}
	answer, err := ask.ReadAnswer(a, out.Input)
	if len(answer.Claims)+len(answer.NotFound) == 0 {
		return v, fmt.Errorf("%w: %v", errNothing, err)
	}
	v.Incomplete = append(v.Incomplete, out.Why...)
	v.Unsourced = ask.CheckAnswer(&answer, d.lines(ctx, q.Rev))
	v.Claims, v.NotFound = answer.Claims, answer.NotFound
	hosts, err := d.Engine.History().Hosts(ctx)
	if err != nil {
		return v, err
	}
	v.clean(&hygiene.Guard{Hosts: append(hosts, hygiene.HostsOf(a.Shared)...)})
	if len(v.Claims) > 0 && v.Unsourced == len(v.Claims) {
		v.Incomplete = append(v.Incomplete, "no claim has a confirmed source")
	}
	v.Account = d.account(v.Incomplete)
	return v, nil
}

// lines returns the lines of files of a revision, as models were shown them.
func (d *Desk) lines(ctx context.Context, rev string) func(path string) ([]string, bool) {
	return func(path string) ([]string, bool) {
		text, ok := textOf(ctx, d.Engine, rev, path)
		return strings.Split(text, "\n"), ok
	}
}

// clean takes out of an answer what would act.
func (v *Answered) clean(guard *hygiene.Guard) {
	for i := range v.Claims {
		text, taken := guard.Text(v.Claims[i].Text)
		v.Claims[i].Text, v.Taken = text, append(v.Taken, taken...)
		for k := range v.Claims[i].Cites {
			c := &v.Claims[i].Cites[k]
			c.Path, _ = guard.Line(c.Path)
			c.Quote, _ = guard.Line(c.Quote)
		}
	}
	for i := range v.NotFound {
		text, taken := guard.Line(v.NotFound[i])
		v.NotFound[i], v.Taken = text, append(v.Taken, taken...)
	}
}
