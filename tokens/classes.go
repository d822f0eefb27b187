package tokens

import (
	_ "embed" // the classes of characters
	"unicode/utf8"
)

// The classes of characters that the patterns of the encodings tell apart.
// lab/train/vocabulary numbers them alike.
const (
	other    = iota // no letter, mark, number or white space
	upper           // Lu Lt
	lower           // Ll
	caseless        // Lm Lo
	mark            // M
	number          // N
	space           // White_Space, except
	newline         // \r \n
	wide     = 255  // in asciiClasses: not ASCII
)

// classTable has two stages: for each block of 256 characters the number of
// its page, then the pages. Page 0 is that of the first block. It is data, and
// not package unicode, so that a count does not depend on the Go release:
// it is Unicode 16.0, which OpenAI's encoder has.
//
//go:embed vocabulary/classes.bin
var classTable string

const classBlocks = (utf8.MaxRune + 1) >> 8

// asciiClasses is the class by the first byte of a character.
var asciiClasses = func() (t [256]uint8) {
	for b := range t {
		t[b] = wide
		if b < utf8.RuneSelf {
			t[b] = classTable[classBlocks+b]
		}
	}
	return t
}()

// classAt returns the class of the character at text[i], and its length.
// The text is valid UTF-8.
func classAt(text []byte, i int) (class uint8, n int) {
	c := asciiClasses[text[i]]
	if c != wide {
		return c, 1
	}
	return wideClass(text[i:])
}

func wideClass(b []byte) (class uint8, n int) {
	var r uint
	switch c := uint(b[0]); {
	case c < 0xE0 && len(b) >= 2:
		r, n = c&0x1f<<6|uint(b[1]&0x3f), 2
	case c < 0xF0 && len(b) >= 3:
		r, n = c&0xf<<12|uint(b[1]&0x3f)<<6|uint(b[2]&0x3f), 3
	case len(b) >= 4:
		r, n = c&0x7<<18|uint(b[1]&0x3f)<<12|uint(b[2]&0x3f)<<6|uint(b[3]&0x3f), 4
	default:
		return other, 1 // not in valid text
	}
	page := uint(classTable[r>>8])
	return classTable[classBlocks+page<<8+r&0xff], n
}

func isLetter(class uint8) bool { return class-upper <= caseless-upper }
