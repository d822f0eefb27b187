package install

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Our tables in a TOML file are between these lines, at its end.
const (
	tomlBegin = "# >>> satchel: written by satchel install, taken out by satchel uninstall"
	tomlEnd   = "# <<< satchel"
)

// tomlTable is the table that is ours.
const tomlTable = "mcp_servers.satchel"

// parseTOML returns what the text says.
func parseTOML(text []byte) (map[string]any, error) {
	var doc map[string]any
	err := toml.Unmarshal(bytes.TrimPrefix(text, []byte(byteOrderMark)), &doc)
	if err == nil {
		return doc, nil
	}
	e := &syntaxError{Line: 1, Column: 1, Why: err.Error()}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		e.Line, e.Column = at.Position()
		e.Why = strings.TrimPrefix(at.Error(), "toml: ")
	}
	return nil, e
}

// server returns the MCP server called satchel of a parsed TOML file.
func server(doc map[string]any) (map[string]any, bool) {
	servers, ok := doc["mcp_servers"].(map[string]any)
	if !ok {
		return nil, false
	}
	ours, ok := servers["satchel"].(map[string]any)
	return ours, ok
}

// addTOML appends our table to a TOML file that has none.
func addTOML(text []byte, lines string) (edit, error) {
	doc, err := parseTOML(text)
	if err != nil {
		return edit{}, err
	}
	to := edit{text: text}
	if have, ok := server(doc); ok && (have["command"] != nil || have["url"] != nil) { // and not only tables below it
		if have["command"] != "satchel" {
			to.kept = []string{tomlTable + " exists with another content and stays"}
		}
		return to, nil
	}
	nl := lineEndOf(text)
	var b bytes.Buffer
	b.Write(text)
	if len(bytes.TrimPrefix(text, []byte(byteOrderMark))) > 0 {
		if text[len(text)-1] != '\n' {
			b.WriteString(nl)
		}
		b.WriteString(nl)
	}
	b.WriteString(tomlBegin + nl + strings.ReplaceAll(lines, "\n", nl) + tomlEnd + nl)
	if _, err := parseTOML(b.Bytes()); err != nil { // mcp_servers = {…}, say
		return edit{}, &syntaxError{Line: lineOf(b.Bytes(), len(text)), Column: 1, Why: "cannot append the table [" + tomlTable + "]: mcp_servers is a value"}
	}
	to.text, to.entries = b.Bytes(), tomlEntries
	return to, nil
}

// tomlEntries are our entries in a TOML file, for people.
var tomlEntries = []string{"MCP server satchel"}

// removeTOML takes out our tables and the lines around them, and keeps text that was
// written between those lines: Codex adds its own tables there. Text outside of those
// lines stays. The edit names the keys that TOML assigns to a table of ours.
func removeTOML(text []byte) (edit, error) {
	if rest, ok := bytes.CutPrefix(text, []byte(byteOrderMark)); ok {
		to, err := removeTOML(rest)
		to.text = append([]byte(byteOrderMark), to.text...)
		return to, err
	}
	doc, err := parseTOML(text)
	if err != nil {
		return edit{}, err
	}
	have, ok := server(doc)
	if ok && have["command"] != "satchel" {
		return edit{text: text}, nil
	}
	keys := tomlKeys(text)
	header := 0
	if ok {
		main := slices.IndexFunc(keys, func(k tomlKey) bool { return k.table && k.name == tomlTable })
		if main < 0 {
			return edit{}, errorAt(text, 0, "%s is not a separate table: remove it by hand", tomlTable)
		}
		header = keys[main].at
	} else if begin := findLine(text, tomlBegin, 0); begin >= 0 {
		header = lineEnd(text, begin)
	}
	begin, end := marks(text, header)

	ours := make([]bool, len(text))
	drop := func(from, to int) {
		for i := from; i < to; i++ {
			ours[i] = true
		}
	}
	var to edit
	above := "the top level"
	for i, t := range keys {
		if !t.ours() {
			if t.table {
				above = "[" + t.name + "]"
			}
			continue
		}
		if end >= 0 && (t.at < begin || t.at > end) {
			to.kept = append(to.kept, fmt.Sprintf("[%s] is outside satchel's lines and stays: remove it, or Codex starts a server without a command", t.name))
			continue
		}
		next := len(text)
		var stray []string
		for _, k := range keys[i+1:] {
			if k.table {
				next = k.at
				break
			}
			if k.at > end {
				stray = append(stray, k.name)
			}
		}
		if end >= 0 && next > end {
			next = end
			if len(stray) > 0 {
				to.kept = append(to.kept, fmt.Sprintf("%s follows satchel's lines and stays: it now belongs to %s", strings.Join(stray, ", "), above))
			}
		}
		drop(t.at, lastValue(text, t.at, next))
	}
	if begin >= 0 {
		from := begin
		if before := lineStart(text, max(from-1, 0)); from > 0 && len(bytes.TrimSpace(text[before:from])) == 0 {
			from = before // the empty line that addTOML put there
		}
		drop(from, lineEnd(text, begin))
	}
	if end >= 0 {
		drop(end, lineEnd(text, end))
	}
	for i, c := range text {
		if !ours[i] {
			to.text = append(to.text, c)
		}
	}
	if _, err := parseTOML(to.text); err != nil {
		return edit{}, &syntaxError{Line: lineOf(text, max(end, 0)), Column: 1, Why: fmt.Sprintf("the keys after satchel's table need that table (%v): move them to their own table", err)}
	}
	if len(to.text) != len(text) {
		to.entries = tomlEntries
	}
	return to, nil
}

// marks returns where the lines around the table at header begin, or -1 for a missing
// line.
func marks(text []byte, header int) (begin, end int) {
	begin = -1
	for at := findLine(text, tomlBegin, 0); at >= 0 && at < header; at = findLine(text, tomlBegin, at+1) {
		begin = at
	}
	return begin, findLine(text, tomlEnd, header)
}

// A tomlKey is the header of a table, or a key, and where its line begins.
type tomlKey struct {
	name  string
	table bool
	at    int
}

// ours reports whether the key is the header of our table or of a table below it.
func (k *tomlKey) ours() bool {
	return k.table && strings.HasPrefix(k.name+".", tomlTable+".")
}

// tomlKeys returns the headers and the keys of a text, in order.
func tomlKeys(text []byte) (list []tomlKey) {
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		var parts []string
		at := -1
		for keys := e.Key(); keys.Next(); {
			if at < 0 {
				at = lineStart(text, int(keys.Node().Raw.Offset))
			}
			parts = append(parts, string(keys.Node().Data))
		}
		if at >= 0 {
			list = append(list, tomlKey{strings.Join(parts, "."), e.Kind != unstable.KeyValue, at})
		}
	}
	return list
}

// lastValue returns the end of the last line of text[from:to] that is more than a
// comment: a value never ends with a line of nothing but one.
func lastValue(text []byte, from, to int) int {
	for to > from {
		line := lineStart(text, to-1)
		if t := bytes.TrimSpace(text[line:to]); len(t) > 0 && t[0] != '#' {
			break
		}
		to = line
	}
	return to
}

// lineEnd returns the end of a line, its newline included.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// findLine returns where the first line begins, from there on, that holds nothing
// but the mark; or -1.
func findLine(text []byte, mark string, from int) int {
	for from < len(text) {
		to := lineEnd(text, from)
		if string(bytes.TrimSpace(text[from:to])) == mark {
			return from
		}
		from = to
	}
	return -1
}
