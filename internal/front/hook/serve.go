package hook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/render"
)

// A reply is the answer to one event of a session.
type reply struct {
	o  *Options
	r  *Report
	c  *client
	ev *event
	e  *engine.Engine
	id string // of the session among those of all clients; "" if unknown
}

func (s *reply) serve(ctx context.Context) error {
	switch s.ev.kind {
	case agents.Prompt:
		return s.prompt(ctx)
	case agents.BeforeTool:
		return s.warn(ctx, false)
	case agents.AfterTool:
		return s.tool(ctx)
	case agents.Start:
		return s.start(ctx)
	case agents.BeforeCompact:
		return s.beforeCompact(ctx)
	case agents.MaybeCompact:
		return s.maybeCompact(ctx)
	case agents.AfterCompact:
		return s.e.Sessions().End(ctx, s.id, true, s.o.Now)
	}
	return nil
}

// prompt adds context to a prompt, and text that must return after a compaction that
// no other event reported in time.
func (s *reply) prompt(ctx context.Context) error {
	limit := cmp.Or(s.o.Characters, session.DefaultCharacters)
	if s.c.Quiet {
		if err := s.compressed(ctx); err != nil {
			s.r.Error = err.Error() // the prompt is answered all the same
		}
		s.r.Why = ""
	}
	back := ""
	if s.c.Pends || s.c.Echoes {
		// It has a share of the room, however little the rest may have.
		share := session.DefaultCharacters * backShare / 100
		back, _ = s.e.Sessions().Pending(ctx, s.compaction(share), func() bool { return echoed(s.ev.transcript) })
		limit = min(limit, session.DefaultCharacters-render.Characters(back))
	}
	if limit <= 0 {
		s.r.Why = cmp.Or(s.o.Silent, "switched off")
		s.say(back)
		return nil
	}
	p, err := s.e.Aside(ctx, engine.AsideRequest{Session: s.id, Prompt: s.ev.prompt, Transcript: s.ev.transcript, Characters: limit, Now: s.o.Now})
	if outdated(err) {
		s.refresh()
	}
	if err != nil {
		s.say(back)
		return errors.Join(err, s.record(nil, err))
	}
	s.r.Match, s.r.Relevance, s.r.Why = p.Match, p.Relevance, p.Why
	s.say(join(back, p.Text))
	return errors.Join(p.Given(ctx, s.o.Now), s.record(p, nil))
}

// record keeps what a prompt was given for the user, after it was given.
func (s *reply) record(p *engine.Aside, failed error) error {
	g := session.Given{Time: s.o.Now, Client: s.o.Client, Session: s.ev.session, Prompt: s.ev.prompt}
	if p == nil {
		g.Why = fmt.Sprint(failed)
	} else {
		g.Match, g.MatchWhy, g.Why = p.Match, p.MatchWhy, p.Why
		g.Show(p.Entries)
	}
	return s.e.Sessions().RecordPrompt(g, s.o.Keep)
}

// backShare is how much of the room beside a prompt what must come back may take,
// in percent.
const backShare = 60

func (s *reply) tool(ctx context.Context) error {
	u := s.ev.use
	u.Session, u.Dir, u.Now = s.id, s.ev.dir, s.o.Now
	_, err := s.e.Sessions().UseTool(ctx, u)
	return errors.Join(err, s.warn(ctx, true))
}

// warn tells the agent that a file it changes is read-only, if the event has a place
// for it.
func (s *reply) warn(ctx context.Context, done bool) error {
	if !s.c.Warned {
		return nil
	}
	u := s.ev.use
	u.Dir = s.ev.dir
	text, err := s.e.Sessions().Forbids(ctx, u, done)
	s.say(text)
	return err
}

func (s *reply) start(ctx context.Context) error {
	if s.ev.source == sourceCompact {
		text, err := s.e.Sessions().AfterCompaction(ctx, s.compaction(0))
		s.say(text)
		return err
	}
	if s.c.Warned {
		text, err := s.e.Sessions().Forbidden(ctx)
		s.say(text)
		if err != nil {
			s.r.Error = err.Error()
		}
	}
	var err error
	if s.ev.source != sourceResume {
		// Its window is empty, or new.
		err = s.e.Sessions().End(ctx, s.id, false, s.o.Now)
	}
	if s.o.Refresh == nil {
		s.r.Why = s.o.Silent // nor is the folder looked at, which may be large
		return err
	}
	if ready := s.e.Index().Ready(ctx); ready != nil {
		s.r.Why = ready.Error()
		if outdated(ready) {
			s.refresh()
		}
	}
	return err
}

func (s *reply) beforeCompact(ctx context.Context) error {
	r := s.compaction(0)
	r.Echoed = s.c.Echoes && s.ev.trigger == triggerManual
	text, err := s.e.Sessions().BeforeCompaction(ctx, r)
	s.say(text)
	return errors.Join(err, s.snapshot(ctx, 0))
}

// compaction returns a request about this session with a limit of characters; 0 means
// session.DefaultCharacters.
func (s *reply) compaction(characters int) session.CompactionRequest {
	return session.CompactionRequest{Session: s.id, Transcript: s.ev.transcript, Characters: characters, Now: s.o.Now}
}

// outdated reports whether an error is one that a refresh of the index helps
// against.
func outdated(err error) bool {
	return errors.Is(err, engine.ErrNotReady) || errors.Is(err, context.DeadlineExceeded)
}

// refresh starts a refresh of the index, unless one runs or ran just now.
func (s *reply) refresh() {
	if s.o.Refresh == nil || !s.e.Index().ClaimRefresh(s.o.Now) {
		return
	}
	if err := s.o.Refresh(s.ev.dir); err != nil {
		s.r.Why = "refresh: " + err.Error()
	}
}

// say answers with a text, if there is one and the event has a place for it.
func (s *reply) say(text string) {
	if text == "" {
		return
	}
	answer := s.ev.encode(text)
	if len(answer) > 0 {
		s.r.Characters = render.Characters(text)
	}
	s.o.write(s.r, answer)
}

// join puts an empty line between two texts.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.TrimSuffix(a, "\n") + "\n\n" + b
}

// echoed reports whether a transcript of Claude Code shows that the model saw the
// hook's text before its last compaction: /compact repeats the output of hooks as the
// output of a command.
func echoed(transcript string) bool {
	found := false
	for line := range bytes.Lines(tail(transcript)) {
		boundary := bytes.Contains(line, []byte(`"compact_boundary"`))
		if !boundary && !bytes.Contains(line, []byte(session.KeepMark)) {
			continue
		}
		var r struct {
			Type, Subtype loose
			Message       struct{ Content loose }
		}
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		switch {
		case r.Type == "system" && r.Subtype == "compact_boundary":
			found = false
		case r.Type == "user" && strings.HasPrefix(string(r.Message.Content), "<local-command-stdout>"):
			found = true
		}
	}
	return found
}

// snapshot takes a snapshot of the session, or of its first bytes up to until. An
// equal snapshot is taken only once, so that a repeated compaction leaves one.
func (s *reply) snapshot(ctx context.Context, until int64) error {
	if s.ev.transcript == "" {
		return nil
	}
	entry, _, err := s.e.Snapshots().KeepSession(ctx, s.ev.transcript, until, s.o.Now, s.o.Retention)
	if err != nil {
		return err
	}
	s.r.Snapshot = entry.ID
	return nil
}

// maybeCompact answers an event that announces a possible compaction. Gemini CLI
// sends it before every request, and no event after a compaction: it decides by the
// tokens of the last answer and a share of the window. But it records a compression
// as a line at the end of its transcript, and the lines before it are the session as
// it was. So this event, the end of each turn and each prompt look for compressions
// there.
func (s *reply) maybeCompact(ctx context.Context) error {
	err := s.compressed(ctx)
	if s.ev.trigger != triggerManual {
		return err
	}
	// This one comes for certain, and the user may leave after it.
	_, kept := s.e.Sessions().BeforeCompaction(ctx, s.compaction(0))
	return errors.Join(err, kept, s.snapshot(ctx, 0))
}

// mostMissed is how many compressions of one session are seen to at once: more
// happen where satchel was not installed then.
const mostMissed = 3

// compressed sees to the compressions that the transcript records since the last
// look: a snapshot of the session before each, and what must survive, for the
// next prompt.
func (s *reply) compressed(ctx context.Context) error {
	if st, err := os.Stat(s.ev.transcript); s.id == "" || err != nil || !st.Mode().IsRegular() {
		s.r.Why = "no transcript" // Gemini begins it with the first prompt
		return nil
	}
	list, err := s.e.Sessions().Compressions(ctx, s.id, s.ev.transcript)
	if err != nil || len(list) == 0 {
		s.r.Why = "no compression"
		return err
	}
	for _, at := range list[max(0, len(list)-mostMissed):] {
		c := s.compaction(0)
		c.Until = at
		_, kept := s.e.Sessions().BeforeCompaction(ctx, c)
		err = errors.Join(err, kept, s.snapshot(ctx, at))
	}
	return errors.Join(err, s.e.Sessions().End(ctx, s.id, true, s.o.Now), s.e.Sessions().SetCompressed(ctx, s.id, s.o.Now, list[len(list)-1]))
}
