package secrets

import (
	"bytes"
	"slices"
	"strconv"
)

// boundary reports whether a word may start at i: at the start of the text, after
// something that is no word, or after an escape, whose last letters look like one:
// the m of a colour, the n of \n, the 3D of %3D.
func boundary(text []byte, i int) bool {
	return i == 0 || !isWord(text[i-1]) || escapeEnds(text[:i])
}

// longestEscape bounds how far back an escape is looked for: a colour with all its
// numbers has some 20 bytes.
const longestEscape = 40

// escapeEnds reports whether text, which ends with a letter or a digit, ends with an
// escape of any language or terminal. What is none in the language at hand counts as
// well: a key beside letters that mean nothing is a key.
func escapeEnds(text []byte) bool {
	text = text[max(0, len(text)-longestEscape):]
	return charEscapeLen(text) > 0 || controlEnds(text)
}

// charEscapeLen returns the length of the escaped character that text ends with, or
// 0: \n, \033, \x3d, \u001b, \U0001f600, %3D, %253D (escaped twice) or =3D (mail).
func charEscapeLen(text []byte) int {
	hex := func(n int, before string) bool {
		from := len(text) - n
		return from >= len(before) && bytes.HasSuffix(text[:from], []byte(before)) && run(text[from:], anyHexChars, n) == n
	}
	for _, e := range charEscapes {
		if hex(e.digits, e.before) {
			return e.digits + len(e.before)
		}
	}
	for n := 1; n <= 3 && n < len(text); n++ {
		from := len(text) - n
		if text[from-1] == '\\' && (n == 1 && alnumChars[text[from]] || run(text[from:], octalChars, n) == n) {
			return n + 1
		}
	}
	return 0
}

// charEscapes are the escapes that end with a fixed number of hexadecimal digits.
var charEscapes = []struct {
	before string
	digits int
}{{`\x`, 2}, {`\u`, 4}, {`\U`, 8}, {"%25", 2}, {"%", 2}, {"=", 2}, {"%u", 4}}

var (
	octalChars   = chars("0-7")
	controlFinal = chars("@-~")        // ends a control sequence
	controlParam = chars("0-9;:<=>? ") // stands within one; blanks are intermediate
)

// controlEnds reports whether text ends with a control sequence of a terminal, with
// its escape character as it is, spelled, or lost: ESC[33m, \x1b[1m, ^[[0K, [31m, ESC(B.
func controlEnds(text []byte) bool {
	n := len(text)
	if n < 2 || !controlFinal[text[n-1]] {
		return false
	}
	i := n - 1
	for i > 0 && controlParam[text[i-1]] {
		i--
	}
	head := text[:i]
	switch {
	case bytes.HasSuffix(head, []byte("[")):
		return i < n-1 || escEnds(head[:i-1]) // [m alone is an index
	case bytes.HasSuffix(head, []byte{0x9b}): // C1, alone or as UTF-8
		return true
	}
	return escEnds(head) || i >= 1 && bytes.IndexByte([]byte("()*+-./#%"), head[i-1]) >= 0 && escEnds(head[:i-1])
}

// escSpellings are the ways in which the escape character stands in text.
var escSpellings = []string{
	"\x1b", `\e`, `\E`, `\033`, `\x1b`, `\x1B`, `\u001b`, `\u001B`, `\u{1b}`, `\u{1B}`, `\x{1b}`, `\x{1B}`, `\U0000001b`, "^[", "\u241b", "%1B", "%1b", "&#27;", "&#x1b;", "&#x1B;",
}

// escEnds reports whether text ends with the escape character, as it is or spelled.
func escEnds(text []byte) bool {
	return slices.ContainsFunc(escSpellings, func(s string) bool { return bytes.HasSuffix(text, []byte(s)) })
}

// escapeAt returns the length of the escape that text begins with, or 0, and the
// character that it stands for; 0 for a control sequence.
func escapeAt(text []byte) (c byte, n int) {
	for _, s := range escSpellings {
		if !bytes.HasPrefix(text, []byte(s+"[")) {
			continue
		}
		n = len(s) + 1
		n += run(text[n:], controlParam, longestEscape)
		if n < len(text) && controlFinal[text[n]] {
			return 0, n + 1
		}
	}
	for _, e := range charEscapes {
		n = len(e.before) + e.digits
		if len(text) < n || !bytes.HasPrefix(text, []byte(e.before)) || run(text[len(e.before):], anyHexChars, e.digits) != e.digits {
			continue
		}
		if v, err := strconv.ParseUint(string(text[len(e.before):n]), 16, 32); err == nil && 0 < v && v < 0x80 {
			return byte(v), n
		}
	}
	return 0, 0
}
