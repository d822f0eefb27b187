package git

import (
	"bytes"
	"context"
	"strings"
)

// BlobsAt returns the ids of the files at the paths of a tree, or "" for missing
// files. The tree is given by the id of a tree or commit.
func (r *Repo) BlobsAt(ctx context.Context, tree string, paths []string) ([]string, error) {
	if !r.format.validID(tree) {
		return nil, &UnknownRevisionError{Rev: tree, Why: "want a full object id"}
	}
	blobs := make([]string, len(paths))
	var names []string
	var at []int
	for i, p := range paths {
		if !strings.Contains(p, "\n") { // git reads a name a line
			names, at = append(names, tree+":"+p), append(at, i)
		}
	}
	if len(names) == 0 {
		return blobs, nil
	}
	objects := r.Objects(ctx)
	defer objects.Close()
	answers, err := objects.lookUp(names...)
	for i, line := range answers {
		blobs[at[i]] = r.answerID(line, "blob")
	}
	return blobs, err
}

// Ignores returns the untracked paths that git's rules ignore.
func (r *Repo) Ignores(ctx context.Context, paths []string) ([]string, error) {
	run := r.ignoreRunner()
	out, err := run.run(ctx, strings.NewReader(strings.Join(paths, "\x00")), "check-ignore", "-z", "--stdin")
	if err != nil && exitCode(err) == 1 { // none of them
		return nil, nil
	}
	var list []string
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) > 0 {
			list = append(list, string(name))
		}
	}
	return list, err
}

// ignoreRunner starts check-ignore, which refuses literal pathspecs and takes each
// path literally without them.
func (r *Repo) ignoreRunner() *runner {
	run := r.run
	run.env = run.without("GIT_LITERAL_PATHSPECS=")
	return &run
}
