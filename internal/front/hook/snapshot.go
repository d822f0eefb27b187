package hook

import (
	"context"
	"errors"
	"os"
)

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
