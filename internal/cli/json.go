package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/render"
)

// writeJSON writes one indented document on standard output. Characters that
// would control a terminal, the direction of text, or show nothing are escaped,
// so that programs read the same text and people see what is there.
func (a *app) writeJSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := a.out.Write(escapeHidden(b.Bytes()))
	return err
}

// escapeHidden escapes what the encoder leaves in JSON as it is: hidden
// characters from U+007F on, which occur in strings only.
func escapeHidden(text []byte) []byte {
	out, start := []byte(nil), 0
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if s := string(r); render.Clean(s) != s {
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
