package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
)

// An IgnoredPath is a path of the work tree that git's ignore rules leave out.
type IgnoredPath struct {
	Path    string // a directory that is left out as a whole has a final slash
	Source  string // the file of the rule, as git names it
	Line    int
	Pattern string // "" if no rule names the directory, but everything in it is ignored
	Bytes   int64  // of its files; -1 if they were not all counted
	Files   int    // -1 likewise
}

// mostMeasured is how many ignored files are measured in all: folders of
// dependencies hold hundreds of thousands.
const mostMeasured = 200_000

// Ignored lists what git's ignore rules leave out of the work tree, with the
// rules. Nothing is read but the index, ignore files and metadata.
func (r *Repo) Ignored(ctx context.Context) ([]IgnoredPath, []satchel.Diagnostic, error) {
	if r.folder == nil {
		return nil, nil, fmt.Errorf("%s: %w", clean(r.gitDir), ErrNoWorkTree)
	}
	var names []string
	warnings, err := r.run.stream(ctx, nil, maxListing, func(br *bufio.Reader) error {
		for {
			name, err := token(br)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			names = append(names, name)
		}
	}, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil || len(names) == 0 {
		return nil, nil, err
	}
	var diags []satchel.Diagnostic
	if warnings != "" {
		diags = append(diags, satchel.Diagnostic{Text: "git ls-files: " + warnings})
	}
	list := make([]IgnoredPath, 0, len(names))
	var input bytes.Buffer
	for _, name := range names {
		input.WriteString("./" + name) // a colon at the start would be magic
		input.WriteByte(0)
	}
	_, err = r.ignoreRunner().stream(ctx, &input, maxListing, func(br *bufio.Reader) error {
		for {
			var f [4]string // source, line, pattern, path
			for i := range f {
				var err error
				if f[i], err = token(br); err == io.EOF && i == 0 {
					return nil
				} else if err != nil {
					return err
				}
			}
			p := IgnoredPath{Path: strings.TrimPrefix(f[3], "./"), Source: f[0], Pattern: f[2]}
			p.Line, _ = strconv.Atoi(f[1]) // empty where no rule is
			list = append(list, p)
		}
	}, "check-ignore", "-z", "--verbose", "--non-matching", "--no-index", "--stdin")
	// It ends with 1 if none of the paths has a rule of its own.
	if err != nil && len(list) != len(names) {
		return nil, nil, err
	}
	root, err := os.OpenRoot(r.folder.Dir())
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	left := mostMeasured
	for i := range list {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		addUpIgnored(root, &list[i], &left)
	}
	return list, diags, nil
}

var errEnough = errors.New("enough files were measured")

// addUpIgnored adds up the files of a path, as long as any are left to measure.
func addUpIgnored(root *os.Root, p *IgnoredPath, left *int) {
	err := fs.WalkDir(root.FS(), strings.TrimSuffix(p.Path, "/"), func(_ string, d fs.DirEntry, err error) error {
		if *left--; *left < 0 {
			return errEnough
		}
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // what cannot be read has no size
		}
		p.Files++
		if fi, err := d.Info(); err == nil && fi.Mode().IsRegular() {
			p.Bytes += fi.Size()
		}
		return nil
	})
	if err != nil {
		p.Bytes, p.Files = -1, -1
	}
}

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
