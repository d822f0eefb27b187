package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/transcript"
)

// Compressions returns the offsets at which the transcript of an agent that does
// not tell its hooks records that it compressed the conversation, beyond those
// that SetCompressed was told of.
func (k *Kept) Compressions(ctx context.Context, session, name string) ([]int64, error) {
	f, err := sessions.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := transcript.Compressions(f, f.Size)
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", name, err)
	}
	if len(list) == 0 {
		return nil, nil
	}
	s, err := k.session(ctx, session)
	if err != nil {
		s = state.Session{}
	}
	return slices.DeleteFunc(list, func(at int64) bool { return at <= s.Compressed && s.Compressed < f.Size }), nil
}

// SetCompressed records the last compression of a session that was seen to.
func (k *Kept) SetCompressed(ctx context.Context, session string, now time.Time, at int64) error {
	return k.memory.Change(ctx, func(s *state.Store) error { return s.Compressed(ctx, session, now, at) })
}
