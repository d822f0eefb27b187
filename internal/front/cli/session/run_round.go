package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/dialect/gitclaw"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/need"
	"github.com/satchel-dev/satchel/render"
)

// answer answers the requests of a round, and prepares the next one. again is false
// after the last round, and if the agent asked for nothing new.
func (r *commandRun) answer(ctx context.Context, found *need.Result) (again bool, err error) {
	round := &r.record.Rounds[len(r.record.Rounds)-1]
	var asks []string
	fresh := false
	for _, n := range found.Needs {
		asks = append(asks, n.String())
	}
	for _, b := range found.Bad {
		asks = append(asks, b.Text)
	}
	for _, ask := range asks {
		fresh = fresh || !r.asked[ask]
		r.asked[ask] = true
	}
	switch {
	case r.req.Round >= r.f.rounds:
		r.record.Open = asks
		r.tell("the agent still asks for %s after --rounds %d", list(asks), r.f.rounds)
		return false, nil
	case !fresh:
		r.record.Open = asks
		r.tell("the agent asks for nothing new: %s", list(asks))
		return false, nil
	}
	answers, err := r.engine.Answer(ctx, engine.AnswerRequest{
		Needs: found.Needs, Bad: found.Bad, More: found.More, Edit: r.req.Edit, Shown: r.shown,
		Budget: orNone(engine.AnswerBudget - r.tokens), Most: orNone(engine.MostAnswers - r.used),
	})
	if err != nil {
		return false, err
	}
	round.Answers = answers
	for i := range answers {
		x := &answers[i]
		if x.Refused != "" {
			r.tell("round %d: refused %s: %s", r.req.Round, x.Ask, x.Refused)
		} else {
			r.shown = append(r.shown, engine.SeenLines{Path: x.Path, From: x.From, To: x.To})
			r.tell("round %d: answered %s with %s tokens", r.req.Round, x.Ask, render.Thousands(x.Tokens))
		}
		r.tokens += x.Tokens
	}
	r.used += len(found.Needs) + len(found.Bad)
	r.req.Round++
	if r.agent != nil && found.Session != "" {
		r.session, r.req.Resumed, r.req.Answers = found.Session, true, answers
		return true, nil
	}
	r.req.Answers = append(r.req.Answers, answers...) // it remembers nothing
	r.req.Said = found.Said
	return true, nil
}

// orNone turns what is left into what a request calls a limit: there, 0 means the
// default.
func orNone(left int) int {
	if left <= 0 {
		return -1
	}
	return left
}

// list joins what was asked for, as far as people read.
func list(asks []string) string {
	const most = 5
	if len(asks) > most {
		return strings.Join(asks[:most], ", ") + fmt.Sprintf(" and %d more", len(asks)-most)
	}
	return strings.Join(asks, ", ")
}

// tell reports progress of the run, unless --quiet is set.
func (r *commandRun) tell(format string, args ...any) {
	r.Remark("%s", clean.Inline(fmt.Sprintf(format, args...)))
}

// snapshot keeps the prompt of a round, and returns its id.
func (r *commandRun) snapshot(ctx context.Context, p *engine.Prompt) string {
	if r.NoSnapshots() {
		return ""
	}
	entry, _, err := r.engine.Snapshots().Keep(ctx, r.req.Request, p.Pack, []byte(p.Text), r.Now(), r.Settings.Retention)
	switch {
	case errors.Is(err, engine.ErrNoArchive):
		if r.req.Round == 1 {
			r.tell("note: %v", err)
		}
	case err != nil:
		r.tell("note: no snapshot of round %d: %v", r.req.Round, err) // the work goes on
	default:
		r.tell("round %d: %s tokens, snapshot %s", r.req.Round, render.Thousands(p.Tokens), entry.ID)
	}
	return entry.ID
}

// keepRecord writes the record where it is wanted.
func (r *commandRun) keepRecord() error {
	if r.f.record != "" {
		if err := r.writeRecord(); err != nil {
			return err
		}
	}
	if r.JSON {
		return r.WriteJSON(&r.record)
	}
	return nil
}

// writeRecord writes the record into the file that -o names.
func (r *commandRun) writeRecord() error {
	return base.WriteFile(r.FromHere(r.f.record), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(&r.record)
	})
}

// pressure says how full the window of the resumed session was before the trim, as
// GITCLAW's orchestrator does.
func (r *commandRun) pressure(ctx context.Context) {
	if r.record.Resumed == nil || ctx.Err() != nil {
		return
	}
	c, err := r.census(ctx, r.record.Resumed.From)
	if err != nil {
		r.tell("note: %v", err)
		return
	}
	var f windowFlags
	w, err := f.find(r.app, c.model, c.session.Largest)
	if err != nil {
		r.tell("note: %v", err)
		return
	}
	p, err := recordings.PressureOf(c.stats, w)
	if err != nil {
		r.tell("note: %v", err)
		return
	}
	for line := range strings.Lines(gitclaw.PressureText(p, true)) {
		r.tell("%s", strings.TrimRight(line, "\n"))
	}
	if r.f.footer {
		r.foot(gitclaw.PressureComment(p))
	}
}

// foot appends a footer to the agent's answer: in the record, and behind what an
// agent printed that prints words.
func (r *commandRun) foot(footer string) {
	r.record.Answer = satchel.Clean("", r.said).String() + footer
	if footer == "" || r.JSON {
		return
	}
	if r.events {
		r.tell("note: the answer with the footer is in the record (-o, --json)")
		return
	}
	fmt.Fprintln(r.Out, footer)
}
