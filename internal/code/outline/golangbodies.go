package outline

import (
	"bytes"
	"cmp"
	"slices"
)

// Definitions is [Parse] for callers that need the symbols and imports of
// a text and nothing else: the Outline has no Comments, and mistakes inside a
// function's body do not make it Partial. Where bodies cannot matter, which is in
// Go, it takes a fraction of the time.
func Definitions(lang string, src []byte) Outline {
	if lang == "go" && len(src) <= maxBytes && bytes.IndexByte(src, 0) < 0 && !longLine(src, maxLine) {
		if short, cuts, ok := cutBodies(src); ok {
			if out := outlineCut(src, short, cuts); !out.Partial {
				out.Comments = nil
				return out
			}
		}
	}
	out := Parse(lang, src)
	out.Comments = nil
	return out
}

// A cut is where bytes are missing in a shortened text.
type cut struct {
	at    int // offset in the shortened text of the first byte after it
	bytes int // that are missing up to here
	lines int // line ends among them
}

// origin returns the last of the cuts before an offset of the shortened text.
func origin(cuts []cut, at int) cut {
	n, found := slices.BinarySearchFunc(cuts, at, func(c cut, at int) int { return cmp.Compare(c.at, at) })
	if found {
		return cuts[n]
	}
	if n == 0 {
		return cut{}
	}
	return cuts[n-1]
}

// cutBodies leaves out what is between the braces of the functions that begin at
// the start of a line. ok is false if the text is not as expected; then only a
// parser can tell what is what.
func cutBodies(src []byte) (short []byte, cuts []cut, ok bool) {
	if bytes.Contains(src, []byte("//line ")) || bytes.Contains(src, []byte("/*line ")) {
		return nil, nil, false // go/parser counts lines as these say
	}
	short = make([]byte, 0, len(src)/2)
	kept, lines, depth := 0, 0, 0
	for i := 0; i < len(src); {
		if depth == 0 && src[i] == 'f' && (i == 0 || src[i-1] == '\n') && bytes.HasPrefix(src[i:], []byte("func")) {
			open, has := bodyOf(src, i+4)
			if open < 0 {
				return nil, nil, false
			}
			if !has {
				i = open
				continue
			}
			end := closing(src, open)
			if end < 0 {
				return nil, nil, false
			}
			short = append(short, src[kept:open+1]...)
			kept = end
			lines += bytes.Count(src[open+1:end], []byte{'\n'})
			cuts = append(cuts, cut{at: len(short), bytes: end - len(short), lines: lines})
			i = end + 1
			continue
		}
		switch src[i] {
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			if depth--; depth < 0 {
				return nil, nil, false
			}
		}
		if i = pass(src, i); i < 0 {
			return nil, nil, false
		}
	}
	return append(short, src[kept:]...), cuts, depth == 0
}

// bodyOf returns the place of the brace that opens the body of a function whose
// parameters start after from. If it has none, it returns the place after its
// declaration; -1 if that cannot be told.
func bodyOf(src []byte, from int) (at int, has bool) {
	depth := 0
	word := from // start of the last word
	for i := from; i < len(src); {
		switch c := src[i]; c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '\n':
			if depth == 0 {
				return i, false
			}
		case '{':
			last := string(bytes.TrimSpace(src[word:i]))
			if depth == 0 && last != "struct" && last != "interface" {
				return i, true
			}
			if i = closing(src, i); i < 0 {
				return -1, false
			}
		default:
			if wordStart(src, i) {
				word = i
			}
		}
		if i = pass(src, i); i < 0 {
			return -1, false
		}
	}
	return len(src), false
}

// wordStart reports whether a word begins at i.
func wordStart(src []byte, i int) bool { return nameByte(src[i]) && (i == 0 || !nameByte(src[i-1])) }

func nameByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// closing returns the place of the brace that closes the one at open, or -1.
func closing(src []byte, open int) int {
	depth := 0
	for i := open; i < len(src); {
		if insideBody[src[i]] {
			i++
			continue
		}
		switch src[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
		if i = pass(src, i); i < 0 {
			return -1
		}
	}
	return -1
}

// insideBody are the bytes that begin no string, comment or block.
var insideBody = func() (t [256]bool) {
	for i := range t {
		t[i] = !bytes.ContainsRune([]byte("{}\"'`/"), rune(i))
	}
	return t
}()

// pass returns the place after the string, character or comment that begins at i,
// or after the byte; -1 if it does not end.
func pass(src []byte, i int) int {
	var end string
	switch c := src[i]; {
	case c == '`':
		end = "`"
	case c == '"' || c == '\'':
		for i++; i < len(src) && src[i] != '\n'; i++ {
			switch src[i] {
			case '\\':
				i++
			case c:
				return i + 1
			}
		}
		return -1
	case c == '/' && i+1 < len(src) && src[i+1] == '*':
		i++
		end = "*/"
	case c == '/' && i+1 < len(src) && src[i+1] == '/':
		n := bytes.IndexByte(src[i:], '\n')
		if n < 0 {
			return len(src)
		}
		return i + n // a line may end a declaration
	default:
		return i + 1
	}
	n := bytes.Index(src[i+1:], []byte(end))
	if n < 0 {
		return -1
	}
	return i + 1 + n + len(end)
}
