package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/agents"
)

// An entry is satchel's value in a JSON settings file.
type entry agents.Entry

// commandOf returns the command line of a hook handler, an MCP server or a status
// line, from the first field that is present.
func commandOf(n *node, fields ...string) string {
	for _, name := range append(fields, "command", "bash") {
		switch v := n.find(name); {
		case v == nil:
		case v.kind == '"':
			return v.text + words(n.find("args"))
		case v.kind == '[':
			return strings.TrimPrefix(words(v), " ")
		}
	}
	return ""
}

// words returns the strings of an array, with a space before each.
func words(list *node) (line string) {
	if list == nil || list.kind != '[' {
		return ""
	}
	for _, m := range list.members {
		line += " " + m.value.text
	}
	return line
}

// handler returns the entry's value, or its first handler.
func (e *entry) handler() *node {
	n := reparse([]byte(e.Value))
	if h := n.find("hooks"); h != nil && len(h.members) > 0 {
		n = h.members[0].value
	}
	return n
}

// command returns the command line of an entry's value. What is ours is known by it,
// however else a user changed the entry, or by one of the entry's lines.
func (e *entry) command() string { return commandOf(e.handler()) }

// ours reports whether a handler, a server or a status line belongs to the entry, and
// whether it works on this system. A line that the user changed is assumed to work.
func (e *entry) ours(n *node) (known, works bool) {
	if len(e.Lines.All) == 0 {
		line, want := commandOf(n), e.command()
		known = line == want || !e.List && serves(line) && serves(want)
		return known, known
	}
	known = e.Lines.Ours(commandOf(n))
	line := e.lineHere(n)
	return known, known && (e.Lines.Works(line) || !e.Lines.Ours(line))
}

// lineHere returns the line of a handler for this system: from the entry's field for
// it, or else the line that the agent runs.
func (e *entry) lineHere(n *node) string {
	own := e.handler()
	for _, field := range e.Lines.Fields {
		if own.find(field) != nil {
			return commandOf(n, field)
		}
	}
	return commandOf(n)
}

// serves reports whether a command line starts satchel's MCP server, in any folder.
func serves(line string) bool { return strings.HasPrefix(line+" ", "satchel mcp ") }

// present reports whether the tree holds the entry, or a form that the user changed,
// and it works on this system. It also returns a form of ours that does not work, and
// a foreign value in its place.
func (e *entry) present(root *node) (here bool, stale, inTheWay *node) {
	at := root.walk(e.Path)
	if at == nil || e.Frame {
		return at != nil, nil, nil
	}
	if !e.List {
		known, works := e.ours(at)
		if known && !works {
			return false, at, nil
		}
		_, wrapped := unwrapStatus(commandOf(at))
		return works || e.Wraps && wrapped, nil, at
	}
	for _, n := range handlers(at) {
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

// runs reports whether the entry can replace another value because it runs its
// command.
func (e *entry) runs(other *node) bool {
	line := other.find("command")
	return e.Wraps && line != nil && line.kind == '"' && line.text != ""
}

// handlers returns the handlers in a list of hooks and in its groups.
func handlers(list *node) (all []*node) {
	for _, m := range list.members {
		all = append(all, m.value)
		if h := m.value.find("hooks"); h != nil {
			for _, m := range h.members {
				all = append(all, m.value)
			}
		}
	}
	return all
}

// mend gives a handler of ours, which another system has written, the line of this one.
func (e *entry) mend(text []byte, root, n *node) []byte {
	for _, field := range e.Lines.Fields {
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

// An edit is a settings file with our entries, or without them.
type edit struct {
	text    []byte
	made    []string // the objects and arrays made for entries, names separated by U+0000
	entries []string // what was put in or taken out, for people
	kept    []string // foreign values that stay, for people
}

// addEntries puts in the entries that are missing. What is there stays, byte for byte.
func addEntries(text []byte, entries []entry) (edit, error) {
	to := edit{text: text}
	root, err := parseJSON(text)
	if err == nil && root == nil {
		to = edit{text: appendRoot(text), made: []string{""}}
		root = reparse(to.text)
	}
	if err != nil {
		return edit{}, err
	}
	if root.kind != '{' {
		return edit{}, wrongKind(text, root, "the top level", '{')
	}
	for _, e := range entries {
		here, stale, other := e.present(root)
		switch {
		case here:
			continue
		case stale != nil:
			to.text = e.mend(to.text, root, stale)
			e.What += " (its line for this system)"
		case other == nil:
			if err := e.put(&to, root); err != nil {
				return edit{}, err
			}
		case e.runs(other):
			line := other.find("command")
			to.text = replaceString(to.text, line, wrapStatus(line.text))
			e.What += " (yours is run first)"
		default:
			to.kept = append(to.kept, fmt.Sprintf("another %s exists and stays", strings.Join(e.Path, ".")))
			continue
		}
		if !e.Frame {
			to.entries = append(to.entries, e.What)
		}
		root = reparse(to.text)
	}
	return to, nil
}

// reparse parses a text that we wrote, which is valid.
func reparse(text []byte) *node {
	root, _ := parseJSON(text)
	return root
}

// way returns the path of the object or array around the entry, and the entry's name
// in the object, or "".
func (e *entry) way() (path []string, name string) {
	if e.List {
		return e.Path, ""
	}
	last := len(e.Path) - 1
	return e.Path[:last], e.Path[last]
}

// put inserts the entry, and the objects and arrays around it that are missing.
func (e *entry) put(to *edit, root *node) error {
	way, name := e.way()
	for i := range way {
		kind := byte('{')
		if e.List && i == len(way)-1 {
			kind = '['
		}
		path := way[:i+1]
		at := root.walk(path)
		if at == nil {
			to.text = insert(to.text, root, root.walk(way[:i]), way[i], string([]byte{kind, closingOf(kind)}))
			to.made = append(to.made, strings.Join(path, "\x00"))
			root = reparse(to.text)
		} else if at.kind != kind {
			return wrongKind(to.text, at, strings.Join(path, "."), kind)
		}
	}
	if e.Frame {
		to.made = append(to.made, name)
	}
	to.text = insert(to.text, root, root.walk(way), name, e.Value)
	return nil
}

func wrongKind(text []byte, n *node, what string, want byte) error {
	return errorAt(text, n.start, "%s is %s, not %s", what, kindNames[n.kind], kindNames[want])
}

// removeEntries takes out our values, which it recognizes by their command lines
// anywhere in the lists and members of the entries. It also removes objects and arrays
// that install made, if they are empty.
func removeEntries(text []byte, entries []entry, made []string) (edit, error) {
	root, err := parseJSON(text)
	if err != nil {
		return edit{}, err
	}
	to := edit{text: text}
	for _, e := range entries {
		for next := e.removeFrom(to.text, root); next != nil; next = e.removeFrom(to.text, root) {
			to.text, root = next, reparse(next)
			to.entries = append(to.entries, e.What)
		}
	}
	for _, names := range slices.Backward(made) {
		path := strings.Split(names, "\x00")
		last := len(path) - 1
		in, at := root.walk(path[:last]), root.walk(path)
		if names == "" || at == nil { // the root stays
			continue
		}
		if at.kind == '{' || at.kind == '[' {
			if len(at.members) > 0 || at.comments {
				continue
			}
		} else if len(in.members) > 1 { // the frame goes last, if nothing else is left in it
			continue
		}
		k := slices.IndexFunc(in.members, func(m member) bool { return m.value == at })
		to.text = removeMember(to.text, in, k)
		root = reparse(to.text)
	}
	return to, nil
}

// filled returns the paths of the objects and arrays on the way to entries that
// contain something, outer ones first. If they are empty without our values, install
// made them.
func filled(text []byte, entries []entry) (paths []string) {
	root, err := parseJSON(text)
	if err != nil {
		return nil // removeEntries reports it
	}
	for _, e := range entries {
		way, _ := e.way()
		for k := 1; k <= len(way) && !e.Frame; k++ {
			if at := root.walk(way[:k]); at != nil && len(at.members) > 0 {
				paths = append(paths, strings.Join(way[:k], "\x00"))
			}
		}
	}
	return paths
}

// removeFrom removes the first value of the entry, or returns nil.
func (e *entry) removeFrom(text []byte, root *node) []byte {
	way, name := e.way()
	in := root.walk(way)
	if in == nil || e.Frame || (in.kind == '[') != e.List {
		return nil
	}
	for k, m := range in.members {
		if m.key != name {
			continue
		}
		if known, _ := e.ours(m.value); known {
			return removeMember(text, in, k)
		}
		if users, ok := unwrapStatus(commandOf(m.value)); e.Wraps && ok {
			return replaceString(text, m.value.find("command"), users)
		}
		h := m.value.find("hooks")
		if !e.List || h == nil || h.kind != '[' {
			continue
		}
		for j, own := range h.members {
			known, _ := e.ours(own.value)
			switch {
			case !known:
			case len(h.members) == 1 && !m.value.comments:
				return removeMember(text, in, k)
			default:
				return removeMember(text, h, j)
			}
		}
	}
	return nil
}
