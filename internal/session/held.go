package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/transcript"
)

// heldShare is how much of a candidate's lines a session must hold for the
// candidate not to be shown again.
const heldShare = 0.8

// Fresh returns the candidates that a session does not hold yet.
func Fresh(list []satchel.Candidate, s state.Session) []satchel.Candidate {
	if len(s.Held) == 0 {
		return list
	}
	by := make(map[string][]state.Piece)
	for _, p := range s.Held {
		by[p.Path] = append(by[p.Path], p)
	}
	return slices.DeleteFunc(list, func(c satchel.Candidate) bool {
		digest := c.Blob
		if c.Ref.Kind == satchel.KindNote {
			digest = noteDigest(c.Forms[0].Text)
		}
		return holds(by[c.Ref.Path], digest, c.Ref.From, c.Ref.To)
	})
}

// holds reports whether pieces of one path are most of some lines.
func holds(pieces []state.Piece, digest string, from, to int) bool {
	var covered []satchel.Range
	for _, p := range pieces {
		if p.Digest != digest {
			continue
		}
		if p.From == 0 {
			return true
		}
		if a, b := max(p.From, from), min(p.To, to); from > 0 && a <= b {
			covered = append(covered, satchel.Range{From: a, To: b})
		}
	}
	slices.SortFunc(covered, func(a, b satchel.Range) int { return a.From - b.From })
	n, end := 0, 0
	for _, r := range covered {
		if a := max(r.From, end+1); a <= r.To {
			n += r.To - a + 1
			end = r.To
		}
	}
	return n > 0 && float64(n) >= heldShare*float64(to-from+1)
}

// PieceOf is what a session holds that was shown an entry. Of what was trimmed,
// it holds enough to ask for the rest.
func PieceOf(en *satchel.Entry) state.Piece {
	p := state.Piece{Path: en.Ref.Path, Digest: en.Blob, From: en.Ref.From, To: en.Ref.To}
	if en.Ref.Kind == satchel.KindNote {
		p.Digest = noteDigest(en.Text)
	}
	return p
}

func noteDigest(text satchel.Text) string { return git.BlobID(git.SHA256, []byte(text.String())) }

// A ToolUse is what an agent did to a file.
type ToolUse struct {
	Session  string // may be empty
	Path     string // absolute, or relative to Dir
	Dir      string // where the agent stands, absolute
	Edited   bool
	Whole    bool // the agent has seen, or written, all of the file
	From, To int  // the lines that it has seen, if it was a part; 0 if they are not known
	Now      time.Time
}

// UseTool records what an agent did to a file: the file joins the working set,
// and what the agent has seen of it is held by the session. Files outside the
// repository, below its git directory, or that are gone are no business of ours:
// the path is then empty, without an error.
func (k *Kept) UseTool(ctx context.Context, u ToolUse) (path string, err error) {
	dir, format := k.root()
	if dir == "" {
		return "", nil
	}
	path, ok := below(dir, u.Dir, u.Path)
	if !ok {
		return "", nil
	}
	data, err := k.tree.ReadFile(path, maxUsed)
	if err != nil {
		return "", nil // gone, a folder, a link out of the repository, or too large
	}
	blob := git.BlobID(format, data)
	err = k.memory.Change(ctx, func(s *state.Store) error {
		if err := s.Use(ctx, u.Now, u.Edited, path); err != nil || u.Session == "" {
			return err
		}
		piece := state.Piece{Path: path, Digest: blob}
		switch {
		case u.Whole:
		case u.From > 0 && u.To >= u.From:
			piece.From, piece.To = u.From, u.To
		case u.Edited:
			// The agent knows its own change. What it held of the file is the old
			// text: all of it, if it had all.
			old, err := s.Session(ctx, u.Session)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(old.Held, func(p state.Piece) bool { return p.Path == path && p.From == 0 }) {
				return s.Release(ctx, u.Session, u.Now, false, path)
			}
		default:
			return nil
		}
		return s.Hold(ctx, u.Session, u.Now, piece)
	})
	return path, err
}

// maxUsed is the size of the largest file that joins the working set.
const maxUsed = 8 << 20

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
