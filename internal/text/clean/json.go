package clean

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON escapes what encoding/json leaves in a document as it is: hidden
// characters from U+007F on, which occur in strings only. Programs read the same
// text, and people see what is there.
func JSON(text []byte) []byte {
	out, start := []byte(nil), 0
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if s := string(r); Inline(s) != s {
			out = append(out, text[start:i]...)
			if hi, lo := utf16.EncodeRune(r); r > 0xffff {
				out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
			} else {
				out = fmt.Appendf(out, `\u%04x`, r)
			}
			start = i + n
		}
		i += n
	}
	if start == 0 {
		return text
	}
	return append(out, text[start:]...)
}
