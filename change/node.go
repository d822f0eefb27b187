package change

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
)

// A group is what may take the place of one another: a function that becomes a
// method is still itself, a function that becomes a type is not.
type group byte

const (
	groupCall  group = iota // functions, methods, macros
	groupType               // what has fields, variants or methods
	groupValue              // constants, variables, fields
	groupScope              // modules, namespaces
	groupImpl               // implementations of Rust and the like
)

func (g group) encloses() bool { return g == groupType || g == groupScope || g == groupImpl }

func groupOf(kind string) group {
	switch kind {
	case "func", "method", "constructor", "macro", "test", "rule", "target", "operator", "task", "procedure", "subroutine":
		return groupCall
	case "const", "var", "field", "property", "key", "value":
		return groupValue
	case "module", "namespace", "package", "section", "heading":
		return groupScope
	case "impl", "extension":
		return groupImpl
	}
	return groupType
}

// A node is a symbol of one side.
type node struct {
	*satchel.Symbol
	group   group
	name    string // as it is matched: of an impl, with its trait
	file    int    // index of its pair
	lines   *lines
	pair    *Pair
	old     bool
	outer   *node  // the symbol around it
	own     uint64 // hash of its lines that belong to no symbol inside it
	match   *node  // itself on the other side
	carried bool   // its file or enclosing name is another only because what encloses it was matched
}

// A key is what makes a definition the same on both sides.
type key struct {
	file   int
	group  group
	parent string
	name   string
}

func (n *node) key() key { return key{n.file, n.group, n.Parent, n.name} }

func (n *node) path() string {
	if n.old && n.pair.OldPath != "" {
		return n.pair.OldPath
	}
	return n.pair.Path
}

// names are what a neutral text leaves out: the symbol's name and the last name
// of what encloses it, as in the receiver of a method.
func (n *node) names() []string {
	parent := n.Parent[strings.LastIndexByte(n.Parent, '.')+1:]
	return []string{n.Name, parent}
}

func (n *node) edit(a Action) Edit {
	return Edit{
		Action: a, Kind: n.Kind, Name: n.name, Parent: n.Parent, Exported: n.exported(),
		Lines: satchel.Range{From: n.From, To: n.To}, OldSide: n.old, Signature: n.Signature,
	}
}

func qualified(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "." + name
}

// lines are the lines of one side.
type lines struct {
	text  []byte
	start []int    // offset of each line, and of the end
	hash  []uint64 // of each line without its white space; 0 if it is blank or a comment
	owner []*node  // the innermost symbol of each line

	exports map[string]bool // names that lines of a script export; nil until they are asked for
}

func newLines(s *Side) *lines {
	l := &lines{text: s.Text}
	for at := 0; at < len(s.Text); {
		l.start = append(l.start, at)
		end := bytes.IndexByte(s.Text[at:], '\n')
		if end < 0 {
			at = len(s.Text)
		} else {
			at += end + 1
		}
	}
	l.start = append(l.start, len(s.Text))
	l.hash = make([]uint64, len(l.start)-1)
	for i := range l.hash {
		if h := hashLine(l.line(i)); h != hashSeed {
			l.hash[i] = h | 1 // never 0
		}
	}
	for _, r := range s.Comments {
		for i := max(r.From, 1); i <= min(r.To, len(l.hash)); i++ {
			l.hash[i-1] = 0
		}
	}
	l.owner = make([]*node, len(l.hash))
	return l
}

// line returns line i, counted from 0.
func (l *lines) line(i int) []byte { return l.text[l.start[i]:l.start[i+1]] }

// nodes makes the nodes of one side, in its order.
func nodes(p *Pair, file int, s *Side, old bool) []*node {
	if s == nil {
		return nil
	}
	l := newLines(s)
	all := make([]node, len(s.Symbols))
	out := make([]*node, len(all))
	for i := range all {
		sym := &s.Symbols[i]
		all[i] = node{Symbol: sym, group: groupOf(sym.Kind), name: sym.Name, file: file, lines: l, pair: p, old: old, own: hashSeed}
		if all[i].group == groupImpl {
			all[i].name = implName(sym)
		}
		out[i] = &all[i]
	}
	l.assign(out)
	return out
}

// assign finds what encloses each node and hashes each node's own lines, in one
// pass over the lines with the nodes open at each as a stack.
func (l *lines) assign(ns []*node) {
	var open []*node
	next := 0
	for i := range l.hash {
		at := i + 1
		for len(open) > 0 && open[len(open)-1].To < at {
			open = open[:len(open)-1]
		}
		for ; next < len(ns) && ns[next].From <= at; next++ {
			n := ns[next]
			for len(open) > 0 && !open[len(open)-1].around(n) {
				open = open[:len(open)-1]
			}
			if len(open) > 0 {
				n.outer = open[len(open)-1]
			}
			if n.From == n.To {
				n.own = mix(n.own, l.hash[i]) // it may share the line with others
			}
			if n.To >= at {
				open = append(open, n)
			}
		}
		if len(open) == 0 {
			continue
		}
		n := open[len(open)-1]
		l.owner[i] = n
		if n.From != n.To {
			n.own = mix(n.own, l.hash[i])
		}
	}
}

// around reports whether inner, which starts on one of the lines of n, is inside n
// rather than a neighbour on its last line.
func (n *node) around(inner *node) bool {
	return n.To >= inner.To && (n.To > inner.From || inner.Parent == qualified(n.Parent, n.Name))
}

// ownNeutral is the hash of a node's own lines without the names.
func (n *node) ownNeutral(names []string) uint64 {
	h := uint64(hashSeed)
	for i := max(n.From, 1) - 1; i < min(n.To, len(n.lines.hash)); i++ {
		if n.lines.hash[i] != 0 && (n.lines.owner[i] == n || n.From == n.To) {
			h = mix(h, hashNeutral(n.lines.line(i), names))
		}
	}
	return h
}

// implName is the implemented type with its trait, without type parameters and
// bounds: "fmt::Display for Point".
func implName(s *satchel.Symbol) string {
	sig := s.Signature
	for _, word := range [...]string{"pub ", "unsafe ", "default ", "impl", "extension"} {
		sig = strings.TrimPrefix(sig, word)
	}
	if i := strings.Index(sig, " where "); i >= 0 {
		sig = sig[:i]
	}
	var b strings.Builder
	depth := 0
	for i := range len(sig) {
		switch c := sig[i]; {
		case c == '<':
			depth++
		case c == '>' && i > 0 && sig[i-1] != '-':
			depth--
		case depth == 0:
			b.WriteByte(c)
		}
	}
	name := strings.Join(strings.Fields(strings.Trim(b.String(), " {")), " ")
	if !strings.Contains(name, s.Name) {
		return s.Name
	}
	return name
}

// The hash must be the same in every process. That of names is FNV-1a; that of
// lines takes eight bytes at a time, since every line of both sides is hashed.
const (
	hashSeed  = 14695981039346656037
	hashPrime = 1099511628211
)

// hashLine hashes a line without its white space. Without anything else it is
// hashSeed.
func hashLine(b []byte) uint64 {
	h, word, n := uint64(hashSeed), uint64(0), 0
	for _, c := range b {
		if blank[c] {
			continue
		}
		word = word<<8 | uint64(c)
		if n++; n%8 == 0 {
			h = stir(h, word)
			word = 0
		}
	}
	if n%8 != 0 {
		h = stir(h, word)
	}
	if n > 0 {
		h ^= uint64(n) * hashPrime
	}
	return h
}

// stir adds eight bytes to a hash: both halves of a product depend on all of it.
func stir(h, word uint64) uint64 {
	high, low := bits.Mul64(h^word, 0x9e3779b97f4a7c15) // 2^64 divided by the golden ratio
	return high ^ low
}

// blank are the bytes that are white space.
var blank = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, '\v': true, '\f': true}

// mix adds the hash of a line, unless it is blank.
func mix(h, line uint64) uint64 {
	if line == 0 {
		return h
	}
	h ^= line
	h *= hashPrime
	return h ^ h>>29
}

// hashNeutral hashes a line without its white space and with the names left
// out.
func hashNeutral(line []byte, names []string) uint64 {
	h := uint64(hashSeed)
	eachWord(line, func(word, between []byte) {
		h = h*hashPrime ^ hashLine(between)
		if !isOneOf(word, names) {
			h = h*hashPrime ^ hashLine(word)
		}
	})
	return h | 1
}

// neutral replaces the names in a signature.
func neutral(s string, names []string) string {
	var b strings.Builder
	eachWord([]byte(s), func(word, between []byte) {
		b.Write(between)
		if isOneOf(word, names) {
			b.WriteByte(0)
		} else {
			b.Write(word)
		}
	})
	return b.String()
}

func isOneOf(word []byte, names []string) bool {
	return len(word) > 0 && slices.Contains(names, string(word))
}

// eachWord cuts a line into words and what stands before each; the last word
// may be empty.
func eachWord(line []byte, fn func(word, between []byte)) {
	for len(line) > 0 {
		i := 0
		for i < len(line) && !wordByte(line[i]) {
			i++
		}
		j := i
		for j < len(line) && wordByte(line[j]) {
			j++
		}
		fn(line[i:j], line[:i])
		line = line[j:]
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
