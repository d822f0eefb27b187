package main

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// A goFile knows which lines of a file of Go lie within which statements.
type goFile struct {
	inner map[int]bool // lines before which no statement of the innermost block begins
}

// parseGo returns nil for a text that go/parser does not read.
func parseGo(text []byte) *goFile {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	g := &goFile{inner: map[int]bool{}}
	line := func(p token.Pos) int { return set.Position(p).Line }
	// Outer nodes come first, so that a block in an expression takes its lines back.
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			g.mark(line(n.Lbrace)+1, line(n.Rbrace), false)
		case *ast.CaseClause:
			g.mark(line(n.Case)+1, line(n.Colon), true)
		case *ast.FieldList:
			if n.Opening.IsValid() && f.Name != nil {
				g.mark(line(n.Opening)+1, line(n.Closing), text[set.Position(n.Opening).Offset] == '(')
			}
		case *ast.GenDecl:
			g.mark(line(n.Pos())+1, line(n.End()), !n.Lparen.IsValid())
			if n.Lparen.IsValid() {
				g.mark(line(n.Lparen)+1, line(n.Rparen), false)
			}
		case *ast.AssignStmt, *ast.ExprStmt, *ast.ReturnStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.IncDecStmt, *ast.ValueSpec:
			g.mark(line(n.Pos())+1, line(n.End()), true)
		case *ast.IfStmt:
			g.mark(line(n.If)+1, line(n.Body.Lbrace), true)
		case *ast.ForStmt:
			g.mark(line(n.For)+1, line(n.Body.Lbrace), true)
		case *ast.CompositeLit:
			g.mark(line(n.Lbrace)+1, line(n.Rbrace), true)
		}
		return true
	})
	return g
}

func (g *goFile) mark(from, to int, inner bool) {
	for l := from; l <= to; l++ {
		g.inner[l] = inner
	}
}

// inside reports whether a cut before a line stands inside a statement.
func (g *goFile) inside(line int) bool { return g != nil && g.inner[line] }
