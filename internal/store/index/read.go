package index

import (
	"context"
	"io/fs"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// A Content is the text of one file, decoded by [git.Decode].
type Content struct {
	Text []byte
	Blob string
	Lang string

	Sparse bool // see [git.Repo.ReadTracked]
}

// ReadFile returns one file of a revision, or of the work tree if rev is "",
// whatever the rules say about it.
//
// The error is a *git.UnknownRevisionError, a *[PathError], or why the file
// could not be read.
func (x *Index) ReadFile(ctx context.Context, tree Tree, rev, path string) (Content, error) {
	m := &viewBuilder{Index: x, source: x.newSource(tree)}
	limit := max(x.opts.MaxFileBytes, maxIncluded)
	repo := m.source.repo
	if repo == nil && rev != "" {
		return Content{}, &git.UnknownRevisionError{Rev: rev, Why: "not in a git repository"}
	}
	if rev == "" && (repo == nil || repo.Dir() != "") {
		text, sparse, err := tree.ReadTracked(path, limit)
		if err != nil {
			return Content{}, err
		}
		return content(git.BlobID(m.source.format(), text), path, text, sparse), nil
	}
	if err := m.list(ctx, rev); err != nil {
		return Content{}, err
	}
	for i := range m.listing.entries {
		e := &m.listing.entries[i]
		if e.path != path {
			continue
		}
		if e.kind != regular {
			return Content{}, &PathError{path, "not a regular file"}
		}
		text, err := m.source.objects().Read(e.blob, limit)
		if err != nil {
			return Content{}, err
		}
		return content(e.blob, path, text, false), nil
	}
	if rev == "" { // a bare repository, whose newest commit is read
		return Content{}, &PathError{path, "no such file"}
	}
	return Content{}, &PathError{path, "no such file in " + rev}
}

func content(blob, path string, text []byte, sparse bool) Content {
	text = git.Decode(text)
	return Content{Text: text, Blob: blob, Lang: outline.Language(path, text), Sparse: sparse}
}

// A PathError says why a path cannot be read.
type PathError struct{ Path, Why string }

func (e *PathError) Error() string { return e.Path + ": " + e.Why }

// Is reports whether the file does not exist, for [fs.ErrNotExist].
func (e *PathError) Is(target error) bool {
	return target == fs.ErrNotExist && strings.HasPrefix(e.Why, "no such file")
}
