package outline

import "bytes"

var byteOrderMark = []byte("\uFEFF")

// A codeToken is a word, a literal or a mark of a text whose comments are blanked.
// Brackets know their partners, so that what they enclose is passed in one step.
type codeToken struct {
	at, end int32
	mate    int32 // of a bracket: the index of its partner; -1 if there is none
	up      int32 // the index of the bracket that encloses it, or -1
	kind    tokenKind
	first   bool // on its line
}

// A tokenKind is the mark itself, or one of these.
type tokenKind byte

const (
	word     tokenKind = 'w'
	literal  tokenKind = '"'
	arrow    tokenKind = 'A' // =>
	thin     tokenKind = 'T' // ->
	scoping  tokenKind = 'S' // ::
	step     tokenKind = 'P' // ++ and --
	operator tokenKind = 'O' // two or more marks that take two values: &&, +=, <=
)

// operators are the marks of two bytes that are one token.
var operators = map[[2]byte]tokenKind{
	{'=', '>'}: arrow, {'-', '>'}: thin, {':', ':'}: scoping, {'+', '+'}: step, {'-', '-'}: step,
	{'=', '='}: operator, {'!', '='}: operator, {'<', '='}: operator, {'&', '&'}: operator, {'|', '|'}: operator,
	{'+', '='}: operator, {'-', '='}: operator, {'*', '='}: operator, {'/', '='}: operator, {'%', '='}: operator,
	{'&', '='}: operator, {'|', '='}: operator, {'^', '='}: operator,
}

// tokenize splits a masked text. Marks that begin a name are those that may stand
// before its first letter: # in JavaScript.
func tokenize(src []byte, begins string, braced bool) []codeToken {
	toks := make([]codeToken, 0, len(src)/4)
	first, i := true, 0
	if bytes.HasPrefix(src, byteOrderMark) {
		i = len(byteOrderMark)
	}
	for i < len(src) {
		c := src[i]
		if c <= ' ' {
			first = first || c == '\n'
			i++
			continue
		}
		t := codeToken{at: int32(i), mate: -1, up: -1, kind: tokenKind(c), first: first}
		j := i + 1
		switch {
		case isWord(c) || begins != "" && c == begins[0] && j < len(src) && isWord(src[j]):
			t.kind = word
			for j < len(src) && isWord(src[j]) {
				j++
			}
		case c == '"' || c == '\'' || c == '`':
			t.kind = literal
			j = literalEnd(src, i)
			if c == '`' && braced { // a name
				t.kind = word
			}
		case j < len(src):
			if k := operators[[2]byte{c, src[j]}]; k != 0 {
				t.kind = k
				j++
				for k == operator && j < len(src) && src[j] == '=' { // ===
					j++
				}
			}
		}
		t.end = int32(j)
		toks = append(toks, t)
		i, first = j, false
	}
	return toks
}

// literalEnd returns the index after a masked literal, of which only the ends are
// left. A quote without a partner stands alone.
func literalEnd(src []byte, i int) int {
	q := src[i]
	j := i + 1
	if q == '`' {
		for j < len(src) && src[j] != q && src[j] != '\n' {
			j++
		}
	}
	for j < len(src) && src[j] <= ' ' {
		j++
	}
	if j < len(src) && src[j] == q {
		return j + 1
	}
	return i + 1
}

// pair finds the partners of brackets, and of angle brackets that look like those
// of types. A closing brace ends what is still open inside of it; a closing
// bracket of another kind that fits nothing since the last brace is passed over.
func pair(src []byte, toks []codeToken) {
	var open, angles []int32
	for i := range toks {
		t := &toks[i]
		if n := len(open); n > 0 {
			t.up = open[n-1]
		}
		switch t.kind {
		case '(', '[', '{':
			open = append(open, int32(i))
		case ')', ']', '}':
			k := partner(toks, open, t.kind)
			if k < 0 {
				continue
			}
			o := open[k]
			for _, lost := range open[k+1:] { // they last to where this one ends
				toks[lost].mate = int32(i) - 1
			}
			open = open[:k]
			toks[o].mate, t.mate, t.up = int32(i), o, toks[o].up
			angles = since(angles, o)
		case '<':
			if i+1 < len(toks) && (toks[i+1].kind != word || src[toks[i+1].at] > '9' || src[toks[i+1].at] == '$') {
				angles = append(angles, int32(i))
			}
		case '>':
			if n := len(angles); n > 0 && toks[angles[n-1]].up == t.up {
				o := angles[n-1]
				angles = angles[:n-1]
				toks[o].mate, t.mate = int32(i), o
			}
		case ';', operator:
			for n := len(angles); n > 0 && toks[angles[n-1]].up == t.up; n-- {
				angles = angles[:n-1]
			}
		case word:
			if t.first && begins[string(src[t.at:t.end])] {
				for n := len(angles); n > 0 && toks[angles[n-1]].up == t.up; n-- {
					angles = angles[:n-1]
				}
			}
		}
	}
	for _, o := range open {
		toks[o].mate = int32(len(toks)) // the end of the text
	}
}

// begins are words that a statement begins with, and no type goes on with.
var begins = setOf("const let var val return if for while function fun def import export case throw")

// maxOpen is how many brackets without a partner a closing one may end.
const maxOpen = 100

// partner returns the index in open of the bracket that closes with c, or -1.
func partner(toks []codeToken, open []int32, c tokenKind) int {
	want := tokenKind('{')
	switch c {
	case ')':
		want = '('
	case ']':
		want = '['
	}
	for k := len(open) - 1; k >= max(0, len(open)-maxOpen); k-- {
		switch kind := toks[open[k]].kind; {
		case kind == want:
			return k
		case kind == '{':
			return -1
		}
	}
	return -1
}

// since drops the angles that were opened after the bracket o.
func since(angles []int32, o int32) []int32 {
	for n := len(angles); n > 0 && angles[n-1] > o; n-- {
		angles = angles[:n-1]
	}
	return angles
}
