package subject

import (
	"path"
	"slices"
	"strings"
)

// Agents write a path now from the root and now from where they stand. The two are
// taken for one file if the folder between them is one that the agent stood in, as its
// commands say, or one that most of its files are below. Which those are is found out
// before anything else, so that it does not depend on which way came first.

// Bounds of paths and of the folders that they are looked for in.
const (
	maxPath   = 1000 // bytes: what is longer is no path
	maxDepth  = 40
	mostRoots = 32
)

// slashed returns a path with slashes.
func slashed(name string) string { return path.Clean(strings.ReplaceAll(name, "\\", "/")) }

// isAbs reports whether a path, with slashes, is written from the root.
func isAbs(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' && name[2] == '/'
}

// findRoots finds the absolute paths of a conversation and the folders in which its
// agent stood.
func (o *opener) findRoots(deeds []deed) {
	below := make(map[string]int) // folder → files
	stood := make(map[string]int) // folder → calls
	o.absolute = make(map[string]bool)
	for i := range deeds {
		d := &deeds[i]
		for _, p := range d.paths() {
			p = slashed(p)
			if !isAbs(p) || len(p) > maxPath || o.absolute[p] {
				continue
			}
			o.absolute[p] = true
			for dir, n := path.Dir(p), 0; len(dir) > 1 && n < maxDepth; dir, n = path.Dir(dir), n+1 {
				below[dir]++
			}
		}
		if f := slashed(d.folder()); isAbs(f) && len(f) > 1 && len(f) <= maxPath {
			stood[f]++
		}
	}
	type root struct {
		folder string
		n      int
	}
	var roots []root
	for f, n := range stood {
		roots = append(roots, root{f, n})
	}
	for f, n := range below {
		if 2*n >= len(o.absolute) && stood[f] == 0 {
			roots = append(roots, root{f, 0})
		}
	}
	slices.SortFunc(roots, func(a, b root) int { // those that were stood in most, then the deepest
		if a.n != b.n {
			return b.n - a.n
		}
		if len(a.folder) != len(b.folder) {
			return len(b.folder) - len(a.folder)
		}
		return strings.Compare(a.folder, b.folder)
	})
	for _, r := range roots[:min(len(roots), mostRoots)] {
		o.roots = append(o.roots, r.folder)
	}
	if len(roots) > 0 && roots[0].n > 0 {
		o.home = roots[0].folder
	}
}

// paths returns the paths that a call reads or changes.
func (d *deed) paths() (out []string) {
	if d.edits != nil {
		for i := range d.edits {
			out = append(out, d.edits[i].Path)
		}
		return out
	}
	if d.use.Path != "" {
		out = append(out, d.use.Path)
	}
	return out
}

// workdir returns the folder in which a call says that it runs, or "".
func (d *deed) workdir() string {
	for _, f := range d.fields {
		if f.Key == "workdir" || f.Key == "cwd" || f.Key == "dir_path" {
			return f.Value
		}
	}
	return ""
}

// folder returns the folder in which a command runs, as its call or its first words
// say, or "".
func (d *deed) folder() string {
	folder := d.workdir()
	if m := entersFolder().FindStringSubmatch(d.use.Line[:min(len(d.use.Line), maxPath)]); m != nil {
		folder = joined(folder, strings.Trim(m[1], `"'`))
	}
	return folder
}

// name returns the one way in which a path is written: from the root, if a root is
// known from which it is that of one file. The folder is the one in which it was
// written, or "".
func (o *opener) name(folder, p string) string {
	p = slashed(p)
	if isAbs(p) {
		return p
	}
	if folder != "" {
		full := path.Join(slashed(folder), p)
		switch rest, ok := strings.CutPrefix(full, o.home+"/"); {
		case o.absolute[full]:
			return full
		case !isAbs(full), ok && o.home != "":
			p = rest
		case o.home != "":
			return full
		}
	}
	found := ""
	for _, r := range o.roots {
		if full := path.Join(r, p); o.absolute[full] && full != found {
			if found != "" {
				return p // of more than one
			}
			found = full
		}
	}
	if found == "" {
		return p
	}
	return found
}

// known returns the file of a path, or nil.
func (o *opener) known(folder, p string) *File { return o.files[o.name(folder, p)] }

// file returns the file of a path.
func (o *opener) file(folder, p string) *File {
	name := o.name(folder, p)
	f := o.files[name]
	if f == nil {
		f = &File{Path: name, Edited: -1, Last: -1, gone: make(map[uint64]int), whole: -1}
		o.files[name] = f
		o.s.Files = append(o.s.Files, f)
	}
	if strings.Contains(p, "\\") && isAbs(slashed(p)) {
		f.Path = p // as the agent writes it
	}
	return f
}
