package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

//go:embed page.html
var pageText string

//go:embed style.css
var style string

//go:embed search.js
var search string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// A view is what the template shows of a page.
type view struct {
	Title, Version, Up, Source string
	Front                      bool
	Groups                     []navGroup
	Contents                   []Heading
	Body                       template.HTML // rendered by goldmark, raw HTML escaped
	Before, After              *navLink
}

type navGroup struct {
	Title string
	Links []navLink
}

type navLink struct {
	Label, Target string
	Here          bool
}

// Render returns the files of the site, by their names below the folder of the
// version.
func (s *Site) Render(version string) (map[string][]byte, error) {
	ref := version
	if version == "devel" {
		ref = "main"
	}
	images := map[string]bool{}
	var bad []error
	for _, p := range s.Pages {
		bad = append(bad, s.link(p, ref, images))
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}

	files := map[string][]byte{"style.css": []byte(style), "search.js": []byte(search), "index.js": s.index(), "llms.txt": s.llms(ref)}
	for name := range maps.Keys(images) {
		text, err := fs.ReadFile(s.files, name)
		if err != nil {
			return nil, err
		}
		files[strings.TrimPrefix(name, "docs/")] = text
	}
	for i := range s.Pages {
		text, err := s.page(i, version, ref)
		if err != nil {
			return nil, err
		}
		files[s.Pages[i].Target] = text
	}
	return files, nil
}

func (s *Site) page(i int, version, ref string) ([]byte, error) {
	p := s.Pages[i]
	v := view{Title: p.Title, Version: version, Up: p.up(), Front: p.Source == "README.md", Source: sourceURL + ref + "/" + p.Source}
	for _, q := range s.Pages {
		if len(v.Groups) == 0 || v.Groups[len(v.Groups)-1].Title != q.Group {
			v.Groups = append(v.Groups, navGroup{Title: q.Group})
		}
		g := &v.Groups[len(v.Groups)-1]
		g.Links = append(g.Links, navLink{q.label(), q.Target, p == q})
	}
	if i > 0 {
		v.Before = &navLink{Label: s.Pages[i-1].label(), Target: s.Pages[i-1].Target}
	}
	if i+1 < len(s.Pages) {
		v.After = &navLink{Label: s.Pages[i+1].label(), Target: s.Pages[i+1].Target}
	}
	for _, h := range p.Headings {
		if h.Level == 2 || h.Level == 3 {
			v.Contents = append(v.Contents, h)
		}
	}
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, p.text, p.doc); err != nil {
		return nil, p.where("%w", err)
	}
	v.Body = template.HTML(body.String()) //nolint:gosec // goldmark escapes, and so do our nodes
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, v); err != nil {
		return nil, p.where("%w", err)
	}
	return out.Bytes(), nil
}

// index returns the headings of all pages, with the words below them, for the search: a
// script, because pages from file:// may load no data.
func (s *Site) index() []byte {
	type row [4]string // target, heading, title of its page, words
	rows := []row{}
	for _, p := range s.Pages {
		for i, h := range p.Headings {
			to := p.Target
			if h.Level > 1 {
				to += "#" + h.ID
			}
			rows = append(rows, row{to, h.Text, p.label(), p.words(i)})
		}
	}
	rows = slices.Compact(rows)
	text, err := json.Marshal(rows)
	if err != nil {
		panic(err) // strings always can
	}
	return slices.Concat([]byte("satchelIndex = "), text, []byte(";\n"))
}

// llms returns an index of the pages for language models, in the form of llmstxt.org.
func (s *Site) llms(ref string) []byte {
	var b strings.Builder
	group := ""
	for _, p := range s.Pages {
		if p.Source == "README.md" {
			lead, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(string(p.text), "# "+p.Title)), "\n\n")
			fmt.Fprintf(&b, "# %s\n\n> %s\n", p.Title, strings.ReplaceAll(lead, "\n", " "))
		}
		if p.Group != group {
			group = p.Group
			fmt.Fprintf(&b, "\n## %s\n\n", group)
		}
		fmt.Fprintf(&b, "- [%s](%s%s/%s)\n", p.label(), rawURL, ref, p.Source)
	}
	return []byte(b.String())
}
