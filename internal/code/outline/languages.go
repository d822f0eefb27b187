package outline

import (
	"regexp"
	"strings"
)

// A language is all that the program knows about one: its row in the table. What is
// written in words here is separated by blanks and in lower case.
type language struct {
	name       string
	extensions string // of its files, without the dot
	basenames  string // of files that are of it whatever their extension
	prefixes   string // that the names of such files begin with
	programs   string // that run its scripts: after #!, without a version
	kind       Class  // of its ordinary files; Source if empty
	tests      func(stem, raw string) bool

	syntax  *syntax         // how comments and strings are written; nil if nobody said it
	comment *syntax         // how comments are written, if that is all that is known
	words   map[string]bool // that it reserves, for colors

	// outline finds the definitions: scanned, braced, indented or a reader of its own.
	// A language with a grammar has a rules file, and its outline is only Partial where
	// that could not be used.
	outline outliner
	grammar bool
	block   string // opens a block that means nothing else, as { does where there are braces
	member  string // begins a function called _ in a type
	masked  bool   // outline finds comments and strings itself
	macros  bool   // macros of C stand among its definitions

	// imports find what a line imports, unless outline does: each submatch is one.
	imports func() []*regexp.Regexp

	Traits
}

// Traits are what other packages ask about a language.
type Traits struct {
	// Family is the language that stands for those that make one program together:
	// itself, if empty.
	Family string

	Modules    Modules    // how it names what it imports
	Visibility Visibility // what of it can be used from outside

	// Prose says that its files are cut at headings and paragraphs.
	Prose bool
}

// Modules are the ways in which an import names files.
type Modules int

const (
	Dotted    Modules = iota // a.b.C, the last part perhaps a file
	Folders                  // a/b, the folder of a package
	Relative                 // a.b.c or ..b, the last part perhaps a name within b
	Shrinking                // a::b::c, any number of the last parts names within
	Scripts                  // "./a/b.js", with or without what stands behind the dot
	Includes                 // "a/b.h"
	Files                    // "a/b"
)

// A Visibility says how a language tells what of a file can be used from outside.
// Its zero value is a name without an underscore at its beginning.
type Visibility struct {
	Needs string // words, one of which stands in the signature before the parameters
	Bars  string // words, none of which does
	By    Convention
}

// A Convention is what decides in languages where words of the signature do not.
type Convention int

const (
	Underscore Convention = iota
	Dunder                // as Underscore, except names such as __init__
	Capital               // the first letter
	Pub                   // pub, and what a trait holds
	Export                // export before it or below it
	Public                // public or protected, and what an interface holds
	Linkage               // not static, or in a header
)

// TraitsOf returns what is known of a language; the zero value if nothing is.
func TraitsOf(lang string) Traits {
	if l := byName[lang]; l != nil {
		return l.Traits
	}
	return Traits{}
}

// IsCode reports whether a language is one that programs are written in, as far as
// its definitions are known.
func IsCode(lang string) bool {
	l := byName[lang]
	return l != nil && l.kind == "" && (len(l.words) > 0 && l.outline.find != nil || l.Family == "javascript")
}

// A prefix is one of the names of files that begin with it.
type prefix struct {
	text string
	lang *language
}

// The rows of the table by what they are found by.
var (
	byName      = map[string]*language{}
	byExtension = map[string]*language{}
	byBasename  = map[string]*language{}
	byProgram   = map[string]*language{}
	byPrefix    []prefix
)

// init fills the maps, which cannot be initialized from the table: its functions read
// them. A test checks that no two rows claim the same.
func init() {
	for i := range table {
		l := &table[i]
		byName[l.name] = l
		for e := range strings.FieldsSeq(l.extensions) {
			byExtension[e] = l
		}
		for b := range strings.FieldsSeq(l.basenames) {
			byBasename[b] = l
		}
		for p := range strings.FieldsSeq(l.programs) {
			byProgram[p] = l
		}
		for p := range strings.FieldsSeq(l.prefixes) {
			byPrefix = append(byPrefix, prefix{p, l})
		}
	}
}

// An outliner finds the definitions of a text.
type outliner struct {
	find   func(*lines) // nil: there are none
	braces bool         // what encloses is told by braces
}

// scanned outlines by tokens.
func scanned(g *grammarOf) outliner { return outliner{func(l *lines) { l.scan(g) }, true} }

// braced outlines by braces and keywords.
func braced(b *braceLanguage) outliner { return outliner{func(l *lines) { l.braces(b) }, true} }

// indented outlines by the look of lines and by indentation.
func indented(ps func() []pattern) outliner {
	return outliner{find: func(l *lines) { l.indented(ps()) }}
}

// plain outlines in a way of its own.
func plain(find func(*lines)) outliner { return outliner{find: find} }

// opens returns what opens a block, "" where indentation does.
func (l *language) opens() string {
	if l.outline.braces {
		return "{"
	}
	return l.block
}

func hasGrammar(lang string) bool {
	l := byName[lang]
	return l != nil && l.grammar
}
