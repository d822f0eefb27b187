package history

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/world/git"
)

// ErrNoDefault means that nothing says which branch is the default one.
var ErrNoDefault = errors.New("no default branch: origin/HEAD, main and master do not exist")

// defaults are the references that may be the default branch, the best first.
var defaults = []string{"refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"}

// DefaultBranch returns the reference of the branch that others are merged into:
// that of origin, else main, else master. The error is ErrNoDefault if there is none.
func (h History) DefaultBranch(ctx context.Context) (string, error) {
	for _, ref := range defaults {
		_, err := h.Resolve(ctx, ref)
		var unknown *git.UnknownRevisionError
		switch {
		case err == nil:
			return ref, nil
		case !errors.As(err, &unknown):
			return "", err
		}
	}
	return "", ErrNoDefault
}

// Resolve returns the id of the commit that a revision names. The errors are ErrNone,
// git.ErrUnborn and *git.UnknownRevisionError.
func (h History) Resolve(ctx context.Context, rev string) (string, error) {
	r, err := h.repo()
	if err != nil {
		return "", err
	}
	if rev == "HEAD" {
		return r.Head(ctx)
	}
	commit, _, err := r.Resolve(ctx, rev)
	if err == nil && commit == "" {
		err = &git.UnknownRevisionError{Rev: rev, Why: "names a tree, not a commit"}
	}
	return commit, err
}

// Shallow reports whether the history was cut off when the repository was cloned.
func (h History) Shallow() bool {
	r, err := h.repo()
	return err == nil && r.Shallow()
}

// Hosts returns the hosts of the remotes; none of a plain folder.
func (h History) Hosts(ctx context.Context) ([]string, error) {
	r, err := h.repo()
	if err != nil {
		return nil, nil
	}
	return r.RemoteHosts(ctx)
}

// Templates returns the paths of the templates of descriptions of pull requests that
// a revision has: the one that forges take, or else those that they offer for choice.
func (h History) Templates(ctx context.Context, rev string) (list []string, err error) {
	r, err := h.repo()
	if err != nil {
		return nil, err
	}
	files, err := r.Tree(ctx, rev)
	if err != nil {
		return nil, err
	}
	best := len(templates)
	for _, f := range files {
		if !f.Mode.IsRegular() {
			continue
		}
		turn := templateOf(f.Path)
		if turn > best || turn == len(templates) {
			continue
		}
		if turn < best {
			best, list = turn, nil
		}
		list = append(list, f.Path)
	}
	if best < firstChoice {
		list = list[:1]
	}
	return list, nil
}

// templates are where forges look for templates, in their order: without an
// extension, in lower case. What ends in a slash is a folder of them.
var templates = []string{
	".github/pull_request_template", "pull_request_template", "docs/pull_request_template", ".gitlab/merge_request_templates/default",
	".gitea/pull_request_template", ".forgejo/pull_request_template",
	".github/pull_request_template/", "pull_request_template/", "docs/pull_request_template/", ".gitlab/merge_request_templates/",
}

// firstChoice is where the folders begin.
const firstChoice = 6

// templateOf returns the place of a path in templates; their number if it is none.
func templateOf(name string) int {
	name = strings.ToLower(name)
	ext := path.Ext(name)
	if ext != ".md" && ext != ".txt" && ext != "" {
		return len(templates)
	}
	i := slices.IndexFunc(templates, func(t string) bool {
		if strings.HasSuffix(t, "/") {
			return ext == ".md" && path.Dir(name)+"/" == t
		}
		return strings.TrimSuffix(name, ext) == t
	})
	if i < 0 {
		return len(templates)
	}
	return i
}
