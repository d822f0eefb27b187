package symbols

import (
	"bytes"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/clip"
)

// Join returns the dotted path of name within parent.
func Join(parent, name string) string {
	if parent == "" {
		return name
	}
	if name == "" || len(parent)+len(name) > maxPath {
		return parent
	}
	return parent + "." + name
}

// Signature returns text on one line, each run of white space a single blank,
// without the opening of a body at its end.
func Signature(text []byte) string {
	text = text[:min(len(text), 8<<10)]
	var b strings.Builder
	b.Grow(min(len(text), MaxSignature+4))
	blank := false
	for i, c := range text {
		if c <= ' ' || c == 0x7f {
			blank = true
			continue
		}
		if c == ')' && blank {
			if s := b.String(); strings.HasSuffix(s, ",") { // the last of several lines of parameters
				b.Reset()
				b.WriteString(s[:len(s)-1])
			}
		}
		if blank && b.Len() > 0 && !tight(text, b.String(), i) {
			b.WriteByte(' ')
		}
		blank = false
		if b.Len() >= MaxSignature {
			return clip.Bytes(b.String()+string(text[i:i+1]), b.Len())
		}
		b.WriteByte(c)
	}
	s := strings.TrimRight(b.String(), " {:=;,\\")
	return strings.ToValidUTF8(s, "\uFFFD")
}

// tight says that a line break before text[i] leaves no blank: after an opening
// and before a closing bracket, where a long signature was wrapped.
func tight(text []byte, before string, i int) bool {
	last := before[len(before)-1]
	if (last == '(' || last == '[') && bytes.IndexByte(text[max(0, i-200):i], '\n') >= 0 {
		return true
	}
	return text[i] == ')' || text[i] == ']'
}
