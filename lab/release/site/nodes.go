package main

import (
	"fmt"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// nodes renders what differs from goldmark's HTML: headings link to themselves, wide
// things scroll in a box of their own, and raw HTML is shown, not obeyed.
type nodes struct{}

// RegisterFuncs names the kinds of nodes.
func (nodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, heading)
	r.Register(ast.KindCodeSpan, span)
	r.Register(ast.KindCodeBlock, code)
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(extast.KindTable, table)
	r.Register(ast.KindRawHTML, rawInline)
	r.Register(ast.KindHTMLBlock, rawBlock)
}

func heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	h := n.(*ast.Heading)
	id, _ := h.AttributeString("id")
	anchor, _ := id.([]byte)
	if entering {
		fmt.Fprintf(w, `<h%d id="%s">`, h.Level, util.EscapeHTML(anchor))
	} else {
		fmt.Fprintf(w, ` <a class="anchor" href="#%s" aria-label="link to this heading">#</a></h%d>`+"\n", util.EscapeHTML(anchor), h.Level)
	}
	return ast.WalkContinue, nil
}

// shortSpan is how many characters of code have room in a line of a telephone, so that
// they need not be torn at a hyphen.
const shortSpan = 30

func span(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		text := plain(n, source)
		if utf8.RuneCountInString(text) <= shortSpan {
			_, _ = w.WriteString(`<code class="short">`)
		} else {
			_, _ = w.WriteString("<code>")
		}
		_, _ = w.Write(util.EscapeHTML([]byte(text)))
		_, _ = w.WriteString("</code>")
	}
	return ast.WalkSkipChildren, nil
}

func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(`<pre tabindex="0"><code>`)
		writeLines(w, source, n)
		_, _ = w.WriteString("</code></pre>\n")
	}
	return ast.WalkSkipChildren, nil
}

func table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(`<div class="table" tabindex="0"><table>` + "\n")
	} else {
		_, _ = w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

func rawInline(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := n.(*ast.RawHTML).Segments
		for i := range segments.Len() {
			s := segments.At(i)
			_, _ = w.Write(util.EscapeHTML(s.Value(source)))
		}
	}
	return ast.WalkSkipChildren, nil
}

func rawBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	b := n.(*ast.HTMLBlock)
	if entering && b.HTMLBlockType != ast.HTMLBlockType2 { // a comment is for editors
		_, _ = w.WriteString("<p>")
		writeLines(w, source, n)
		if b.HasClosure() {
			_, _ = w.Write(util.EscapeHTML(b.ClosureLine.Value(source)))
		}
		_, _ = w.WriteString("</p>\n")
	}
	return ast.WalkSkipChildren, nil
}

func writeLines(w util.BufWriter, source []byte, n ast.Node) {
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		_, _ = w.Write(util.EscapeHTML(line.Value(source)))
	}
}
