package hook

import (
	"context"
	"os"
)

// snapshot takes a snapshot of the session as it is. An equal one is not taken
// twice, so that a compaction that fails and is tried again leaves one.
func (s *session) snapshot(ctx context.Context) error {
	if s.ev.transcript == "" {
		return nil
	}
	entry, _, err := s.e.SnapshotSession(ctx, s.ev.transcript, s.o.Now, s.o.Retention)
	if err != nil {
		return err
	}
	s.r.Snapshot = entry.ID
	return nil
}

// Gemini says before every request that it may compress. It does so at half of a
// window of a million tokens, so a transcript that is small is not looked at; and
// a larger one again when it has grown by a third, or was replaced by a smaller
// one. A session that fills the window has some ten snapshots in this way.
const (
	leastCompressed = 400 << 10 // bytes: some 100,000 tokens
	grownBy         = 3         // by a third
)

func (s *session) snapshotIfGrown(ctx context.Context) error {
	st, err := os.Stat(s.ev.transcript)
	if s.ev.transcript == "" || err != nil || st.Size() < leastCompressed {
		s.r.Why = "the session is small"
		return nil
	}
	before := s.e.Snapped(ctx, s.id, s.o.Now)
	if n := st.Size(); n >= before/2 && n < before+before/grownBy {
		s.r.Why = "the session has not grown by much"
		return nil
	}
	if _, err := s.e.BeforeCompaction(ctx, s.compaction(0)); err != nil {
		s.r.Error = err.Error()
	}
	if err := s.snapshot(ctx); err != nil {
		return err
	}
	return s.e.SetSnapped(ctx, s.id, s.o.Now, st.Size())
}
