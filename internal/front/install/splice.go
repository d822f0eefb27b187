package install

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
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
	nl, unit := style(text, root)
	inner := text[into.start+1 : into.end-1]
	lines := bytes.IndexByte(inner, '\n') >= 0 || len(into.members) == 0 && (into == root || bytes.IndexByte(text[root.start:root.end], '\n') >= 0)
	indent := indentOf(text, into.start)
	if k := len(into.members); k > 0 && lines {
		if own, ok := leading(text, into.members[k-1].start); ok {
			indent = strings.TrimSuffix(own, unit)
			if own == indent { // its own way of indenting
				indent, unit = "", own
			}
		}
	}
	var elem bytes.Buffer
	if name != "" {
		elem.WriteString(quoteJSON(name))
		elem.WriteByte(':')
		if lines || !tight(text, root) {
			elem.WriteByte(' ')
		}
	}
	if lines {
		var pretty bytes.Buffer
		_ = json.Indent(&pretty, []byte(value), indent+unit, unit) // it is ours, and valid
		elem.WriteString(strings.ReplaceAll(pretty.String(), "\n", nl))
	} else {
		elem.WriteString(value)
	}

	// The gap is the text between the last member, or the opening bracket, and the
	// closing one: white space, comments, and perhaps a comma.
	gap, comma := into.start+1, false
	if k := len(into.members); k > 0 {
		last := into.members[k-1]
		gap, comma = last.value.end, last.comma >= 0
	}
	at, lineComment := lastWord(text, gap, into.end-1)
	before := " "
	switch {
	case lines || lineComment:
		before = nl + indent + unit
	case at == into.start+1 || tight(text, root):
		before = ""
	}
	after := ""
	if comma {
		after = ","
	}
	if len(into.members) == 0 && bytes.IndexByte(text[at:into.end-1], '\n') < 0 && (lines || lineComment) {
		after += nl + indent
	}
	var out []byte
	if len(into.members) > 0 && !comma {
		out = append(out, text[:gap]...)
		out = append(out, ',')
		out = append(out, text[gap:at]...)
	} else {
		out = append(out, text[:at]...)
	}
	out = append(out, before...)
	out = append(out, elem.Bytes()...)
	out = append(out, after...)
	return append(out, text[at:]...)
}

// lastWord returns the end of the last word in text[from:to] that is not white space,
// and whether it is a comment to the end of a line; from if there is only white
// space.
func lastWord(text []byte, from, to int) (end int, lineComment bool) {
	s := &scanner{text: text[:to], at: from}
	end = from
	for s.at < to {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
			continue
		case '/':
			lineComment = s.at+1 < to && s.text[s.at+1] == '/'
			e, err := s.comment()
			if err != nil {
				return end, lineComment
			}
			s.at = e
			if lineComment && e > from && text[e-1] == '\r' {
				e--
			}
			end = e
		default: // the comma
			s.at++
			end, lineComment = s.at, false
		}
	}
	return end, lineComment
}

// style says how the file ends lines and by how much it indents.
func style(text []byte, root *node) (nl, unit string) {
	nl, unit = lineEndOf(text), "  "
	if root != nil && len(root.members) > 0 {
		if own, ok := leading(text, root.members[0].start); ok && own != "" {
			unit = own
		}
	}
	return nl, unit
}

// tight reports whether the file has no spaces that it does not need.
func tight(text []byte, root *node) bool {
	if len(root.members) == 0 || root.kind != '{' {
		return false
	}
	m := root.members[0]
	return text[m.value.start-1] == ':'
}

// leading returns the white space before a byte that is the first of its line.
func leading(text []byte, at int) (string, bool) {
	i := at
	for i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
		i--
	}
	return string(text[i:at]), i > 0 && text[i-1] == '\n'
}

// indentOf returns the white space at the beginning of the line of a byte.
func indentOf(text []byte, at int) string {
	i := at
	for i > 0 && text[i-1] != '\n' {
		i--
	}
	j := i
	for j < at && (text[j] == ' ' || text[j] == '\t') {
		j++
	}
	return string(text[i:j])
}

// removeMember takes the k-th member out of a container, with its comma and the white
// space before it. It is the reverse of insert.
func removeMember(text []byte, in *node, k int) []byte {
	m := in.members[k]
	from := in.start + 1
	if k > 0 {
		from = in.members[k-1].value.end
	}
	from, lineComment := lastWord(text, from, m.start)
	to := m.value.end
	if len(in.members) == 1 && m.comma < 0 && len(bytes.TrimSpace(text[in.start+1:m.start])) == 0 && len(bytes.TrimSpace(text[to:in.end-1])) == 0 {
		return splice(text, in.start+1, in.end-1) // nothing else is in there
	}
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
	return append(slices.Clone(text[:from]), text[to:]...)
}

// replaceString puts another string in the place of one.
func replaceString(text []byte, at *node, with string) []byte {
	out := slices.Clone(text[:at.start])
	out = append(out, quoteJSON(with)...)
	return append(out, text[at.end:]...)
}

// quoteJSON writes a string as JSON, and < and & as they are.
func quoteJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always can
	return strings.TrimSuffix(b.String(), "\n")
}
