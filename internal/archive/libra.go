package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-dev/satchel/internal/git"
)

// AppendLibra stores the JSON of a git-internal object as Libra does: as a blob
// named FOLDER/ID in the tree of a commit on top of ref, beside everything
// that is there already. The folder is that of the type: [LibraSnapshots] or
// [LibraRuns]. It tries as often as Libra does before it gives up. A
// branch that is checked out is refused: its worktree would seem to have deleted
// the file.
func AppendLibra(ctx context.Context, repo *git.Repo, ref, folder, id string, text []byte, when time.Time) error {
	const tries = 32 // Libra's own number
	dir, err := repo.CheckedOut(ctx, ref)
	if err != nil {
		return err
	}
	if dir != "" {
		return fmt.Errorf("reference %s is checked out in %q: choose another one", ref, dir)
	}
	for range tries {
		old, err := repo.Ref(ctx, ref)
		if err != nil {
			return err
		}
		commit, err := libraCommit(ctx, repo, old, folder, id, text, when)
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

// Folders of Libra's history. Readers know context_snapshot too.
const (
	LibraSnapshots = "snapshot"
	LibraRuns      = "run"
)

func libraCommit(ctx context.Context, repo *git.Repo, old, name, id string, text []byte, when time.Time) (string, error) {
	objects := repo.NewObjects()
	var top, folder []git.TreeEntry
	var parents []string
	if old != "" {
		parents = []string{old}
		var err error
		if top, err = repo.TreeEntries(ctx, old); err != nil {
			return "", err
		}
		if i := slices.IndexFunc(top, func(e git.TreeEntry) bool { return e.Name == name }); i >= 0 {
			if top[i].Mode != git.ModeDir {
				return "", fmt.Errorf("%s of the reference is not a folder", name)
			}
			if folder, err = repo.TreeEntries(ctx, top[i].ID); err != nil {
				return "", err
			}
			top = slices.Delete(top, i, i+1)
		}
	}
	folder = slices.DeleteFunc(folder, func(e git.TreeEntry) bool { return e.Name == id })
	tree, err := objects.Tree(append(folder, git.TreeEntry{Mode: git.ModeFile, Name: id, ID: objects.Blob(text)}))
	if err != nil {
		return "", err
	}
	if tree, err = objects.Tree(append(top, git.TreeEntry{Mode: git.ModeDir, Name: name, ID: tree})); err != nil {
		return "", err
	}
	by := git.Signature{Name: "Libra", Email: "history@libra", Time: when.Unix()}
	commit := objects.Commit(tree, parents, by, "Update "+name+"/"+id+"\n")
	return commit, objects.Store(ctx, "")
}
