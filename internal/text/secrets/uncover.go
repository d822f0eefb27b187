package secrets

import (
	"bytes"
	"sort"
	"unicode/utf8"
	"unsafe"

	"github.com/satchel-dev/satchel/internal/text/hidden"
)

// A cover is a way to read a text in which characters that show nothing are within a
// secret.
type cover struct {
	escapes bool // colours and other sequences are hidden as a whole
	erase   bool // a backspace takes the character before it
}

// uncover returns what find returns for a text, and for copies of it without
// characters that show nothing. Most texts have no such characters.
func uncover(text []byte, find func(text []byte) []span) []span {
	spans := find(text)
	c := cover{escapes: true}
	plain, cuts := c.remove(text)
	if len(plain) == len(text) {
		return spans
	}
	spans = original(find(plain), cuts, spans)
	for _, other := range []struct {
		c    byte
		read cover
	}{{0x1b, cover{}}, {'\b', cover{escapes: true, erase: true}}} {
		if bytes.IndexByte(text, other.c) < 0 {
			continue
		}
		plain, cuts = other.read.remove(text)
		spans = original(find(plain), cuts, spans)
	}
	return spans
}

// A cut says that a copy lacks n bytes of its text, in all, from a place of the copy on.
type cut struct{ at, n int }

// remove returns a copy of text without hidden characters, or text if it has none.
func (c cover) remove(text []byte) (plain []byte, cuts []cut) {
	s := unsafe.String(unsafe.SliceData(text), len(text))
	start := 0 // of what is still to be copied
	drop := func(from, to int) {
		plain = append(plain, text[start:from]...)
		start = to
		if c.erase && text[from] == '\b' && len(plain) > 0 && plain[len(plain)-1] != '\n' {
			plain = plain[:len(plain)-1]
			for len(cuts) > 0 && cuts[len(cuts)-1].at > len(plain) {
				cuts = cuts[:len(cuts)-1]
			}
		}
		cuts = append(cuts, cut{len(plain), to - len(plain)})
	}
	for i := hidden.FirstOdd(s); i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case c.escapes && r == 0x1b && escapeLen(text[i:]) > 0:
			n = escapeLen(text[i:])
			drop(i, i+n)
		case r == '\r' && i+1 < len(s) && s[i+1] == '\n':
		case hidden.Is(r):
			drop(i, i+n)
		}
		i += n
		i += hidden.FirstOdd(s[i:])
	}
	if start == 0 {
		return text, nil
	}
	return append(plain, text[start:]...), cuts
}

// original appends spans of a copy as those of its text.
func original(copied []span, cuts []cut, spans []span) []span {
	place := func(at int) int {
		if i := sort.Search(len(cuts), func(i int) bool { return cuts[i].at > at }); i > 0 {
			return at + cuts[i-1].n
		}
		return at
	}
	for _, s := range copied {
		if s.start < s.end {
			s.start, s.end = place(s.start), place(s.end-1)+1
			spans = append(spans, s)
		}
	}
	return spans
}

// escapeLen returns the length of the terminal sequence that text starts with, or 0.
func escapeLen(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	const longest = 4 << 10
	switch n := 2; text[1] {
	case '[':
		n += run(text[n:], controlParam, longestEscape)
		if n < len(text) && controlFinal[text[n]] {
			return n + 1
		}
	case ']', 'P', 'X', '^', '_': // a title, a link: up to BEL or ESC \
		for ; n < len(text) && n < longest && text[n] != '\n'; n++ {
			if text[n] == 7 {
				return n + 1
			}
			if text[n] == '\\' && text[n-1] == 0x1b {
				return n + 1
			}
		}
	case '(', ')', '*', '+', '#', '%', ' ':
		return min(3, len(text))
	}
	return 0
}
