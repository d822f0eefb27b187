// Package readonly keeps the files that a user wants at hand in every pack, within
// a number of tokens, and says which paths an agent must not change.
//
// A [Set] is what is kept: rules (a path, or a pattern) and the texts that they
// brought in. [Set.Add], [Set.Refresh] and [Set.Remove] change it, and either do
// all that they were asked for or nothing; [Set.Protects] answers an edit tool.
// Package state stores a Set; a disk is where its files are.
//
// Texts are read below the root of the Disk, never through a link that leads out
// of it, and kept with secrets redacted. Whether a file has changed is told by its
// bytes, not by its times. Sizes are tokens of o200k_base. A Set serves one
// goroutine at a time.
package readonly

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/tokens"
)

// DefaultBudget is the default limit of tokens for the files of a Set: the default
// size of a pack, so that a few documents fit and a whole folder of them is a choice.
const DefaultBudget = 16_000

// maxFileBytes is the size of the largest file that is kept, as for packs.
const maxFileBytes = 1 << 20

// A Set is the files that are kept, and where they are.
type Set struct {
	state.ContextSet
	disk  disk
	count *tokens.Encoding
}

// New returns the set of files that were kept before, of a Disk.
func New(disk disk, kept state.ContextSet) *Set {
	return &Set{kept, disk, tokens.O200k()}
}

// Limit is how many tokens the files may have together.
func (s *Set) Limit() int { return cmp.Or(s.Budget, DefaultBudget) }

// tokens is how many tokens the files have.
func (s *Set) tokens() (n int) {
	for i := range s.Files {
		n += s.Files[i].Tokens
	}
	return n
}

// Options say how to change a Set.
type Options struct {
	// Now is the time that is noted down.
	Now time.Time

	// Evict makes room, if there is too little, by evicting the files that were
	// least recently used and are not pinned.
	Evict bool

	// Only, if not empty, are the paths of the files that are read again. The
	// others stay as they are.
	Only []string

	// Empty allows patterns that match nothing yet.
	Empty bool

	// Automatic reads again only those files, and resolves only those patterns,
	// that refresh themselves.
	Automatic bool
}

// A Report describes a change. Paths are sorted; Evicted are in the order of
// eviction.
type Report struct {
	Added       []string             `json:"added"`
	Changed     []string             `json:"changed"` // their text is another now
	Removed     []string             `json:"removed"` // no rule brings them in any longer
	Evicted     []string             `json:"evicted"`
	Tokens      int                  `json:"tokens"` // of all files
	Limit       int                  `json:"limit"`
	Diagnostics []satchel.Diagnostic `json:"diagnostics"`
}

// A tooManyError means that rules bring in more files than can be kept.
type tooManyError struct {
	Pattern      string // of the rule that brings in most
	Files, Limit int
}

func (e *tooManyError) Error() string {
	return fmt.Sprintf("%s: matches %d files, limit is %d context files", e.Pattern, e.Files, e.Limit)
}

// A pathError is a path or pattern that cannot be kept.
type pathError struct{ Path, Why string }

func (e *pathError) Error() string { return e.Path + ": " + e.Why }

// An UnknownError is a path or pattern that is not among the rules.
type UnknownError struct{ Pattern string }

func (e *UnknownError) Error() string { return e.Pattern + ": no such context file or pattern" }

// file returns the file with the path.
func (s *Set) file(path string) (*state.ContextFile, bool) {
	i, ok := slices.BinarySearchFunc(s.Files, path, func(f state.ContextFile, p string) int { return strings.Compare(f.Path, p) })
	if !ok {
		return nil, false
	}
	return &s.Files[i], true
}

// Touch records that files were used, so that others are evicted first.
func (s *Set) Touch(now time.Time, paths ...string) {
	for _, p := range paths {
		if f, ok := s.file(p); ok && now.After(f.Used) {
			f.Used = now
		}
	}
}

// Evict evicts the least recently used files without a pin until the others have at
// most limit tokens, and returns the evicted files in that order. It does so even if
// the result is above the limit.
func (s *Set) Evict(limit int) []string { return s.evict(limit, nil) }

// EvictFile evicts one file, pinned or not, and reports whether there was anything
// to evict.
func (s *Set) EvictFile(path string) bool {
	f, ok := s.file(path)
	if !ok || f.Evicted {
		return false
	}
	f.Evicted, f.Text, f.Tokens = true, "", 0
	return true
}

// evict is Evict, and spares the paths in keep.
func (s *Set) evict(limit int, keep map[string]bool) (out []string) {
	var list []*state.ContextFile
	total := 0
	for i := range s.Files {
		f := &s.Files[i]
		total += f.Tokens
		if !f.Pinned && !f.Evicted && !keep[f.Path] {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *state.ContextFile) int {
		return cmp.Or(a.Used.Compare(b.Used), a.Added.Compare(b.Added), strings.Compare(a.Path, b.Path))
	})
	for _, f := range list {
		if total <= limit {
			break
		}
		total -= f.Tokens
		f.Evicted, f.Text, f.Tokens = true, "", 0
		out = append(out, f.Path)
	}
	return out
}

// Remove takes rules away, by their patterns, and the files that no other rule
// brings in. It takes all of them or, if one is not there (*[UnknownError]), none.
// A pattern may also be the path of a file: then it is an error that says which
// pattern brought the file in.
func (s *Set) Remove(patterns ...string) (*Report, error) {
	gone := map[string]bool{}
	for _, p := range patterns {
		i := slices.IndexFunc(s.Rules, func(r state.ContextRule) bool { return r.Pattern == p })
		if i < 0 {
			if by := s.broughtBy(p); by != "" {
				return nil, &pathError{p, "included by the pattern " + strconv.Quote(by) + ": remove the pattern"}
			}
			return nil, &UnknownError{p}
		}
		gone[p] = true
	}
	s.Rules = slices.DeleteFunc(slices.Clone(s.Rules), func(r state.ContextRule) bool { return gone[r.Pattern] })
	rules, err := parseRules(s.Rules)
	if err != nil {
		return nil, err
	}
	rep := new(Report)
	var files []state.ContextFile
	for _, f := range s.Files {
		if !rules.describe(&f) {
			rep.Removed = append(rep.Removed, f.Path)
			continue
		}
		files = append(files, f)
	}
	s.Files = files
	return s.report(rep), nil
}

// broughtBy returns the pattern that brings a file in, or "".
func (s *Set) broughtBy(path string) string {
	if _, ok := s.file(path); !ok {
		return ""
	}
	rules, _ := parseRules(s.Rules)
	return patternOf(rules, path)
}

// patternOf returns the pattern of the first rule that matches a path, or "".
func patternOf(rules []rule, path string) string {
	for i := range rules {
		if rules[i].matches(path) {
			return rules[i].Pattern
		}
	}
	return ""
}

// report fills what every report says.
func (s *Set) report(r *Report) *Report {
	for _, list := range []*[]string{&r.Added, &r.Changed, &r.Removed, &r.Evicted} {
		if *list == nil {
			*list = []string{}
		}
	}
	if r.Diagnostics == nil {
		r.Diagnostics = []satchel.Diagnostic{}
	}
	r.Tokens, r.Limit = s.tokens(), s.Limit()
	return r
}
