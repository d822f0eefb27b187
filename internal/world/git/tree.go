package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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
	var files []TreeFile
	_, err = run.stream(ctx, nil, maxListing, func(br *bufio.Reader) (err error) {
		files, err = parseTree(br)
		return err
	}, "ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", tree)
	if ce, ok := errors.AsType[*CommandError](err); ok && strings.Contains(ce.Stderr, "ot a tree object") {
		return nil, fmt.Errorf("tree %s: %w", clean(treeish), ErrMissing)
	}
	if err != nil {
		return nil, err
	}
	return files, nil
}

// parseTree reads records of "mode type oid size\tpath" NUL.
func parseTree(br *bufio.Reader) ([]TreeFile, error) {
	var files []TreeFile
	for {
		rec, err := token(br)
		if err == io.EOF {
			sortTree(files)
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		head, path, _ := strings.Cut(rec, "\t")
		mode, head, _ := strings.Cut(head, " ")
		_, head, _ = strings.Cut(head, " ") // the type follows from the mode
		oid, size, _ := strings.Cut(head, " ")
		m, err := strconv.ParseUint(mode, 8, 32)
		if err != nil || oid == "" || path == "" {
			return nil, fmt.Errorf("%w: %q", errAnswer, clean(rec))
		}
		f := TreeFile{Path: path, Mode: Mode(m), OID: oid}
		if f.Size, err = strconv.ParseInt(strings.TrimLeft(size, " "), 10, 64); err != nil {
			f.Size = -1 // "-" for a submodule, "BAD" for a missing blob
		}
		files = append(files, f)
	}
}

func sortTree(files []TreeFile) {
	byPath := func(a, b TreeFile) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(files, byPath) {
		slices.SortStableFunc(files, byPath)
	}
}

// TreeEntries lists the names directly in the tree of a commit or tree id.
func (r *Repo) TreeEntries(ctx context.Context, id string) ([]TreeEntry, error) {
	if !r.format.validID(id) {
		return nil, &UnknownRevisionError{Rev: id, Why: "want a full object id"}
	}
	run, done, err := r.objectRunner()
	if err != nil {
		return nil, err
	}
	defer done()
	var entries []TreeEntry
	_, err = run.stream(ctx, nil, maxListing, func(br *bufio.Reader) error {
		for {
			rec, err := token(br)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			head, name, ok := strings.Cut(rec, "\t")
			fields := strings.Fields(head)
			if !ok || len(fields) != 3 {
				return errAnswer
			}
			mode, err := strconv.ParseUint(fields[0], 8, 32)
			if err != nil {
				return errAnswer
			}
			entries = append(entries, TreeEntry{Mode(mode), name, fields[2]})
		}
	}, "ls-tree", "-z", "--full-tree", "--end-of-options", id)
	return entries, err
}
