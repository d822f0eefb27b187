package engine

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/index"
)

// A pathFilter tells which changed files were asked for.
type pathFilter struct {
	names    []string
	patterns []*index.Pattern // nil for a name without wildcards
	used     []bool
}

// newPathFilter reads paths, folders and patterns.
func newPathFilter(names []string) (*pathFilter, error) {
	f := &pathFilter{names: names, patterns: make([]*index.Pattern, len(names)), used: make([]bool, len(names))}
	for i, name := range names {
		if !strings.ContainsAny(name, `*?[`) {
			continue
		}
		p, err := index.ParsePattern(name)
		if err != nil {
			return nil, err
		}
		f.patterns[i] = p
	}
	return f, nil
}

// match reports whether a file was asked for, and whether by its exact path. A
// file that was renamed has two.
func (f *pathFilter) match(file *change.File) (ok, exact bool) {
	for i, name := range f.names {
		for _, p := range []string{file.Path, file.OldPath} {
			switch {
			case p == "":
			case p == name:
				f.used[i], ok, exact = true, true, true
			case name == "." || strings.HasPrefix(p, strings.TrimSuffix(name, "/")+"/"),
				f.patterns[i] != nil && f.patterns[i].Match(p):
				f.used[i], ok = true, true
			}
		}
	}
	return ok, exact
}

// unused returns the first name that matched nothing.
func (f *pathFilter) unused() (string, bool) {
	if i := slices.Index(f.used, false); i >= 0 {
		return f.names[i], true
	}
	return "", false
}
