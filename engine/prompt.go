package engine

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/internal/source/answers"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// A PromptRequest asks for the prompt of a round of an agent.
type PromptRequest struct {
	satchel.Request // its Budget covers the whole prompt of the first round, its Format is md

	Build, Test   string // commands that the agent is told; nothing runs them
	Round, Rounds int    // see render.Prompt
	Answers       []render.Answer
	Said          string
	Resumed       bool

	// Pack is that of an earlier round, which stays as it is so that the prompts
	// begin alike. Nil means that one is made.
	Pack *satchel.Pack
}

// A Prompt is what an agent is started with.
type Prompt struct {
	Text   string
	Tokens int // o200k_base
	Pack   *satchel.Pack
}

// Prompt writes the prompt of a round: the task, the files to edit, how to work,
// the context, and what was answered. Secrets are redacted in all of it.
//
// Its errors are those of [Engine.Pack]; the *satchel.OverflowError is about the
// whole prompt.
func (e *Engine) Prompt(ctx context.Context, req PromptRequest) (*Prompt, error) {
	p := render.Prompt{
		Task: satchel.Clean("", req.Task), Edit: req.Edit, Build: req.Build, Test: req.Test, Round: req.Round, Rounds: req.Rounds,
		Answers: req.Answers, Said: satchel.Clean("", req.Said), Resumed: req.Resumed,
	}
	count := tokens.O200k()
	made := req.Pack
	if made == nil {
		var err error
		if made, err = e.packWithin(ctx, req.Request, count.Count(p.String())+roundingTokens); err != nil {
			return nil, err
		}
	}
	for _, n := range made.Diagnostics {
		if slices.Contains(req.Edit, n.Path) && n.Text == source.ToBeMade {
			p.New = append(p.New, n.Path)
		}
	}
	var text bytes.Buffer
	if err := render.Pack(&text, made, render.Markdown); err != nil {
		return nil, err
	}
	p.Context = text.String()
	out := p.String()
	return &Prompt{Text: out, Tokens: count.Count(out), Pack: made}, nil
}

// roundingTokens is what a prompt may take more than its parts: where two of
// them meet, other tokens arise, and a file to be made is marked.
const roundingTokens = 32

// packWithin makes the pack that leaves room for so many tokens of its budget.
func (e *Engine) packWithin(ctx context.Context, req satchel.Request, besides int) (*satchel.Pack, error) {
	req.Format = string(render.Markdown)
	given := req.Budget
	if given > 0 {
		req.Budget = max(given-besides, 1)
	}
	if a := req.Auto; a != nil {
		given = 0 // it is the Auto that counts
		req.Auto = &satchel.Auto{Least: max(a.Least-besides, 1), Most: max(a.Most-besides, 1)}
	}
	p, err := e.Pack(ctx, req)
	var over *satchel.OverflowError
	if errors.As(err, &over) {
		return nil, &satchel.OverflowError{Need: over.Need + besides, Limit: max(given, over.Limit+besides)}
	}
	return p, err
}

// ShownIn returns the lines that a pack shows, for [AnswerRequest.Shown].
func ShownIn(p *satchel.Pack) []answers.SeenLines {
	var out []answers.SeenLines
	for i := range p.Entries {
		x := &p.Entries[i]
		if x.Detail < satchel.Trimmed || x.Ref.Kind == satchel.KindNote || x.Text.Blank() {
			continue
		}
		if x.Ref.Kind == satchel.KindFile && x.Detail == satchel.Full {
			out = append(out, answers.SeenLines{Path: x.Ref.Path})
			continue
		}
		for _, l := range x.Lines {
			// Parts that touch are one, so that asking for both is asking for what is there.
			if n := len(out); n > 0 && out[n-1].Path == x.Ref.Path && out[n-1].From > 0 && out[n-1].To+1 == l.From {
				out[n-1].To = l.To
				continue
			}
			out = append(out, answers.SeenLines{Path: x.Ref.Path, From: l.From, To: l.To})
		}
	}
	return out
}
