package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
)

// attributes returns the attributes of paths in the work tree, as path → name →
// value. Values are git's: "set", "unset" or text; attributes that are not
// specified, and paths without any, are absent. It reads attribute files and
// runs nothing. The user's own attribute files are not read, so that the answer
// is the repository's. A bare repository has none.
func (r *Repo) attributes(ctx context.Context, paths []string, names ...string) (map[string]map[string]string, error) {
	if err := checkNames(names); err != nil || r.folder == nil {
		return nil, err
	}
	any, err := r.hasAttributes(paths)
	if err != nil || !any {
		return nil, err
	}
	var in bytes.Buffer
	for _, p := range paths {
		appendPath(&in, p)
	}
	return r.run.checkAttr(ctx, &in, names)
}

// checkAttr asks for the attributes of the paths in.
func (r *runner) checkAttr(ctx context.Context, in io.Reader, names []string) (map[string]map[string]string, error) {
	var all map[string]map[string]string
	_, err := r.stream(ctx, in, maxListing, func(br *bufio.Reader) (err error) {
		all, err = parseAttributes(br)
		return err
	}, append([]string{"check-attr", "-z", "--stdin"}, names...)...)
	return all, err
}

// appendPath writes a path for check-attr, unless no listing could hold it: git
// ends when it is asked about a path outside the repository.
func appendPath(in *bytes.Buffer, path string) {
	if validPath(path) {
		in.WriteString(path)
		in.WriteByte(0)
	}
}

// checkNames refuses attribute names that git would take for something else.
func checkNames(names []string) error {
	if len(names) == 0 {
		return errors.New("no attribute named")
	}
	for _, n := range names {
		if n == "" || n[0] == '-' || strings.ContainsFunc(n, func(c rune) bool {
			return !(c == '-' || c == '.' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z')
		}) {
			return fmt.Errorf("attribute %q: not a name", clean(n))
		}
	}
	return nil
}

// infoAttributes reports whether the git folder has an attribute file.
func (r *Repo) infoAttributes() bool {
	_, err := os.Lstat(filepath.Join(r.common, "info", "attributes"))
	return err == nil
}

// hasAttributes reports whether any attribute file can apply to paths: there is
// one in the git folder, among the paths, or in a folder that holds one of them.
// It fails if there is a FIFO or device by that name, which git would wait for.
func (r *Repo) hasAttributes(paths []string) (bool, error) {
	any := r.infoAttributes() || slices.ContainsFunc(paths, func(p string) bool { return pathBase(p) == attributesFile })
	probe := r.folder.statAll(attributeFiles(paths), nil, nil, new([]satchel.Diagnostic))
	for _, f := range probe {
		if f.Mode == modeSpecial {
			return false, fmt.Errorf("%s: %w", clean(f.Path), ErrNotRegular)
		}
	}
	return any || len(probe) > 0, nil
}

// attributeFiles returns the places where attribute files for paths may be.
func attributeFiles(paths []string) []WorkFile {
	seen := map[string]bool{"": true}
	probe := []WorkFile{{Path: attributesFile}}
	for _, p := range paths {
		if !validPath(p) {
			continue
		}
		for i := strings.LastIndexByte(p, '/'); i > 0 && !seen[p[:i]]; i = strings.LastIndexByte(p, '/') {
			p = p[:i]
			seen[p] = true
			probe = append(probe, WorkFile{Path: p + "/" + attributesFile})
		}
	}
	sortFiles(probe)
	return probe
}

func pathBase(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

const attributesFile = ".gitattributes"

// parseAttributes reads records of path NUL name NUL value NUL.
func parseAttributes(br *bufio.Reader) (map[string]map[string]string, error) {
	all := map[string]map[string]string{}
	for {
		var rec [3]string
		var err error
		for i := range rec {
			if rec[i], err = token(br); err == io.EOF && i == 0 {
				return all, nil
			} else if err != nil {
				return nil, truncated(err)
			}
		}
		path, name, value := rec[0], rec[1], rec[2]
		if value == "unspecified" {
			continue
		}
		if all[path] == nil {
			all[path] = map[string]string{}
		}
		all[path][name] = value
	}
}
