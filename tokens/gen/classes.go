package main

import (
	"bytes"
	"unicode"
)

// The classes of characters, as tokens/classes.go numbers them.
const (
	other byte = iota
	upper
	lower
	caseless
	mark
	number
	space
	newline
)

func classOf(r rune) byte {
	switch {
	case r == '\r' || r == '\n':
		return newline
	case unicode.IsSpace(r):
		return space
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper
	case unicode.Is(unicode.Ll, r):
		return lower
	case unicode.In(r, unicode.Lm, unicode.Lo):
		return caseless
	case unicode.Is(unicode.M, r):
		return mark
	case unicode.Is(unicode.N, r):
		return number
	}
	return other
}

// classes returns a table in two stages: for each block of 256 characters the
// number of its page, then the pages. Page 0 is that of the first block.
func classes() []byte {
	const blocks = (unicode.MaxRune + 1) >> 8
	index := make([]byte, blocks)
	var pages [][]byte
	for b := range index {
		page := make([]byte, 256)
		for i := range page {
			page[i] = classOf(rune(b<<8 | i))
		}
		n := 0
		for n < len(pages) && !bytes.Equal(pages[n], page) {
			n++
		}
		if n == len(pages) {
			pages = append(pages, page)
		}
		if n > 255 {
			panic("more than 256 pages")
		}
		index[b] = byte(n)
	}
	return append(index, bytes.Join(pages, nil)...)
}
