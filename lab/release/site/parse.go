package main

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown is GitHub's Markdown, as the documents are written for it, but for raw
// HTML, which is shown as it stands.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(nodes{}, 100))),
)

// parse reads a page's text, and finds its title and its headings.
func (p *Page) parse() error {
	c := parser.NewContext(parser.WithIDs(anchors{}))
	p.doc = markdown.Parser().Parse(text.NewReader(p.text), parser.WithContext(c))
	for n := range blocks(p.doc) {
		if n.Kind() == ast.KindParagraph && strings.HasPrefix(plain(n, p.text), "|") {
			return p.where("%.40q… is no part of a table: is there an empty line above it?", plain(n, p.text))
		}
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		if h.Lines().Len() == 0 {
			return p.where("has an empty heading")
		}
		id, _ := h.AttributeString("id")
		bytes, _ := id.([]byte)
		p.Headings = append(p.Headings, Heading{h.Level, string(bytes), plain(h, p.text), h.Lines().At(0).Start})
	}
	if len(p.Headings) == 0 || p.Headings[0].Level != 1 {
		return p.where("does not begin with a title")
	}
	p.Title = p.Headings[0].Text
	return nil
}

// blocks yields every node of a tree, parents first.
func blocks(n ast.Node) func(yield func(ast.Node) bool) {
	return func(yield func(ast.Node) bool) {
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && !yield(n) {
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
	}
}

// plain is the text of a node without its markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	for n := range blocks(n) {
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		}
	}
	return b.String()
}

// anchors makes the ids of headings as GitHub does: lower case, spaces to hyphens,
// nothing else but letters, digits, hyphens and underscores; a number behind what is
// there already.
type anchors map[string]int

// Generate returns the id of a heading.
func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(string(value))) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '-' || r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	id := b.String()
	for n, taken := a[id]; taken; n, taken = a[id] {
		a[id] = n + 1
		id = b.String() + "-" + strconv.Itoa(n+1)
	}
	a[id] = 0
	return []byte(id)
}

// Put notes an id that a heading names by itself.
func (a anchors) Put(value []byte) { a[string(value)] = 0 }
