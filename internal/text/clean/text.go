package clean

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"unsafe"

	"github.com/satchel-dev/satchel/internal/text/secrets"
)

// A Text may be shown: its secrets are redacted, and it holds no character that
// controls a terminal or shows nothing, and no byte that is not UTF-8. The zero
// value is the empty text.
//
// Only the functions that redact and clean make a Text of what a program was
// given ([New], [File], [Excerpt], [ExcerptLine], [Patch], [PatchSecrets], [Turn], [Line], [LineOf]), and
// [Const] of what it says itself; what is made of Texts keeps the property. A
// carriage return stands in what Patch made only, before a newline.
type Text struct {
	s   string
	odd []odd // what was changed in s, ascending; nil for almost every text
}

// An odd says where a changed character stands, and whether it was a byte that
// is not UTF-8: that is the lowest bit.
type odd uint32

func newOdd(at int, invalid bool) odd {
	o := odd(at) << 1
	if invalid {
		o |= 1
	}
	return o
}

func (o odd) at() int { return int(o >> 1) }

// literal is the type of constants only: no variable outside of this package can
// have it.
type literal string

// Const is what the program itself says.
func Const(s literal) Text {
	return visible(string(s), lines)
}

// Int is a number in decimal.
func Int(n int) Text { return Text{s: strconv.Itoa(n)} }

// Count says how many there are of something: "1 line", "2 lines".
func Count(n int, what literal) Text {
	t := Concat(Int(n), Const(" "), Const(what))
	if n != 1 {
		t = Concat(t, Const("s"))
	}
	return t
}

// New returns the Text of a file; see [satchel.Clean].
func New(path, s string) Text {
	t, _ := File(path, bytesOf(s))
	return t
}

// File cleans the text of a file, and tells which secrets were in it. It may keep
// text, which must not be written afterwards.
func File(path string, text []byte) (Text, []secrets.Finding) {
	redacted, found := secrets.Redact(path, text)
	return visible(stringOf(redacted), lines), found
}

// Excerpt is [File] for what was cut out of a file; see [secrets.RedactExcerpt].
func Excerpt(path string, text []byte) (Text, []secrets.Finding) {
	redacted, found := secrets.RedactExcerpt(path, text)
	return visible(stringOf(redacted), lines), found
}

// Patch cleans lines of a patch of a file, which have a mark each, as
// [VisiblePatch] does. Secrets are looked for without the marks, as they stand in
// the file; see [secrets.RedactExcerpt].
func Patch(path, body string) Text {
	t, _ := PatchSecrets(path, body)
	return t
}

// PatchSecrets is [Patch], and tells which secrets were in the lines.
func PatchSecrets(path, body string) (Text, []secrets.Finding) {
	redacted, found := redactPatch(path, body)
	return visible(redacted, patch), found
}

func redactPatch(path, body string) (string, []secrets.Finding) {
	plain := make([]byte, 0, len(body))
	for line := range strings.Lines(body) {
		plain = append(plain, line[markLen(line):]...)
	}
	redacted, found := secrets.RedactExcerpt(path, plain)
	if len(found) == 0 {
		return body, nil
	}
	var b strings.Builder
	for line := range strings.Lines(body) {
		n := cmp.Or(bytes.IndexByte(redacted, '\n')+1, len(redacted))
		b.WriteString(line[:markLen(line)])
		b.Write(redacted[:n])
		redacted = redacted[n:]
	}
	return b.String(), found
}

// markLen is the length of a line's mark. An empty line has none.
func markLen(line string) int {
	if line[0] == '\n' || line[0] == '\r' {
		return 0
	}
	return 1
}

// Turn cleans a text of a session; see [secrets.RedactTurn].
func Turn(s string) (Text, []secrets.Finding) {
	redacted, found := secrets.RedactTurn(bytesOf(s))
	return visible(stringOf(redacted), lines), found
}

// Line cleans a title, a message or the like and puts it on one line, as
// [Inline].
func Line(s string) Text { return LineOf("", s) }

// LineOf is [Line] for a name or a signature out of a file.
func LineOf(path, s string) Text {
	if s == "" {
		return Text{}
	}
	redacted, _ := secrets.Redact(path, bytesOf(s))
	return visible(stringOf(redacted), oneLine)
}

// ExcerptLine is [Excerpt] for one line, as [Line].
func ExcerptLine(path, s string) Text {
	redacted, _ := secrets.RedactExcerpt(path, bytesOf(s))
	return visible(stringOf(redacted), oneLine)
}

// Heading is [ExcerptLine] for the heading of a hunk, which git cuts: what would be a
// secret if it went on is one.
func Heading(path, s string) Text {
	if len(s) < cutHeading {
		return ExcerptLine(path, s)
	}
	redacted, _ := secrets.RedactExcerpt(path, []byte(s+wentOn))
	return visible(strings.TrimSuffix(stringOf(redacted), wentOn), oneLine)
}

const (
	cutHeading = 76                               // bytes; git keeps 80, whole characters
	wentOn     = "x7Kq9mB2vR4tY6wZ8pL3nD5fHj1sGc" // how a key may go on
)

// bytesOf and stringOf do not copy: redaction writes to no text, and who gives one
// away does not.
func bytesOf(s string) []byte  { return unsafe.Slice(unsafe.StringData(s), len(s)) }
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
