package git

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel"
)

// WithSubmodules puts the files of the submodules that are checked out in the place
// of the submodules, with theirs, in the files of [Repo.WorkTree]. git's objects and
// rules of each are its own; the bytes are read from the work tree, so that no file
// of a submodule is Clean. A submodule that cannot be entered stays, with a Diagnostic.
//
// A submodule is a repository that came with another one, and as hostile: it is
// opened as any, at its own place alone, never through a link. A repository that
// lies in the work tree and is no submodule is not entered.
func (r *Repo) WithSubmodules(ctx context.Context, files []WorkFile) ([]WorkFile, []satchel.Diagnostic, error) {
	m := modules{left: maxModules}
	if err := m.add(ctx, r, "", files); err != nil {
		return nil, nil, err
	}
	sortFiles(m.files)
	return m.files, m.diags, nil
}

// modules are files and submodules' files, with the paths that they have from the
// outermost repository.
type modules struct {
	files []WorkFile
	diags []satchel.Diagnostic
	left  int // submodules that may still be entered
}

func (m *modules) add(ctx context.Context, r *Repo, prefix string, files []WorkFile) error {
	absent := 0
	for _, f := range files {
		name := f.Path
		f.Path = prefix + name
		if f.Mode != ModeSubmodule || f.Untracked {
			if prefix != "" && f.Clean {
				if f.Sparse {
					absent++ // not on disk
					continue
				}
				f.OID, f.Clean = "", f.Mode == ModeSubmodule
			}
			m.files = append(m.files, f)
			continue
		}
		why, err := m.enter(ctx, r, prefix, name)
		if err != nil {
			return err
		}
		if why != "" {
			m.files = append(m.files, f)
			m.diags = append(m.diags, satchel.Diagnostic{Path: f.Path, Text: why})
		}
	}
	if absent > 0 {
		m.diags = append(m.diags, satchel.Diagnostic{Path: strings.TrimSuffix(prefix, "/"), Text: fmt.Sprintf("submodule, %d of its files not included: not in its sparse checkout", absent)})
	}
	return nil
}

// enter adds the files of a submodule, or says why not.
func (m *modules) enter(ctx context.Context, r *Repo, prefix, name string) (why string, err error) {
	if r.folder == nil || !validPath(name) {
		return "submodule, not in a work tree", nil
	}
	if _, err := r.folder.root.Lstat(name + "/.git"); err != nil {
		return "submodule, not checked out: git submodule update --init " + name, nil
	}
	if m.left--; m.left < 0 {
		return fmt.Sprintf("submodule, not included: limit is %d submodules", maxModules), nil
	}
	dir := filepath.Join(r.top, filepath.FromSlash(name))
	sub, err := r.opts.Open(ctx, dir)
	if err != nil {
		return "submodule, not included: " + err.Error(), ctx.Err()
	}
	defer sub.Close()
	if sub.top != dir {
		return "submodule, not included: not a repository of its own", nil
	}
	files, diags, err := sub.WorkTree(ctx)
	if err != nil {
		return "submodule, not included: " + err.Error(), ctx.Err()
	}
	for _, n := range diags {
		n.Path = strings.TrimSuffix(prefix+name+"/"+n.Path, "/") // some are about all of it
		m.diags = append(m.diags, n)
	}
	return "", m.add(ctx, sub, prefix+name+"/", files)
}
