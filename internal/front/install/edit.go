package install

import (
	"bytes"
	"fmt"
	"iter"
	"strings"

	"github.com/satchel-dev/satchel/internal/agents"
)

// An entry is satchel's value in a JSON settings file.
type entry struct {
	path  []string // names from the root; the last is the member or the array
	list  bool     // the value is an element of the array at path
	value string   // compact JSON
	what  string   // for people
	lines agents.Lines
	wraps bool // our command runs an existing one, see wrapStatus
	frame bool // what a file of this kind has to begin with: any value will do
}

// commandOf returns the command line of a hook handler, an MCP server or a status
// line, from the first field that is present.
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

// ours reports whether a handler, a server or a status line belongs to the entry, and
// whether it works on this system. A line that the user changed is assumed to work.
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

// lineHere returns the line of a handler for this system: from the entry's field for
// it, or else the line that the agent runs.
func (e *entry) lineHere(n *node) string {
	own := e.handler()
	for _, field := range e.lines.Fields {
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

// runs reports whether the entry can replace another value because it runs its
// command.
func (e *entry) runs(other *node) bool {
	line := other.find("command")
	return e.wraps && line != nil && line.kind == '"' && line.text != ""
}

// handlers yields the handlers in a list of hooks and in its groups.
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
			kept = append(kept, fmt.Sprintf("another %s exists and stays", strings.Join(e.path, ".")))
			continue
		}
		var at *node
		var below []string
		if text, root, at, below, err = e.reach(text, root); err != nil {
			return nil, nil, nil, nil, err
		}
		made = append(made, below...)
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

// way returns the path of the object or array around the entry.
func (e *entry) way() []string {
	if e.list {
		return e.path
	}
	return e.path[:len(e.path)-1]
}

// reach makes what is missing of the objects and arrays on the way to the entry. It
// returns the text and its tree, what the entry goes into, and the paths of what was made.
func (e *entry) reach(text []byte, root *node) (out []byte, tree, at *node, made []string, err error) {
	at = root
	way := e.way()
	for i, name := range way {
		empty, what := "{}", "an object"
		if e.list && i == len(way)-1 {
			empty, what = "[]", "an array"
		}
		next := at.find(name)
		switch {
		case next == nil:
			text = insert(text, root, at, name, empty)
			made = append(made, strings.Join(way[:i+1], "\x00"))
			if root, err = parseJSON(text); err != nil {
				return nil, nil, nil, nil, err
			}
			if next = walk(root, way[:i+1]); next == nil {
				return nil, nil, nil, nil, fmt.Errorf("%s did not take", name)
			}
		case next.kind != empty[0]:
			return nil, nil, nil, nil, wrongKind(text, next, strings.Join(way[:i+1], "."), what)
		}
		at = next
	}
	return text, root, at, made, nil
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

// removeEntries returns the text without our values, which it recognizes by their
// command lines anywhere in the lists and members of the entries. It also removes
// objects and arrays that install made, if they are empty.
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

// filled returns the paths of the objects and arrays on the way to entries that
// contain something, outer ones first. If they are empty without our values, install
// made them.
func filled(text []byte, entries []entry) (paths []string, err error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		e := &entries[i]
		for k := 1; k <= len(e.way()) && !e.frame; k++ {
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

// removeOne removes the first value of ours, or returns nil.
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
