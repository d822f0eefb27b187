package engine

import (
	"context"

	"github.com/satchel-dev/satchel/internal/source/answers"
	"github.com/satchel-dev/satchel/internal/source/search"
	"github.com/satchel-dev/satchel/render"
)

// Search ranks files, or the definitions in the likeliest files.
func (e *Engine) Search(ctx context.Context, q search.Request) (*search.Result, error) {
	return search.Search(ctx, e.project, q)
}

// Answer answers what an agent asks for, each thing in order: with a text, its
// secrets redacted, or with a refusal that says why. Paths are those of the view: what
// a rule excludes, what lies outside of the repository and what holds secrets by
// its nature is refused, whoever asks. So is what lies outside of the vault: of
// that, documents are given alone, those that packs show too.
//
// The only errors are those of reading the repository as a whole.
func (e *Engine) Answer(ctx context.Context, req answers.Request) ([]render.Answer, error) {
	return answers.Answer(ctx, e.project, req)
}

// Refuses says why a file is not given to a model whose questions leave the machine:
// what [Engine.Answer] would not show. Nil means that it is given.
func (e *Engine) Refuses(ctx context.Context, rev, path string) error {
	return answers.Refuses(ctx, e.project, rev, path)
}
