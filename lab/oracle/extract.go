//go:build cgo && oracle

package oracle

import (
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// How a tree becomes an outline: the named nodes come in pre-order, and each
// kind of node may have a rule. A rule defines a symbol, opens a frame that its
// descendants belong to, notes a comment, or does something of its own. One pass,
// no recursion, so depth costs nothing. Signatures, documentation and imports are
// left out: nothing is compared with them.

// A rule says what to do with nodes of one kind. It reports whether to skip
// the node's descendants.
type rule struct {
	do    func(x *extractor, i int, r *rule) (skip bool)
	kind  string // of the symbol
	local bool   // it is a symbol even within a function
	box   bool   // it holds members: its functions are methods
}

// rules are the rules of one language, by kind of node.
type rules map[string]rule

// A frame is an open definition or body.
type frame struct {
	end  int    // index after its last node
	sym  int    // index of the innermost open symbol, or -1
	path string // dotted names of the open definitions
	body bool   // inside a function
	box  bool   // directly inside a type or namespace
	typ  bool   // directly inside a type, whose functions are methods
}

type extractor struct {
	symbols.List
	src    []byte
	nodes  []node
	kinds  []string // names of node kinds
	fields []string // names of fields
	open   []frame
	lead   lead
	once   map[string]bool // module-level names already defined
}

// A lead is a run of whole-line comments and attributes, which belongs to the
// definition on the next line.
type lead struct {
	from, to int // rows
}

// compile turns rules by name into rules by number.
func compile(lang string, kinds []string) []rule {
	byName := languageRules[lang]
	byKind := make([]rule, len(kinds))
	for i, k := range kinds {
		byKind[i] = byName[k]
	}
	return byKind
}

// walk applies the rules to the nodes of a tree.
func walk(g *grammar, nodes []node, src []byte) *extractor {
	x := &extractor{src: src, nodes: nodes, kinds: g.kinds, fields: g.fields}
	x.lead.to = -2 // touches no line
	x.open = append(x.open, frame{end: len(nodes), sym: -1})
	for i := 0; i < len(nodes); i++ {
		k := nodes[i].kind
		if int(k) >= len(g.rules) { // ERROR
			continue
		}
		r := &g.rules[k]
		if r.do == nil {
			continue
		}
		for x.open[len(x.open)-1].end <= i {
			x.open = x.open[:len(x.open)-1]
		}
		if r.do(x, i, r) {
			i = int(nodes[i].next) - 1
		}
	}
	return x
}

func (x *extractor) top() *frame { return &x.open[len(x.open)-1] }

func (x *extractor) kind(i int) string {
	if k := int(x.nodes[i].kind); k < len(x.kinds) {
		return x.kinds[k]
	}
	return "ERROR"
}

func (x *extractor) text(i int) []byte { return x.src[x.nodes[i].start:x.nodes[i].end] }

// child returns the first child of i in the named field, or -1.
func (x *extractor) child(i int, field string) int {
	end := int(x.nodes[i].next)
	for j := i + 1; j < end; j = int(x.nodes[j].next) {
		if f := x.nodes[j].field; f != 0 && x.fields[f] == field {
			return j
		}
	}
	return -1
}

// first returns the first child of i of one of the kinds, or -1.
func (x *extractor) first(i int, kinds ...string) int {
	end := int(x.nodes[i].next)
	for j := i + 1; j < end; j = int(x.nodes[j].next) {
		k := x.kind(j)
		for _, want := range kinds {
			if k == want {
				return j
			}
		}
	}
	return -1
}

// children calls fn for each child of i.
func (x *extractor) children(i int, fn func(j int)) {
	end := int(x.nodes[i].next)
	for j := i + 1; j < end; j = int(x.nodes[j].next) {
		fn(j)
	}
}

// endRow is the row of the node's last byte that is not a newline: some
// grammars count the newline in.
func (x *extractor) endRow(i int) int {
	n := &x.nodes[i]
	row := int(n.endRow)
	for e := n.end; e > n.start && row > int(n.row) && x.src[e-1] == '\n'; e-- {
		row--
	}
	return row
}

// startsLine reports whether only blanks stand before byte at on its line.
func (x *extractor) startsLine(at uint32) bool {
	for i := int(at) - 1; i >= 0; i-- {
		switch x.src[i] {
		case ' ', '\t', '\r', '\f':
		case '\n':
			return true
		default:
			return false
		}
	}
	return true
}

// endsLine reports whether only blanks stand after byte at on its line.
func (x *extractor) endsLine(at uint32) bool {
	if at > 0 && x.src[at-1] == '\n' { // a node that counts its newline in
		return true
	}
	for i := int(at); i < len(x.src); i++ {
		switch x.src[i] {
		case ' ', '\t', '\r', '\f':
		case '\n':
			return true
		default:
			return false
		}
	}
	return true
}

// wrappers are the nodes that only surround a definition; it begins where they
// begin.
var wrappers = map[string]bool{
	"decorated_definition": true, "export_statement": true, "ambient_declaration": true,
	"lexical_declaration": true, "variable_declaration": true, "template_declaration": true,
	"expression_statement": true, "field_declaration": true, "constant_declaration": true,
	"declaration": true, "declaration_command": true, "property_declaration": true,
	"const_declaration": true, "type_definition": true, "event_field_declaration": true,
	"assignment_expression": true,
}

// outer returns the outermost wrapper of i, or i.
func (x *extractor) outer(i int) int {
	for range 8 { // a = b = c = … nests as deep as it is long
		p := int(x.nodes[i].parent)
		if p < 0 || !wrappers[x.kind(p)] {
			break
		}
		i = p
	}
	return i
}

// A definition is what a rule found out about a symbol.
type definition struct {
	kind string
	name string
	at   int    // node whose row is NameLine
	path string // names between the open definitions and this one, dotted
}

// define adds node i as a symbol and opens a frame for its descendants.
func (x *extractor) define(i int, d definition, r *rule) {
	t := *x.top()
	isBox := r.box
	function := !isBox && (d.kind == "func" || d.kind == "method")
	if t.body && !r.local {
		return
	}
	if d.kind == "func" && (t.typ || d.path != "") {
		d.kind = "method"
	}
	o := &x.nodes[x.outer(i)]
	s := satchel.Symbol{
		Kind:     d.kind,
		Name:     d.name,
		Parent:   symbols.Join(t.path, d.path),
		From:     int(o.row) + 1,
		To:       x.endRow(i) + 1,
		NameLine: int(x.nodes[d.at].row) + 1,
	}
	if x.lead.to == int(o.row)-1 || x.lead.to == int(o.row) && x.lead.from < x.lead.to {
		s.From = x.lead.from + 1
	}
	if x.lead.to >= int(x.nodes[i].row) { // it was this one's
		x.lead = lead{to: -2}
	}
	sym := x.Add(s, t.sym)
	if !isBox && !function { // a variable encloses, but its value is not named through it
		t.end = int(x.nodes[i].next)
		x.open = append(x.open, t)
		return
	}
	x.open = append(x.open, frame{
		end:  int(x.nodes[i].next),
		sym:  sym,
		path: symbols.Join(s.Parent, s.Name),
		body: function,
		box:  isBox,
		typ:  isBox && !isNamespace(d.kind),
	})
}

// push opens a frame that is not a symbol.
func (x *extractor) push(i int, path string, body, box bool) {
	t := x.top()
	x.open = append(x.open, frame{end: int(x.nodes[i].next), sym: t.sym, path: symbols.Join(t.path, path), body: body, box: box, typ: box})
}

// Rules that many languages share.

// def defines a symbol whose name is in the field of that name.
func def(x *extractor, i int, r *rule) bool {
	name := x.child(i, "name")
	if name < 0 {
		return false
	}
	x.define(i, definition{kind: r.kind, name: string(x.text(name)), at: name}, r)
	return false
}

// leaf is def for a node whose descendants define nothing.
func leaf(x *extractor, i int, r *rule) bool {
	def(x, i, r)
	return true
}

// namespace defines a namespace, whose name may be a path with that separator. Without a
// body it holds the siblings that follow.
func namespace(separator string) rule {
	return rule{kind: "namespace", box: true, do: func(x *extractor, i int, r *rule) bool {
		name := x.child(i, "name")
		if name < 0 {
			return false
		}
		path := strings.Join(strings.Fields(strings.ReplaceAll(string(x.text(name)), separator, ".")), "")
		d := definition{kind: r.kind, name: path, at: name}
		if k := strings.LastIndexByte(path, '.'); k >= 0 {
			d.name, d.path = path[k+1:], path[:k]
		}
		x.define(i, d, r)
		if x.child(i, "body") < 0 {
			x.toEnd(i)
		}
		return false
	}}
}

// toEnd extends the definition just opened at i over its following siblings.
func (x *extractor) toEnd(i int) {
	t := x.top()
	p := x.nodes[i].parent
	if p < 0 || t.end != int(x.nodes[i].next) {
		return
	}
	t.end = int(x.nodes[p].next)
	if t.sym >= 0 {
		x.At(t.sym).To = x.endRow(int(p)) + 1
	}
}

// body marks an anonymous function or a block.
func body(x *extractor, i int, r *rule) bool {
	x.push(i, "", true, false)
	return false
}

// attribute marks a node that belongs to the definition after it.
func attribute(x *extractor, i int, r *rule) bool {
	if x.startsLine(x.nodes[i].start) {
		x.leading(i)
	}
	return false
}

func comment(x *extractor, i int, r *rule) bool {
	n := &x.nodes[i]
	if x.startsLine(n.start) && x.endsLine(n.end) {
		x.leading(i)
	}
	return true
}

// leading makes i part of the lead of the next definition.
func (x *extractor) leading(i int) {
	row, end := int(x.nodes[i].row), x.endRow(i)
	if l := &x.lead; l.to == row-1 || l.to == row {
		l.to = end
		return
	}
	x.lead = lead{from: row, to: end}
}

func skip(*extractor, int, *rule) bool { return true }

// Constructors of rules.

func defines(kind string) rule                       { return rule{do: def, kind: kind} }
func functions() rule                                { return rule{do: def, kind: "func", local: true} }
func holds(kind string) rule                         { return rule{do: def, kind: kind, local: true, box: true} }
func does(do func(*extractor, int, *rule) bool) rule { return rule{do: do} }

var languageRules = map[string]rules{
	"python":     pythonRules,
	"javascript": scriptRules,
	"typescript": scriptRules,
	"tsx":        scriptRules,
	"rust":       rustRules,
	"java":       javaRules,
	"c":          cRules,
	"cpp":        cRules,
	"csharp":     csharpRules,
	"ruby":       rubyRules,
	"php":        phpRules,
	"kotlin":     kotlinRules,
	"scala":      scalaRules,
	"bash":       bashRules,
}
