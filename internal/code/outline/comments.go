package outline

import (
	"bytes"

	"github.com/satchel-dev/satchel"
)

// CommentLines returns the lines that hold nothing but comments, as far as the
// beginnings of lines tell. A language of which nothing is known has the comments of C.
func CommentLines(lang string, text []byte) []satchel.Range {
	y := &slashSyntax
	if l := byName[lang]; l != nil && l.syntax != nil {
		y = l.syntax
	} else if l != nil && l.comment != nil {
		y = l.comment
	}
	var out []satchel.Range
	inside := false
	n := 0
	for raw := range bytes.Lines(text) {
		n++
		l := bytes.TrimSpace(raw)
		comment := inside
		switch {
		case inside:
			if at := bytes.Index(l, []byte(y.close)); at >= 0 {
				inside = false
				comment = len(bytes.TrimSpace(l[at+len(y.close):])) == 0
			}
		case y.open != "" && bytes.HasPrefix(l, []byte(y.open)):
			at := bytes.Index(l[len(y.open):], []byte(y.close))
			inside = at < 0
			comment = inside || len(bytes.TrimSpace(l[len(y.open)+at+len(y.close):])) == 0
		case len(l) > 0 && y.isLine(l, 0):
			comment = true
		}
		if !comment {
			continue
		}
		if k := len(out) - 1; k >= 0 && out[k].To == n-1 {
			out[k].To = n
		} else {
			out = append(out, satchel.Range{From: n, To: n})
		}
	}
	return out
}
