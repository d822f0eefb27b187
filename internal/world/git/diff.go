package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

// A DiffSpec says which two states of a repository to compare. At most one of
// Source, Rev, Commit, Base and the pair From and To is set; if none is, see
// SourceAuto.
type DiffSpec struct {
	Source DiffSource

	// Rev is a range or a revision:
	//
	//	A..B   the trees of A and B
	//	A...B  the merge base of A and B, and B: what B did since it left A
	//	A      A and the files on disk that git knows; the others are counted
	//
	// A side left empty is HEAD.
	Rev string

	// Commit is a commit, compared with its first parent; a root commit with nothing.
	// For a merge, this is what it brought to its branch, as in git show
	// --first-parent; for a stash, all of its changes, including untracked files.
	Commit string

	// From and To are the two sides. An empty To is HEAD.
	From, To string

	// Base is a branch: what HEAD did since it left that, like Base...HEAD.
	Base string

	Keep
}

// A DiffSource names states that are not revisions.
type DiffSource string

const (
	sourceAuto      DiffSource = ""          // SourceStaged if anything is staged, else SourceWorkTree
	SourceStaged    DiffSource = "staged"    // HEAD and the index
	sourceUnstaged  DiffSource = "unstaged"  // the index and the tracked files on disk
	SourceWorkTree  DiffSource = "worktree"  // HEAD and the files on disk, untracked ones too
	sourceUntracked DiffSource = "untracked" // files that git does not know yet, and does not ignore
	SourceAmend     DiffSource = "amend"     // the first parent of HEAD, or nothing, and the index: what git commit --amend makes
)

// ParseDiffSpec reads what a user types after "diff": nothing, the name of a
// DiffSource, C^! for a Commit, a stash, which is one, or a Rev.
func ParseDiffSpec(text string) DiffSpec {
	switch s := DiffSource(text); s {
	case sourceAuto, SourceStaged, SourceAmend, sourceUnstaged, SourceWorkTree, sourceUntracked:
		return DiffSpec{Source: s}
	}
	rev, alone := strings.CutSuffix(text, ownChange)
	if !strings.Contains(rev, "..") && (alone && rev != "" || isStash(rev)) {
		return DiffSpec{Commit: rev}
	}
	return DiffSpec{Rev: text}
}

// Revisions returns the revisions of both sides; none for the index and the work tree.
func (spec DiffSpec) Revisions() []string {
	switch {
	case spec.Source != sourceAuto:
		return nil
	case spec.Commit != "":
		return []string{spec.Commit}
	case spec.Base != "":
		return []string{spec.Base, "HEAD"}
	case spec.From != "":
		return []string{spec.From, cmp.Or(spec.To, "HEAD")}
	case spec.Rev == "":
		return nil
	}
	a, b, ok := strings.Cut(spec.Rev, "...")
	if !ok {
		a, b, _ = strings.Cut(spec.Rev, "..")
	}
	return []string{cmp.Or(a, "HEAD"), cmp.Or(b, "HEAD")}
}

// ownChange is how git spells a commit without its parents.
const ownChange = "^!"

// ErrToWithoutFrom means that a comparison has a To and no From.
var ErrToWithoutFrom = errors.New("to without from")

// A noMergeBaseError means that two commits have no common ancestor.
type noMergeBaseError struct {
	A, B    string // as they were asked for
	Shallow bool   // the history is cut off, so that there may be one all the same
}

func (e *noMergeBaseError) Error() string {
	s := fmt.Sprintf("%s and %s have no common ancestor", clean(e.A), clean(e.B))
	if e.Shallow {
		s += " in this shallow clone"
	}
	return s
}

// Diff compares two states and returns the files that differ, sorted by path,
// with their patches. It finds renames and copies as git diff -M -C does, with
// git's own limits; a copy's source is a file that changed as well. Counts are
// those of git diff --numstat -M -C with git's default settings. The attributes
// of the work tree apply (a file with -diff is binary), as in git.
//
// Of the repository's configuration nothing is used but core.autocrlf,
// core.fileMode and core.symlinks, which say how the work tree was written. No
// filter runs: line ends, $Id$, UTF-16 and the pointers of Git LFS are converted
// here, and where a file has any other filter, its bytes on disk are compared
// and a Diagnostic says so. Untracked files are compared with nothing, never with a
// deleted file.
//
// A file in conflict is Unmerged and has no hunks. A file that is too large to
// be compared line by line, or whose contents are missing, is Unread and has a
// Diagnostic. If only its old side is unknown, its hunks show the new one.
//
// It returns an *[UnknownRevisionError] for a revision that does not exist, a
// *noMergeBaseError, [ErrToWithoutFrom], and [ErrNoWorkTree] if a bare
// repository is asked for its index or work tree.
func (r *Repo) Diff(ctx context.Context, spec DiffSpec) (*change.Set, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	s, err := r.newScratch()
	if err != nil {
		return nil, err
	}
	defer s.remove()
	d := &differ{Repo: r, s: s, keep: spec.Keep}
	if err := d.states(ctx, spec); err != nil {
		return nil, err
	}
	if err := d.compare(ctx); err != nil {
		return nil, err
	}
	d.set.Diagnostics = capDiagnostics(d.set.Diagnostics)
	return &d.set, nil
}

func (spec *DiffSpec) check() error {
	if spec.To != "" && spec.From == "" {
		return ErrToWithoutFrom
	}
	n := 0
	for _, s := range []string{string(spec.Source), spec.Rev, spec.Commit, spec.From, spec.Base} {
		if s != "" {
			n++
		}
	}
	if n > 1 {
		return errors.New("more than one comparison is given")
	}
	return nil
}

// A differ is one comparison.
type differ struct {
	*Repo
	s    *scratch
	keep Keep
	set  change.Set

	// The two sides as trees, if they are trees; then deltas is filled by
	// comparing them.
	from, to string
	deltas   []delta
	standIns map[string]standIn // by the id of the blob in its place

	most     int  // deltas that are compared; 0 means mostDeltas
	beyond   int  // how many more there are
	unlisted bool // beyond is the least, as the listing stopped
}

// A delta is a path with two different sides, before renames are looked for.
type delta struct {
	path      string
	old, new  blob
	unmerged  bool
	untracked bool
	why       string // why its contents cannot be compared; "" if they can
}

// A blob is one side of a delta. Its Mode is 0 if the side does not exist; its OID is
// empty if the file was not read.
type blob struct {
	mode Mode
	oid  string
}

// A standIn is a blob that git compares by a small replacement. The replacements of two
// files are equal if the files are.
type standIn struct{ oid, why string }

// states finds the two sides.
func (d *differ) states(ctx context.Context, spec DiffSpec) error {
	switch {
	case spec.From != "":
		to := cmp.Or(spec.To, "HEAD")
		d.set.Source = spec.From + ".." + to
		return d.revisions(ctx, spec.From, to)
	case spec.Base != "":
		d.set.Source = spec.Base + "...HEAD"
		return d.sinceBase(ctx, spec.Base, "HEAD")
	case spec.Rev != "":
		d.set.Source = spec.Rev
		if a, b, ok := strings.Cut(spec.Rev, "..."); ok {
			return d.sinceBase(ctx, cmp.Or(a, "HEAD"), cmp.Or(b, "HEAD"))
		}
		if a, b, ok := strings.Cut(spec.Rev, ".."); ok {
			return d.revisions(ctx, cmp.Or(a, "HEAD"), cmp.Or(b, "HEAD"))
		}
		return d.sinceRevision(ctx, spec.Rev)
	case spec.Commit != "":
		d.set.Source = spec.Commit
		if !isStash(spec.Commit) {
			d.set.Source += ownChange
		}
		return d.oneCommit(ctx, spec.Commit)
	}
	if d.folder == nil {
		return fmt.Errorf("%s: %w", clean(d.gitDir), ErrNoWorkTree)
	}
	return d.sources(ctx, spec.Source)
}

// revisions compares the trees of two revisions.
func (d *differ) revisions(ctx context.Context, from, to string) (err error) {
	if d.set.From, d.from, err = d.Resolve(ctx, from); err != nil {
		return err
	}
	d.set.To, d.to, err = d.Resolve(ctx, to)
	return err
}

// sinceBase compares b with its merge base with a.
func (d *differ) sinceBase(ctx context.Context, a, b string) error {
	from, err := d.wantCommit(ctx, a)
	if err != nil {
		return err
	}
	to, err := d.wantCommit(ctx, b)
	if err != nil {
		return err
	}
	run, done, err := d.objectRunner()
	if err != nil {
		return err
	}
	defer done()
	out, err := run.run(ctx, nil, "merge-base", "--all", "--end-of-options", from, to)
	if err != nil && exitCode(err) == 1 {
		return &noMergeBaseError{A: a, B: b, Shallow: d.shallow}
	}
	if err != nil {
		return asUnknown(err)
	}
	bases := strings.Fields(string(out))
	if len(bases) == 0 || !d.format.validID(bases[0]) {
		return commandError("merge-base", "", errAnswer)
	}
	if len(bases) > 1 {
		d.diagnose("", fmt.Sprintf("%s and %s have %d merge bases; compared with %s", clean(a), clean(b), len(bases), bases[0]))
	}
	d.set.From, d.set.To = bases[0], to
	d.from, d.to = bases[0], to
	return nil
}

// wantCommit resolves a revision to a commit.
func (d *differ) wantCommit(ctx context.Context, rev string) (string, error) {
	commit, _, err := d.Resolve(ctx, rev)
	if err == nil && commit == "" {
		err = &UnknownRevisionError{Rev: rev, Why: "names a tree, not a commit"}
	}
	return commit, err
}

// oneCommit compares a commit with its first parent.
func (d *differ) oneCommit(ctx context.Context, rev string) error {
	commit, err := d.wantCommit(ctx, rev)
	if err != nil {
		return err
	}
	parents, err := d.parents(ctx, commit)
	if err != nil {
		return err
	}
	d.set.To, d.to = commit, commit
	if len(parents) == 0 {
		d.from = d.format.emptyTree()
		if d.shallow {
			d.diagnose("", "compared with nothing: the commit has no parent in this clone")
		}
		return nil
	}
	d.set.From, d.from = parents[0], parents[0]
	if isStash(rev) && len(parents) == 3 {
		return d.stashed(ctx, parents[2])
	}
	return nil
}

// parents returns the parents of a commit, as far as this clone has them.
func (r *Repo) parents(ctx context.Context, commit string) ([]string, error) {
	run, done, err := r.objectRunner()
	if err != nil {
		return nil, err
	}
	defer done()
	out, err := run.run(ctx, nil, "rev-list", "--parents", "--max-count=1", "--end-of-options", commit, "--")
	if err != nil {
		return nil, asUnknown(err)
	}
	ids := strings.Fields(string(out))
	if len(ids) == 0 || ids[0] != commit || slices.ContainsFunc(ids, func(id string) bool { return !r.format.validID(id) }) {
		return nil, commandError("rev-list", "", errAnswer)
	}
	return ids[1:], nil
}

// Reaches reports whether a commit is another one or its ancestor. Both are full ids.
func (r *Repo) Reaches(ctx context.Context, from, ancestor string) (bool, error) {
	run, done, err := r.objectRunner()
	if err != nil {
		return false, err
	}
	defer done()
	_, err = run.run(ctx, nil, "merge-base", "--is-ancestor", "--end-of-options", ancestor, from)
	if exitCode(err) == 1 {
		return false, nil
	}
	return err == nil, asUnknown(err)
}

// isStash reports whether rev is spelled as a stash, whose third parent is not a
// branch but holds the untracked files.
func isStash(rev string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(rev, "refs/"), "@{")
	return name == "stash"
}

// stashed adds the untracked files of a stash.
func (d *differ) stashed(ctx context.Context, commit string) error {
	files, err := d.Tree(ctx, commit)
	if err != nil {
		return err
	}
	for _, f := range files {
		d.deltas = append(d.deltas, delta{path: f.Path, new: blob{f.Mode, f.OID}, untracked: true})
	}
	return nil
}

func (d *differ) diagnose(path, text string) {
	d.set.Diagnostics = append(d.set.Diagnostics, satchel.Diagnostic{Path: path, Text: text})
}

// emptyTree is the id of the tree without entries, which git knows without
// having it.
func (f Format) emptyTree() string { return objectID(f, "tree", nil) }
