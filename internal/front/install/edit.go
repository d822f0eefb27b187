package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/agents"
)

// An entry is one thing that stands in a JSON settings file for satchel's sake.
type entry struct {
	path  []string // names from the root; the last is the member, or that of the array
	list  bool     // the value is an element of the array at path
	value string   // compact JSON
	what  string   // for people
	lines agents.Lines
	wraps bool // a command that stands in its place is run by ours, see wrapStatus
	frame bool // what a file of this kind has to begin with: any value will do
}

// commandOf returns the command line of a hook handler, an MCP server or a
// status line: that of the first of the fields that it has.
func commandOf(n *node, fields ...string) string {
	for _, name := range append(fields, "command", "bash") {
		switch v := n.find(name); {
		case v == nil:
		case v.kind == '"':
			line := v.text
			if args := n.find("args"); args != nil && args.kind == '[' {
				line += words(args)
			}
			return line
		case v.kind == '[':
			return strings.TrimPrefix(words(v), " ")
		}
	}
	return ""
}

func words(list *node) string {
	var b strings.Builder
	for _, m := range list.members {
		b.WriteString(" " + m.value.text)
	}
	return b.String()
}

// handler returns the entry's value, or its first handler.
func (e *entry) handler() *node {
	n, err := parseJSON([]byte(e.value))
	if err != nil || n == nil {
		return nil
	}
	if h := n.find("hooks"); h != nil && len(h.members) > 0 {
		n = h.members[0].value
	}
	return n
}

// command returns the command line of an entry's value. What is ours is known by it,
// however else a user changed the entry, or by one of the entry's lines.
func (e *entry) command() string { return commandOf(e.handler()) }

// ours reports whether a handler, a server or a status line is that of the entry, and
// whether it works on this system: a line of the user's own is taken to.
func (e *entry) ours(n *node) (known, works bool) {
	if len(e.lines.All) == 0 {
		line, want := commandOf(n), e.command()
		known = line == want || !e.list && serves(line) && serves(want)
		return known, known
	}
	known = e.lines.Ours(commandOf(n))
	line := e.lineHere(n)
	return known, known && (e.lines.Works(line) || !e.lines.Ours(line))
}

// lineHere returns the line of a handler that counts on this system: that of the field
// which the entry has for it, or what an agent runs if there is none.
func (e *entry) lineHere(n *node) string {
	own := e.handler()
	for _, field := range e.lines.Fields {
		if own.find(field) != nil {
			return commandOf(n, field)
		}
	}
	return commandOf(n)
}

// serves reports whether a command line is that of satchel's MCP server, of any
// folder.
func serves(line string) bool { return strings.HasPrefix(line+" ", "satchel mcp ") }

// present reports whether the entry, or a form of it that the user changed,
// stands in the tree and works on this system; what stands there of ours that does
// not; and what stands in its way if something else does.
func (e *entry) present(root *node) (here bool, stale, inTheWay *node) {
	at := root
	for _, name := range e.path {
		if at = at.find(name); at == nil {
			return false, nil, nil
		}
	}
	if e.frame {
		return true, nil, nil
	}
	if !e.list {
		known, works := e.ours(at)
		if known && !works {
			return false, at, nil
		}
		_, wrapped := unwrapStatus(commandOf(at))
		return works || e.wraps && wrapped, nil, at
	}
	for n := range handlers(at) {
		known, works := e.ours(n)
		if works {
			return true, nil, nil
		}
		if known && stale == nil {
			stale = n
		}
	}
	return false, stale, nil
}

// runs reports whether the entry can take the place of what stands there, since it
// runs its command.
func (e *entry) runs(other *node) bool {
	line := other.find("command")
	return e.wraps && line != nil && line.kind == '"' && line.text != ""
}

// handlers yields what is in a list of hooks: handlers, and those of its groups.
func handlers(list *node) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for _, m := range list.members {
			if !yield(m.value) {
				return
			}
			if h := m.value.find("hooks"); h != nil {
				for _, m := range h.members {
					if !yield(m.value) {
						return
					}
				}
			}
		}
	}
}

// mend gives a handler of ours, which another system has written, the line of this one.
func (e *entry) mend(text []byte, root, n *node) []byte {
	for _, field := range e.lines.Fields {
		switch want, have := e.handler().find(field), n.find(field); {
		case want == nil:
		case have == nil:
			return insert(text, root, n, field, quoteJSON(want.text))
		default:
			return replaceString(text, have, want.text)
		}
	}
	return text
}

// addEntries returns the text with the entries that are missing, and the paths
// of the objects and arrays that were made for them. What is there stays, byte
// for byte.
func addEntries(text []byte, entries []entry) (out []byte, made []string, added []entry, kept []string, err error) {
	for _, e := range entries {
		root, err := parseJSON(text)
		if err != nil {
			return nil, nil, nil, nil, err
		}
		if root == nil {
			text = appendRoot(text)
			made = append(made, "")
			if root, err = parseJSON(text); err != nil {
				return nil, nil, nil, nil, err
			}
		}
		if root.kind != '{' {
			return nil, nil, nil, nil, wrongKind(text, root, "the top level", "an object")
		}
		here, stale, other := e.present(root)
		if stale != nil {
			text = e.mend(text, root, stale)
			e.what += " (its line for this system)"
			added = append(added, e)
		}
		if here || stale != nil {
			continue
		}
		if other != nil {
			if e.runs(other) {
				line := other.find("command")
				text = replaceString(text, line, wrapStatus(line.text))
				e.what += " (yours is run first)"
				added = append(added, e)
				continue
			}
			kept = append(kept, fmt.Sprintf("%s is there already, another one, and stays", strings.Join(e.path, ".")))
			continue
		}
		depth := len(e.path)
		if !e.list {
			depth--
		}
		at := root
		for i := range depth {
			next := at.find(e.path[i])
			last := i == depth-1
			if next == nil {
				empty := "{}"
				if e.list && last {
					empty = "[]"
				}
				text = insert(text, root, at, e.path[i], empty)
				made = append(made, strings.Join(e.path[:i+1], "\x00"))
				if root, err = parseJSON(text); err != nil {
					return nil, nil, nil, nil, err
				}
				if at = walk(root, e.path[:i+1]); at == nil {
					return nil, nil, nil, nil, fmt.Errorf("%s did not take", e.path[i])
				}
				continue
			}
			if want := map[bool]byte{false: '{', true: '['}[e.list && last]; next.kind != want {
				return nil, nil, nil, nil, wrongKind(text, next, strings.Join(e.path[:i+1], "."), map[byte]string{'{': "an object", '[': "an array"}[want])
			}
			at = next
		}
		name := ""
		if !e.list {
			name = e.path[len(e.path)-1]
		}
		text = insert(text, root, at, name, e.value)
		if e.frame {
			made = append(made, name)
			continue
		}
		added = append(added, e)
	}
	return text, made, added, kept, nil
}

func wrongKind(text []byte, n *node, what, want string) error {
	return &syntaxError{Line: lineOf(text, n.start), Column: columnOf(text, n.start), Why: fmt.Sprintf("%s is %s, not %s", what, n.kindName(), want)}
}

func walk(n *node, path []string) *node {
	for _, name := range path {
		n = n.find(name)
	}
	return n
}

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

// insert puts a member, or an element if name is "", at the end of a container.
// It writes as the file does: its indentation, its line ends, a final comma if
// the container has one, and one line if the container stands on one line.
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

	// The gap is what stands between the last member, or the opening bracket,
	// and the closing one: white space and comments, and perhaps a comma.
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

// lastWord returns the end of the last thing in text[from:to] that is no white
// space, and whether it is a comment to the end of a line; from if there is
// nothing.
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

// removeEntries returns the text without what is ours: by their command lines,
// wherever in the lists and members of the entries they stand. Objects and
// arrays that were made for them go if nothing is left in them.
func removeEntries(text []byte, entries []entry, made []string) (out []byte, removed []string, err error) {
	for {
		root, err := parseJSON(text)
		if err != nil {
			return nil, nil, err
		}
		next, what := removeOne(text, root, entries)
		if next == nil {
			break
		}
		text = next
		removed = append(removed, what)
	}
	for i := len(made) - 1; i >= 0; i-- {
		if made[i] == "" {
			continue // the root
		}
		root, err := parseJSON(text)
		if err != nil {
			return nil, nil, err
		}
		path := strings.Split(made[i], "\x00")
		in := walk(root, path[:len(path)-1])
		at := in.find(path[len(path)-1])
		if at == nil {
			continue
		}
		if at.kind == '{' || at.kind == '[' {
			if len(at.members) > 0 || hasComment(text, at) {
				continue
			}
		} else if len(in.members) > 1 { // the frame goes last, if nothing else is left in it
			continue
		}
		for k := len(in.members) - 1; k >= 0; k-- {
			if in.members[k].key == path[len(path)-1] {
				text = removeMember(text, in, k)
				break
			}
		}
	}
	return text, removed, nil
}

// filled returns the paths of the objects and arrays on the way to entries in which
// something stands, the outer ones first: if they are empty without what is ours, they
// were made for it.
func filled(text []byte, entries []entry) (paths []string, err error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		e := &entries[i]
		depth := len(e.path)
		if !e.list {
			depth--
		}
		for k := 1; k <= depth && !e.frame; k++ {
			if at := walk(root, e.path[:k]); at != nil && len(at.members) > 0 {
				paths = append(paths, strings.Join(e.path[:k], "\x00"))
			}
		}
	}
	return paths, nil
}

func hasComment(text []byte, n *node) bool {
	return len(bytes.TrimSpace(text[n.start+1:n.end-1])) > 0
}

// removeOne takes out the first thing that is ours; nil if there is none.
func removeOne(text []byte, root *node, entries []entry) (out []byte, what string) {
	for i := range entries {
		e := &entries[i]
		if e.frame {
			continue
		}
		in := walk(root, e.path[:len(e.path)-1])
		name := e.path[len(e.path)-1]
		if !e.list {
			if in == nil || in.kind != '{' {
				continue
			}
			for k, m := range in.members {
				if m.key != name {
					continue
				}
				if known, _ := e.ours(m.value); known {
					return removeMember(text, in, k), e.what
				}
				if users, ok := unwrapStatus(commandOf(m.value)); e.wraps && ok {
					return replaceString(text, m.value.find("command"), users), e.what
				}
			}
			continue
		}
		list := in.find(name)
		if list == nil || list.kind != '[' {
			continue
		}
		for k, m := range list.members {
			if known, _ := e.ours(m.value); known {
				return removeMember(text, list, k), e.what
			}
			h := m.value.find("hooks")
			if h == nil || h.kind != '[' {
				continue
			}
			for j, m := range h.members {
				if known, _ := e.ours(m.value); !known {
					continue
				}
				if len(h.members) == 1 && !hasOwnWords(list.members[k].value, text) {
					return removeMember(text, list, k), e.what
				}
				return removeMember(text, h, j), e.what
			}
		}
	}
	return nil, ""
}

// hasOwnWords reports whether a group of hooks holds comments, which are the
// user's.
func hasOwnWords(n *node, text []byte) bool {
	s := &scanner{text: text[:n.end], at: n.start}
	for s.at < n.end {
		switch c := s.text[s.at]; c {
		case '"':
			if _, err := s.str(); err != nil {
				return false
			}
		case '/':
			return true
		default:
			s.at++
		}
	}
	return false
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
