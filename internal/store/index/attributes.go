package index

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// attributeNames are the attributes that say what a file is. They are read from
// the .gitattributes files of the tree that is viewed, so that they are right
// for any revision, and in a bare repository; macros other than binary, and
// attributes that are configured outside the tree, are not looked at.
var attributeNames = []string{"linguist-generated", "linguist-vendored", "linguist-documentation", "diff", "binary", "text"}

// maxAttributeRules bounds how many lines of .gitattributes files are heeded, as
// each is tried on each path.
const maxAttributeRules = 1000

// attributes answers what .gitattributes files say about a path.
type attributes struct {
	rules []attributeRule // of outer directories first, then in order of lines
}

type attributeRule struct {
	dir  string // of the file that holds the rule, with its final slash; "" at the root
	pat  pattern
	sets map[string]string
	at   string // file:line
}

// add adds the rules of the .gitattributes file in dir. Outer directories must be
// added before inner ones.
func (a *attributes) add(dir string, text []byte) {
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || strings.HasPrefix(line, "[attr]") {
			continue
		}
		pat, rest := attributePattern(line)
		p, err := parsePattern(pat)
		if err != nil {
			continue // git, too, ignores what it does not understand
		}
		sets := map[string]string{}
		for _, f := range strings.Fields(rest) {
			setAttribute(sets, f)
		}
		if len(sets) > 0 && len(a.rules) < maxAttributeRules {
			a.rules = append(a.rules, attributeRule{dir, p, sets, fmt.Sprintf("%s.gitattributes:%d", dir, number)})
		}
	}
}

func attributePattern(line string) (pat, rest string) {
	if line[0] == '"' {
		if q, err := strconv.QuotedPrefix(line); err == nil {
			if s, err := strconv.Unquote(q); err == nil {
				return s, line[len(q):]
			}
		}
	}
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		return line[:i], line[i:]
	}
	return line, ""
}

// setAttribute records one attribute as git check-attr prints it: set, unset,
// unspecified or its value.
func setAttribute(sets map[string]string, f string) {
	name, value, found := strings.Cut(f, "=")
	switch {
	case found:
	case name[0] == '-':
		name, value = name[1:], "unset"
	case name[0] == '!':
		name, value = name[1:], "unspecified"
	default:
		value = "set"
	}
	if name == "binary" && value == "set" { // git's only built-in macro
		sets["diff"], sets["text"] = "unset", "unset"
	}
	for _, n := range attributeNames {
		if n == name {
			sets[name] = value
		}
	}
}

// of returns the attributes of a path that are specified, nil if none is.
func (a *attributes) of(name string) map[string]string {
	var out map[string]string
	for _, r := range a.rules {
		rest, ok := strings.CutPrefix(name, r.dir)
		if !ok {
			continue
		}
		// Unlike .gitignore, a pattern does not reach below the directory that it
		// matches.
		if r.pat.dir || !matchParts(r.pat.parts, rest, false) {
			continue
		}
		for k, v := range r.sets {
			if v == "unspecified" {
				delete(out, k)
				continue
			}
			if out == nil {
				out = map[string]string{}
			}
			out[k] = v
		}
	}
	return out
}

// origin returns where the attribute of a path is set, or "".
func (a *attributes) origin(name, attribute string) (at string) {
	for _, r := range a.rules {
		rest, ok := strings.CutPrefix(name, r.dir)
		if _, sets := r.sets[attribute]; ok && sets && !r.pat.dir && matchParts(r.pat.parts, rest, false) {
			at = r.at
		}
	}
	return at
}

// attributeFile returns the directory of a .gitattributes file.
func attributeFile(name string) (dir string, ok bool) {
	dir, base := path.Split(name)
	return dir, base == ".gitattributes"
}
