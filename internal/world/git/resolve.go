package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Head returns the id of the current commit, or [ErrUnborn] if it does not exist yet.
func (r *Repo) Head(ctx context.Context) (string, error) {
	// That an id is a commit's is asked once.
	id, _ := r.headFile()
	if last := r.lastHead.Load(); last != nil && id == *last || r.looseCommit(id) {
		r.lastHead.Store(&id)
		return id, ctx.Err()
	}
	commit, _, err := r.Resolve(ctx, "HEAD")
	if err == nil && commit != "" && commit == id {
		r.lastHead.Store(&commit)
	}
	return commit, err
}

// notYet returns [ErrUnborn] if the revision of e begins at the branch that is
// checked out and that has no commit, [ErrMissing] if its commit is gone, else e.
func (r *Repo) notYet(ctx context.Context, e *UnknownRevisionError) error {
	name := e.Rev
	if i := strings.IndexAny(name, "~^:"); i >= 0 {
		name = name[:i]
	}
	head := name == "HEAD" || name == "@"
	out, err := r.run.run(ctx, nil, "symbolic-ref", "-q", "HEAD")
	ref := strings.TrimSuffix(string(out), "\n")
	switch {
	case err != nil && head && name == e.Rev:
		return fmt.Errorf("HEAD: %w", ErrMissing)
	case err != nil, !head && name != ref && "refs/"+name != ref && "refs/heads/"+name != ref:
		return e
	}
	if _, err := r.run.run(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", ref); err != nil {
		return fmt.Errorf("%s: %w", clean(ref), ErrUnborn)
	}
	if name == e.Rev {
		return fmt.Errorf("commit of %s: %w", clean(ref), ErrMissing)
	}
	return e
}

// Resolve returns the ids of the commit that rev names and of its tree. If rev
// names a tree, commit is empty. The error is [ErrUnborn] for a revision of the
// branch that is checked out if it has no commit yet, [ErrMissing] if objects are
// missing, and an *[UnknownRevisionError] for anything else.
//
// The name goes to git over a pipe, never as an argument, so that no name can be
// taken for an option.
func (r *Repo) Resolve(ctx context.Context, rev string) (commit, tree string, err error) {
	if why := refuseRev(rev); why != "" {
		return "", "", &UnknownRevisionError{Rev: rev, Why: why}
	}
	objects := r.Objects(ctx)
	defer objects.Close()
	lookUp := objects.lookUp
	if r.partial && !r.format.validID(rev) { // there objects see no references
		lookUp = func(names ...string) ([]string, error) { return r.run.batchCheck(ctx, names...) }
	}
	answers, err := lookUp(rev+"^{commit}", rev+"^{tree}")
	if err != nil && r.partial {
		// The tree is missing, and git asked for it. The name does no harm.
		if answers, err = lookUp(rev + "^{commit}"); err == nil {
			answers = append(answers, "")
			if commit = r.answerID(answers[0], "commit"); commit != "" {
				answers, err = objects.lookUp(commit, commit+"^{tree}")
			}
		}
	}
	if ce, ok := errors.AsType[*CommandError](err); ok && strings.Contains(rev, "@{") {
		return "", "", &UnknownRevisionError{Rev: rev, Why: ce.Stderr} // a branch without upstream, say
	}
	if err != nil {
		return "", "", err
	}
	commit, tree = r.answerID(answers[0], "commit"), r.answerID(answers[1], "tree")
	switch {
	case tree != "":
		return commit, tree, nil
	case commit != "":
		return "", "", fmt.Errorf("tree of commit %s: %w", commit, ErrMissing)
	}
	e := &UnknownRevisionError{Rev: rev}
	if strings.HasSuffix(answers[0], " ambiguous") {
		e.Why = "ambiguous"
		return "", "", e
	}
	return "", "", r.notYet(ctx, e)
}

// batchCheck asks cat-file for the objects of the names, one a line.
func (r *runner) batchCheck(ctx context.Context, names ...string) ([]string, error) {
	out, err := r.run(ctx, strings.NewReader(strings.Join(names, "\n")+"\n"), "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(names) {
		return nil, commandError("cat-file", "", errAnswer)
	}
	return lines, nil
}

// answerID returns the id in an answer of cat-file --batch-check, if the object
// has the wanted type.
func (r *Repo) answerID(line, typ string) string {
	id, rest, _ := strings.Cut(line, " ")
	if got, _, _ := strings.Cut(rest, " "); got != typ || !r.format.validID(id) {
		return ""
	}
	return id
}

// maxRev is the longest revision that is accepted; git's own limit for a
// reference is a file name's.
const maxRev = 4096

// refuseRev says why a revision may not reach git, or "".
func refuseRev(rev string) string {
	switch {
	case rev == "":
		return "empty"
	case rev[0] == '-':
		return "starts with -"
	case len(rev) > maxRev:
		return "too long"
	case strings.ContainsFunc(rev, func(r rune) bool { return r < 0x20 || r == 0x7f }):
		return "control character"
	}
	return ""
}

// RevList returns the ids of the newest n commits reachable from rev, in the
// order of git log. If n is 0 it returns all of them.
func (r *Repo) RevList(ctx context.Context, rev string, n int) ([]string, error) {
	commit, err := r.commit(ctx, rev)
	if err != nil {
		return nil, err
	}
	run, done, err := r.objectRunner()
	if err != nil {
		return nil, err
	}
	defer done()
	var ids []string
	_, err = run.stream(ctx, nil, maxListing, func(br *bufio.Reader) error {
		for {
			line, err := br.ReadString('\n')
			if err == io.EOF && line == "" {
				return nil
			}
			id := strings.TrimSuffix(line, "\n")
			if err != nil || !r.format.validID(id) {
				return truncated(cmp.Or(err, errAnswer))
			}
			ids = append(ids, id)
		}
	}, "rev-list", maxCount(n), "--end-of-options", commit, "--")
	return ids, asUnknown(err)
}

// asUnknown converts git's complaint about an invalid commit id into our error type.
func asUnknown(err error) error {
	ce, ok := errors.AsType[*CommandError](err)
	if !ok {
		return err
	}
	for _, what := range []string{"bad object ", "bad revision "} {
		if _, name, ok := strings.Cut(ce.Stderr, what); ok {
			return &UnknownRevisionError{Rev: strings.Trim(name, "'"), Why: ce.Stderr}
		}
	}
	return err
}

// commit resolves rev to a commit; a full id is taken as it is.
func (r *Repo) commit(ctx context.Context, rev string) (string, error) {
	if r.format.validID(rev) {
		return rev, nil
	}
	commit, _, err := r.Resolve(ctx, rev)
	if err == nil && commit == "" {
		err = &UnknownRevisionError{Rev: rev, Why: "names a tree, not a commit"}
	}
	return commit, err
}

func maxCount(n int) string {
	if n <= 0 {
		return "--max-count=-1"
	}
	return "--max-count=" + strconv.Itoa(n)
}

// Branch returns the short name of the branch that is checked out, or "" if none
// is. The branch need not have a commit.
func (r *Repo) Branch(ctx context.Context) (string, error) {
	if id, branch := r.headFile(); id != "" && branch != "" && CheckRefName("refs/heads/"+branch) == nil {
		return branch, ctx.Err()
	}
	ref, err := r.run.run(ctx, nil, "symbolic-ref", "-q", "HEAD")
	if err != nil {
		var failed *CommandError
		if errors.As(err, &failed) && failed.Stderr == "" {
			return "", ctx.Err() // a commit, not a branch
		}
		return "", err
	}
	return strings.TrimPrefix(strings.TrimSuffix(string(ref), "\n"), "refs/heads/"), nil
}
