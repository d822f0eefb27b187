package signal

import (
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

// An edge is an import that was resolved to a file.
type edge struct {
	file   int32
	weight float32
}

// A resolver finds the files that import strings mean. It goes by paths alone,
// as every language's rule ends in one: the longest match of trailing
// components wins, and an import that matches many files means none.
type resolver struct {
	m       *Measurement
	folders map[string][]int32 // import that means a folder → its files
	sum     []float32          // of each file, zero between calls of imports
}

// ambiguous is the number of equally good matches from which on an import
// resolves to nothing.
const ambiguous = 4

// resolver returns the resolver of m's files, made at the first call.
func (m *Measurement) resolver() *resolver {
	if m.imports != nil {
		return m.imports
	}
	r := &resolver{m: m, folders: map[string][]int32{}, sum: make([]float32, len(m.files))}
	m.imports = r
	return r
}

// imports returns the files that file i imports.
func (r *resolver) imports(i int32) []edge {
	if e := r.m.imported[i].Load(); e != nil {
		return *e
	}
	var order []int32
	for _, imp := range r.m.View.Imports(r.m.files[i].Doc) {
		files := r.resolve(i, strings.ToLower(terms.Normal(imp)))
		for _, j := range files {
			if j == i {
				continue
			}
			if r.sum[j] == 0 {
				order = append(order, j)
			}
			r.sum[j] += 1 / float32(len(files))
		}
	}
	out := make([]edge, len(order))
	for k, j := range order {
		out[k] = edge{j, r.sum[j]}
		r.sum[j] = 0
	}
	r.m.imported[i].Store(&out) // whoever else finds out, finds the same
	return out
}

// importsFile reports whether file i imports target, which is another one.
func (r *resolver) importsFile(i, target int32) bool {
	return slices.ContainsFunc(r.imports(i), func(e edge) bool { return e.file == target })
}

// resolve returns the files that an import of file i means.
func (r *resolver) resolve(i int32, imp string) []int32 {
	dir := path.Dir(r.m.lower[i])
	switch outline.TraitsOf(r.m.files[i].Lang).Modules {
	case outline.Folders:
		files, ok := r.folders[imp]
		if !ok {
			files = r.folder(strings.Split(imp, "/"))
			r.folders[imp] = files
		}
		return files
	case outline.Relative:
		return r.dotted(dir, imp)
	case outline.Shrinking:
		return r.shrinking(split(imp, "::"))
	case outline.Scripts:
		if strings.HasPrefix(imp, ".") {
			imp = path.Join(dir, imp)
		} else if !strings.Contains(imp, "/") {
			return nil
		}
		if outline.TraitsOf(outline.Language(imp, nil)).Modules == outline.Scripts {
			imp = strings.TrimSuffix(imp, path.Ext(imp))
		}
		return r.module(strings.Split(imp, "/"))
	case outline.Includes:
		_, files := longestSuffix(imp, r.m.lower, r.byBase(imp))
		if len(files) > 2 {
			return nil
		}
		return files
	case outline.Files:
		imp = strings.ReplaceAll(imp, `\`, "/")
		return r.module(strings.Split(strings.TrimSuffix(path.Clean(imp), path.Ext(imp)), "/"))
	}
	return r.module(split(imp, "."))
}

// split splits an import path and drops what only points around: crate, self,
// super, empty components.
func split(imp, sep string) []string {
	parts := strings.Split(imp, sep)
	kept := parts[:0]
	for _, p := range parts {
		switch p {
		case "", "crate", "self", "super", "*":
		default:
			kept = append(kept, p)
		}
	}
	return kept
}

// byBase finds the files that have the base name of a C include.
func (r *resolver) byBase(imp string) map[string][]int32 {
	base := path.Base(imp)
	var files []int32
	for _, i := range r.m.modules()[stemOf(base)] {
		if path.Base(r.m.lower[i]) == base {
			files = append(files, i)
		}
	}
	return map[string][]int32{base: files}
}

// folder resolves an import that means a package folder.
func (r *resolver) folder(parts []string) []int32 {
	best, found := 0, ""
	all := r.m.folders()
	dirs := all.byName[parts[len(parts)-1]]
	for _, d := range dirs {
		if n := commonTail(parts, d); n > best {
			best, found = n, d
		}
	}
	if best >= 2 || best == 1 && len(dirs) == 1 {
		return all.files[found]
	}
	return nil
}

// dotted resolves a Python module, absolute or relative to dir. An imported
// name may be a module too, so that "a.b.name" is tried before "a.b".
func (r *resolver) dotted(dir, imp string) []int32 {
	if imp == "" {
		return nil
	}
	var parts []string
	if imp[0] == '.' {
		up := 0
		for up < len(imp) && imp[up] == '.' {
			up++
		}
		for range up - 1 {
			dir = path.Dir(dir)
		}
		parts = append(strings.Split(dir, "/"), split(imp[up:], ".")...)
	} else {
		parts = split(imp, ".")
	}
	return r.module(parts)
}

// shrinking resolves the longest prefix that means a module: the rest are
// names inside it.
func (r *resolver) shrinking(parts []string) []int32 {
	for k := len(parts); k >= 1; k-- {
		if files := r.module(parts[:k]); len(files) > 0 {
			return files
		}
	}
	return nil
}

// module returns the files whose module path shares the most trailing
// components with parts.
func (r *resolver) module(parts []string) []int32 {
	if len(parts) == 0 {
		return nil
	}
	best := 0
	var files []int32
	for _, i := range r.m.modules()[parts[len(parts)-1]] {
		n := commonTail(parts, modulePath(r.m.lower[i]))
		if n > best {
			best, files = n, files[:0]
		}
		if n == best {
			files = append(files, i)
		}
	}
	if len(files) >= ambiguous || best < 2 && len(parts) > 1 && len(files) > 1 {
		return nil
	}
	return files
}

// ImportsBetween counts the imports among files that lie in different folders.
func (m *Measurement) ImportsBetween(files []int32) int {
	r, n := m.resolver(), 0
	for _, i := range files {
		for _, e := range r.imports(i) {
			if slices.Contains(files, e.file) && path.Dir(m.lower[i]) != path.Dir(m.lower[e.file]) {
				n++
			}
		}
	}
	return n
}
