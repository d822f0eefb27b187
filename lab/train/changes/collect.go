package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/lab/train/tasks"
)

// Which commits are taken.
const (
	newest   = 5000 // commits of a repository that are read
	older    = 2000 // commits before one that are its history
	maxTries = 500  // commits looked at for each repository
	minFiles = 2
	maxFiles = 50
	maxBlob  = 1 << 20 // bytes of a file that is outlined
)

// A sample is one commit whose right files are known.
type sample struct {
	Repo, ID string
	Files    []change.Scored
	Gold     []bool
}

// A history is the commits of a repository, the newest first.
type history struct {
	change.History
	log []git.Commit
}

func readHistory(ctx context.Context, mirror, name string) (*git.Repo, *history, error) {
	dir, err := tasks.Repository(mirror, name)
	if err != nil {
		return nil, nil, err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	h := new(history)
	at := map[string]int32{}
	err = repo.LogFrom(ctx, "HEAD", newest, func(c git.Commit) error {
		files := make([]int32, 0, len(c.Files))
		for _, f := range c.Files {
			k, ok := at[f]
			if !ok {
				k = int32(len(h.Paths))
				at[f] = k
				h.Paths = append(h.Paths, f)
			}
			files = append(files, k)
		}
		if len(c.Parents) > 1 {
			files = nil // a merge repeats what its commits did
		}
		h.Commits = append(h.Commits, files)
		h.log = append(h.log, c)
		return nil
	})
	return repo, h, err
}

// before is the history of commit i.
func (h *history) before(i int) *change.History {
	return &change.History{Paths: h.Paths, Commits: h.Commits[i+1 : min(len(h.Commits), i+1+older)]}
}

// collect takes commits of every repository, by their ids, so that another run
// takes the same.
func collect(ctx context.Context, mirror string, names []string, each, total int) ([]sample, error) {
	var all []sample
	for _, name := range names {
		found, err := collectRepo(ctx, mirror, name, each)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(os.Stderr, "%-36s %d commits\n", name, len(found))
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(a, b sample) int { return strings.Compare(a.ID, b.ID) })
	if total > 0 && len(all) > total {
		all = all[:total]
	}
	return all, nil
}

func collectRepo(ctx context.Context, mirror, name string, each int) ([]sample, error) {
	repo, h, err := readHistory(ctx, mirror, name)
	if err != nil {
		return nil, err
	}
	dir, err := tasks.Repository(mirror, name)
	if err != nil {
		return nil, err
	}
	order := make([]int, 0, len(h.log))
	for i := range h.log {
		if n := len(h.log[i].Files); len(h.log[i].Parents) == 1 && n >= minFiles && n <= maxFiles {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(h.log[a].ID, h.log[b].ID) })
	objects := repo.Objects(ctx)
	defer objects.Close()
	var out []sample
	for _, i := range order[:min(len(order), maxTries)] {
		if len(out) == each {
			break
		}
		s, ok, err := describe(ctx, dir, objects, &h.log[i])
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		s.Repo = name
		paths := make([]string, len(s.Files))
		for k := range s.Files {
			paths[k] = cmp.Or(s.Files[k].OldPath, s.Files[k].Path)
		}
		usual, churn := change.Partners(h.before(i), paths)
		for k := range s.Files {
			s.Files[k].Usual, s.Files[k].Churn = usual[k], churn[k]
		}
		out = append(out, s)
	}
	return out, nil
}

// describe reads a commit with the definitions of both sides, if some but not
// all of its files are right.
func describe(ctx context.Context, dir string, objects *git.Objects, c *git.Commit) (s sample, ok bool, err error) {
	subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
	s = sample{ID: c.ID}
	// A patch that cannot be read here is a defect elsewhere: the commit is left
	// out, and said so.
	set, err := patchOf(ctx, dir, c.ID)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", c.ID, err)
		return s, false, nil
	}
	if len(set.Files) < minFiles || len(set.Files) > maxFiles {
		return s, false, nil
	}

	s.Files = make([]change.Scored, len(set.Files))
	s.Gold = make([]bool, len(s.Files))
	sides := make([]change.Sides, len(s.Files))
	named := parseMentions(subject)
	right := 0
	for i := range set.Files {
		f := &s.Files[i]
		f.File = set.Files[i]
		var symbols []string
		if sides[i], symbols, err = read(ctx, objects, f); err != nil {
			return s, false, err
		}
		if named.File(f.Path) || named.Any(symbols) {
			s.Gold[i] = true
			right++
		}
	}
	if right == 0 || right == len(s.Files) {
		return s, false, nil
	}
	change.Describe(s.Files, sides)
	return s, true, nil
}

// read says what kind of file one is, and outlines both sides of it if it is source:
// symbols are the names of what either side defines.
func read(ctx context.Context, objects *git.Objects, f *change.Scored) (sides change.Sides, symbols []string, err error) {
	old, now := blob(objects, f.OldBlob), blob(objects, f.NewBlob)
	text := now
	if text == nil {
		text = old
	}
	f.Lang = outline.Language(f.Path, text[:min(len(text), 1024)])
	f.Class = string(outline.Classify(f.Path, f.Lang, text, nil))
	f.Secondary = outline.Secondary(f.Path)
	if f.Class != "source" && f.Class != "test" {
		return sides, nil, nil
	}

	for _, side := range []struct {
		text []byte
		to   **change.Side
	}{{old, &sides.Old}, {now, &sides.New}} {
		if side.text == nil {
			continue
		}
		o := outline.Parse(f.Lang, side.text)
		*side.to = &change.Side{Text: side.text, Symbols: o.Symbols, Imports: o.Imports, Comments: o.Comments}
		for _, sym := range o.Symbols {
			symbols = append(symbols, sym.Name)
		}
	}
	return sides, symbols, nil
}

func blob(objects *git.Objects, id string) []byte {
	if id == "" || strings.Trim(id, "0") == "" {
		return nil
	}
	b, err := objects.Read(id, maxBlob)
	if err != nil {
		return nil
	}
	return b
}

func patchOf(ctx context.Context, dir, id string) (*change.Set, error) {
	b, err := command(ctx, dir, "show", "--format=", "--patch", "--full-index", "-M", "--no-color", "--no-ext-diff",
		"--no-textconv", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "-O/dev/null", "--diff-algorithm=myers", "--end-of-options", id).Output()
	if err != nil {
		return nil, err
	}
	return git.ParsePatch(bytes.NewReader(b), git.Keep{})
}

// command prepares a git command that reads no configuration but the
// repository's own.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C")
	return cmd
}
