package ranking

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/document"
)

// A docPlace is a document that links may lead to.
type docPlace struct {
	vault bool
	path  string // from the root of the repository or of the vault
	index int32  // of View.Files, or of the vault's documents
}

// docPlaces finds documents by what links say.
type docPlaces struct {
	list   []docPlace
	byPath map[string]int   // lower case, with a mark before those of the vault
	byName map[string][]int // slugs of names without extension, and aliases
}

func newDocPlaces(list []docPlace) *docPlaces {
	p := &docPlaces{list: list, byPath: make(map[string]int, len(list)), byName: make(map[string][]int, len(list))}
	for i, l := range list {
		p.byPath[placeKey(l.vault, l.path)] = i
		p.name(i, path.Base(l.path))
		if base := strings.ToLower(path.Base(l.path)); strings.HasPrefix(base, "index.") || strings.HasPrefix(base, "readme.") {
			p.name(i, path.Base(path.Dir(l.path))+".md")
		}
	}
	return p
}

func placeKey(vault bool, p string) string {
	if vault {
		return "\x00" + strings.ToLower(p)
	}
	return strings.ToLower(p)
}

// name has a document answer to the name of a file.
func (p *docPlaces) name(i int, base string) {
	if slug := document.Slug(strings.TrimSuffix(base, path.Ext(base))); slug != "" && !slices.Contains(p.byName[slug], i) {
		p.byName[slug] = append(p.byName[slug], i)
	}
}

// endings are what a link may leave out of the path of a document.
var endings = [...]string{"", ".md", ".mdx", ".rst", ".adoc", ".org", ".txt", "/index.md", "/index.mdx", "/index.rst", "/README.md", "/readme.md"}

// mostNamed is how many documents one name may mean: of more, it means none.
const mostNamed = 3

// find returns the documents that a link of a document leads to, the likeliest
// first. from is where the link stands; its path is "" for the task.
func (p *docPlaces) find(l *document.Link, from docPlace) []int {
	target := strings.TrimPrefix(strings.ReplaceAll(l.Target, `\`, "/"), "./")
	if !l.Wiki || strings.Contains(target, "/") {
		dirs := []string{""}
		if from.path != "" && !strings.HasPrefix(target, "/") {
			dirs = []string{path.Dir(from.path), ""}
		}
		target := strings.Trim(target, "/")
		for _, dir := range dirs {
			full := path.Join(dir, target)
			if full == ".." || strings.HasPrefix(full, "../") {
				continue // it leads out
			}
			for _, vault := range []bool{from.vault, !from.vault} {
				if from.path != "" && vault != from.vault && !l.Wiki {
					continue // a path means its own root
				}
				for _, e := range endings {
					for _, name := range [...]string{full + e, strings.TrimSuffix(full, ".html") + e} {
						if i, ok := p.byPath[placeKey(vault, name)]; ok {
							return []int{i}
						}
					}
				}
			}
		}
		if from.path != "" && !l.Wiki {
			return nil
		}
		if tail := p.tails(target); len(tail) > 0 {
			return tail
		}
	}
	base := path.Base(target)
	if extended(base) {
		base = strings.TrimSuffix(base, path.Ext(base))
	} else if !l.Wiki {
		return nil // a word in parentheses
	}
	found := slices.Clone(p.byName[document.Slug(base)])
	if len(found) > mostNamed {
		found = slices.DeleteFunc(found, func(i int) bool { return p.list[i].vault != from.vault })
	}
	if len(found) > mostNamed {
		return nil
	}
	slices.SortFunc(found, func(a, b int) int {
		x, y := p.list[a], p.list[b]
		if (x.vault == from.vault) != (y.vault == from.vault) {
			return map[bool]int{true: -1, false: 1}[x.vault == from.vault]
		}
		return cmp.Or(strings.Count(x.path, "/")-strings.Count(y.path, "/"), strings.Compare(x.path, y.path), a-b)
	})
	return found
}

// tails returns the documents whose paths end like a path that the task names.
func (p *docPlaces) tails(target string) []int {
	lower := strings.ToLower(target)
	if !extended(lower) {
		return nil
	}
	var out []int
	for i, l := range p.list {
		if rest, ok := strings.CutSuffix(strings.ToLower(l.path), lower); ok && (rest == "" || strings.HasSuffix(rest, "/")) {
			out = append(out, i)
		}
	}
	if len(out) > mostNamed {
		return nil
	}
	return out
}

// extended reports whether a name ends as those of documents do.
func extended(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".org", ".txt":
		return true
	}
	return false
}

// A reach says how a document was reached from the task.
type reach struct {
	linked   float64         // 1 by the task itself, half as much for each further link
	headings map[string]bool // slugs of the sections that the task's links name
}

// Limits on links that are followed.
const (
	maxFollowed = 50 // documents
	linkDecay   = 0.5
)
