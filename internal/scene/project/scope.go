package project

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// A Scope is what a request is limited to: the files that its paths name, and of
// these those that its patterns match.
type Scope struct {
	Paths, Include *nameSet // nil means all
}

// NewScope reads paths, folders and patterns, and patterns. A bad pattern is an
// error.
func NewScope(paths, include []string) (s Scope, err error) {
	if len(paths) > 0 {
		if s.Paths, err = NewNameSet(paths); err != nil {
			return s, err
		}
	}
	if len(include) > 0 {
		s.Include, err = NewNameSet(include)
		s.Include.anywhere(include)
	}
	return s, err
}

// All reports whether nothing limits the request.
func (s *Scope) All() bool { return s.Paths == nil && s.Include == nil }

// Has reports whether any of the names of a file is within the scope, and whether
// one is exactly what was asked for.
func (s *Scope) Has(names ...string) (ok, exact bool) {
	if ok, exact = s.Paths.Match(names); !ok {
		return false, false
	}
	ok, _ = s.Include.Match(names)
	return ok, exact
}

// A nameSet holds paths, folders and patterns, and which of them matched.
type nameSet struct {
	names    []string
	literal  map[string][]int // by path, without a final slash: indexes of names
	patterns []setPattern
	used     []bool
	found    []bool // as a path, not as a pattern
}

type setPattern struct {
	*index.Pattern
	name int
}

// NewNameSet reads paths and folders, relative to the root, and patterns as in a
// .gitignore. What looks like a pattern is a path too: app/[id] is a folder's name
// in some projects. A backslash takes the meaning from a wildcard.
func NewNameSet(names []string) (*nameSet, error) {
	f := &nameSet{names: names, literal: make(map[string][]int, len(names)), used: make([]bool, len(names)), found: make([]bool, len(names))}
	for i, name := range names {
		f.exactly(name, i)
		plain, literal := index.Plain(name)
		if literal {
			if plain != name {
				f.exactly(plain, i)
			}
			continue
		}
		if err := f.pattern(name, i); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *nameSet) exactly(name string, i int) {
	key := strings.Trim(name, "/")
	f.literal[key] = append(f.literal[key], i)
}

func (f *nameSet) pattern(name string, i int) error {
	p, err := index.ParsePattern(name)
	if err == nil {
		f.patterns = append(f.patterns, setPattern{p, i})
	}
	return err
}

// anywhere makes patterns of plain names too, which match at any depth.
func (f *nameSet) anywhere(names []string) {
	for i, name := range names {
		if _, literal := index.Plain(name); literal && f.pattern(name, i) != nil {
			continue // not a pattern, but perhaps a path
		}
	}
}

// Match reports whether any name of a file is in the set, or below a folder of it,
// and whether exactly. A nil set holds everything.
func (f *nameSet) Match(names []string) (ok, exact bool) {
	if f == nil {
		return true, false
	}
	use := func(list []int) {
		for _, i := range list {
			f.used[i], f.found[i], ok = true, true, true
		}
	}
	for _, p := range names {
		if p == "" {
			continue
		}
		if list := f.literal[p]; list != nil {
			use(list)
			exact = true
		}
		use(f.literal["."])
		for i := 0; i < len(p); i++ {
			if p[i] == '/' {
				use(f.literal[p[:i]])
			}
		}
		for _, x := range f.patterns {
			if (!f.used[x.name] || !ok) && x.Match(p) {
				f.used[x.name], ok = true, true
			}
		}
	}
	return ok, exact
}

// Settle takes those patterns for paths that were found to be some: after all files
// were asked for, app/[id] means that folder and not app/i.
func (f *nameSet) Settle() {
	if f != nil {
		f.patterns = slices.DeleteFunc(f.patterns, func(p setPattern) bool {
			return index.IsPattern(f.names[p.name]) && f.found[p.name]
		})
	}
}

// Unused returns the names that matched nothing.
func (f *nameSet) Unused() (names []string) {
	if f == nil {
		return nil
	}
	for i, used := range f.used {
		if !used {
			names = append(names, f.names[i])
		}
	}
	return names
}

// A ScopeError says that no file is left of what a request is limited to.
type ScopeError struct {
	Include  bool   // it is a pattern of Include, not one of Paths
	Name     string // the path or pattern
	More     int    // others that match nothing either
	Why      string // no such file or folder, or why it is left out
	LeftOut  bool   // it is there, and left out
	Unlisted bool   // by git, not by a rule: it is ignored, or an empty folder
}

func (e *ScopeError) Error() string {
	s := fmt.Sprintf("%s: %s", clean.Inline(e.Name), e.Why)
	if e.More > 0 {
		s += fmt.Sprintf(", and %d more that match nothing", e.More)
	}
	return s
}

// MostUnmatched limits the names without a match that are listed one by one.
const MostUnmatched = 10

// Limit returns the scope of a request. Diagnostics list its names that match no file
// of the view or of also. If no file is left at all, it returns a [*ScopeError].
func (w *Project) Limit(v *index.View, rev string, paths, include []string, also ...string) (*Scope, []satchel.Diagnostic, error) {
	s, err := NewScope(paths, include)
	if err != nil || s.All() {
		return &s, nil, err
	}
	found := false
	try := func(name string) {
		// Both are asked, so that each knows what it matches.
		inPaths, _ := s.Paths.Match([]string{name})
		inInclude, _ := s.Include.Match([]string{name})
		found = found || inPaths && inInclude
	}
	for _, name := range also {
		try(name)
	}
	files := v.Files()
	for i := range files {
		try(files[i].Path)
	}
	s.Paths.Settle()
	s.Include.Settle()
	diags, first := w.unmatched(v, rev, &s)
	switch {
	case found, first != nil && s.elsewhere(v):
		return &s, diags, nil
	case first == nil: // both match something, and no file is in both
		first = &ScopeError{Include: true, Name: s.Include.names[0], Why: "no file within the paths matches"}
	}
	return nil, nil, first
}

// elsewhere reports whether a path is another repository or lies in one: a pack that
// is empty for that says what the path is.
func (s *Scope) elsewhere(v *index.View) bool {
	return s.Paths != nil && s.Include == nil && slices.ContainsFunc(v.Excluded(), func(o satchel.Omission) bool {
		ok, _ := s.Paths.Match([]string{o.Ref.Path})
		return ok && (o.Why == satchel.WhySubmodule || o.Why == satchel.WhyNested)
	})
}

// unmatched describes the names of a scope that match no file: missing ones one by
// one, and excluded ones together, because a list of all files has many.
func (w *Project) unmatched(v *index.View, rev string, s *Scope) (diags []satchel.Diagnostic, first *ScopeError) {
	var out []string // names of what is left out
	var reasons []string
	unknown := 0
	for _, set := range []*nameSet{s.Paths, s.Include} {
		for _, name := range set.Unused() {
			why, left := w.whyUnmatched(v, rev, name)
			if plain, ok := index.Plain(name); ok {
				name = plain
			}
			if first == nil {
				first = &ScopeError{Include: set == s.Include, Name: name, Why: why, LeftOut: left, Unlisted: why == unlisted}
			} else {
				first.More++
			}
			switch {
			case left:
				out = append(out, name)
				if !slices.Contains(reasons, why) {
					reasons = append(reasons, why)
				}
			case unknown < MostUnmatched:
				diags = append(diags, satchel.Diagnostic{Path: name, Text: why})
				fallthrough
			default:
				unknown++
			}
		}
	}
	if unknown > MostUnmatched {
		diags = append(diags, satchel.Diagnostic{Text: fmt.Sprintf("%d more names match no file", unknown-MostUnmatched)})
	}
	switch n := len(out); {
	case n == 1:
		diags = append(diags, satchel.Diagnostic{Path: out[0], Text: reasons[0]})
	case n > 1:
		diags = append(diags, satchel.Diagnostic{Text: fmt.Sprintf("%d names are %s", n, strings.Join(reasons[:min(n, len(reasons), 3)], ", "))})
	}
	return diags, first
}

// whyUnmatched returns the reason why a name matches no file, and whether it names
// excluded files.
func (w *Project) whyUnmatched(v *index.View, rev, name string) (why string, left bool) {
	one, err := NewNameSet([]string{name})
	if err != nil {
		return err.Error(), false
	}
	plain, literal := index.Plain(name)
	reasons := map[string]bool{}
	var whys []string
	for _, o := range v.Excluded() {
		at := strings.TrimSuffix(o.Ref.Path, "/")
		ok, _ := one.Match([]string{at})
		if (ok || literal && at != o.Ref.Path && strings.HasPrefix(name, o.Ref.Path)) && !reasons[o.Why] {
			reasons[o.Why] = true
			whys = append(whys, o.Why)
		}
	}
	switch {
	case len(whys) > 0:
		return leftOut + " (" + strings.Join(whys, ", ") + ")", true
	case !literal:
		return "no file matches", false
	case rev == "":
		if _, err := w.Tree.ReadFile(strings.TrimSuffix(plain, "/"), 1); err == nil || !errors.Is(err, fs.ErrNotExist) && !fsx.NotDir(err) {
			return unlisted, true
		}
	}
	return "no such file or folder", false
}

const (
	leftOut  = "left out"
	unlisted = leftOut + " (git does not list it: ignored, or empty)"
)
