package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/satchel-dev/satchel/internal/world/sessions"
)

// trim makes a shorter copy of the session that is to be resumed, where its agent
// looks for it.
func (r *commandRun) trim(ctx context.Context) error {
	if r.f.resume == "" {
		return nil
	}
	from, err := r.namedSession(r.f.resume)
	if err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("--resume: read %s: %w", r.f.resume, cause(err))
	}
	f := trimFlags{budget: r.f.resumeBudget, output: from + ".trimmed", profile: string(profileDefault)}
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
	r.record.Resumed = &runResumed{From: from, To: f.output}
	r.session = id
	return nil
}

// copyOf finds the place of the copy, and makes the folder for it if the agent has
// a home.
func (r *commandRun) copyOf(ctx context.Context, from, seed string) (sessions.Copy, error) {
	s, err := r.readSession(ctx, from)
	if err != nil {
		return sessions.Copy{}, fmt.Errorf("--resume: %w", err)
	}
	if string(s.Format) != r.agent.Format {
		return sessions.Copy{}, &usageError{fmt.Errorf("--resume: %s is a session of %s, not of %s", r.f.resume, s.Format, r.agent.Format), "satchel session list names those of each agent"}
	}
	c, err := sessions.NewCopy(sessions.Query{Dir: r.dir, Getenv: r.getenv}, s.Format, from, s.Started, seed)
	var home *sessions.HomeError
	switch {
	case errors.Is(err, sessions.ErrNoCopy):
		return c, &usageError{fmt.Errorf("--resume: %s does not resume a file", r.agent.Name), "satchel session trim makes a shorter copy; put {session} where the command takes its name"}
	case errors.As(err, &home) && home.Project:
		return c, &hintError{fmt.Errorf("--resume: %w", err), "run " + r.agent.Name + " there once"}
	case err != nil:
		return c, fmt.Errorf("--resume: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o700); err != nil {
		return c, fmt.Errorf("--resume: make a folder for %s: %w", c.Path, cause(err))
	}
	return c, nil
}
