package main

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// A Page is one Markdown file of the repository.
type Page struct {
	Source   string // its path in the repository
	Target   string // its path in the site
	Group    string
	Title    string
	Headings []Heading

	text []byte
	doc  ast.Node
}

// A Heading is a place in a page that can be linked to.
type Heading struct {
	Level    int
	ID, Text string

	from int // offset of its line in the page
}

// A Site is all pages, in the order of the navigation, over the files of the
// repository that they may show or name.
type Site struct {
	Pages []*Page

	files    fs.FS
	bySource map[string]*Page
}

// A Group is a part of the navigation.
type Group struct {
	Title   string
	Sources []string
}

// groups is the navigation. Documents that it does not name come behind those of the
// reference, so that a new one is found at once.
var groups = []Group{
	{"Start", []string{"README.md", "docs/install.md", "docs/coming-from.md", "docs/benchmarks.md"}},
	{"Tasks", []string{"docs/context.md", "docs/review.md", "docs/sessions.md", "docs/remember.md", "docs/automate.md", "docs/embed.md"}},
	{reference, []string{"docs/commands.md", "docs/flags.md", "docs/config.md", "docs/settings.md", "docs/schemas.md", "docs/agents.md", "docs/languages.md", "docs/security.md"}},
	{"Project", []string{"docs/how-it-works.md", "CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md"}},
	{design, nil}, // docs/design
}

const (
	reference = "Reference"
	design    = "Design"
)

// Read parses the pages of a repository.
func Read(files fs.FS, groups []Group) (*Site, error) {
	docs, err := fs.Glob(files, "docs/*.md")
	if err != nil {
		return nil, err
	}
	notes, err := fs.Glob(files, "docs/design/*.md")
	if err != nil {
		return nil, err
	}
	var named []string
	for _, g := range groups {
		named = append(named, g.Sources...)
	}
	others := slices.DeleteFunc(docs, func(name string) bool { return slices.Contains(named, name) })

	s := &Site{files: files, bySource: map[string]*Page{}}
	for _, g := range groups {
		sources := g.Sources
		switch g.Title {
		case reference:
			sources = slices.Concat(sources, others)
		case design:
			sources = notes
		}
		for _, name := range sources {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				return nil, err
			}
			p := &Page{Source: name, Target: target(name), Group: g.Title, text: text}
			if err := p.parse(); err != nil {
				return nil, err
			}
			s.Pages, s.bySource[name] = append(s.Pages, p), p
		}
	}
	return s, nil
}

// target is where a Markdown file of the repository stands in the site.
func target(source string) string {
	if source == "README.md" {
		return "index.html"
	}
	name := strings.TrimSuffix(strings.TrimPrefix(source, "docs/"), ".md") + ".html"
	if path.Dir(source) == "." {
		name = strings.ToLower(name)
	}
	return name
}

// up is the way from a page to the folder of its version.
func (p *Page) up() string { return strings.Repeat("../", strings.Count(p.Target, "/")) }

// label is the page's name in the navigation.
func (p *Page) label() string {
	switch p.Source {
	case "README.md":
		return "Overview"
	case "CHANGELOG.md": // there is a page on changes of code, too
		return "Change log"
	}
	return p.Title
}

// words returns the distinct words below a heading, up to the next one, in lower case.
func (p *Page) words(i int) string {
	to := len(p.text)
	if i+1 < len(p.Headings) {
		to = p.Headings[i+1].from
	}
	words := strings.FieldsFunc(strings.ToLower(string(p.text[p.Headings[i].from:to])), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && r != '-'
	})
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// has reports whether a page has an anchor.
func (p *Page) has(id string) bool {
	return slices.ContainsFunc(p.Headings, func(h Heading) bool { return h.ID == id })
}

// where names a place in a message.
func (p *Page) where(format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{p.Source}, args...)...)
}
