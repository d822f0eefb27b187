package index

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/world/git"
)

// A pattern matches paths like a line of a .gitignore file: a pattern without a slash
// (other than a trailing one) matches at any depth, others from the root; a trailing
// slash matches only directories; ** matches any number of directories. A pattern
// that matches a directory matches everything below it. Negation is not supported.
type pattern struct {
	parts []string
	dir   bool // matches directories only
}

// CheckPatterns returns what is wrong with the first bad pattern, or nil.
func CheckPatterns(list []string) error {
	_, err := parsePatterns(list)
	return err
}

func parsePatterns(list []string) ([]pattern, error) {
	var ps []pattern
	for _, s := range list {
		p, err := parsePattern(s)
		if err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
	return ps, nil
}

// exact returns the patterns of a setting. One that is the exact name of an existing
// path means that path: app/[slug] is not app/s. A wildcard stays one, so that no
// repository can undo *.key with a file of that name.
func (x *Index) exact(list []string) []string {
	out := slices.Clone(list)
	for i, s := range out {
		name := strings.Trim(s, "/")
		if x.opts.Tree == nil || strings.ContainsAny(s, "*?") || !IsPattern(s) {
			continue
		}
		_, err := x.opts.Tree.ReadFile(name, 0)
		if _, large := errors.AsType[*git.TooLargeError](err); large || err == nil || errors.Is(err, git.ErrNotRegular) {
			out[i] = "/" + Literal(strings.TrimLeft(s, "/"))
		}
	}
	return out
}

// negatedClass spells [!a] as path.Match does, [^a], but for a bracket after a backslash.
var negatedClass = strings.NewReplacer(`\\`, `\\`, `\[`, `\[`, "[!", "[^")

func parsePattern(s string) (pattern, error) {
	var p pattern
	rest := negatedClass.Replace(s)
	if strings.HasPrefix(rest, "!") {
		return p, fmt.Errorf("pattern %q: negation is not supported", s)
	}
	rest, p.dir = strings.CutSuffix(rest, "/")
	rest, anchored := strings.CutPrefix(rest, "/")
	if rest == "" {
		return p, fmt.Errorf("pattern %q matches nothing", s)
	}
	p.parts = strings.Split(rest, "/")
	if !anchored && len(p.parts) == 1 && rest != "**" {
		p.parts = []string{"**", rest}
	}
	for _, part := range p.parts {
		if part == "" {
			return p, fmt.Errorf("pattern %q has an empty segment", s)
		}
		if _, err := path.Match(part, ""); err != nil {
			return p, fmt.Errorf("pattern %q: %v", s, err)
		}
	}
	return p, nil
}

// match returns the part of the file's path that the pattern matches: a
// directory with its final slash, or all of name. It returns "" if none does.
func (p pattern) match(name string) string { return p.matchBy(name, false) }

// matchBy is match, with case or, with fold, without.
func (p pattern) matchBy(name string, fold bool) string {
	for i := 0; i < len(name); i++ {
		if name[i] == '/' && matchParts(p.parts, name[:i], fold) {
			return name[:i+1]
		}
	}
	if !p.dir && matchParts(p.parts, name, fold) {
		return name
	}
	return ""
}

// matchParts matches all of name. It takes time proportional to the lengths of
// both: where a segment does not match, only the last ** can still help, by
// taking one segment more.
func matchParts(parts []string, name string, fold bool) bool {
	star, afterStar := -1, ""
	at, more := 0, true
	for more {
		if at < len(parts) && parts[at] == "**" {
			if at == len(parts)-1 {
				return true
			}
			star, afterStar = at, name
			at++
			continue
		}
		head, rest, hasRest := strings.Cut(name, "/")
		if at < len(parts) {
			if matchGlob(parts[at], head, fold) {
				at, name, more = at+1, rest, hasRest
				continue
			}
		}
		if star < 0 {
			return false
		}
		if _, afterStar, more = strings.Cut(afterStar, "/"); !more {
			return false
		}
		at, name = star+1, afterStar
	}
	return at == len(parts)
}

// matchAny returns the shortest part of name that any of the patterns matches.
func matchAny(ps []pattern, name string) string {
	best := ""
	for _, p := range ps {
		if m := p.match(name); m != "" && (best == "" || len(m) < len(best)) {
			best = m
		}
	}
	return best
}

// A Pattern matches paths as a line of a .gitignore file does, without negation.
type Pattern struct{ p pattern }

// ParsePattern reads a pattern.
func ParsePattern(s string) (*Pattern, error) {
	p, err := parsePattern(s)
	if err != nil {
		return nil, err
	}
	return &Pattern{p}, nil
}

// Match reports whether the pattern matches the path of a file, or a folder that
// it lies in.
func (p *Pattern) Match(name string) bool { return p.p.match(name) != "" }

// MatchFold reports whether Match would hold for some name that differs from this
// one in the case of letters only.
func (p *Pattern) MatchFold(name string) bool { return p.p.matchBy(name, true) != "" }

// IsPattern reports whether a name has a wildcard without a backslash before it.
func IsPattern(name string) bool {
	_, plain := Plain(name)
	return !plain
}

// Plain returns a name without the backslashes before wildcards, and whether it has
// no other wildcard.
func Plain(name string) (plain string, ok bool) {
	if !strings.ContainsAny(name, wildcards) {
		return name, true
	}
	ok = true
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		switch {
		case name[i] == '\\' && i+1 < len(name):
			i++
		case strings.IndexByte(wildcards, name[i]) >= 0:
			ok = false
		}
		b.WriteByte(name[i])
	}
	return b.String(), ok
}

// Literal returns the pattern of a path: Plain of it is the path again.
func Literal(name string) string {
	if !strings.ContainsAny(name, wildcards) {
		return name
	}
	var b strings.Builder
	for i := range len(name) {
		if name[i] == '\\' || strings.IndexByte(wildcards, name[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

const wildcards = "*?["
