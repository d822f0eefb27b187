package outline

import (
	"bytes"
	"strings"
)

// The brace outliner reads a text with comments and strings blanked, statement
// by statement. What stands before a {, ; or line break is a header; a header
// with a defining keyword, or in the C family one that ends in name(…), defines
// a symbol, which lasts to the matching brace. Within function bodies only
// keywords count, since there a call looks like a definition.
//
// It goes wrong where macros unbalance the braces. #else and #elif take the
// nesting back to where their #if stood, which is right for the usual
// alternatives of one function header.

// A braceLanguage says what defines things in a language with braces.
type braceLanguage struct {
	keywords map[string]string // keyword → kind
	cLike    bool              // functions are declared as type name(…)
	newline  bool              // a line break may end a statement
	bare     map[string]bool   // definitions without a keyword or type, within a type: init, constructor
	methods  bool              // and only methods go without a keyword
	first    bool              // a keyword stands first
	labels   bool              // blocks are named by their words: resource "a" "b" { … }
}

func keywords(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		for _, w := range strings.Fields(pairs[i+1]) {
			m[w] = pairs[i]
		}
	}
	return m
}

var (
	cFamily = &braceLanguage{cLike: true, keywords: keywords("struct", "struct", "union", "union", "enum", "enum", "class", "class", "namespace", "namespace", "concept", "concept", "type", "typedef using")}
	jFamily = &braceLanguage{cLike: true, keywords: keywords("class", "class", "interface", "interface @interface", "enum", "enum", "record", "record", "struct", "struct", "namespace", "namespace", "type", "delegate", "mixin", "mixin", "extension", "extension")}
)

var braceLanguages = map[string]*braceLanguage{
	"c": cFamily, "cpp": cFamily, "objc": cFamily, "glsl": cFamily, "d": jFamily,
	"java": jFamily, "csharp": jFamily,
	"dart":       {cLike: true, keywords: keywords("class", "class", "enum", "enum", "mixin", "mixin", "extension", "extension", "type", "typedef")},
	"groovy":     {cLike: true, newline: true, keywords: keywords("class", "class", "interface", "interface", "enum", "enum", "trait", "trait", "func", "def")},
	"swift":      {newline: true, bare: setOf("init deinit subscript"), keywords: keywords("class", "class", "struct", "struct", "enum", "enum", "protocol", "protocol", "extension", "extension", "actor", "actor", "func", "func macro", "type", "typealias associatedtype", "var", "var", "const", "let")},
	"kotlin":     {newline: true, bare: setOf("constructor"), keywords: keywords("class", "class", "interface", "interface", "object", "object", "func", "fun", "type", "typealias", "property", "val var")},
	"scala":      {newline: true, keywords: keywords("class", "class", "trait", "trait", "object", "object", "enum", "enum", "func", "def", "type", "type", "const", "val given", "var", "var")},
	"javascript": {newline: true, cLike: true, methods: true, keywords: keywords("class", "class", "func", "function", "const", "const", "var", "var let")},
	"typescript": {newline: true, cLike: true, methods: true, keywords: keywords("class", "class", "interface", "interface", "enum", "enum", "namespace", "namespace module", "func", "function", "type", "type", "const", "const", "var", "var let")},
	"rust":       {keywords: keywords("func", "fn", "struct", "struct", "enum", "enum", "trait", "trait", "impl", "impl", "module", "mod", "type", "type", "union", "union", "const", "const", "var", "static", "macro", "macro_rules")},
	"rustlike":   {keywords: keywords("func", "fn fun func", "struct", "struct resource record", "enum", "enum", "trait", "trait interface", "impl", "impl", "module", "mod module world package", "type", "type", "const", "const")},
	"go":         {newline: true, first: true, keywords: keywords("func", "func", "type", "type", "const", "const", "var", "var")},
	"php":        {keywords: keywords("class", "class", "interface", "interface", "trait", "trait", "enum", "enum", "func", "function", "const", "const", "namespace", "namespace")},
	"zig":        {keywords: keywords("func", "fn", "const", "const", "var", "var", "test", "test")},
	"v":          {newline: true, keywords: keywords("func", "fn", "struct", "struct", "enum", "enum", "interface", "interface", "type", "type", "const", "const")},
	"odin":       {newline: true, keywords: keywords("struct", "struct", "enum", "enum")},
	"haxe":       {keywords: keywords("class", "class abstract", "interface", "interface", "enum", "enum", "func", "function", "type", "typedef", "var", "var", "const", "final")},
	"solidity":   {keywords: keywords("class", "contract library", "interface", "interface", "struct", "struct", "enum", "enum", "func", "function modifier", "event", "event error")},
	"proto":      {keywords: keywords("message", "message", "enum", "enum", "service", "service", "func", "rpc", "message", "extend", "oneof", "oneof")},
	"thrift":     {newline: true, keywords: keywords("struct", "struct table exception", "union", "union", "enum", "enum", "service", "service interface rpc_service", "type", "typedef", "const", "const", "namespace", "namespace")},
	"graphql":    {newline: true, keywords: keywords("type", "type input scalar", "interface", "interface", "union", "union", "enum", "enum", "func", "query mutation subscription", "type", "extend", "fragment", "fragment", "directive", "directive")},
	"prisma":     {keywords: keywords("model", "model type view", "enum", "enum", "datasource", "datasource", "generator", "generator")},
	"hcl":        {newline: true, labels: true},
	"css":        {labels: true},
	"perl":       {keywords: keywords("func", "sub", "package", "package")},
	"bash":       {newline: true, cLike: true, keywords: keywords("func", "function")},
	"awk":        {newline: true, keywords: keywords("func", "function func")},
	"powershell": {newline: true, keywords: keywords("func", "function filter", "class", "class", "enum", "enum")},
	"rego":       {newline: true},
}

func init() { braceLanguages["tsx"] = braceLanguages["typescript"] }

// An opened brace.
type opened struct {
	sym  int    // its symbol, or that of the nearest enclosing one; -1
	own  bool   // sym was defined by this brace
	path string // dotted names
	body bool   // inside a function
	typ  bool   // directly inside a type

	// A literal interrupts a statement, which goes on after it.
	literal       bool
	start, parens int
	typedef       int // where a typedef with a body begins, plus 1
}

func (l *lines) braces(lang string, b *braceLanguage) {
	hash := syntaxes[lang].hash
	if hash {
		l.macros()
	}
	stack := []opened{{sym: -1}}
	var conditions []int // depth of the stack at each open #if
	start, parens := 0, 0
	blank := true // nothing in the statement yet
	src := l.masked
	for i := 0; i < len(src); i++ {
		top := &stack[len(stack)-1]
		c := src[i]
		if start > i || start == i && c <= ' ' {
			blank = true
		}
		if c > ' ' && blank {
			blank, start = false, i
		}
		switch c {
		case '(', '[':
			parens++
		case ')', ']':
			parens = max(0, parens-1)
		case '{':
			o := opened{sym: top.sym, path: top.path, body: top.body}
			if b.isLiteral(src, start, i, parens) {
				o.literal, o.start, o.parens, o.body = true, start, parens, true
			} else {
				if b.cLike && bytes.HasPrefix(bytes.TrimSpace(src[start:i]), []byte("typedef")) {
					o.typedef = start + 1
				}
				l.header(b, start, i, i, *top, &o)
			}
			stack = append(stack, o)
			start, parens = i+1, 0
		case '}':
			if b.newline {
				l.statement(b, start, i, *top)
			}
			if len(stack) > 1 {
				o := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if o.own {
					l.symbols[o.sym].To = l.row(i) + 1
				}
				if o.literal {
					start, parens = o.start, o.parens
					continue
				}
				if o.typedef > 0 {
					l.typedef(o, i+1, stack[len(stack)-1])
				}
			}
			start, parens = i+1, 0
		case ';':
			if parens > 0 { // for (;;)
				continue
			}
			l.statement(b, start, i, *top)
			start = i + 1
		case '\n':
			if blank {
				start = i + 1
			}
			if hash {
				if row := l.row(i) + 1; row < len(l.starts) {
					stack = l.condition(row, stack, &conditions)
				}
			}
			if b.newline && parens == 0 && !blank && (i-start > maxHeader || !continues(src, start, i)) {
				l.statement(b, start, i, *top)
				start = i + 1
			}
		case ':':
			// public: and case X: end a header in the C family.
			if b.cLike && parens == 0 && isLabel(src[start:i]) {
				start = i + 1
			}
		}
	}
	end := len(l.src)
	if b.newline {
		l.statement(b, start, len(src), stack[len(stack)-1])
	}
	for _, o := range stack[1:] {
		if o.own {
			l.symbols[o.sym].To = l.row(max(0, end-1)) + 1
		}
	}
}

// macros adds what #define defines, except include guards.
func (l *lines) macros() {
	for row := 0; row < len(l.starts); row++ {
		s, e := l.line(row)
		text := bytes.TrimLeft(l.src[s:e], " \t")
		if len(text) == 0 || text[0] != '#' {
			continue
		}
		text = bytes.TrimLeft(text[1:], " \t")
		rest, ok := bytes.CutPrefix(text, []byte("define"))
		if !ok || len(rest) == 0 || rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		rest = bytes.TrimLeft(rest, " \t")
		n := 0
		for n < len(rest) && isWord(rest[n]) {
			n++
		}
		name := string(rest[:n])
		value := bytes.TrimSpace(rest[n:])
		if len(value) == 0 && isGuard(name) {
			continue
		}
		last := row
		for last+1 < len(l.starts) {
			_, end := l.line(last)
			if !bytes.HasSuffix(bytes.TrimRight(l.src[s:end], "\r"), []byte("\\")) {
				break
			}
			last++
		}
		_, end := l.line(last)
		at := e - len(rest)
		l.define("macro", name, "", s, e, end, at, -1)
		row = last
	}
}

// isGuard reports whether a macro looks like an include guard.
func isGuard(name string) bool {
	name = strings.TrimRight(strings.ToUpper(name), "_")
	for _, end := range [...]string{"_H", "_HPP", "_HH", "_HXX", "_INC", "_INCLUDED", "_GUARD", "_INL"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// isLiteral reports whether the brace at i opens a value rather than a body:
// among arguments or after =, unless a function or a type is what it opens.
func (b *braceLanguage) isLiteral(src []byte, start, i, parens int) bool {
	h := bytes.TrimRight(src[start:i], " \t\r\n")
	if len(h) == 0 {
		return false
	}
	switch c := h[len(h)-1]; {
	case bytes.HasSuffix(h, []byte("=>")) || bytes.HasSuffix(h, []byte("->")):
		return parens > 0 && !b.newline
	case c == '=':
		return b.keywords["def"] == "" && !bytes.HasSuffix(h, []byte("==")) && !bytes.HasSuffix(h, []byte("operator="))
	case c == '(' || c == '[' || c == ',' && parens > 0:
		return true
	}
	return parens > 0 && !b.newline || bytes.HasSuffix(h, []byte(" return"))
}

// typedef names the struct whose body just ended: typedef struct { … } name;
func (l *lines) typedef(o opened, at int, top opened) {
	end := bytes.IndexByte(l.masked[at:], ';')
	if end < 0 || end > 200 {
		return
	}
	for _, t := range lexemes(l.masked[at : at+end]) {
		if !isName(t.text) || attributes[t.text] || t.depth > 0 {
			continue
		}
		if o.own && l.symbols[o.sym].Name == t.text {
			return
		}
		start := o.typedef - 1
		for l.masked[start] <= ' ' {
			start++
		}
		kind := "type"
		if !o.own {
			kind = "struct"
			for _, w := range bytes.Fields(l.masked[start:min(len(l.masked), start+40)]) {
				if k := cFamily.keywords[string(bytes.TrimRight(w, "{"))]; k == "enum" || k == "union" {
					kind = k
				}
			}
		}
		sig := start + bytes.IndexByte(l.masked[start:], '{')
		l.define(kind, t.text, top.path, start, sig, at+end, at+t.at, top.sym)
		return
	}
}

// condition follows #if, #else and #endif at a line's beginning.
func (l *lines) condition(row int, stack []opened, conditions *[]int) []opened {
	s, e := l.line(row)
	text := bytes.TrimSpace(l.src[s:e])
	if len(text) < 3 || text[0] != '#' {
		return stack
	}
	text = bytes.TrimSpace(text[1:])
	n := len(*conditions)
	switch {
	case bytes.HasPrefix(text, []byte("if")):
		*conditions = append(*conditions, len(stack))
	case bytes.HasPrefix(text, []byte("el")):
		if n > 0 && (*conditions)[n-1] < len(stack) {
			return stack[:(*conditions)[n-1]]
		}
	case bytes.HasPrefix(text, []byte("endif")):
		if n > 0 {
			*conditions = (*conditions)[:n-1]
		}
	}
	return stack
}

// continues reports whether the statement src[start:i] goes on after the line
// break at i.
func continues(src []byte, start, i int) bool {
	line := bytes.TrimSpace(src[start:i])
	if bytes.HasSuffix(line, []byte(".*")) { // import a.*
		return false
	}
	if line[0] == '@' && !bytes.ContainsAny(line, " \t{") || line[0] == '@' && line[len(line)-1] == ')' { // an annotation by itself
		return true
	}
	switch line[len(line)-1] {
	case ',', '=', '(', '[', '+', '-', '*', '/', '&', '|', '.', ':', '<', '\\', '?':
		return true
	}
	rest := bytes.TrimLeft(src[i:min(len(src), i+maxHeader)], " \t\r\n")
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case '{', '.', '?', ':', '=', ',', ')', '&', '|', '+':
		return true
	}
	for _, w := range [...]string{"where ", "extends ", "with ", "implements ", "throws ", "->"} {
		if bytes.HasPrefix(rest, []byte(w)) {
			return true
		}
	}
	return false
}

// isLabel reports whether a header is an access specifier or a case.
func isLabel(h []byte) bool {
	h = bytes.TrimSpace(h)
	switch string(h) {
	case "public", "private", "protected", "default", "signals", "public slots", "private slots", "protected slots", "Q_SIGNALS":
		return true
	}
	return bytes.HasPrefix(h, []byte("case "))
}

// statement looks at what ended without a body.
func (l *lines) statement(b *braceLanguage, start, end int, top opened) {
	l.header(b, start, end, end+1, top, nil)
}

// maxHeader bounds what may stand before a body, in bytes.
const maxHeader = 4 << 10

// header looks at the text before a body (o is not nil) or at a statement
// without one, and defines what it declares.
func (l *lines) header(b *braceLanguage, start, end, to int, top opened, o *opened) {
	for start < end && l.masked[start] <= ' ' {
		start++
	}
	if start >= end || end-start > maxHeader {
		return
	}
	h := l.masked[start:end]
	var d declaration
	switch {
	case b.labels:
		if o == nil || top.sym >= 0 {
			return
		}
		name := signature(l.src[start:end])
		if name == "" {
			return
		}
		d = declaration{kind: "block", name: strings.Join(strings.Fields(strings.ReplaceAll(name, `"`, "")), "."), at: 0}
		if len(l.masked) > 0 && strings.ContainsAny(name, ".#:@>") {
			d.kind, d.name = "rule", name
		}
	default:
		var ok bool
		if d, ok = b.declaration(h, l.src[start:end], top, o != nil); !ok {
			if o != nil && b.cLike {
				o.typ = top.typ
				b.unnamed(h, o)
			}
			return
		}
	}
	function := d.kind == "func"
	if function && (top.typ || d.path != "") {
		d.kind = "method"
	}
	path := join(top.path, d.path)
	sym := l.define(d.kind, d.name, path, start, end, to, start+d.at, top.sym)
	if o == nil {
		return
	}
	o.own = sym != top.sym
	o.sym = sym
	o.path = join(path, d.name)
	switch d.kind {
	case "func", "method", "macro", "test", "var", "const", "property":
		o.body = true
	case "namespace", "module", "package":
		o.body = false
	default:
		o.typ, o.body = true, false
	}
}

// unnamed judges a body whose header defines nothing: a statement or a macro's
// block if there are brackets, else perhaps an anonymous struct.
func (b *braceLanguage) unnamed(h []byte, o *opened) {
	if b == jFamily && (bytes.Contains(h, []byte("new ")) || o.typ && isMacro(string(h[:wordEnd(h, 0)]))) {
		o.typ, o.body = true, false // an anonymous class, or an enum's constant with members
		return
	}
	o.typ = false
	if bytes.IndexByte(h, '(') >= 0 {
		o.body = true
		return
	}
	for _, t := range lexemes(h) {
		switch b.keywords[t.text] {
		case "struct", "union", "enum", "class":
			o.typ = true
		}
	}
}

// A declaration is what a header declares.
type declaration struct {
	kind, name, path string
	at               int // where the name stands in the header
}

// A lexeme of a header: a word or a mark.
type lexeme struct {
	text  string
	at    int
	depth int // of brackets, before it
	pair  int // of < and >: how far off the other is; 0 if there is none
}

// lexemes splits a header. Template arguments count as brackets.
func lexemes(h []byte) []lexeme {
	var out []lexeme
	depth := 0
	for i := 0; i < len(h); {
		c := h[i]
		switch {
		case c <= ' ':
			i++
			continue
		case isWord(c):
			j := i + 1
			for j < len(h) && isWord(h[j]) {
				j++
			}
			out = append(out, lexeme{text: string(h[i:j]), at: i, depth: depth})
			i = j
			continue
		case c == ':' && i+1 < len(h) && h[i+1] == ':':
			out = append(out, lexeme{text: "::", at: i, depth: depth})
			i += 2
			continue
		}
		out = append(out, lexeme{text: string(h[i : i+1]), at: i, depth: depth})
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
			out[len(out)-1].depth = depth
		}
		i++
	}
	deepen(out)
	return out
}

// deepen counts the < and > that pair up as brackets.
func deepen(toks []lexeme) {
	var open []int
	for i, t := range toks {
		switch t.text {
		case "<":
			if i > 0 && (toks[i-1].text == "operator" || toks[i-1].text == "<" && i > 1 && toks[i-2].text == "operator") {
				continue
			}
			open = append(open, i)
		case ">":
			if i > 0 && (toks[i-1].text == "-" || toks[i-1].text == "=" || toks[i-1].text == "operator") {
				continue
			}
			for len(open) > 0 && toks[open[len(open)-1]].depth > t.depth {
				open = open[:len(open)-1]
			}
			if n := len(open); n > 0 && toks[open[n-1]].depth == t.depth {
				toks[open[n-1]].pair = i - open[n-1]
				toks[i].pair = i - open[n-1]
				for j := open[n-1] + 1; j < i; j++ {
					toks[j].depth++
				}
				open = open[:n-1]
			}
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isName(s string) bool {
	return s != "" && isWord(s[0]) && (s[0] < '0' || s[0] > '9')
}

// declaration finds what a header declares.
func (b *braceLanguage) declaration(h, raw []byte, top opened, hasBody bool) (d declaration, ok bool) {
	toks := skipTemplate(lexemes(h))
	if len(toks) == 0 {
		return d, false
	}
	k := -1
	for i, t := range toks {
		if t.depth > 0 {
			continue
		}
		if t.text == "=" || t.text == "(" && b.cLike {
			break
		}
		if i > 0 && (b.first || toks[0].text == "use") {
			break
		}
		if b.keywords[t.text] != "" && (i == 0 || toks[i-1].text != "." && toks[i-1].text != "::") {
			k = i
			// class func f, enum class E, const fn f: the last keyword names the kind
			if i+1 < len(toks) && b.keywords[toks[i+1].text] != "" && toks[i+1].text != "type" && t.text != "typedef" && t.text != "enum" {
				continue
			}
			break
		}
	}
	if k >= 0 && b.methods && (toks[k].text == "const" || toks[k].text == "let" || toks[k].text == "var") {
		if d, ok := assigned(toks[k+1:], hasBody); ok && d.path == "" {
			return d, true
		}
		if rest := toks[k+1:]; hasBody && len(rest) > 2 && isName(rest[0].text) && rest[1].text == "=" && rest[2].text == "class" {
			return declaration{kind: "class", name: rest[0].text, at: rest[0].at}, true
		}
	}
	if k >= 0 {
		if d, ok := b.keyword(toks, k, top, hasBody); ok {
			return d, true
		}
	}
	if b.methods {
		if d, ok := assigned(toks, hasBody); ok && (!top.body || hasBody) {
			return d, true
		}
	}
	if top.body {
		return d, false
	}
	if len(b.bare) > 0 && top.typ {
		for _, t := range toks {
			if t.depth == 0 && b.bare[t.text] {
				return declaration{kind: "func", name: t.text, at: t.at}, true
			}
			if t.text == "=" {
				break
			}
		}
	}
	if b.cLike && (!b.methods || top.typ) {
		if d, ok = b.function(toks, raw, top, hasBody); !ok && !hasBody && (b == cFamily && !top.typ || b == jFamily && top.typ && constant(toks)) {
			if d, ok = variable(toks); b == jFamily {
				d.kind = "const"
			}
		}
	}
	return d, ok
}

// assigned reads JavaScript's exports.f = function …, A.prototype.m = (…) => …
func assigned(toks []lexeme, hasBody bool) (d declaration, ok bool) {
	for i, t := range toks {
		if t.depth > 0 || t.text != "=" && t.text != ":" {
			continue
		}
		if i == 0 || !isName(toks[i-1].text) || i+1 < len(toks) && (toks[i+1].text == "=" || toks[i+1].text == ">") {
			return d, false
		}
		n := len(toks)
		rest := toks[i+1:]
		function := n > i+2 && toks[n-1].text == ">" && toks[n-2].text == "=" && toks[n-1].depth == 0
		if len(rest) > 0 && (rest[0].text == "function" || rest[0].text == "async" && len(rest) > 1 && rest[1].text == "function") {
			function = true
		}
		if !function || !hasBody {
			return d, false
		}
		d = declaration{kind: "func", name: toks[i-1].text, at: toks[i-1].at}
		for j := 0; j+1 < i-1; j += 2 {
			if !isName(toks[j].text) || toks[j+1].text != "." {
				return d, j > 0 || toks[0].text == "const" || toks[0].text == "let" || toks[0].text == "var"
			}
			switch w := toks[j].text; w {
			case "exports", "module", "prototype", "this":
			default:
				d.path = join(d.path, w)
			}
		}
		return d, true
	}
	return d, false
}

// variable reads the definition of a variable of the C family: type name = …
func variable(toks []lexeme) (d declaration, ok bool) {
	words, need := 0, 2
	for i, t := range toks {
		switch {
		case t.text == "(" && t.depth == 0 && i+4 < len(toks) && toks[i+1].text == "*" && isName(toks[i+2].text) && toks[i+3].text == ")" && toks[i+4].text == "(":
			return declaration{kind: "var", name: toks[i+2].text, at: toks[i+2].at}, words > 0 // a pointer to a function
		case t.depth > 0:
		case t.text == "struct" || t.text == "enum" || t.text == "union" || t.text == "class":
			need = 3 // struct s; only declares s
			words++
		case isName(t.text):
			if control[t.text] || t.text == "extern" || t.text == "using" || t.text == "typedef" || t.text == "friend" || t.text == "public" || t.text == "operator" {
				return d, false
			}
			words++
			d = declaration{kind: "var", name: t.text, at: t.at}
		case t.text == "=" || t.text == "[" || t.text == ",":
			return d, words >= need
		case t.text == "*" || t.text == "&" || t.text == "<" || t.text == ">":
		case t.text == "::" && i > 0:
			words--
		default:
			return d, false
		}
	}
	return d, words >= need
}

// keyword reads the declaration that toks[k] begins.
func (b *braceLanguage) keyword(toks []lexeme, k int, top opened, hasBody bool) (d declaration, ok bool) {
	word := toks[k].text
	d.kind = b.keywords[word]
	rest := toks[k+1:]
	switch d.kind {
	case "var", "const", "property", "event", "oneof":
		if top.body {
			return d, false
		}
	}
	if b == cFamily || b == jFamily {
		return b.cType(toks, k, top, hasBody)
	}
	if word == "impl" {
		return rustHeader(rest)
	}
	if d.kind == "func" && len(rest) > 0 && rest[0].text == "(" && word == "func" { // Go's receiver
		for i, t := range rest {
			if t.text == ")" && t.depth == 0 {
				for _, r := range rest[1:i] {
					if isName(r.text) {
						d.path = r.text
					}
					if r.text == "[" {
						break
					}
				}
				rest = rest[i+1:]
				break
			}
		}
	}
	if len(rest) > 0 && rest[0].text == "<" && rest[0].pair > 0 { // fun <T> f
		for i, t := range rest {
			if t.text == ">" && t.depth == rest[0].depth {
				rest = rest[i+1:]
				break
			}
		}
	}
	for len(rest) > 0 {
		t := rest[0]
		switch {
		case b.keywords[t.text] != "" && t.text != "type":
			d.kind = b.keywords[t.text]
		case t.text == "mut" || t.text == "!" || t.text == "*" || t.text == "@" || t.text == "const":
		case isName(t.text):
			d.name, d.at = t.text, t.at
			for len(rest) > 2 && (rest[1].text == "." || rest[1].text == "::" || rest[1].text == `\`) && isName(rest[2].text) {
				d.path = join(d.path, d.name)
				rest = rest[2:]
				d.name, d.at = rest[0].text, rest[0].at
			}
			if word == "extension" || word == "const" || word == "let" || word == "var" {
				return d, true
			}
			return d, true
		case d.kind == "func" && strings.ContainsAny(t.text, "=<>+-*/%&|^~!"): // an operator
			d.at = t.at
			for _, u := range rest {
				if u.text == "(" || isName(u.text) {
					break
				}
				d.name += u.text
			}
			return d, d.name != ""
		default:
			return d, false
		}
		rest = rest[1:]
	}
	return d, false
}

// rustHeader reads impl<T> Trait for a::Type<T>.
func rustHeader(rest []lexeme) (d declaration, ok bool) {
	d.kind = "impl"
	angle := 0
	for i, t := range rest {
		switch {
		case t.text == "<":
			angle++
		case t.text == ">":
			if i == 0 || rest[i-1].text != "-" {
				angle--
			}
		case angle > 0 || t.depth > 0:
		case t.text == "where":
			return d, d.name != ""
		case t.text == "for":
			d.name = ""
		case isName(t.text) && t.text != "dyn" && t.text != "mut":
			d.name, d.at = t.text, t.at
		}
	}
	return d, d.name != ""
}

// cType reads class, struct, enum, namespace, using and typedef of the C
// family.
func (b *braceLanguage) cType(toks []lexeme, k int, top opened, hasBody bool) (d declaration, ok bool) {
	word := toks[k].text
	d.kind = b.keywords[word]
	rest := toks[k+1:]
	switch word {
	case "typedef":
		// The name is the last word, or the one in (*name).
		for i := len(toks) - 1; i > k; i-- {
			if t := toks[i]; isName(t.text) && t.depth == 0 {
				d.name, d.at = t.text, t.at
				break
			}
		}
		for i := k; i+2 < len(toks); i++ {
			if toks[i].text == "(" && toks[i+1].text == "*" && isName(toks[i+2].text) {
				d.name, d.at = toks[i+2].text, toks[i+2].at
				break
			}
		}
		if hasBody { // the struct in it is the definition
			for i := k + 1; i < len(toks); i++ {
				if kw := b.keywords[toks[i].text]; kw == "struct" || kw == "enum" || kw == "union" {
					return b.cType(toks, i, top, true)
				}
			}
			return d, false
		}
		return d, d.name != ""
	case "using":
		if len(rest) > 1 && isName(rest[0].text) && rest[1].text == "=" {
			return declaration{kind: "type", name: rest[0].text, at: rest[0].at}, true
		}
		return d, false
	case "delegate":
		if len(rest) == 0 || !isName(rest[0].text) {
			return d, false
		}
		for i, t := range rest {
			if t.text == "(" && t.depth == 0 && i > 0 && isName(rest[i-1].text) {
				return declaration{kind: "type", name: rest[i-1].text, at: rest[i-1].at}, true
			}
		}
		return d, false
	}
	if word == "record" && (len(rest) == 0 || !isName(rest[0].text)) {
		return d, false
	}
	if word == "concept" && len(rest) > 0 && isName(rest[0].text) {
		return declaration{kind: "concept", name: rest[0].text, at: rest[0].at}, true
	}
	if !hasBody && word != "record" {
		return d, false // a forward declaration or the type of a variable
	}
	angle := 0
	for i, t := range rest {
		switch {
		case t.text == "<":
			angle++
			continue
		case t.text == ">":
			angle--
			continue
		case angle > 0 || t.depth > 0:
			continue
		case t.text == "(" && (word == "struct" || word == "enum" || word == "union") && i > 0 && isName(rest[i-1].text) && b == cFamily && !attributes[rest[i-1].text]:
			return d, false // struct s f(…) { is a function
		case t.text == "=" || t.text == "*" && b == cFamily:
			return d, false
		case t.text == ":" || t.text == "extends" || t.text == "implements" || t.text == "permits" || t.text == "where":
			return d, d.name != ""
		case t.text == "class" || t.text == "struct" || t.text == "final" || t.text == "on" || t.text == "with":
			if t.text == "on" || t.text == "with" {
				return d, d.name != ""
			}
		case t.text == "::" || t.text == ".":
			d.path = join(d.path, d.name)
		case t.text == "(" && word == "record":
			return d, d.name != ""
		case isName(t.text):
			if i > 0 && rest[i-1].text != "::" && rest[i-1].text != "." {
				d.path = ""
			}
			d.name, d.at = t.text, t.at
		}
	}
	return d, d.name != ""
}

// attributes look like functions in a header and are none.
var attributes = setOf("__attribute__ __attribute __declspec alignas _Alignas noexcept throw decltype requires explicit static_assert __asm__ asm __nonnull typeof __typeof__ sizeof alignof DEPRECATED operator")

// control are words that a call or a statement begins with, not a definition.
var control = setOf("if for while switch return else do catch try sizeof throw new delete case goto using await yield foreach lock fixed synchronized in is as typeof when elif until select assert super this not and or")

// function finds type name(…) in a header of the C family.
func (b *braceLanguage) function(toks []lexeme, raw []byte, top opened, hasBody bool) (d declaration, ok bool) {
	script := b.newline
	best := -1
	for i, t := range toks {
		if t.depth > 0 {
			continue
		}
		if t.text == "=" && !(i > 0 && toks[i-1].text == "operator") && !(i > 1 && toks[i-2].text == "operator") {
			break
		}
		if t.text == ":" && best >= 0 { // the initializers of a constructor
			break
		}
		if t.text != "(" || i == 0 {
			continue
		}
		if op := operatorAt(toks, i); op >= 0 {
			best = op
			break
		}
		at := i - 1
		if toks[at].text == ">" && toks[at].pair > 0 { // f<T>(…)
			at -= toks[at].pair + 1
		}
		if at < 0 {
			continue
		}
		name := toks[at]
		if !isName(name.text) || attributes[name.text] || name.depth > 0 {
			continue
		}
		if control[name.text] {
			if best < 0 {
				return d, false
			}
			continue
		}
		if best >= 0 && !isMacro(toks[best].text) {
			break
		}
		best = at
	}
	if best < 0 {
		return d, false
	}
	d.kind, d.name, d.at = "func", toks[best].text, toks[best].at
	first := best
	if d.name == "operator" {
		end := best + 1
		for end < len(toks) && (toks[end].text != "(" || end == best+1) {
			if isName(toks[end].text) && isWord(d.name[len(d.name)-1]) {
				d.name += " "
			}
			d.name += toks[end].text
			if toks[end].text == "(" {
				d.name += ")"
				end++
			}
			end++
		}
	} else if best > 0 && toks[best-1].text == "~" {
		d.name = "~" + d.name
		first--
	}
	for first > 1 && toks[first-1].text == "::" && (isName(toks[first-2].text) || toks[first-2].text == ">") {
		p := first - 2
		if toks[p].text == ">" { // A<T>::f
			for p > 0 && toks[p].text != "<" {
				p--
			}
			p--
		}
		if p < 0 || !isName(toks[p].text) {
			break
		}
		if d.path == "" {
			d.path = toks[p].text
		} else {
			d.path = toks[p].text + "." + d.path
		}
		first = p
	}
	for b == jFamily && top.typ && first > 1 && toks[first-1].text == "." && isName(toks[first-2].text) { // void IDisposable.Dispose()
		first -= 2
	}
	before := toks[:first]
	for i, t := range before {
		if t.text == "-" && before[min(i+1, len(before)-1)].text == ">" || i == 0 && t.text == "," {
			return d, false
		}
		if control[t.text] && t.text != "new" && t.text != "in" && t.text != "is" && t.text != "as" || t.text == "." || t.text == "->" {
			return d, false
		}
	}
	if len(before) > 0 && before[0].text == "friend" && !hasBody {
		return d, false
	}
	switch {
	case hasBody:
		// A body makes it a definition, unless it is a macro's block at the top level.
		if len(before) == 0 && d.path == "" && !top.typ && b != cFamily && !script {
			return d, false
		}
		if len(before) == 0 && d.path == "" && !top.typ && isMacro(d.name) {
			return d, false
		}
		if len(before) == 0 && top.typ && !script && !constructs(d.name, top.path) {
			return d, false
		}
		if script && len(before) > 0 && !top.typ {
			return d, false
		}
	case script:
		if !b.methods || !top.typ || len(before) > 0 && !isName(before[0].text) {
			return d, false
		}
	case len(before) == 0 && !(top.typ && constructs(d.name, top.path)) && !(d.path != "" && constructs(d.name, d.path)):
		return d, false // a call or a macro, not a constructor
	}
	// int x(5) and f(a + b) are no prototypes; a definition's parameters may be anything.
	return d, true
}

// constant reports whether a member of Java or C# is declared constant.
func constant(toks []lexeme) bool {
	static, final := false, false
	for _, t := range toks {
		switch t.text {
		case "const":
			return true
		case "static":
			static = true
		case "final":
			final = true
		case "=":
			return static && final
		}
	}
	return false
}

// constructs reports whether a member of the type at path needs no type: a
// constructor, a destructor, or a conversion.
func constructs(name, path string) bool {
	return strings.HasPrefix(name, "operator") || path != "" && strings.HasSuffix("."+path, "."+strings.TrimPrefix(name, "~"))
}

// operatorAt returns the index of the operator keyword whose parameter list
// opens at i, or -1.
func operatorAt(toks []lexeme, i int) int {
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		if toks[j].text == "operator" {
			if i == j+1 { // operator()(…): the first brackets are the name
				continue
			}
			return j
		}
	}
	return -1
}

// isMacro reports whether a name is all upper case, as macros are.
func isMacro(s string) bool {
	return len(s) > 2 && s == strings.ToUpper(s) && strings.ContainsAny(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// skipTemplate drops template<…> and annotations at the beginning.
func skipTemplate(toks []lexeme) []lexeme {
	for len(toks) > 0 {
		switch {
		case toks[0].text == "template" && len(toks) > 1 && toks[1].text == "<":
			angle, i := 0, 1
			for ; i < len(toks); i++ {
				if toks[i].text == "<" && toks[i].depth == 0 {
					angle++
				}
				if toks[i].text == ">" && toks[i].depth == 0 {
					if angle--; angle == 0 {
						break
					}
				}
			}
			toks = toks[min(i+1, len(toks)):]
		case toks[0].text == "@" && len(toks) > 1 && toks[1].text != "interface":
			i := 2
			for i+1 < len(toks) && toks[i].text == "." {
				i += 2
			}
			if i < len(toks) && toks[i].text == "(" {
				for i < len(toks) && !(toks[i].text == ")" && toks[i].depth == 0) {
					i++
				}
				i++
			}
			toks = toks[min(i, len(toks)):]
		case toks[0].text == "[": // an attribute in brackets
			i := 0
			for i < len(toks) && !(toks[i].text == "]" && toks[i].depth == 0) {
				i++
			}
			toks = toks[min(i+1, len(toks)):]
		case toks[0].text == "#" && len(toks) > 1 && (toks[1].text == "[" || toks[1].text == "!"):
			i := 1
			for i < len(toks) && !(toks[i].text == "]" && toks[i].depth == 0) {
				i++
			}
			toks = toks[min(i+1, len(toks)):]
		default:
			return toks
		}
	}
	return toks
}
