package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
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

// newer returns the classes of the characters in unicode16, the text of
// unicode16.txt. OpenAI's encoder knows Unicode 16.0: package tiktoken 1.0.22 on
// npm splits these characters as the letters and numbers that they are.
func newer(unicode16 string) (map[rune]byte, error) {
	if !slices.Contains([]string{"15.0.0", "16.0.0"}, unicode.Version) {
		return nil, fmt.Errorf("this Go release has Unicode %s: run a release that has 15.0.0, which unicode16.txt completes", unicode.Version)
	}
	names := map[string]byte{"Lu": upper, "Lt": upper, "Ll": lower, "Lm": caseless, "Lo": caseless, "M": mark, "N": number}
	m := make(map[rune]byte)
	for line := range strings.Lines(unicode16) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		class, ok := names[fields[1]]
		from, to, isRange := strings.Cut(fields[0], "-")
		if !isRange {
			to = from
		}
		low, err1 := strconv.ParseInt(from, 16, 32)
		high, err2 := strconv.ParseInt(to, 16, 32)
		if !ok || err1 != nil || err2 != nil {
			return nil, fmt.Errorf("unicode16.txt: %q", line)
		}
		for r := low; r <= high; r++ {
			m[rune(r)] = class
		}
	}
	return m, nil
}

// classes returns a table in two stages: for each block of 256 characters the
// number of its page, then the pages. Page 0 is that of the first block.
func classes(unicode16 string) ([]byte, error) {
	newer, err := newer(unicode16)
	if err != nil {
		return nil, err
	}
	const blocks = (unicode.MaxRune + 1) >> 8
	index := make([]byte, blocks)
	var pages [][]byte
	for b := range index {
		page := make([]byte, 256)
		for i := range page {
			r := rune(b<<8 | i)
			page[i] = classOf(r)
			if class, ok := newer[r]; ok {
				page[i] = class
			}
		}
		n := 0
		for n < len(pages) && !bytes.Equal(pages[n], page) {
			n++
		}
		if n == len(pages) {
			pages = append(pages, page)
		}
		if n > 255 {
			return nil, fmt.Errorf("more than 256 pages of classes")
		}
		index[b] = byte(n)
	}
	return append(index, bytes.Join(pages, nil)...), nil
}
