package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel"
)

// Attributes returns the attributes of paths in the work tree, as path → name →
// value. Values are git's: "set", "unset" or text; attributes that are not
// specified, and paths without any, are absent. It reads attribute files and
// runs nothing.
func (r *Repo) Attributes(ctx context.Context, paths []string, names ...string) (map[string]map[string]string, error) {
	if len(paths) == 0 || len(names) == 0 {
		return nil, nil
	}
	for _, n := range names {
		if n == "" || n[0] == '-' || strings.ContainsAny(n, "\x00\n\t =!") {
			return nil, errors.New("attribute " + clean(n) + ": not a name")
		}
	}
	if r.top == "" {
		return nil, nil
	}
	if !r.hasAttributes(paths) {
		return nil, nil
	}
	in := strings.Join(paths, "\x00") + "\x00"
	out, err := r.run.run(ctx, strings.NewReader(in), maxListing, append([]string{"check-attr", "-z", "--stdin"}, names...)...)
	if err != nil {
		return nil, err
	}
	return parseAttributes(out)
}

// hasAttributes reports whether any attribute file can apply to paths: there is
// one in the git folder, among the paths, or in a folder that holds one of them.
func (r *Repo) hasAttributes(paths []string) bool {
	if _, err := os.Lstat(filepath.Join(r.common, "info", "attributes")); err == nil {
		return true
	}
	seen := map[string]bool{}
	probe := []WorkFile{{Path: attributesFile}}
	for _, p := range paths {
		for {
			i := strings.LastIndexByte(p, '/')
			if p[i+1:] == attributesFile {
				return true
			}
			if i < 0 || seen[p[:i]] {
				break
			}
			p = p[:i]
			seen[p] = true
			probe = append(probe, WorkFile{Path: p + "/" + attributesFile})
		}
	}
	sortFiles(probe)
	return len(r.folder.statAll(probe, nil, new([]satchel.Note))) > 0
}

const attributesFile = ".gitattributes"

// parseAttributes reads records of path NUL name NUL value NUL.
func parseAttributes(out []byte) (map[string]map[string]string, error) {
	all := map[string]map[string]string{}
	text := string(out)
	for text != "" {
		path, rest, ok := strings.Cut(text, "\x00")
		name, rest, ok2 := strings.Cut(rest, "\x00")
		value, rest, ok3 := strings.Cut(rest, "\x00")
		if !ok || !ok2 || !ok3 {
			return nil, commandError("check-attr", "unexpected answer", nil)
		}
		text = rest
		if value == "unspecified" {
			continue
		}
		m := all[path]
		if m == nil {
			m = map[string]string{}
			all[path] = m
		}
		m[name] = value
	}
	return all, nil
}
