package install

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Our tables in a TOML file stand between these lines, at its end.
const (
	tomlBegin = "# >>> satchel: written by satchel install, taken out by satchel uninstall"
	tomlEnd   = "# <<< satchel"
)

// tomlTable is the table that is ours.
const tomlTable = "mcp_servers.satchel"

// parseTOML returns what the text says.
func parseTOML(text []byte) (map[string]any, error) {
	var doc map[string]any
	err := toml.Unmarshal(text, &doc)
	if err == nil {
		return doc, nil
	}
	e := &SyntaxError{Line: 1, Column: 1, Why: err.Error()}
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
	if have, ok := server(doc); ok {
		if have["command"] != "satchel" {
			kept = append(kept, tomlTable+" is there already, another one, and stays")
		}
		return text, false, kept, nil
	}
	nl := "\n"
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		nl = "\r\n"
	}
	var b bytes.Buffer
	b.Write(text)
	if len(text) > 0 {
		if text[len(text)-1] != '\n' {
			b.WriteString(nl)
		}
		b.WriteString(nl)
	}
	b.WriteString(tomlBegin + nl + strings.ReplaceAll(lines, "\n", nl) + tomlEnd + nl)
	if _, err := parseTOML(b.Bytes()); err != nil { // mcp_servers = {…}, say
		return nil, false, nil, &SyntaxError{Line: lineOf(b.Bytes(), len(text)), Column: 1, Why: fmt.Sprintf("the table [%s] cannot be appended: mcp_servers is written as a value", tomlTable)}
	}
	return b.Bytes(), true, nil, nil
}

// removeTOML takes out our tables and the lines around them, and nothing that
// was written between those lines since: Codex adds tables of its own there.
func removeTOML(text []byte) (out []byte, removed bool, err error) {
	doc, err := parseTOML(text)
	if err != nil {
		return nil, false, err
	}
	have, ok := server(doc)
	if ok && have["command"] != "satchel" {
		return text, false, nil
	}
	var spans [][2]int
	if ok {
		if spans = ownTables(text); len(spans) == 0 {
			return nil, false, &SyntaxError{Line: 1, Column: 1, Why: tomlTable + " is no table of its own: take it out by hand"}
		}
	}
	out = bytes.Clone(text)
	for i := len(spans) - 1; i >= 0; i-- {
		out = splice(out, spans[i][0], spans[i][1])
	}
	for _, mark := range []string{tomlBegin, tomlEnd} {
		out, ok = cutLine(out, mark)
		removed = removed || ok
	}
	if _, err := parseTOML(out); err != nil {
		return nil, false, err
	}
	return out, removed || len(spans) > 0, nil
}

// ownTables returns the lines of [mcp_servers.satchel] and of the tables below
// it, in order: each from its header to its last value. Comments behind that are
// whose they are.
func ownTables(text []byte) (spans [][2]int) {
	var p unstable.Parser
	p.Reset(text)
	end := func(next int) { // ends the last span before the line of next
		if k := len(spans) - 1; k >= 0 && spans[k][1] < 0 {
			for next > spans[k][0] {
				line := lineStart(text, next-1)
				if t := bytes.TrimSpace(text[line:next]); len(t) > 0 && t[0] != '#' {
					break // a value never ends with a line of nothing but a comment
				}
				next = line
			}
			spans[k][1] = next
		}
	}
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		var name []string
		header := -1
		for keys := e.Key(); keys.Next(); {
			if header < 0 {
				header = lineStart(text, int(keys.Node().Raw.Offset))
			}
			name = append(name, string(keys.Node().Data))
		}
		if header < 0 {
			continue
		}
		end(header)
		if full := strings.Join(name, "."); full == tomlTable || strings.HasPrefix(full, tomlTable+".") {
			spans = append(spans, [2]int{header, -1})
		}
	}
	end(len(text))
	return spans
}

func lineStart(text []byte, at int) int {
	return bytes.LastIndexByte(text[:at], '\n') + 1
}

// lineEnd returns the end of a line, its newline included.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// cutLine takes out a line that holds nothing but the mark; before the first
// mark, the empty line that addTOML put there, too.
func cutLine(text []byte, mark string) ([]byte, bool) {
	for from := 0; from < len(text); {
		to := lineEnd(text, from)
		if string(bytes.TrimSpace(text[from:to])) == mark {
			if mark == tomlBegin {
				if before := lineStart(text, max(from-1, 0)); from > 0 && len(bytes.TrimSpace(text[before:from])) == 0 {
					from = before
				}
			}
			return splice(text, from, to), true
		}
		from = to
	}
	return text, false
}
