package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// A Cursor says where the next page of an answer begins. Nothing is stored
// between calls: the earlier pages are made again, and the cursor holds a digest
// of what they depended on.
type Cursor struct {
	At     int    // what comes next: a page, an offset, an element; not negative
	First  int    // the budget of the first page, if the others depend on it
	Flag   string // how the first page was asked for, if the others depend on it: lower-case letters
	Digest string // of what went before; see [Sum]
}

// cursorText is a cursor as callers hand it on: AT[-FIRST[FLAG]].DIGEST.
var cursorText = lazy.Regexp(`^([0-9]{1,9})(?:-([0-9]{1,10})([a-z]*))?\.([0-9a-f]{16})$`)

// String returns the cursor as callers hand it on.
func (c Cursor) String() string {
	first := ""
	if c.First > 0 || c.Flag != "" {
		first = "-" + strconv.Itoa(c.First) + c.Flag
	}
	return strconv.Itoa(c.At) + first + "." + c.Digest
}

// ParseCursor is the inverse of [Cursor.String]. The error is a [*CursorError].
func ParseCursor(text string) (Cursor, error) {
	m := cursorText().FindStringSubmatch(text)
	if m == nil {
		return Cursor{}, &CursorError{text, "it is not one that an answer gave"}
	}
	at, err := strconv.Atoi(m[1])
	first, errFirst := 0, error(nil)
	if m[2] != "" {
		first, errFirst = strconv.Atoi(m[2])
	}
	if err != nil || errFirst != nil {
		return Cursor{}, &CursorError{text, "it is not one that an answer gave"}
	}
	return Cursor{At: at, First: first, Flag: m[3], Digest: m[4]}, nil
}

// Sum returns the digest of what a cursor depends on.
func Sum(parts ...string) string {
	sum := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(sum, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// A CursorError says why a cursor does not continue an answer.
type CursorError struct{ Cursor, Why string }

// mostCursor is how many bytes of a cursor an error quotes.
const mostCursor = 60

func (e *CursorError) Error() string {
	c := e.Cursor
	if len(c) > mostCursor {
		c = strings.ToValidUTF8(c[:mostCursor], "") + "…"
	}
	return fmt.Sprintf("cursor %q: %s", c, e.Why)
}
