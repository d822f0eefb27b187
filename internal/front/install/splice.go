package install

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// appendRoot puts an empty object behind a text that holds no value.
func appendRoot(text []byte) []byte {
	out, nl := slices.Clone(text), lineEndOf(text)
	if len(bytes.TrimPrefix(out, []byte(byteOrderMark))) > 0 && out[len(out)-1] != '\n' {
		out = append(out, nl...)
	}
	return append(out, "{}"+nl...)
}

// byteOrderMark begins a text of some editors on Windows.
const byteOrderMark = "\ufeff"

// lineEndOf is how a text ends its lines.
func lineEndOf(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// insert puts a member, or an element if name is "", at the end of a container. It
// follows the style of the file: indentation, line ends, a final comma, and one line
// if the container is on one line.
func insert(text []byte, root, into *node, name, value string) []byte {
	nl, unit, tight := lineEndOf(text), "  ", false
	if len(root.members) > 0 {
		first := root.members[0]
		tight = text[first.value.start-1] == ':'
		if own, leads := indentOf(text, first.start); leads && own != "" {
			unit = own
		}
	}
	lines := bytes.IndexByte(text[into.start:into.end], '\n') >= 0
	indent, _ := indentOf(text, into.start)
	// The gap is the text between the last member, or the opening bracket, and the
	// closing one: white space, comments, and perhaps a comma.
	gap, separator, final := into.start+1, "", ""
	if k := len(into.members); k > 0 {
		last := into.members[k-1]
		if own, leads := indentOf(text, last.start); leads && lines {
			indent = strings.TrimSuffix(own, unit)
			if own == indent { // its own way of indenting
				indent, unit = "", own
			}
		}
		gap, separator = last.value.end, ","
		if last.comma >= 0 {
			separator, final = "", ","
		}
	} else if into == root || bytes.IndexByte(text[root.start:root.end], '\n') >= 0 {
		lines = true
	}

	colon := ": "
	if lines {
		var pretty bytes.Buffer
		_ = json.Indent(&pretty, []byte(value), indent+unit, unit) // it is ours, and valid
		value = strings.ReplaceAll(pretty.String(), "\n", nl)
	} else if tight {
		colon = ":"
	}
	if name != "" {
		value = quoteJSON(name) + colon + value
	}

	at, lineComment := lastWord(text, gap, into.end-1)
	before := " "
	switch {
	case lines || lineComment:
		before = nl + indent + unit
	case at == into.start+1 || tight:
		before = ""
	}
	if len(into.members) == 0 && bytes.IndexByte(text[at:into.end-1], '\n') < 0 && (lines || lineComment) {
		final = nl + indent
	}
	return slices.Concat(text[:gap], []byte(separator), text[gap:at], []byte(before+value+final), text[at:])
}

// wordsInGap matches the comments and the comma between two values.
var wordsInGap = lazy.Regexp(`//[^\n]*|/\*(?s:.*?)\*/|,`)

// lastWord returns the end of the last word in text[from:to] that is not white space,
// and whether it is a comment to the end of a line; from if there is only white
// space.
func lastWord(text []byte, from, to int) (end int, lineComment bool) {
	words := wordsInGap().FindAllIndex(text[from:to], -1)
	if len(words) == 0 {
		return from, false
	}
	last := words[len(words)-1]
	word := text[from+last[0] : from+last[1]]
	if lineComment = bytes.HasPrefix(word, []byte("//")); lineComment {
		word = bytes.TrimSuffix(word, []byte("\r"))
	}
	return from + last[0] + len(word), lineComment
}

// indentOf returns the white space at the beginning of the line of a byte. The byte
// leads if nothing else is before it on the line, and it is not the first line.
func indentOf(text []byte, at int) (indent string, leads bool) {
	start := lineStart(text, at)
	line := text[start:at]
	indent = string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	return indent, start > 0 && len(indent) == len(line)
}

// removeMember takes the k-th member out of a container, with its comma and the white
// space before it. It is the reverse of insert.
func removeMember(text []byte, in *node, k int) []byte {
	m := in.members[k]
	from, to := in.start+1, m.value.end
	if len(in.members) == 1 && m.comma < 0 && len(bytes.TrimSpace(text[from:m.start])) == 0 && len(bytes.TrimSpace(text[to:in.end-1])) == 0 {
		return splice(text, from, in.end-1) // nothing else is in there
	}
	if k > 0 {
		from = in.members[k-1].value.end
	}
	from, lineComment := lastWord(text, from, m.start)
	if m.comma >= 0 { // a comment before the comma stays
		text = splice(text, m.comma, m.comma+1)
	}
	if rest, _, _ := bytes.Cut(text[to:], []byte("\n")); lineComment && len(bytes.TrimSpace(rest)) > 0 {
		for text[from-1] != '\n' { // or the comment would swallow what follows
			from++
		}
	}
	text = splice(text, from, to)
	if m.comma < 0 && k > 0 {
		c := in.members[k-1].comma
		text = splice(text, c, c+1)
	}
	return text
}

// splice returns text without text[from:to].
func splice(text []byte, from, to int) []byte {
	return slices.Concat(text[:from], text[to:])
}

// replaceString puts another string in the place of one.
func replaceString(text []byte, at *node, with string) []byte {
	return slices.Concat(text[:at.start], []byte(quoteJSON(with)), text[at.end:])
}

// quoteJSON writes a string as JSON, and < and & as they are.
func quoteJSON(s string) string { return strings.TrimSuffix(pretty(s), "\n") }
