package subject

import (
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// A scope is what a test, build or linter looks at, as far as its words say it surely:
// which program, which paths, and whether an option narrows it further.
type scope struct {
	program string // the words before the first path
	paths   []string
	narrow  bool
}

// harmless are options that change how a check speaks and not what it looks at, and
// narrowing those that name some of its tests, in the next word if it has no "=".
var (
	harmless  = lazy.Regexp(`^(?:-q+|-v+|-x|-s|-count=\d+|-timeout=\S+|--tb=\S+|--no-header)$`)
	narrowing = lazy.Regexp(`^(?:-run|-k|-t)(=|$)`)
)

// scope returns what a check looks at; ok is false for what is no check, or has words
// of which that is not known.
func (r *Run) scope() (s scope, ok bool) {
	if r.Command == nil || !r.Command.Check || strings.ContainsAny(r.mends, "|;&<>$`(){}'\"\\") {
		return s, false
	}
	var program []string
	words := strings.Fields(r.mends)
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case i == 0, w == "-m" && len(program) == 1: // python -m pytest; a folder is the first word
			program = append(program, w)
		case harmless().MatchString(w):
		case narrowing().MatchString(w):
			s.narrow = true
			if !strings.Contains(w, "=") {
				i++
			}
		case strings.HasPrefix(w, "-"):
			return s, false
		case strings.ContainsAny(w, "/.*:"):
			s.paths = append(s.paths, w)
		case len(s.paths) > 0:
			return s, false
		default:
			program = append(program, w)
		}
	}
	s.program = strings.Join(program, " ")
	return s, true
}

// covers reports whether a check of s looks at everything that one of part does.
func (s *scope) covers(part *scope) bool {
	if s.narrow || s.program != part.program {
		return false
	}
	fields := strings.Fields(s.program)
	if slices.Contains(fields[:min(len(fields), 2)], "go") { // behind the folder, if there is one
		return eachCovered(packages(part.paths), packages(s.paths), packageCovers)
	}
	if len(s.paths) == 0 {
		return !slices.ContainsFunc(part.paths, func(p string) bool { return elsewhere().MatchString(path.Clean(p)) })
	}
	return len(part.paths) > 0 && eachCovered(part.paths, s.paths, pathCovers)
}

// eachCovered reports whether each part is covered by one of the others.
func eachCovered(parts, wholes []string, covers func(whole, part string) bool) bool {
	for _, p := range parts {
		if !slices.ContainsFunc(wholes, func(w string) bool { return covers(w, p) }) {
			return false
		}
	}
	return true
}

// packages are the patterns of a go command: without any it looks at that of the folder.
func packages(paths []string) []string {
	if len(paths) == 0 {
		return []string{"."}
	}
	return paths
}

// packageCovers reports whether a pattern of packages is another one, or a ./… that
// holds it. What other patterns hold is not known: ... is all packages there are, and a
// path is that of a module. No ./… looks into folders that go leaves out by their names,
// nor above its own.
func packageCovers(whole, part string) bool {
	folder, below := strings.CutSuffix(whole, "...")
	rest, held := strings.CutPrefix(strings.TrimSuffix(part, "/...")+"/", folder)
	return whole == part || below && held && strings.HasPrefix(folder, "./") && !slices.ContainsFunc(strings.Split(rest, "/"), leftOut)
}

// leftOut reports whether go leaves out a folder where it looks at all that are below
// one; ".." is none of these, either.
func leftOut(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor"
}

// elsewhere finds the paths that are not below the folder.
var elsewhere = lazy.Regexp(`^(?:[A-Za-z]:/|/|~|\.\.(?:/|$))`)

// pathCovers reports whether a path is another one, or a folder or file that holds it.
func pathCovers(whole, part string) bool {
	whole, part = path.Clean(whole), path.Clean(part)
	return whole == part || strings.HasPrefix(part, whole+"/") || strings.HasPrefix(part, whole+"::")
}
