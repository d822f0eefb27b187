package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-dev/satchel/internal/world/git"
)

// A HistoryFile is a file in a folder that a history of another program gets.
type HistoryFile struct {
	Folder, Name  string
	Text          []byte
	Author, Email string // of the commit
	Message       string // of the commit, whole
	When          time.Time
	Tries         int // how often to try while others move the reference
}

// Append stores a file in the tree of a commit on top of ref, beside everything
// that is there already. A branch that is checked out is refused: its worktree
// would seem to have deleted the file. The error is a [*git.RefMovedError] if
// others moved the reference at each try.
func Append(ctx context.Context, repo *git.Repo, ref string, f *HistoryFile) error {
	dir, err := repo.CheckedOut(ctx, ref)
	if err != nil {
		return err
	}
	if dir != "" {
		return fmt.Errorf("reference %s is checked out in %q: choose another one", ref, dir)
	}
	for range f.Tries {
		old, err := repo.Ref(ctx, ref)
		if err != nil {
			return err
		}
		commit, err := historyCommit(ctx, repo, old, f)
		if err != nil {
			return err
		}
		err = repo.UpdateRefs(ctx, git.RefUpdate{Name: ref, New: commit, Old: old})
		var moved *git.RefMovedError
		if !errors.As(err, &moved) {
			return err
		}
	}
	return &git.RefMovedError{Name: ref}
}

// historyCommit makes the commit on top of old, which is empty if there is none.
func historyCommit(ctx context.Context, repo *git.Repo, old string, f *HistoryFile) (string, error) {
	objects := repo.NewObjects()
	var top, folder []git.TreeEntry
	var parents []string
	if old != "" {
		parents = []string{old}
		var err error
		if top, err = repo.TreeEntries(ctx, old); err != nil {
			return "", err
		}
		if i := slices.IndexFunc(top, func(e git.TreeEntry) bool { return e.Name == f.Folder }); i >= 0 {
			if top[i].Mode != git.ModeDir {
				return "", fmt.Errorf("%s of the reference is not a folder", f.Folder)
			}
			if folder, err = repo.TreeEntries(ctx, top[i].ID); err != nil {
				return "", err
			}
			top = slices.Delete(top, i, i+1)
		}
	}
	folder = slices.DeleteFunc(folder, func(e git.TreeEntry) bool { return e.Name == f.Name })
	tree, err := objects.Tree(append(folder, git.TreeEntry{Mode: git.ModeFile, Name: f.Name, ID: objects.Blob(f.Text)}))
	if err != nil {
		return "", err
	}
	if tree, err = objects.Tree(append(top, git.TreeEntry{Mode: git.ModeDir, Name: f.Folder, ID: tree})); err != nil {
		return "", err
	}
	by := git.Signature{Name: f.Author, Email: f.Email, Time: f.When.Unix()}
	commit := objects.Commit(tree, parents, by, f.Message)
	return commit, objects.Store(ctx)
}
