// Package files tells about the files of a project what no request for context does:
// what is left out and why, how many tokens they take, which documents no longer hold.
package files

import (
	"context"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene/project"
)

// Files are those of a project.
type Files struct{ project *project.Project }

// New returns the files of a project.
func New(p *project.Project) Files { return Files{p} }

// Sections returns all sections of documents of the work tree and of the vault,
// each text once, as an [Embedder] will get them: secrets are redacted.
func (f Files) Sections(ctx context.Context) ([]project.DocText, []satchel.Diagnostic, error) {
	view, err := f.project.Index.View(ctx, f.project.Tree, "")
	if err != nil {
		return nil, nil, err
	}
	diags := view.Diagnostics()
	vault, err := f.project.ReadVault(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	if vault != nil {
		diags = append(diags, vault.Diagnostics...)
	}
	sections, err := ranking.NewReader(view).DocTexts(ctx, vault)
	return sections, diags, err
}

// A CountedFile is a file and how many tokens its whole text takes.
type CountedFile struct {
	Path   string
	Tokens int
	Bytes  int
}

// Count counts the files of the work tree within the paths, sorted by path;
// no paths mean all. What packs leave out is not counted, and returned beside
// them.
func (f Files) Count(ctx context.Context, paths []string, count func(text []byte) int) ([]CountedFile, []satchel.Omission, []satchel.Diagnostic, error) {
	v, err := f.project.Index.ViewFiles(ctx, f.project.Tree, "")
	if err != nil {
		return nil, nil, nil, err
	}
	var which []int
	for i := range v.Files() {
		if concerns(v.Files()[i].Path, paths) {
			which = append(which, i)
		}
	}
	diags := v.Diagnostics()
	var out []CountedFile
	err = v.ReadTexts(ctx, which, func(i int, text []byte, err error) error {
		name := v.Files()[i].Path
		if err != nil {
			diags = append(diags[:len(diags):len(diags)], satchel.Diagnostic{Path: name, Text: "cannot be read, so it is not counted: " + err.Error()})
			return nil
		}
		out = append(out, CountedFile{Path: name, Tokens: count(text), Bytes: len(text)})
		return ctx.Err()
	})
	if err != nil {
		return nil, nil, nil, err
	}
	var excluded []satchel.Omission
	for _, o := range v.Excluded() {
		if concerns(o.Ref.Path, paths) {
			excluded = append(excluded, o)
		}
	}
	return out, excluded, diags, nil
}
