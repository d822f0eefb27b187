//go:build cgo && oracle

package oracle

// #include <stdlib.h>
// #include "tree.h"
import "C"

import (
	"bytes"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"

	// Linked for its C library, which tree.c calls: one call per file instead
	// of several per node.
	_ "github.com/tree-sitter/go-tree-sitter"

	kotlin "github.com/tree-sitter-grammars/tree-sitter-kotlin/bindings/go"
	bash "github.com/tree-sitter/tree-sitter-bash/bindings/go"
	csharp "github.com/tree-sitter/tree-sitter-c-sharp/bindings/go"
	c "github.com/tree-sitter/tree-sitter-c/bindings/go"
	cpp "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
	java "github.com/tree-sitter/tree-sitter-java/bindings/go"
	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	php "github.com/tree-sitter/tree-sitter-php/bindings/go"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
	ruby "github.com/tree-sitter/tree-sitter-ruby/bindings/go"
	rust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
	scala "github.com/tree-sitter/tree-sitter-scala/bindings/go"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// grammars are the languages that tree-sitter outlines.
var grammars = map[string]func() unsafe.Pointer{
	"bash":       bash.Language,
	"c":          c.Language,
	"cpp":        cpp.Language,
	"csharp":     csharp.Language,
	"java":       java.Language,
	"javascript": javascript.Language,
	"kotlin":     kotlin.Language,
	"php":        php.LanguagePHP,
	"python":     python.Language,
	"ruby":       ruby.Language,
	"rust":       rust.Language,
	"scala":      scala.Language,
	"tsx":        typescript.LanguageTSX,
	"typescript": typescript.LanguageTypescript,
}

// node is C.satchel_node: a named node of the tree, in pre-order.
type node struct {
	kind, field uint16
	start, end  uint32
	row, endRow uint32
	parent      int32
	next        uint32
}

var _ [unsafe.Sizeof(node{})]byte = [unsafe.Sizeof(C.satchel_node{})]byte{}

var (
	errBudget = errors.New("it takes the parser too long")
	errMemory = errors.New("it takes the parser too much memory")
)

// A forest holds one tree-sitter parser per language and the memory that they
// share. It is not safe for concurrent use.
type forest struct {
	trees map[string]*grammar
	out   C.satchel_tree
}

// A grammar is one language's parser and the names of its tree's nodes.
type grammar struct {
	parser *C.TSParser
	rules  []rule   // by kind of node
	kinds  []string // names of the kinds
	fields []string // names of the fields
}

func (f *forest) grammar(lang string) (*grammar, error) {
	if g := f.trees[lang]; g != nil {
		return g, nil
	}
	load := grammars[lang]
	if load == nil {
		return nil, fmt.Errorf("no grammar for %q", lang)
	}
	l := (*C.TSLanguage)(load())
	g := &grammar{parser: C.ts_parser_new()}
	if !C.ts_parser_set_language(g.parser, l) {
		C.ts_parser_delete(g.parser)
		return nil, fmt.Errorf("the grammar of %q has another version than the library", lang)
	}
	kinds := make([]string, C.ts_language_symbol_count(l))
	for i := range kinds {
		kinds[i] = C.GoString(C.ts_language_symbol_name(l, C.uint16_t(i)))
	}
	fields := make([]string, C.ts_language_field_count(l)+1)
	for i := 1; i < len(fields); i++ {
		fields[i] = C.GoString(C.ts_language_field_name_for_id(l, C.uint16_t(i)))
	}
	g.kinds, g.fields, g.rules = kinds, fields, compile(lang, kinds)
	if f.trees == nil {
		f.trees = map[string]*grammar{}
	}
	f.trees[lang] = g
	return g, nil
}

// parse calls fn with the nodes of the tree of src, which are valid until it returns.
func (f *forest) parse(lang string, src []byte, fn func(g *grammar, nodes []node)) error {
	g, err := f.grammar(lang)
	if err != nil {
		return err
	}
	p := (*C.char)(unsafe.Pointer(unsafe.SliceData(src)))
	switch C.satchel_parse(g.parser, p, C.uint32_t(len(src)), C.uint64_t(parseTime/time.Microsecond), &f.out) {
	case C.SATCHEL_BUDGET:
		return errBudget
	case C.SATCHEL_MEMORY:
		return errMemory
	}
	nodes := unsafe.Slice((*node)(unsafe.Pointer(f.out.nodes)), int(f.out.count))
	fn(g, nodes)
	return nil
}

// parseTime is how long a parser may take: in error recovery an operation may last
// long (a bash text of 75,000 times "@a(", ")" took over a minute), hence a limit on
// processor time, which other processes do not shorten. One MiB of ordinary code
// takes 0.15 to 0.4 s.
const parseTime = 2 * time.Second

// Trees outlines texts with tree-sitter. It is not safe for concurrent use.
type Trees struct{ forest }

// Symbols returns the definitions in the tree of src.
func (t *Trees) Symbols(lang string, src []byte) (out []satchel.Symbol, err error) {
	plain := src
	if lang == "c" || lang == "cpp" {
		plain = outline.WithoutMacros(src)
	}
	err = t.parse(lang, plain, func(g *grammar, nodes []node) {
		out, _, _ = walk(g, nodes, src).Sorted(bytes.Count(src, []byte{'\n'}) + 1)
	})
	return out, err
}
