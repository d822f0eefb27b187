package index

import (
	"unicode"
	"unicode/utf8"
)

// matchGlob matches one segment of a path with a pattern in the language of
// path.Match that path.Match has found to be right. It matches characters where
// path.Match tries, behind a star, the pieces of one: "*??" is not "é" here. A
// byte that is no UTF-8 is one character.
//
// With fold, a letter stands for all letters that differ from it in case only, also
// inside of brackets, and bytes that are no UTF-8 stand for each other. What
// matches without fold then matches too, and so do all spellings of a name that
// matches.
//
// It takes time proportional to the product of the lengths: where the text after a
// star does not match, only the last star can still help, by taking one character
// more.
func matchGlob(pattern, name string, fold bool) bool {
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
			width, size, ok := matchCharacter(pattern[p:], name[n:], fold)
			if ok {
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

// matchCharacter matches the first character of a name with the beginning of a
// pattern, and returns how long both are.
func matchCharacter(pattern, name string, fold bool) (width, size int, ok bool) {
	r, size := utf8.DecodeRuneInString(name)
	switch pattern[0] {
	case '?':
		return 1, size, true
	case '[':
		width, ok = matchClass(pattern, r, fold)
		return width, size, ok
	}
	c, width := patternRune(pattern)
	if !fold && c == utf8.RuneError && r == utf8.RuneError {
		// Two invalid bytes are equal only if they are the same.
		return width, size, pattern[:width] == name[:size] || pattern[1:width] == name[:size]
	}
	return width, size, c == r || fold && sameFold(c, r)
}

// patternRune reads a literal character.
func patternRune(pattern string) (c rune, width int) {
	if pattern[0] == '\\' && len(pattern) > 1 {
		c, width = utf8.DecodeRuneInString(pattern[1:])
		return c, width + 1
	}
	return utf8.DecodeRuneInString(pattern)
}

// matchClass matches a character with a class in brackets. With fold, it is enough
// that some case of the letter is in it or, of a negated class, not in it.
func matchClass(pattern string, r rune, fold bool) (width int, ok bool) {
	at := 1
	negated := at < len(pattern) && pattern[at] == '^'
	if negated {
		at++
	}
	in, out := false, false // some case of the letter is in the class, is not
	begin := at
	for c := r; ; {
		here := false
		at = begin
		for first := true; at < len(pattern) && (first || pattern[at] != ']'); first = false {
			lo, w := patternRune(pattern[at:])
			at += w
			hi := lo
			if at+1 < len(pattern) && pattern[at] == '-' {
				hi, w = patternRune(pattern[at+1:])
				at += 1 + w
			}
			here = here || lo <= c && c <= hi
		}
		in, out = in || here, out || !here
		if c = unicode.SimpleFold(c); c == r || !fold {
			break
		}
	}
	return min(at+1, len(pattern)), in && !negated || out && negated
}

// sameFold reports whether two letters differ in case only.
func sameFold(a, b rune) bool {
	for c := unicode.SimpleFold(a); c != a; c = unicode.SimpleFold(c) {
		if c == b {
			return true
		}
	}
	return a == b
}
