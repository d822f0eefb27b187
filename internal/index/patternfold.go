package index

import (
	"unicode"
	"unicode/utf8"
)

// matchFold is path.Match, where a letter stands for all letters that differ from
// it in case only, also inside of brackets, and bytes that are no UTF-8 for each other. It takes time proportional to the
// product of the lengths: where the text after a star does not match, only the last
// star can still help, by taking one character more.
func matchFold(pattern, name string) bool {
	star, afterStar := -1, 0 // where the last star's rest begins, in pattern and in name
	p, n := 0, 0
	for {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			p++
			star, afterStar = p, n
			continue
		case n == len(name):
			return p == len(pattern)
		case p < len(pattern):
			r, size := utf8.DecodeRuneInString(name[n:])
			if width, ok := matchRune(pattern[p:], r); ok {
				p, n = p+width, n+size
				continue
			}
		}
		if star < 0 || afterStar == len(name) {
			return false
		}
		_, size := utf8.DecodeRuneInString(name[afterStar:])
		afterStar += size
		p, n = star, afterStar
	}
}

// matchRune matches one character with the beginning of a pattern, and returns how
// long that is.
func matchRune(pattern string, r rune) (width int, ok bool) {
	switch pattern[0] {
	case '?':
		return 1, true
	case '[':
		return matchClass(pattern, r)
	}
	c, width := patternRune(pattern)
	return width, sameFold(c, r)
}

// patternRune reads a character that stands for itself.
func patternRune(pattern string) (c rune, width int) {
	if pattern[0] == '\\' && len(pattern) > 1 {
		c, width = utf8.DecodeRuneInString(pattern[1:])
		return c, width + 1
	}
	return utf8.DecodeRuneInString(pattern)
}

// matchClass matches a character with a class in brackets. Of a negated class, it
// is enough that some case of the letter is not in it. The pattern has been
// checked: a bracket is closed.
func matchClass(pattern string, r rune) (width int, ok bool) {
	at := 1
	negated := at < len(pattern) && pattern[at] == '^'
	if negated {
		at++
	}
	type span struct{ from, to rune }
	var spans []span
	for first := true; at < len(pattern) && (first || pattern[at] != ']'); first = false {
		lo, w := patternRune(pattern[at:])
		at += w
		hi := lo
		if at+1 < len(pattern) && pattern[at] == '-' {
			hi, w = patternRune(pattern[at+1:])
			at += 1 + w
		}
		spans = append(spans, span{lo, hi})
	}
	width = min(at+1, len(pattern))
	for c := r; ; {
		in := false
		for _, s := range spans {
			in = in || s.from <= c && c <= s.to
		}
		if in != negated {
			return width, true
		}
		if c = unicode.SimpleFold(c); c == r {
			return width, false
		}
	}
}

// sameFold reports whether two letters differ in case only.
func sameFold(a, b rune) bool {
	for c := unicode.SimpleFold(a); ; c = unicode.SimpleFold(c) {
		if c == b {
			return true
		}
		if c == a {
			return false
		}
	}
}
