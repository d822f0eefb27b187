package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/satchel-dev/satchel/dialect/gitclaw"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// trim makes a shorter copy of the session that is to be resumed, where its agent
// looks for it.
func (r *commandRun) trim(ctx context.Context) error {
	if r.f.resume == "" {
		return nil
	}
	from, err := r.NamedSession(r.f.resume)
	if err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("--resume: read %s: %w", r.f.resume, fsx.Cause(err))
	}
	f := trimFlags{budget: r.f.resumeBudget, output: from + ".trimmed", profile: r.f.profile, summarize: r.f.summarize}
	if slices.Contains(r.f.told, "summarize") {
		f.told = append(f.told, "summarize")
	}
	if r.plan != nil {
		// The session is cut to what the plan gives it as soon as it takes more,
		// whatever the plan says of compression: so does the orchestrator.
		f.told = append(f.told, "trigger")
		f.report = r.logTrim
		if slices.Contains(r.f.told, "resume-budget") {
			f.told = append(f.told, "budget")
		}
	}
	id := ""
	if r.agent != nil {
		c, err := r.copyOf(ctx, from, string(text)+r.f.resumeBudget)
		if err != nil {
			return err
		}
		f.format, f.output, f.rename, id = r.agent.Format, c.Path, c.Session, c.ID
	}
	if err := r.sessionTrim(ctx, &f, []string{from}); err != nil {
		return err
	}
	r.tell("the trimmed session is %s", f.output)
	r.record.Resumed = &base.RunResumed{From: from, To: f.output}
	r.session = id
	return nil
}

// divide reads how the profile gitclaw divides the window, and holds the prompt to
// what of it is neither the session's nor the response's.
func (r *commandRun) divide() error {
	p, err := parseProfile(r.f.profile)
	if err != nil || p != profileGitClaw {
		return err
	}
	var w windowFlags
	if r.plan, err = w.readPlan(r.app); err != nil {
		return err
	}
	if r.plan == nil {
		plan := gitclaw.DefaultPlan()
		r.plan = &plan
	}
	most := r.plan.Prompt()
	if most == 0 {
		return fmt.Errorf("%s allocates nothing to prompts", w.file)
	}
	if b := &r.req.Budget; *b == 0 || *b > most {
		*b = most
	}
	if a := r.req.Auto; a != nil {
		a.Least, a.Most = min(a.Least, most), min(a.Most, most)
	}
	if n := tokens.O200k().Count(r.req.Task); n > r.plan.Task() {
		r.tell("note: the task takes %s tokens, and the plan gives %s to currentPrompt", render.Thousands(n), render.Thousands(r.plan.Task()))
	}
	return nil
}

// logTrim says of a session that is resumed what GITCLAW's orchestrator logs.
func (r *commandRun) logTrim(t *trimRun) {
	before, after := t.result.Before, t.result.After
	if t.inModelTokens {
		before, after = t.inWindow().Tokens(before), t.after
	}
	for _, line := range gitclaw.Log(t.window.Tokens, t.limit, before, after, t.result.Changed) {
		r.tell("%s", line)
	}
}

// copyOf finds the place of the copy, and makes the folder for it if the agent has
// a home.
func (r *commandRun) copyOf(ctx context.Context, from, seed string) (sessions.Copy, error) {
	s, err := r.readSession(ctx, from)
	if err != nil {
		return sessions.Copy{}, fmt.Errorf("--resume: %w", err)
	}
	if string(s.Format) != r.agent.Format {
		return sessions.Copy{}, base.Usage(fmt.Errorf("--resume: %s is a session of %s, not of %s", r.f.resume, s.Format, r.agent.Format), "satchel session list shows the agent of each session")
	}
	c, err := sessions.NewCopy(sessions.Query{Dir: r.Dir, Getenv: r.Getenv}, s.Format, from, s.ID, s.Started, seed)
	var home *sessions.HomeError
	switch {
	case errors.Is(err, sessions.ErrNoCopy):
		return c, base.Usage(fmt.Errorf("--resume: %s cannot resume a file", r.agent.Name), "satchel session trim makes a shorter copy; put {session} where the command takes its name")
	case errors.As(err, &home) && home.Project:
		return c, base.Hint(fmt.Errorf("--resume: %w", err), "run "+r.agent.Name+" there once")
	case err != nil:
		return c, fmt.Errorf("--resume: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o700); err != nil {
		return c, fmt.Errorf("--resume: make a folder for %s: %w", c.Path, fsx.Cause(err))
	}
	return c, nil
}
