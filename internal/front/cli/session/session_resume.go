package session

import (
	"errors"
	"fmt"

	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/transcript"
)

// placeCopy finds where the agent of a session looks for the trimmed copy, if one
// is to be resumed.
func (a *app) placeCopy(t *trimRun, f *trimFlags) error {
	if !f.resume {
		return nil
	}
	if t.name == base.StdinSession {
		return base.Usagef("--resume: standard input is not in the folder of an agent; name the session")
	}
	seed := fmt.Sprintf("%s\x00%s\x00%d\x00%s", t.name, t.session.ID, t.size, f.budget)
	c, err := sessions.NewCopy(sessions.Query{Dir: a.Dir, Getenv: a.Getenv}, t.session.Format, t.name, t.session.ID, t.session.Started, seed)
	if errors.Is(err, sessions.ErrNoCopy) {
		hint := "-o FILE writes the copy to a file"
		if t.session.Format == transcript.OpenCode {
			hint += ", and opencode import FILE loads it"
		}
		return base.Usage(fmt.Errorf("--resume: %s sessions cannot be resumed from a copy", t.session.Format), hint)
	}
	if err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	f.copy, f.output, f.rename, t.inPlace = &c, c.Path, c.Session, true
	return nil
}

// resumedAsIs returns the name by which the agent resumes the session itself, if nothing
// was cut. It returns "" if a copy is needed.
func (a *app) resumedAsIs(t *trimRun, f *trimFlags) string {
	if !f.resume || t.result.Changed {
		return ""
	}
	name := sessions.Resumed(sessions.Query{Dir: a.Dir, Getenv: a.Getenv}, t.session.Format, t.name, t.session.ID)
	agent := agents.ByFormat(string(t.session.Format))
	if (agent == nil || !resumesFiles(agent) || !agent.Sessions.Copy.ByPath) && !base.SessionID().MatchString(name) {
		return "" // what a file calls itself could be a flag of the agent
	}
	return name
}

// resumeText returns the command that resumes the result, or a hint about it. It returns
// "" if the agent cannot resume it.
func (a *app) resumeText(t *trimRun, f *trimFlags) string {
	agent := agents.ByFormat(string(t.session.Format))
	file := f.given("output") && f.output != "-" && f.format == ""
	switch {
	case agent == nil || agent.Resume == nil:
		return ""
	case f.asIs != "":
		return "resume it with: " + base.ShellWords(agent.Resume([]string{agent.Name}, f.asIs))
	case f.copy != nil:
		return "resume it with: " + base.ShellWords(agent.Resume([]string{agent.Name}, f.copy.ID))
	case !file || !resumesFiles(agent):
		return ""
	case agent.Sessions.Copy.ByPath:
		return "resume it with: " + base.ShellWords(agent.Resume([]string{agent.Name}, a.FromHere(f.output)))
	}
	return "hint: use --resume instead of -o, and " + agent.Name + " can resume it"
}
