package files

import (
	"context"

	"github.com/satchel-dev/satchel"
)

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
			diags = append(diags[:len(diags):len(diags)], satchel.Diagnostic{Path: name, Text: "it cannot be read: " + err.Error()})
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
