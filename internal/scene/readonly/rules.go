package readonly

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/store/state"
)

// A rule is a ContextRule whose pattern has been read.
type rule struct {
	state.ContextRule
	pattern *index.Pattern // nil for a path
}

type rules []rule

func parseRules(list []state.ContextRule) (rules, error) {
	out := make(rules, len(list))
	for i, r := range list {
		out[i] = rule{ContextRule: r}
		if !r.Glob {
			continue
		}
		p, err := index.ParsePattern(r.Pattern)
		if err != nil {
			return nil, err
		}
		out[i].pattern = p
	}
	return out, nil
}

// matches reports whether the rule brings in the file with the path.
func (r *rule) matches(path string) bool {
	if r.pattern == nil {
		return r.Pattern == path
	}
	return r.pattern.Match(path)
}

// describe sets what the rules say about a file, and reports whether any of them
// brings it in.
func (rs rules) describe(f *state.ContextFile) (in bool) {
	f.ReadOnly, f.AutoRefresh, f.Pinned = false, false, false
	for i := range rs {
		if r := &rs[i]; r.matches(f.Path) {
			in = true
			f.ReadOnly = f.ReadOnly || r.ReadOnly
			f.AutoRefresh = f.AutoRefresh || r.AutoRefresh
			f.Pinned = f.Pinned || r.Pinned
		}
	}
	return in
}

// withRules returns the rules and more, by pattern. A rule that is there already
// gains what the new one says, and loses nothing.
func withRules(list, more []state.ContextRule) []state.ContextRule {
	list = slices.Clone(list)
	for _, r := range more {
		i := slices.IndexFunc(list, func(o state.ContextRule) bool { return o.Pattern == r.Pattern })
		if i < 0 {
			list = append(list, r)
			continue
		}
		o := &list[i]
		o.ReadOnly = o.ReadOnly || r.ReadOnly
		o.AutoRefresh = o.AutoRefresh || r.AutoRefresh
		o.Pinned = o.Pinned || r.Pinned
	}
	slices.SortFunc(list, func(a, b state.ContextRule) int { return strings.Compare(a.Pattern, b.Pattern) })
	return list
}

// IsPattern reports whether a name that no file has must be a pattern.
func IsPattern(name string) bool { return strings.ContainsAny(name, "*?[") }

// fixed returns the folder that a pattern begins with, without a slash at its end:
// "" for the root. What the pattern matches lies below it.
func fixed(pattern string) string {
	rest, anchored := strings.CutPrefix(pattern, "/")
	parts := strings.Split(strings.TrimSuffix(rest, "/"), "/")
	if !anchored && len(parts) == 1 {
		return ""
	}
	n := 0
	for n < len(parts)-1 && !strings.ContainsAny(parts[n], `*?[\`) {
		n++
	}
	return strings.Join(parts[:n], "/")
}

func byPath(a, b state.ContextFile) int { return cmp.Compare(a.Path, b.Path) }
