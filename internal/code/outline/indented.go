package outline

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// The indentation outliner matches each line against a language's defining
// patterns. A definition lasts until the next line that is indented no deeper,
// and includes that line if it only closes it ("end", a bracket). Most code in
// languages without braces is indented so, whatever ends its blocks.

// A pattern defines a symbol: its last submatch that took part is the name.
type pattern struct {
	kind string
	re   *regexp.Regexp
}

func patternsOf(pairs ...string) func() []pattern {
	return sync.OnceValue(func() []pattern {
		var ps []pattern
		for i := 0; i+1 < len(pairs); i += 2 {
			ps = append(ps, pattern{pairs[i], regexp.MustCompile(pairs[i+1])})
		}
		return ps
	})
}

var pythonLike = patternsOf(
	"class", `^\s*(?:cdef\s+|cpdef\s+)?class\s+(\w+)`,
	"func", `^\s*(?:async\s+)?def\s+(\w+)`,
	"func", `^\s*(?:cdef|cpdef)\s+(?:inline\s+)?(?:[\w.\[\]*]+\s+)*\*?(\w+)\s*\(`,
	"const", `^([A-Z][A-Z0-9_]*)\s*(?::[^=]+)?=[^=]`,
	"var", `^([A-Za-z_]\w*)\s*(?::[^=]+)?=[^=]`)

var patterns = map[string]func() []pattern{
	"python": pythonLike, "cython": pythonLike, "starlark": pythonLike,
	"ruby": patternsOf(
		"class", `^\s*class\s+(?:\w+::)*([A-Z]\w*)`,
		"module", `^\s*module\s+(?:\w+::)*([A-Z]\w*)`,
		"func", `^\s*def\s+(?:self\.|\w+\.)?([\w]+[?!=]?|[^\w\s(]+)`,
		"const", `^\s*([A-Z][A-Z0-9_]+)\s*=[^=]`),
	"crystal": patternsOf(
		"class", `^\s*(?:abstract\s+)?(?:class|struct|enum|lib|union)\s+(?:\w+::)*([A-Z]\w*)`,
		"module", `^\s*module\s+(?:\w+::)*([A-Z]\w*)`,
		"macro", `^\s*macro\s+(\w+[?!]?)`,
		"func", `^\s*(?:private\s+|protected\s+|abstract\s+)*def\s+(?:self\.)?([\w]+[?!=]?)`),
	"lua": patternsOf(
		"func", `^\s*(?:local\s+)?function\s+(?:[\w.]+[.:])?(\w+)\s*\(`,
		"func", `^\s*(?:local\s+)?(?:[\w.]+\.)?(\w+)\s*=\s*function\b`,
		"var", `^(?:local\s+)?([A-Za-z_]\w*)\s*=\s*\{`),
	"elixir": patternsOf(
		"module", `^\s*defmodule\s+(?:\w+\.)*(\w+)`,
		"interface", `^\s*defprotocol\s+(?:\w+\.)*(\w+)`,
		"impl", `^\s*defimpl\s+(?:\w+\.)*(\w+)`,
		"macro", `^\s*defmacrop?\s+([\w?!]+)`,
		"func", `^\s*(?:def|defp|defdelegate|defguardp?)\s+([\w?!]+)`,
		"struct", `^\s*(defstruct)\b`,
		"type", `^\s*@(?:type|typep|opaque|callback)\s+(\w+)`),
	"erlang": patternsOf(
		"module", `^-module\((\w+)`, "struct", `^-record\((\w+)`, "macro", `^-define\((\w+)`, "type", `^-type\s+(\w+)`,
		"func", `^([a-z]\w*)\s*\(.*(?:->|,|$)`),
	"haskell": patternsOf(
		"class", `^class\s+(?:.*=>\s*)?([A-Z]\w*)`, "impl", `^instance\s+(?:.*=>\s*)?([A-Z]\w*)`,
		"type", `^(?:data|newtype|type(?:\s+family)?)\s+(?:.*=>\s*)?([A-Z]\w*)`, "module", `^module\s+(?:[\w]+\.)*([A-Z]\w*)`,
		"func", `^([a-z_][\w']*)(?:\s*,\s*[\w']+)*\s*::`),
	"elm":      patternsOf("type", `^type\s+(?:alias\s+)?([A-Z]\w*)`, "module", `^(?:port\s+)?module\s+(?:\w+\.)*(\w+)`, "func", `^([a-z]\w*)\s*:\s`),
	"ocaml":    patternsOf("module", `^\s*module\s+(?:type\s+)?(?:rec\s+)?([A-Z]\w*)`, "type", `^\s*type\s+(?:nonrec\s+)?(?:\([^)]*\)\s*|'\w+\s+)?([a-z_]\w*)`, "class", `^\s*class\s+(?:virtual\s+)?(\w+)`, "func", `^\s{0,4}(?:let|and)\s+(?:rec\s+)?([a-z_][\w']*)`, "func", `^\s*(?:val|external)\s+([a-z_][\w']*)`, "exception", `^\s*exception\s+(\w+)`),
	"fsharp":   patternsOf("module", `^\s*module\s+(?:rec\s+)?(?:\w+\.)*(\w+)`, "namespace", `^\s*namespace\s+(?:\w+\.)*(\w+)`, "type", `^\s*(?:type|and)\s+(?:private\s+|internal\s+)?([A-Z]\w*)`, "func", `^\s{0,4}let\s+(?:rec\s+|inline\s+|private\s+)*(\w+)`, "method", `^\s*(?:static\s+)?(?:member|override|abstract)\s+(?:\w+\.)?(\w+)`),
	"clojure":  patternsOf("namespace", `^\(ns\s+(?:\^\S+\s+)?([\w.-]+)`, "macro", `^\s*\(defmacro\s+([^\s()\[\]]+)`, "type", `^\s*\((?:defrecord|deftype|defprotocol|definterface)\s+([^\s()\[\]]+)`, "func", `^\s*\((?:defn-?|defmulti|defmethod)\s+(?:\^\S+\s+)?([^\s()\[\]]+)`, "var", `^\s*\((?:def|defonce)\s+(?:\^\S+\s+)?([^\s()\[\]]+)`),
	"lisp":     patternsOf("macro", `^\s*\((?:defmacro|define-syntax)\s+([^\s()]+)`, "type", `^\s*\((?:defstruct|defclass|cl-defstruct|deftype|struct|define-struct)\s+\(?([^\s()]+)`, "func", `^\s*\((?:defun|cl-defun|defsubst|defgeneric|defmethod|cl-defmethod|define)\s+\(?([^\s()]+)`, "var", `^\s*\((?:defvar|defconst|defcustom|defparameter)\s+([^\s()]+)`),
	"julia":    patternsOf("module", `^\s*(?:bare)?module\s+(\w+)`, "struct", `^\s*(?:mutable\s+)?struct\s+(\w+)`, "type", `^\s*(?:abstract|primitive)\s+type\s+(\w+)`, "macro", `^\s*macro\s+(\w+)`, "func", `^\s*function\s+(?:\w+\.)*([\w!]+)`, "func", `^([\w!]+)\([^)]*\)\s*(?:where.*)?=[^=]`, "const", `^\s*const\s+(\w+)`),
	"r":        patternsOf("func", `^\s*([\w.]+)\s*(?:<-|=)\s*function\b`, "class", `^\s*setClass\(\s*["']?(\w+)`),
	"nim":      patternsOf("func", "^\\s*(?:proc|func|method|iterator|template|macro|converter)\\s+`?([\\w=]+)", "type", `^\s{2}([A-Z]\w*)\*?\s*(?:\{.*\})?\s*=\s*(?:ref|object|enum|tuple|distinct)`),
	"gdscript": patternsOf("class", `^\s*(?:class|class_name)\s+(\w+)`, "func", `^\s*(?:static\s+)?func\s+(\w+)`, "enum", `^\s*enum\s+(\w+)`, "const", `^const\s+(\w+)`),
	"coffee":   patternsOf("class", `^\s*class\s+(\w+)`, "func", `^\s*(?:[\w.@]+\.)?(\w+)\s*[:=]\s*(?:\([^)]*\)\s*)?[-=]>`),
	"sql": patternsOf(
		"table", "(?i)^\\s*create\\s+(?:or\\s+replace\\s+)?(?:global\\s+|local\\s+|temp(?:orary)?\\s+|unlogged\\s+|external\\s+|virtual\\s+)*table\\s+(?:if\\s+not\\s+exists\\s+)?(?:[\\w\"`\\[\\]]+\\.)*[\"`\\[]?(\\w+)",
		"view", "(?i)^\\s*create\\s+(?:or\\s+replace\\s+)?(?:materialized\\s+|temp(?:orary)?\\s+)*view\\s+(?:if\\s+not\\s+exists\\s+)?(?:[\\w\"`]+\\.)*[\"`]?(\\w+)",
		"func", "(?i)^\\s*create\\s+(?:or\\s+replace\\s+)?(?:function|procedure|trigger|aggregate)\\s+(?:if\\s+not\\s+exists\\s+)?(?:[\\w\"`]+\\.)*[\"`]?(\\w+)",
		"index", "(?i)^\\s*create\\s+(?:unique\\s+)?index\\s+(?:concurrently\\s+)?(?:if\\s+not\\s+exists\\s+)?[\"`]?(\\w+)",
		"type", "(?i)^\\s*create\\s+(?:type|domain|schema|sequence|extension)\\s+(?:if\\s+not\\s+exists\\s+)?(?:[\\w\"`]+\\.)*[\"`]?(\\w+)",
		"table", "(?i)^\\s*alter\\s+table\\s+(?:if\\s+exists\\s+)?(?:only\\s+)?(?:[\\w\"`]+\\.)*[\"`]?(\\w+)"),
	"make":       patternsOf("target", `^([A-Za-z0-9_./%-]+)(?:\s+[A-Za-z0-9_./%-]+)*\s*::?(?:[^=]|$)`, "var", `^(?:export\s+)?([A-Za-z_]\w*)\s*(?:[:?+!]|::)?=`, "func", `^define\s+(\w+)`),
	"just":       patternsOf("target", `^@?([A-Za-z_][\w-]*)(?:\s+[^:=]*)?:(?:[^=]|$)`, "var", `^([A-Za-z_]\w*)\s*:=`),
	"cmake":      patternsOf("func", `(?i)^\s*(?:function|macro)\s*\(\s*(\w+)`, "target", `(?i)^\s*(?:add_library|add_executable|add_custom_target)\s*\(\s*([\w-]+)`),
	"meson":      patternsOf("target", `^\s*(\w+)\s*=\s*(?:static_|shared_|both_)?(?:library|executable|custom_target)\s*\(`),
	"dockerfile": patternsOf("stage", `(?i)^\s*FROM\s+\S+\s+AS\s+([\w.-]+)`, "stage", `(?i)^\s*FROM\s+(?:--\S+\s+)?(\S+)`),
	"tcl":        patternsOf("namespace", `^\s*namespace\s+eval\s+(\S+)`, "func", `^\s*(?:proc|method)\s+(?:\S*::)?([^\s:]+)`),
	"vim":        patternsOf("func", `^\s*fu(?:nction)?!?\s+(?:[a-z]:|<SID>)?([\w#.]+)\s*\(`, "command", `^\s*command!?\s+(?:-\S+\s+)*(\w+)`),
	"matlab":     patternsOf("class", `^\s*classdef\s+(?:\([^)]*\)\s*)?(\w+)`, "func", `^\s*function\s+(?:[\[\]\w,\s~]+=\s*)?([\w.]+)`),
	"vb":         patternsOf("class", `(?i)^\s*(?:(?:public|private|friend|partial|mustinherit|notinheritable)\s+)*(?:class|structure|interface|module|enum)\s+(\w+)`, "func", `(?i)^\s*(?:(?:public|private|protected|friend|shared|overrides|overridable|async)\s+)*(?:sub|function|property)\s+(\w+)`),
	"fortran":    patternsOf("module", `(?i)^\s*(?:module|program)\s+(\w+)\s*$`, "type", `(?i)^\s*type(?:\s*,[^:]*)?\s*(?:::)?\s*(\w+)\s*$`, "func", `(?i)^\s*(?:[\w()*=]+\s+)*(?:function|subroutine)\s+(\w+)`),
	"pascal":     patternsOf("type", `(?i)^\s*(\w+)\s*=\s*(?:packed\s+)?(?:class|record|interface|object)\b`, "func", `(?i)^\s*(?:class\s+)?(?:procedure|function|constructor|destructor)\s+(?:\w+\.)?(\w+)`, "module", `(?i)^(?:unit|program|library)\s+(\w+)`),
	"ada":        patternsOf("module", `(?i)^\s*package\s+(?:body\s+)?([\w.]+)`, "func", `(?i)^\s*(?:procedure|function)\s+(\w+)`, "type", `(?i)^\s*(?:sub)?type\s+(\w+)`),
	"vhdl":       patternsOf("module", `(?i)^\s*(?:entity|package|component)\s+(\w+)\s+is`, "impl", `(?i)^\s*architecture\s+(\w+)`, "func", `(?i)^\s*(?:pure\s+|impure\s+)?(?:function|procedure)\s+(\w+)`),
	"verilog":    patternsOf("module", `^\s*(?:module|interface|package|program)\s+(?:automatic\s+|static\s+)?(\w+)`, "class", `^\s*(?:virtual\s+)?class\s+(\w+)`, "func", `^\s*(?:virtual\s+|static\s+)*(?:function|task)\s+(?:automatic\s+)?(?:[\w\[\]:]+\s+)*(\w+)\s*[(;]`),
	"jq":         patternsOf("func", `^\s*def\s+([\w:]+)`),
	"asm":        patternsOf("func", `^([A-Za-z_.$][\w.$]*):`, "macro", `^\s*\.?macro\s+(\w+)`),
	"nix":        patternsOf("var", `^\s{0,4}([\w.-]+)\s*=\s`),
	"cue":        patternsOf("type", `^(#?\w+)\s*:`),
	"jsonnet":    patternsOf("func", `^\s*local\s+(\w+)\s*(?:\([^)]*\))?\s*=`, "field", `^\s{0,2}(\w+)\s*(?:\([^)]*\))?::?:?\s`),
	"bicep":      patternsOf("var", `^\s*(?:param|var|resource|module|output|type|func)\s+(\w+)`),
	"batch":      patternsOf("func", `^:([A-Za-z_]\w*)`),
	"coq":        patternsOf("func", `^\s*(?:Definition|Fixpoint|Lemma|Theorem|Inductive)\s+(\w+)`),
}

// matchedPart bounds what a pattern looks at in one line.
const matchedPart = 400

// indented outlines by patterns and indentation.
func (l *lines) indented(ps []pattern) {
	type open struct {
		indent, sym int
		path        string
		typ         bool
	}
	var stack []open
	full := 0 // the last row so far that is not blank
	closeTo := func(indent, row int) {
		for len(stack) > 0 && stack[len(stack)-1].indent >= indent {
			o := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			last := full
			if row < len(l.starts) && o.indent == indent && l.closes(row) {
				last = row
			}
			s := l.At(o.sym)
			s.To = max(s.NameLine, last+1)
		}
	}
	seen := map[string]bool{}
	lead, leadIndent := -1, 0 // first row of decorators waiting for a definition
	for row := range l.starts {
		start, end := l.line(row)
		text := l.masked[start:end]
		trimmed := bytes.TrimLeft(text, " \t")
		if len(bytes.TrimSpace(trimmed)) == 0 {
			continue
		}
		indent := width(text[:len(text)-len(trimmed)])
		closeTo(indent, row)
		full = row
		if trimmed[0] == '@' && (len(trimmed) < 2 || trimmed[1] != '@') {
			if lead < 0 || leadIndent != indent {
				lead, leadIndent = row, indent
			}
		}
		if len(text) > matchedPart {
			text = text[:matchedPart]
		}
		for _, p := range ps {
			m := p.re.FindSubmatchIndex(text)
			if m == nil {
				continue
			}
			n := len(m) - 2
			for n > 2 && m[n] < 0 {
				n -= 2
			}
			if m[n] < 0 {
				continue
			}
			name := string(text[m[n]:m[n+1]])
			up, path, typ := -1, "", false
			if len(stack) > 0 {
				o := stack[len(stack)-1]
				up, path, typ = o.sym, o.path, o.typ
			}
			kind := p.kind
			if kind == "func" && typ {
				kind = "method"
			}
			if kind == "var" || kind == "const" {
				if seen[symbols.Join(path, name)] {
					break
				}
				seen[symbols.Join(path, name)] = true
			}
			at := start + m[n]
			before := l.Len()
			sym := l.define(kind, name, path, start, end, end, at, up)
			if l.Len() == before {
				break
			}
			if lead >= 0 && leadIndent == indent {
				s := l.At(sym)
				s.From = min(s.From, lead+1)
				if from, doc := l.leadOf(lead); from < lead {
					s.From, s.Doc = from+1, doc
				}
			}
			stack = append(stack, open{indent, sym, symbols.Join(path, name), kind == "class" || kind == "type" || kind == "struct" || kind == "impl" || kind == "interface"})
			break
		}
		if trimmed[0] != '@' && !(lead >= 0 && (indent > leadIndent || trimmed[0] == ')')) {
			lead = -1
		}
	}
	closeTo(-1, len(l.starts))
}

func (l *lines) blank(row int) bool {
	s, e := l.line(row)
	return len(bytes.TrimSpace(l.src[s:e])) == 0
}

// closes reports whether a line only ends a block.
func (l *lines) closes(row int) bool {
	s, e := l.line(row)
	text := strings.TrimSpace(string(l.src[s:min(e, s+40)]))
	switch {
	case text == "":
		return false
	case strings.HasPrefix(text, "end"), strings.HasPrefix(text, "End"), strings.HasPrefix(text, "END"):
		return len(text) == 3 || !isWord(text[3]) || strings.HasPrefix(strings.ToLower(text), "endfunction") || strings.HasPrefix(strings.ToLower(text), "endmacro")
	}
	return text[0] == '}' || text[0] == ')' || text[0] == ']' || text == "done" || text == "fi" || text == "esac"
}

// width is the column that white space reaches, with tabs of eight.
func width(blanks []byte) int {
	n := 0
	for _, c := range blanks {
		if c == '\t' {
			n += 8 - n%8
		} else {
			n++
		}
	}
	return n
}
