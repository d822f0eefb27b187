package readonly

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// A Protection says whether a path may be changed.
type Protection struct {
	Path      string `json:"path"` // as it was asked for
	Protected bool   `json:"protected"`
	File      string `json:"file,omitempty"` // the protected file, or the path that a pattern protects
	Rule      string `json:"rule,omitempty"` // the path or pattern that protects it
	Why       string `json:"why,omitempty"`
}

// Protects says whether writing to a path would change a file that a read-only
// rule protects: an existing one, or one that would then exist. The path is any
// spelling: absolute, or relative to one of the folders in from or to the root.
//
// It errs on the safe side. A path is protected under every name it has: as it is
// written, with "." and ".." taken out as text and as the file system takes them,
// at each step of a chain of symbolic links and at its end, in other case, with
// other slashes, as a file URL, below ~, and as another hard link to the same file.
// A folder is protected if a protected file lies in it.
//
// A path that cannot be looked at (a loop of links, a NUL) is an error; the caller
// treats it as protected.
func (s *Set) Protects(ctx context.Context, path string, from ...string) (Protection, error) {
	none := Protection{Path: path}
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return none, &pathError{path, "no path"}
	}
	g, failed := s.guard()
	if len(g.rules) == 0 {
		return none, failed
	}
	for _, name := range spellings(path) {
		for _, abs := range places(name, s.disk.Root(), from) {
			steps, err := trail(abs)
			// Many a tool takes out ".." as text before it opens a file.
			if clean := filepath.Clean(abs); clean != abs {
				more, moreErr := trail(clean)
				steps, err = append(steps, more...), errors.Join(err, moreErr)
			}
			for _, at := range steps {
				if p, ok := g.covers(at); ok {
					p.Path = path
					return p, nil
				}
			}
			if err != nil {
				failed = err
				continue
			}
			for _, at := range []string{abs, filepath.Clean(abs)} {
				p, err := g.sameFile(ctx, at)
				if err != nil {
					return none, err
				}
				if p.Protected {
					p.Path = path
					return p, nil
				}
			}
		}
	}
	return none, failed
}

// A guard is what protects.
type guard struct {
	set   *Set
	roots []string    // the root, and the same place without links
	rules rules       // that are read-only
	spelt []guarded   // the same rules
	files []protected // that rules protect, whether they are there or not
}

// A guarded is how a rule is compared: a path, or a pattern.
type guarded struct {
	path    string // folded
	pattern *speltPattern
}

// A protected is the path of a file, folded, and folded where links lead; "" if
// that is nowhere below the root.
type protected struct{ path, folded, real string }

func (s *Set) guard() (*guard, error) {
	g := &guard{set: s, roots: []string{s.disk.Root()}}
	if real, err := filepath.EvalSymlinks(s.disk.Root()); err == nil && real != s.disk.Root() {
		g.roots = append(g.roots, real)
	}
	file := func(path string) {
		p := protected{path: path, folded: fold(path)}
		if real, ok := realPath(s.disk.Root(), path); ok {
			p.real = fold(real)
		}
		g.files = append(g.files, p)
	}
	var failed error
	for _, r := range s.Rules {
		if !r.ReadOnly {
			continue
		}
		one := guarded{path: fold(r.Pattern)}
		parsed, err := parseRules([]state.ContextRule{r})
		if err == nil && r.Glob {
			one.pattern = new(speltPattern)
			*one.pattern, err = spellPattern(r.Pattern)
		}
		if err != nil { // it was never stored by us; the others still protect
			failed = errors.Join(failed, err)
			continue
		}
		g.rules, g.spelt = append(g.rules, parsed...), append(g.spelt, one)
		if !r.Glob {
			if f, kept := s.file(r.Pattern); !kept || !f.ReadOnly {
				file(r.Pattern)
			}
		}
	}
	for i := range s.Files {
		if s.Files[i].ReadOnly {
			file(s.Files[i].Path)
		}
	}
	return g, failed
}

// covers reports whether a rule names or matches an absolute path, in any spelling,
// or names what lies in it.
func (g *guard) covers(abs string) (Protection, bool) {
	for _, root := range g.roots {
		rel, ok := foldBelow(root, abs)
		if !ok {
			continue
		}
		folded, names := fold(rel), spellName(rel)
		for i := range g.spelt {
			if r := &g.spelt[i]; r.pattern == nil && r.path == folded || r.pattern != nil && r.pattern.match(&names) {
				return Protection{Protected: true, File: rel, Rule: g.rules[i].Pattern, Why: "a read-only context file"}, true
			}
		}
		for i := range g.files {
			if f := &g.files[i]; rel == "" || f.folded != folded && isBelow(f.folded, folded) {
				return Protection{Protected: true, File: f.path, Rule: patternOf(g.rules, f.path), Why: "a folder that holds a read-only context file"}, true
			}
		}
		// The real file behind a protected link.
		for i := range g.files {
			if f := &g.files[i]; f.real != "" && f.real == folded {
				return Protection{Protected: true, File: f.path, Rule: patternOf(g.rules, f.path), Why: "the file behind a read-only context file"}, true
			}
		}
	}
	return Protection{}, false
}

// sameFile reports whether a path is another name of the very file that is
// protected: a hard link, or a name that the file system takes for the same.
func (g *guard) sameFile(ctx context.Context, abs string) (Protection, error) {
	it, err := os.Stat(abs)
	if err != nil || it.IsDir() {
		return Protection{}, nil // nothing is there, or no file
	}
	same := func(rel string) bool {
		other, err := os.Stat(filepath.Join(g.set.disk.Root(), filepath.FromSlash(rel)))
		return err == nil && os.SameFile(it, other)
	}
	found := func(rel string) Protection {
		return Protection{Protected: true, File: rel, Rule: patternOf(g.rules, rel), Why: "another name of a read-only context file"}
	}
	for i := range g.files {
		if f := g.files[i].path; same(f) {
			return found(f), nil
		}
	}
	if links(it) < 2 {
		return Protection{}, nil
	}
	// Patterns protect more files than are kept.
	for i := range g.rules {
		r := &g.rules[i]
		if r.pattern == nil {
			continue
		}
		files, _, err := g.set.disk.List(ctx, fixed(r.Pattern))
		if err != nil {
			return Protection{}, err
		}
		for _, f := range files {
			if r.pattern.Match(f) && same(f) {
				return found(f), nil
			}
		}
	}
	return Protection{}, nil
}

// spellings returns the names that a tool may take a name for.
func spellings(name string) []string {
	out := []string{name}
	add := func(s string) {
		if s != "" && strings.IndexByte(s, 0) < 0 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	add(strings.TrimSpace(name))
	for _, n := range append([]string{}, out...) {
		if len(n) > 5 && strings.EqualFold(n[:5], "file:") {
			rest, host := strings.CutPrefix(n[5:], "//")
			if i := strings.IndexByte(rest, '/'); host && i > 0 {
				rest = rest[i:]
			}
			if s, err := url.PathUnescape(rest); err == nil {
				add(s)
			}
			add(rest)
		}
		if rest, ok := strings.CutPrefix(n, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				add(filepath.Join(home, rest))
			}
		}
		if strings.Contains(n, `\`) {
			add(strings.ReplaceAll(n, `\`, "/"))
		}
	}
	return out
}

// places returns the absolute paths that a name may mean. They are not cleaned: the
// file system decides what ".." means after a link.
func places(name, root string, from []string) []string {
	if filepath.IsAbs(name) {
		return []string{name}
	}
	sep := string(filepath.Separator)
	out := []string{root + sep + name}
	for _, dir := range from {
		if dir != root && filepath.IsAbs(dir) {
			out = append(out, dir+sep+name)
		}
	}
	return out
}

// maxLinks is how many symbolic links are followed; Linux allows 40.
const maxLinks = 64

var errLoop = errors.New("too many symbolic links")

// trail returns every absolute path that writing to abs could mean: abs with ".."
// taken out as text, the path that the file system arrives at, and each link on
// the way. What does not exist is taken as text from there on.
func trail(abs string) ([]string, error) {
	out := []string{filepath.Clean(abs)}
	volume := filepath.VolumeName(abs)
	top := volume + string(filepath.Separator)
	rest := splitPath(abs[len(volume):])
	at := top
	for seen := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		fi, err := os.Lstat(next)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) && !fsx.NotDir(err) {
				return out, &pathError{abs, err.Error()}
			}
			at = next
			continue
		}
		if fi.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if seen++; seen > maxLinks {
			return out, &pathError{abs, errLoop.Error()}
		}
		// The link itself may be replaced.
		out = append(out, filepath.Join(append([]string{next}, rest...)...), next)
		target, err := os.Readlink(next)
		if err != nil {
			return out, &pathError{abs, err.Error()}
		}
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			at = volume + string(filepath.Separator)
			target = target[len(volume):]
		}
		rest = append(splitPath(target), rest...)
	}
	return append(out, at), nil
}

func splitPath(p string) []string {
	return strings.FieldsFunc(p, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}

// realPath returns the path below root that a name leads to, after all links, and
// false if that is elsewhere.
func realPath(root, name string) (string, bool) {
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", false
	}
	real, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(realRoot, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// foldBelow returns the slash-separated path from root to abs, if abs lies there
// in any case; "" is the root itself.
func foldBelow(root, abs string) (string, bool) {
	root, abs = filepath.ToSlash(filepath.Clean(root)), filepath.ToSlash(filepath.Clean(abs))
	r, a := strings.Split(strings.TrimSuffix(root, "/"), "/"), strings.Split(strings.TrimSuffix(abs, "/"), "/")
	if len(a) < len(r) {
		return "", false
	}
	for i := range r {
		if fold(r[i]) != fold(a[i]) {
			return "", false
		}
	}
	return strings.Join(a[len(r):], "/"), true
}
