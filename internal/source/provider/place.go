package provider

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// A Place is the folder or repository that providers look at. What several of them
// need is read once. It is safe for concurrent use.
type Place struct {
	repo   *git.Repo   // nil for a plain folder
	folder *git.Folder // nil for a repository
	owned  bool

	listing sync.Mutex
	listed  bool
	files   []git.WorkFile
	diags   []satchel.Diagnostic
	err     error

	comparing sync.Mutex
	compared  bool
	changes   *change.Set
	changeErr error
}

// Open opens the repository that dir lies in, or the plain folder dir; "" is where
// the program stands. The caller closes it.
func Open(ctx context.Context, dir string) (*Place, error) {
	dir = cmp.Or(dir, ".")
	repo, err := git.Open(ctx, dir)
	if err == nil {
		return &Place{repo: repo, owned: true}, nil
	}
	if !errors.Is(err, git.ErrNotRepository) && !errors.Is(err, git.ErrNoGit) {
		return nil, err
	}
	folder, err := git.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	return &Place{folder: folder, owned: true}, nil
}

// At returns the Place of what is open already: a repository, or if that is nil a
// folder.
func At(repo *git.Repo, folder *git.Folder) *Place { return &Place{repo: repo, folder: folder} }

// Close releases what Open opened.
func (p *Place) Close() error {
	switch {
	case !p.owned:
		return nil
	case p.repo != nil:
		return p.repo.Close()
	}
	return p.folder.Close()
}

// Dir is the root of the place, or "" if a repository has no work tree.
func (p *Place) Dir() string {
	if p.repo != nil {
		return p.repo.Dir()
	}
	return p.folder.Dir()
}

// list returns the files: of a repository, those that git does not ignore.
func (p *Place) list(ctx context.Context) ([]git.WorkFile, []satchel.Diagnostic, error) {
	p.listing.Lock()
	defer p.listing.Unlock()
	if !p.listed {
		if p.repo != nil {
			p.files, p.diags, p.err = p.repo.WorkTree(ctx)
		} else {
			p.files, p.diags, p.err = p.folder.Files()
		}
		p.listed = ctx.Err() == nil
	}
	return p.files, p.diags, p.err
}

// diff returns what is not committed, without patches; nil for a plain folder.
func (p *Place) diff(ctx context.Context) (*change.Set, error) {
	if p.repo == nil {
		return nil, nil
	}
	p.comparing.Lock()
	defer p.comparing.Unlock()
	if !p.compared {
		spec := git.DiffSpec{Source: git.SourceWorkTree}
		spec.Want = func(*change.File) bool { return false }
		p.changes, p.changeErr = p.repo.Diff(ctx, spec)
		p.compared = ctx.Err() == nil
	}
	return p.changes, p.changeErr
}

// read returns the bytes of a file.
func (p *Place) read(path string) ([]byte, error) {
	if p.repo != nil {
		return p.repo.ReadFile(path, maxRead)
	}
	return p.folder.ReadFile(path, maxRead)
}

// maxRead is the size of the largest manifest, or file with versions, that is read.
const maxRead = 1 << 20
