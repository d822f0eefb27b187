package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A TreeFile is one file of a revision.
type TreeFile struct {
	Path string
	Mode Mode
	OID  string // of the blob, or of the commit of a submodule
	Size int64  // of the blob; -1 if it is missing, and for a submodule
}

// Tree lists all files of a revision or of a tree id, sorted by path. Symbolic
// links and submodules are listed like files, and not followed.
func (r *Repo) Tree(ctx context.Context, treeish string) ([]TreeFile, error) {
	tree := treeish
	if !r.format.validID(treeish) {
		var err error
		if _, tree, err = r.Resolve(ctx, treeish); err != nil {
			return nil, err
		}
	}
	run, done, err := r.objectRunner()
	if err != nil {
		return nil, err
	}
	defer done()
	out, err := run.run(ctx, nil, maxListing, "ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", tree)
	if err != nil {
		if ce, ok := err.(*CommandError); ok && strings.Contains(ce.Stderr, "ot a tree object") {
			return nil, fmt.Errorf("tree %s: %w", clean(treeish), ErrMissing)
		}
		return nil, err
	}
	return parseTree(out)
}

// parseTree reads records of "mode type oid size\tpath" NUL.
func parseTree(out []byte) ([]TreeFile, error) {
	files := make([]TreeFile, 0, bytes.Count(out, []byte{0}))
	text := string(out)
	for text != "" {
		rec, rest, ok := strings.Cut(text, "\x00")
		head, path, ok2 := strings.Cut(rec, "\t")
		if !ok || !ok2 {
			return files, commandError("ls-tree", "unexpected answer", nil)
		}
		mode, head, _ := strings.Cut(head, " ")
		_, head, _ = strings.Cut(head, " ") // the type follows from the mode
		oid, size, _ := strings.Cut(head, " ")
		m, err := strconv.ParseUint(mode, 8, 32)
		if err != nil || oid == "" || path == "" {
			return files, commandError("ls-tree", "unexpected answer", nil)
		}
		f := TreeFile{Path: path, Mode: Mode(m), OID: oid}
		if f.Size, err = strconv.ParseInt(strings.TrimLeft(size, " "), 10, 64); err != nil {
			f.Size = -1 // "-" for a submodule, "BAD" for a missing blob
		}
		files = append(files, f)
		text = rest
	}
	sortTree(files)
	return files, nil
}

func sortTree(files []TreeFile) {
	byPath := func(a, b TreeFile) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(files, byPath) {
		slices.SortStableFunc(files, byPath)
	}
}
