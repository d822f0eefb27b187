package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/index"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/internal/state"
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

	// Characters is the most that the context may have, in UTF-16 units. Zero or
	// less means DefaultCharacters.
	Characters int

	Now time.Time
}

// DefaultCharacters is what every client delivers whole: Claude Code replaces
// more than 10,000 characters by a preview, Codex cuts the middle out of about
// as much.
const DefaultCharacters = 9000

// An Aside is what is put beside a prompt.
type Aside struct {
	Text      string          // "" if there is nothing to say, which Why explains
	Why       string          // why there is no text
	Match     satchel.Match   // of the prompt and the repository
	MatchWhy  string          // in words
	Relevance float64         // of the prompt to the repository, in 0..1; see rank.Evidence
	Entries   []satchel.Entry // what the text shows, most relevant first
	Notes     []satchel.Note
	held      []state.Piece
	session   string
}

// ErrNotReady means that there is no index that could be used at once.
var ErrNotReady = errors.New("the index is not ready")

// mostNew is the number of files which a prompt may wait for to be analysed:
// about as many as an agent edits between two prompts. On terraform each takes
// about a millisecond.
const mostNew = 60

// Aside returns what to put beside a prompt: the most relevant functions that the
// session does not hold yet, and the pinned notes that it was not given. It
// never waits for an index to be built: the error is then [ErrNotReady]. In a plain
// folder of very many files it says nothing; see [Engine.Crowded].
//
// What is given counts as held by the session once [Engine.Gave] was told.
func (e *Engine) Aside(ctx context.Context, r AsideRequest) (*Aside, error) {
	out := &Aside{session: r.Session}
	characters := r.Characters
	if characters <= 0 {
		characters = DefaultCharacters
	}
	req := satchel.Request{Task: spoken(r.Prompt), Now: r.Now, Budget: int(float64(characters) / charactersPerToken)}
	if q := rank.Analyze(req.Task); saysNothing(&q) {
		out.Why = "the prompt says nothing that could be looked for"
		return out, nil
	}
	// What is remembered is read while the work tree is listed.
	var kept *recalled
	var held state.Session
	var reading sync.WaitGroup
	reading.Go(func() { kept, held = e.recallSession(ctx, r.Session, r.Now) })
	v, err := e.index.ViewReady(ctx, e.tree, mostNew)
	reading.Wait()
	var behind *index.BehindError
	if errors.As(err, &behind) {
		return nil, fmt.Errorf("%w: %w", ErrNotReady, err)
	}
	var crowded *index.CrowdedError
	if errors.As(err, &crowded) {
		out.Why = crowded.Error()
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	q := query(ctx, v, &req)
	q.Used = kept.gains(&req)
	b := newBuilder(req, render.Markdown, v)
	b.ranking = source.Rank(v, q, e.models)
	b.order = b.ranking.Order
	found := judge(b.ranking)
	out.Match, out.MatchWhy, out.Relevance = found.match, found.why, found.relevance
	if out.Match != satchel.MatchStrong {
		out.Why = "nothing is relevant enough"
		return out, nil
	}
	if err := b.textChunks(ctx); err != nil {
		return nil, err
	}
	b.remember(kept)
	b.candidates = fresh(b.candidates, held)
	if len(b.candidates) == 0 {
		out.Why = "the session holds all of it"
		return out, nil
	}
	p, text, err := b.brief(characters)
	if err != nil {
		return nil, err
	}
	if p == nil {
		out.Why = fmt.Sprintf("nothing that is relevant fits %d characters", characters)
		return out, nil
	}
	out.Text, out.Entries, out.Notes = text, p.Entries, p.Notes
	for i := range p.Entries {
		out.held = append(out.held, pieceOf(&p.Entries[i]))
	}
	return out, nil
}

// Gave records that a session was given a context.
func (e *Engine) Gave(ctx context.Context, p *Aside, now time.Time) error {
	if p.Text == "" || p.session == "" {
		return nil
	}
	return e.hooked(ctx, func(s *state.Store) error { return s.Hold(ctx, p.session, now, p.held...) })
}

// What clients put around or before a prompt: what hooks gave, and commands.
var (
	hookContext = regexp.MustCompile(`(?s)<(hook_context|system-reminder|system_reminder|local-command-[a-z]+|command-[a-z]+)>.*?</(?:hook_context|system-reminder|system_reminder|local-command-[a-z]+|command-[a-z]+)>`)
	slashWord   = regexp.MustCompile(`^/[a-z][\w:-]*(?:\s|$)`)
)

// spoken returns what the user said, without what clients put into a prompt. A
// command of the client, such as /compact, says nothing.
func spoken(prompt string) string {
	if len(prompt) > maxPrompt {
		prompt = strings.ToValidUTF8(prompt[:maxPrompt], "")
	}
	s := strings.TrimSpace(hookContext.ReplaceAllString(prompt, " "))
	if slashWord.MatchString(s) {
		return ""
	}
	return s
}

// maxPrompt is the number of bytes of a prompt that are looked at; the analysis
// of the task cuts further.
const maxPrompt = 256 << 10

// saysNothing reports whether a prompt is small talk to the last word: then the
// repository need not be looked at.
func saysNothing(q *rank.Query) bool {
	return len(q.Files) == 0 && len(q.Frames) == 0 && len(q.Exact) == 0 && !slices.ContainsFunc(q.Terms, func(t rank.Term) bool { return !rank.Smalltalk(t.Hash) })
}

// textChunks makes candidates of the functions of the likeliest files, as chunks
// does, but of those alone that are not far behind the best, and in forms that
// show text: a path that stands in the list of likely files needs no line besides.
func (b *builder) textChunks(ctx context.Context) error {
	r := b.ranking
	list := r.ChunksOf(b.order[:min(len(b.order), source.CandidateFiles)])
	best := math.Inf(-1)
	for i := range list {
		best = max(best, list[i].Score)
	}
	list = slices.DeleteFunc(list, func(c source.Chunk) bool { return c.Score < best-behindBest })
	var files []int32
	for _, c := range list {
		if len(files) == 0 || files[len(files)-1] != c.File {
			files = append(files, c.File)
		}
	}
	if err := b.reader.Load(ctx, files); err != nil {
		return err
	}
	items := b.reader.Items(list, r.TermWeights())
	for i := range list {
		it := items[i]
		n := 0
		for n < len(it.Forms) && it.Forms[n].Detail >= satchel.Trimmed {
			n++
		}
		if it.Forms = it.Forms[:n]; n > 0 {
			b.candidates = append(b.candidates, satchel.Candidate{Item: it, Score: r.Models.Chunks.Explain(&list[i].Row)})
		}
	}
	b.length = lengthExponent
	return nil
}

// Characters and tokens: code has 3 to 4 characters a token, dense text less.
// Too many tokens are found out by laying the text out, so the first guess is
// on the high side.
const (
	charactersPerToken = 3.6
	briefRounds        = 5
	briefMost          = 20  // while nothing short enough was found
	briefFull          = 0.9 // of the characters, from which on no more rounds are tried
	briefPaths         = 8
)

// brief chooses and lays out what fits so many characters. It returns nil if no
// candidate does.
func (b *builder) brief(characters int) (*satchel.Pack, string, error) {
	var best *satchel.Pack
	var text string
	limit := b.req.Budget
	low, high := 0, 0
	for round := 0; round < briefRounds || best == nil && round < briefMost; round++ {
		if limit <= low || high > 0 && limit >= high {
			break
		}
		r, err := pack.Fit(b.candidates, pack.Options{Limit: limit, Length: b.length, Overhead: render.Overhead(b.format, b.count.Count)})
		var over *pack.OverflowError
		if errors.As(err, &over) {
			// Pinned notes alone are too long: they are told without.
			b.candidates = unpinned(b.candidates)
			continue
		}
		if err != nil {
			return nil, "", err
		}
		if len(r.Entries) == 0 {
			break
		}
		p := b.briefPack(r)
		s := render.Brief(p)
		n := render.Characters(s)
		if n > characters {
			// A limit that is not below what was used would choose the same again.
			high = limit
			limit = min(r.Used-1, r.Used*characters*98/100/n)
			continue
		}
		if best == nil || n > render.Characters(text) {
			best, text = p, s
		}
		low = limit
		if float64(n) >= briefFull*float64(characters) || len(r.Omitted) == 0 {
			break
		}
		limit += max(1, int(float64(characters-n)/charactersPerToken*0.8))
	}
	return best, text, nil
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
func (b *builder) briefPack(r *pack.Result) *satchel.Pack {
	p := &satchel.Pack{Version: satchel.PackVersion, Task: b.req.Task, Rev: b.view.Commit(), Method: b.count.Name() + " exact", Entries: r.Entries, Omitted: r.Omitted, Notes: b.reader.Notes}
	shown := make(map[string]bool)
	for i := range p.Entries {
		shown[p.Entries[i].Ref.Path] = true
	}
	files := b.view.Files()
	for _, i := range b.order[:min(len(b.order), briefPaths)] {
		if f := files[i].Path; !shown[f] {
			p.Paths = append(p.Paths, satchel.PathLine{Path: f, Score: round(float64(b.ranking.Scores[i]))})
		}
	}
	return p
}
