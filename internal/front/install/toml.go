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
func addTOML(text []byte, lines string) (out []byte, added bool, kept []string, err error) {
	doc, err := parseTOML(text)
	if err != nil {
		return nil, false, nil, err
	}
	if have, ok := server(doc); ok && (have["command"] != nil || have["url"] != nil) { // and not only tables below it
		if have["command"] != "satchel" {
			kept = append(kept, tomlTable+" exists with another content and stays")
		}
		return text, false, kept, nil
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
		return nil, false, nil, &syntaxError{Line: lineOf(b.Bytes(), len(text)), Column: 1, Why: fmt.Sprintf("cannot append the table [%s]: mcp_servers is a value", tomlTable)}
	}
	return b.Bytes(), true, nil, nil
}

// removeTOML removes our tables and the lines around them, and keeps text that was
// written between those lines: Codex adds its own tables there. Text outside of those
// lines stays, and kept describes keys that TOML assigns to a table of ours.
func removeTOML(text []byte) (out []byte, removed bool, kept []string, err error) {
	if rest, ok := bytes.CutPrefix(text, []byte(byteOrderMark)); ok {
		out, removed, kept, err = removeTOML(rest)
		return append([]byte(byteOrderMark), out...), removed, kept, err
	}
	doc, err := parseTOML(text)
	if err != nil {
		return nil, false, nil, err
	}
	have, ok := server(doc)
	if ok && have["command"] != "satchel" {
		return text, false, nil, nil
	}
	var begin, end int
	var spans []tomlSpan
	if ok {
		tables := ownTables(text)
		main := slices.IndexFunc(tables, func(t tomlSpan) bool { return t.name == tomlTable })
		if main < 0 {
			return nil, false, nil, &syntaxError{Line: 1, Column: 1, Why: tomlTable + " is not a separate table: remove it by hand"}
		}
		begin, end = marks(text, tables[main].from)
		for _, t := range tables {
			if end >= 0 && (t.from < begin || t.from > end) {
				kept = append(kept, fmt.Sprintf("[%s] is outside satchel's lines and stays: remove it, or Codex starts a server without a command", t.name))
				continue
			}
			if end >= 0 && t.to > end {
				t.to = lastValue(text, t.from, end)
				kept = append(kept, strayKeys(text, end, t)...)
			}
			spans = append(spans, t)
		}
	} else if begin = findLine(text, tomlBegin, 0); begin >= 0 {
		end = findLine(text, tomlEnd, begin)
	} else {
		end = findLine(text, tomlEnd, 0)
	}
	if begin >= 0 {
		from := begin
		if before := lineStart(text, max(from-1, 0)); from > 0 && len(bytes.TrimSpace(text[before:from])) == 0 {
			from = before // the empty line that addTOML put there
		}
		spans = append(spans, tomlSpan{from: from, to: lineEnd(text, begin)})
	}
	if end >= 0 {
		spans = append(spans, tomlSpan{from: end, to: lineEnd(text, end)})
	}
	slices.SortFunc(spans, func(a, b tomlSpan) int { return a.from - b.from })
	at := 0
	for _, t := range spans {
		out = append(out, text[at:max(at, t.from)]...)
		at = max(at, t.to)
	}
	out = append(out, text[at:]...)
	if _, err := parseTOML(out); err != nil {
		line := 1
		if end >= 0 {
			line = lineOf(text, end)
		}
		return nil, false, nil, &syntaxError{Line: line, Column: 1, Why: fmt.Sprintf("the keys after satchel's table need that table (%v): move them to their own table", err)}
	}
	return out, len(out) != len(text), kept, nil
}

// marks returns where the lines around the table at header begin, -1 for one that
// is not there.
func marks(text []byte, header int) (begin, end int) {
	begin = -1
	for at := findLine(text, tomlBegin, 0); at >= 0 && at < header; at = findLine(text, tomlBegin, at+1) {
		begin = at
	}
	return begin, findLine(text, tomlEnd, header)
}

// strayKeys describes the keys after the end mark, which TOML assigns to our table,
// and the table they belong to without it.
func strayKeys(text []byte, end int, ours tomlSpan) []string {
	var keys []string
	above, current := "the top level", ""
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		at, name := keyOf(text, e)
		switch {
		case at < 0:
		case e.Kind == unstable.Table || e.Kind == unstable.ArrayTable:
			if current = name; current != tomlTable && !strings.HasPrefix(current, tomlTable+".") && at < ours.from {
				above = "[" + name + "]"
			}
		case e.Kind == unstable.KeyValue && current == ours.name && at > end:
			keys = append(keys, name)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s follows satchel's lines and stays: it now belongs to %s", strings.Join(keys, ", "), above)}
}

// keyOf returns the line of a header or of a key, and its name; at is -1 for what
// has none.
func keyOf(text []byte, e *unstable.Node) (at int, name string) {
	at = -1
	var parts []string
	for keys := e.Key(); keys.Next(); {
		if at < 0 {
			at = lineStart(text, int(keys.Node().Raw.Offset))
		}
		parts = append(parts, string(keys.Node().Data))
	}
	return at, strings.Join(parts, ".")
}

// A tomlSpan is a table and its position: text[from:to].
type tomlSpan struct {
	name     string
	from, to int
}

// ownTables returns the lines of [mcp_servers.satchel] and of the tables below
// it, in order: each from its header to its last value. Comments behind that are
// whose they are.
func ownTables(text []byte) (spans []tomlSpan) {
	var p unstable.Parser
	p.Reset(text)
	end := func(next int) { // ends the last span before the line of next
		if k := len(spans) - 1; k >= 0 && spans[k].to < 0 {
			spans[k].to = lastValue(text, spans[k].from, next)
		}
	}
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		header, name := keyOf(text, e)
		if header < 0 {
			continue
		}
		end(header)
		if name == tomlTable || strings.HasPrefix(name, tomlTable+".") {
			spans = append(spans, tomlSpan{name, header, -1})
		}
	}
	end(len(text))
	return spans
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
