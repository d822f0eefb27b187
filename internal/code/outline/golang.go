package outline

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// outlineGo outlines Go with go/parser. What it declares at the top level is a
// symbol, and so are the methods of interfaces; the names of one const or var
// group are one symbol each.
func outlineGo(src []byte) (out Outline) { return outlineCut(src, src, nil) }

// outlineCut outlines a Go text of which a shortened form is parsed, that lacks
// what the cuts say.
func outlineCut(src, short []byte, cuts []cut) (out Outline) {
	defer func() {
		if r := recover(); r != nil { // go/parser has been crashed by fuzzers before
			out = outlineLines("go", src, "go/parser panicked")
		}
	}()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", short, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil {
		return outlineLines("go", src, "not parsed")
	}
	g := &golang{file: fset.File(file.FileStart), src: src, cuts: cuts}
	if g.file == nil {
		return outlineLines("go", src, "not parsed")
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			g.function(d)
		case *ast.GenDecl:
			g.general(d)
		}
	}
	for _, s := range file.Imports {
		if path, err := strconv.Unquote(s.Path.Value); err == nil {
			g.Import(path)
		}
	}
	for _, c := range file.Comments {
		if g.startsLine(c.Pos()) {
			g.Comment(g.line(c.Pos()), g.line(c.End()))
		}
	}
	out.Symbols, out.Imports, out.Comments = g.Sorted(countLines(src))
	if err != nil {
		out.Partial, out.Why = true, "syntax error"
		if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
			out.Why = "syntax error in line " + strconv.Itoa(list[0].Pos.Line)
		}
		if lines := outlineLines("go", src, out.Why); len(lines.Symbols) > len(out.Symbols) {
			return lines
		}
	}
	return out
}

type golang struct {
	symbols.List
	file *token.File // of what was parsed
	src  []byte
	cuts []cut
}

// line returns the line of a position, whatever //line directives say.
func (g *golang) line(p token.Pos) int {
	n := g.file.Line(p)
	if len(g.cuts) > 0 {
		n += origin(g.cuts, g.file.Offset(p)).lines
	}
	return n
}

func (g *golang) offset(p token.Pos) int {
	if !p.IsValid() {
		return 0
	}
	at := g.file.Offset(p)
	if len(g.cuts) > 0 {
		at += origin(g.cuts, at).bytes
	}
	return min(max(at, 0), len(g.src))
}

func (g *golang) text(from, to token.Pos) []byte {
	a, b := g.offset(from), g.offset(to)
	if a > b {
		return nil
	}
	return g.src[a:b]
}

func (g *golang) startsLine(p token.Pos) bool {
	for i := g.offset(p) - 1; i >= 0; i-- {
		switch g.src[i] {
		case ' ', '\t', '\r':
		case '\n':
			return true
		default:
			return false
		}
	}
	return true
}

func (g *golang) function(d *ast.FuncDecl) {
	s := satchel.Symbol{Kind: "func", Name: d.Name.Name}
	if d.Recv != nil {
		s.Kind = "method"
		if len(d.Recv.List) > 0 {
			s.Parent = receiver(d.Recv.List[0].Type)
		}
	}
	end := d.End()
	if d.Body != nil {
		end = d.Body.Lbrace
	}
	s.Signature = symbols.Signature(g.text(d.Pos(), end))
	g.declare(s, d.Doc, d.Pos(), d.End(), d.Name, -1)
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.ParenExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

func (g *golang) declare(s satchel.Symbol, doc *ast.CommentGroup, from, to token.Pos, name *ast.Ident, up int) int {
	s.From, s.To, s.NameLine = g.line(from), g.line(to), g.line(name.Pos())
	if doc != nil {
		if g.startsLine(doc.Pos()) {
			s.From = g.line(doc.Pos())
		}
		s.Doc = symbols.Sentence(g.text(doc.Pos(), doc.End()))
	}
	return g.Add(s, up)
}

func (g *golang) general(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		doc, from, to := d.Doc, d.Pos(), d.End()
		prefix := d.Tok.String() + " "
		if d.Lparen.IsValid() {
			from, to = spec.Pos(), spec.End()
			doc = nil
		} else {
			prefix = ""
		}
		switch sp := spec.(type) {
		case *ast.TypeSpec:
			if sp.Doc != nil {
				doc = sp.Doc
			}
			g.typ(sp, doc, from, to, prefix)
		case *ast.ValueSpec:
			if sp.Doc != nil {
				doc = sp.Doc
			}
			for _, n := range sp.Names {
				if n.Name == "_" {
					continue
				}
				g.declare(satchel.Symbol{
					Kind:      d.Tok.String(),
					Name:      n.Name,
					Signature: prefix + symbols.Signature(g.text(from, to)),
				}, doc, from, to, n, -1)
			}
		}
	}
}

func (g *golang) typ(sp *ast.TypeSpec, doc *ast.CommentGroup, from, to token.Pos, prefix string) {
	s := satchel.Symbol{Kind: "type", Name: sp.Name.Name}
	end := to
	var methods *ast.FieldList
	switch t := sp.Type.(type) {
	case *ast.StructType:
		s.Kind = "struct"
		if t.Fields != nil && t.Fields.Opening.IsValid() {
			end = t.Fields.Opening
		}
	case *ast.InterfaceType:
		s.Kind = "interface"
		methods = t.Methods
		if methods != nil && methods.Opening.IsValid() {
			end = methods.Opening
		}
	}
	s.Signature = strings.TrimSpace(prefix + symbols.Signature(g.text(from, end)))
	up := g.declare(s, doc, from, to, sp.Name, -1)
	if methods == nil {
		return
	}
	for _, m := range methods.List {
		if _, ok := m.Type.(*ast.FuncType); !ok {
			continue
		}
		for _, n := range m.Names {
			g.declare(satchel.Symbol{
				Kind:      "method",
				Name:      n.Name,
				Parent:    sp.Name.Name,
				Signature: symbols.Signature(g.text(m.Pos(), m.End())),
			}, m.Doc, m.Pos(), m.End(), n, up)
		}
	}
}
