package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/internal/source/hunks"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// An AsideRequest is what a user says to an agent, for context to be put beside
// it unasked.
type AsideRequest struct {
	// Session names the conversation, across processes. Empty means that nothing
	// is remembered of it.
	Session string

	Prompt string

	// Transcript is the file of the session: what stands in its window is not given
	// again. Empty means that it is not known.
	Transcript string

	// Characters is the most that the context may have, in UTF-16 units. Zero or
	// less means [session.DefaultCharacters].
	Characters int

	Now time.Time
}

// An Aside is what is put beside a prompt.
type Aside struct {
	Text        string          // "" if there is nothing to say, which Why explains
	Why         string          // why there is no text
	Match       satchel.Match   // of the prompt and the repository
	MatchWhy    string          // in words
	Relevance   float64         // of the prompt to the repository, in 0..1; see rank.Evidence
	Entries     []satchel.Entry // what the text shows, most relevant first
	Diagnostics []satchel.Diagnostic
	held        []state.Piece
	session     string
	memory      *state.Memory
}

// Aside returns what to put beside a prompt: the most relevant functions that the
// session does not hold yet, and the pinned notes that it was not given. It
// never waits for an index to be built: the error is then [ErrNotReady]. In a plain
// folder of very many files it says nothing; see [project.Upkeep.Crowded].
//
// What is given counts as held by the session once [Aside.Given] was told.
func (e *Engine) Aside(ctx context.Context, r AsideRequest) (*Aside, error) {
	out := &Aside{session: r.Session, memory: &e.project.Memory}
	characters := cmp.Or(max(r.Characters, 0), session.DefaultCharacters)
	req := satchel.Request{Task: session.Spoken(r.Prompt), Now: r.Now, Budget: int(float64(characters) / charactersPerToken)}
	if q := rank.Analyze(req.Task); saysNothing(&q) {
		out.Why = "the prompt contains no searchable words"
		return out, nil
	}
	// What is remembered is read while the work tree is listed.
	var kept *project.Recalled
	var held state.Session
	var reading sync.WaitGroup
	reading.Go(func() {
		kept = e.project.RecallWith(ctx, r.Now, session.Patience, func(s *state.Store) (err error) {
			held, err = s.Session(ctx, r.Session)
			return err
		})
	})
	v, err := e.project.Index.ViewReady(ctx, e.project.Tree, project.MostNew)
	reading.Wait()
	var behind *index.BehindError
	if errors.As(err, &behind) {
		return nil, fmt.Errorf("%w: %w", project.ErrNotReady, err)
	}
	var crowded *index.CrowdedError
	if errors.As(err, &crowded) {
		out.Why = crowded.Error()
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	sc := scene.New(e.project, req, render.Markdown, v)
	sc.Memory = kept
	sc.Rank(ctx)
	out.Match, out.MatchWhy, out.Relevance = sc.Match, sc.Why, sc.Relevance
	if out.Match != satchel.MatchStrong {
		out.Why = "nothing is relevant enough"
		return out, nil
	}
	sel := &selection{Scene: sc, Weighing: scene.Weighing{Length: scene.LengthExponent}}
	if err := sel.ask(ctx, source.BestCode{}, source.Notes{}); err != nil {
		return nil, err
	}
	sel.Candidates = session.Fresh(sel.Candidates, held)
	if r.Transcript != "" {
		if err := sel.withhold(ctx, r.Transcript, true); err != nil && ctx.Err() == nil {
			sel.Diagnostics = append(sel.Diagnostics, satchel.Diagnostic{Text: err.Error()})
		}
	}
	if len(sel.Candidates) == 0 {
		out.Why = "the session holds all of it"
		return out, nil
	}
	p, text, err := sel.brief(characters)
	if err != nil {
		return nil, err
	}
	if p == nil {
		out.Why = fmt.Sprintf("nothing relevant fits %d characters", characters)
		return out, nil
	}
	out.Text, out.Entries, out.Diagnostics = text, p.Entries, p.Diagnostics
	for i := range p.Entries {
		out.held = append(out.held, session.PieceOf(&p.Entries[i]))
	}
	return out, nil
}

// Given records that the session was given the text.
func (p *Aside) Given(ctx context.Context, now time.Time) error {
	if p.Text == "" || p.session == "" {
		return nil
	}
	return p.memory.Patient(session.Patience).Change(ctx, func(s *state.Store) error { return s.Hold(ctx, p.session, now, p.held...) })
}

// saysNothing reports whether a prompt is small talk to the last word: then the
// repository need not be looked at.
func saysNothing(q *rank.Query) bool {
	return len(q.Files) == 0 && len(q.Frames) == 0 && len(q.Exact) == 0 && len(q.Spelled) == 0 && !slices.ContainsFunc(q.Terms, func(t rank.Term) bool { return !rank.Smalltalk(t.Hash) })
}

// Characters and tokens: code has 3 to 4 characters a token, dense text less.
// Too many tokens are found out by laying the text out, so the first guess is
// on the high side.
const (
	charactersPerToken = 3.6
	briefFull          = 0.9 // of the characters, from which on no more layouts are tried
	briefLayouts       = 5   // that are tried once one fits
	briefPaths         = 8
)

// brief chooses and lays out what fits so many characters. It returns nil if no
// candidate does.
func (sel *selection) brief(characters int) (*satchel.Pack, string, error) {
	type brief struct {
		pack *satchel.Pack
		text string
	}
	over := render.Overhead(sel.Format, sel.Encoding.Count)
	layouts := 0
	best, _, err := pack.Within(characters, pack.Range{First: sel.Req.Budget, Each: charactersPerToken}, func(limit int) (pack.Layout[brief], error) {
		o := pack.Options{Limit: limit, Length: sel.Length, Overhead: over}
		r, err := pack.Fit(sel.Candidates, o)
		if hunks.IsOverflow(err) { // pinned notes alone are too long: they are told without
			sel.Candidates = unpinned(sel.Candidates)
			r, err = pack.Fit(sel.Candidates, o)
		}
		if err != nil {
			return pack.Layout[brief]{}, err
		}
		layouts++
		if len(r.Entries) == 0 {
			return pack.Layout[brief]{}, nil
		}
		p := sel.briefPack(r)
		text := render.Brief(p)
		size := render.Characters(text)
		full := float64(size) >= briefFull*float64(characters)
		return pack.Layout[brief]{Shown: brief{p, text}, Size: size, Done: size <= characters && (full || layouts >= briefLayouts || len(r.Omitted) == 0)}, nil
	})
	return best.pack, best.text, err
}

// unpinned takes the pins from candidates, so that nothing must be shown.
func unpinned(list []satchel.Candidate) []satchel.Candidate {
	for i := range list {
		list[i].Pinned = false
	}
	return list
}

// briefPack is the pack of what was chosen, with the likeliest files that are
// not shown.
func (sel *selection) briefPack(r *pack.Result) *satchel.Pack {
	p := &satchel.Pack{Version: satchel.PackVersion, Task: sel.Req.Task, Rev: sel.View.Commit(), Method: sel.Encoding.Name() + " exact", Entries: r.Entries, Omitted: sel.leftOut(r), Diagnostics: slices.Concat(sel.Reader.Diagnostics, sel.Diagnostics)}
	shown := make(map[string]bool)
	for i := range p.Entries {
		shown[p.Entries[i].Ref.Path] = true
	}
	files := sel.View.Files()
	for _, i := range sel.Order[:min(len(sel.Order), briefPaths)] {
		if f := files[i].Path; !shown[f] {
			p.Paths = append(p.Paths, satchel.PathLine{Path: f, Score: sel.Ranking.Score(i)})
		}
	}
	return p
}
