package main

import (
	"errors"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// sourceURL is where the repository's files can be read that are no pages.
const sourceURL = "https://github.com/satchel-dev/satchel/blob/"

// rawURL is where they can be read as they are.
const rawURL = "https://raw.githubusercontent.com/satchel-dev/satchel/"

// link points the links of a page into the site, makes links of the pages that its
// text names, and collects the images that it shows. Every link that leads nowhere is
// in the error.
func (s *Site) link(p *Page, ref string, images map[string]bool) error {
	s.mention(p)
	var bad []error
	for n := range blocks(p.doc) {
		switch n := n.(type) {
		case *ast.Link:
			to, err := s.resolve(p, string(n.Destination), ref)
			if err != nil {
				bad = append(bad, err)
			}
			n.Destination = []byte(to)
		case *ast.Image:
			name := path.Join(path.Dir(p.Source), string(n.Destination))
			if _, err := fs.Stat(s.files, name); err != nil || !strings.HasPrefix(name, "docs/") {
				bad = append(bad, p.where("image %s: want a file below docs", n.Destination))
			}
			images[name] = true
			n.Destination = []byte(p.up() + strings.TrimPrefix(name, "docs/"))
		}
	}
	return errors.Join(bad...)
}

// resolve returns where a link of a page leads in the site.
func (s *Site) resolve(p *Page, to, ref string) (string, error) {
	u, err := url.Parse(to)
	if err != nil {
		return "", p.where("link to %s: %w", to, err)
	}
	switch {
	case u.Scheme == "https" || u.Scheme == "http" || u.Scheme == "mailto":
		return to, nil
	case u.Scheme != "" || u.Host != "" || strings.HasPrefix(u.Path, "/"):
		return "", p.where("link to %s: want https, http, mailto or a path beside the page", to)
	}
	page, name := p, p.Source
	if u.Path != "" {
		name = path.Join(path.Dir(p.Source), u.Path)
		page = s.bySource[name]
	}
	if page == nil {
		info, err := fs.Stat(s.files, name)
		if err != nil {
			return "", p.where("link to %s: there is no %s", to, name)
		}
		if info.IsDir() {
			return strings.Replace(sourceURL, "/blob/", "/tree/", 1) + ref + "/" + name, nil
		}
		return sourceURL + ref + "/" + name, nil
	}
	if u.Fragment != "" && !page.has(u.Fragment) {
		return "", p.where("link to %s: %s has no heading #%s", to, page.Source, u.Fragment)
	}
	if u.Path == "" {
		return "#" + u.Fragment, nil
	}
	out := p.up() + page.Target
	if u.Fragment != "" {
		out += "#" + u.Fragment
	}
	return out, nil
}

// mentioned is how a document names another one without a link.
var mentioned = regexp.MustCompile(`\b(docs/)?(design/)?[a-z0-9-]+\.md\b`)

// mention makes links of the pages that the text of a page names, as "hooks.md says
// what happens when". Names that are no pages stay text, and so does a page's own.
func (s *Site) mention(p *Page) {
	var found []*ast.Text
	for n := range blocks(p.doc) {
		if t, ok := n.(*ast.Text); ok && !within(t, ast.KindLink, ast.KindCodeSpan, ast.KindHeading, ast.KindAutoLink, ast.KindImage) {
			found = append(found, t)
		}
	}
	for _, t := range found {
		for {
			rest := s.split(p, t)
			if rest == nil {
				break
			}
			t = rest
		}
	}
}

// split makes a link of the first page that a text names, and returns the text behind
// it; nil if it names none.
func (s *Site) split(p *Page, t *ast.Text) *ast.Text {
	value := t.Segment.Value(p.text)
	for _, at := range mentioned.FindAllIndex(value, -1) {
		name := string(value[at[0]:at[1]])
		named := s.bySource[name]
		if named == nil {
			named = s.bySource[path.Join("docs", name)]
		}
		before := at[0] > 0 && strings.ContainsRune("/.*", rune(value[at[0]-1])) // a part of a longer path
		if named == nil || named == p || before {
			continue
		}
		from := t.Segment.Start
		link := ast.NewLink()
		link.Destination = []byte(relative(p.Source, named.Source))
		link.AppendChild(link, ast.NewTextSegment(text.NewSegment(from+at[0], from+at[1])))
		rest := ast.NewTextSegment(text.NewSegment(from+at[1], t.Segment.Stop))
		rest.SetSoftLineBreak(t.SoftLineBreak())
		rest.SetHardLineBreak(t.HardLineBreak())
		t.SetSoftLineBreak(false)
		t.SetHardLineBreak(false)
		t.Segment = text.NewSegment(from, from+at[0])
		parent := t.Parent()
		parent.InsertAfter(parent, t, link)
		parent.InsertAfter(parent, link, rest)
		return rest
	}
	return nil
}

// relative is the way from one file of the repository to another.
func relative(from, to string) string {
	up := strings.Count(from, "/")
	return strings.Repeat("../", up) + to
}

// within reports whether a node stands in one of some kinds.
func within(n ast.Node, kinds ...ast.NodeKind) bool {
	for ; n != nil; n = n.Parent() {
		for _, k := range kinds {
			if n.Kind() == k {
				return true
			}
		}
	}
	return false
}
