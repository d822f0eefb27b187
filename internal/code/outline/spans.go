package outline

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/satchel-dev/satchel"
)

// A Span is a part of a text that has a color of its own: for people to read,
// nothing is decided by it.
type Span struct {
	From, To int // bytes
	Kind     SpanKind
}

// A SpanKind is what a Span is.
type SpanKind int

const (
	Comment SpanKind = iota
	String
	Keyword
)

// Spans returns the comments, strings and keywords of a text in a language, in
// order and without overlap; none in a language whose syntax is not known. A text
// that begins in the middle of a string is read the wrong way round up to its
// end.
func Spans(lang string, text []byte) []Span {
	row := byName[lang]
	if row == nil || row.syntax == nil {
		return nil
	}
	var spans []Span
	note := func(kind SpanKind) func(from, to int) {
		return func(from, to int) { spans = append(spans, Span{from, to, kind}) }
	}
	masked := row.syntax.mask(text, note(Comment), note(String))
	for i := 0; i < len(masked); i++ {
		if !isWord(masked[i]) {
			continue
		}
		from := i
		for i < len(masked) && isWord(masked[i]) {
			i++
		}
		if row.words[string(masked[from:min(i, from+longestKeyword)])] && i-from <= longestKeyword {
			spans = append(spans, Span{from, i, Keyword})
		}
	}
	// The ends of a string are not masked, so that a word may touch one.
	slices.SortStableFunc(spans, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	end := 0
	return slices.DeleteFunc(spans, func(s Span) bool {
		if s.From < end || s.From >= s.To {
			return true
		}
		end = s.To
		return false
	})
}

const longestKeyword = 16

// Words that languages reserve. Those of a family are shared: a word that one of its
// languages lacks is seldom a name there.
var (
	cWords = setOf(`abstract as async await bool break case catch char class const continue debugger default delete do double else enum
		export extends extern false final finally float for foreach from function goto if implements import in inline instanceof int
		interface internal let long namespace new null nullptr of operator override package private protected public readonly return
		short signed sizeof static struct super switch template this throw throws true try typedef typename typeof undefined union
		unsigned using var virtual void volatile while yield`)
	pythonWords = setOf(`False None True and as assert async await break case class continue def del elif else end except finally for from
		function global if import in is lambda let match mutable nonlocal not or pass proc raise return struct try using while with yield`)
	scriptWords = setOf(`BEGIN END alias and begin break case class continue def defmodule defp do done elif else elseif elsif end endif ensure
		esac export false fi for function if in local module my next nil not or our package raise redo rescue return self sub then
		true undef unless until use when while yield`)
	modernWords = setOf(`actor as async await break case catch chan class companion const continue crate data default defer do else enum
		extends extension fallthrough false final fn for func fun given go goto guard if impl implicit import in init interface is lazy let
		loop map match mod move mut nil null object open override package private protected protocol pub public range ref return sealed
		select self Self static struct super switch throw trait true try type typealias unsafe use val var void when where while with yield`)
	sqlWords = setOf(`ALTER AND AS ASC BEGIN BETWEEN BY CASE COMMIT CREATE DELETE DESC DISTINCT DROP ELSE END EXISTS FOREIGN FROM GROUP HAVING
		IN INDEX INNER INSERT INTO IS JOIN KEY LEFT LIKE LIMIT NOT NULL ON OR ORDER OUTER PRIMARY REFERENCES RIGHT SELECT SET TABLE THEN UNION
		UNIQUE UPDATE VALUES VIEW WHEN WHERE WITH alter and as asc begin between by case commit create delete desc distinct drop else end exists
		foreign from group having in index inner insert into is join key left like limit not null on or order outer primary references right
		select set table then union unique update values view when where with`)
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
