package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/satchel-dev/satchel/tokens"
)

// An Edit sets one setting of the user's file, or takes it out.
type Edit struct {
	Key   string // of a table, its name, a dot and that of the field; llm.NAME.FIELD
	Value string // as people write it
	Unset bool
}

// Apply returns the text of a file called file with the edits made. Comments, the
// order of the settings and everything else stay as they are. It fails on a key
// that is no setting, and if the text that comes of it could not be read as settings.
func Apply(file string, text []byte, edits []Edit) ([]byte, error) {
	if rest, ok := bytes.CutPrefix(text, []byte(byteOrderMark)); ok {
		out, err := Apply(file, rest, edits)
		return append([]byte(byteOrderMark), out...), err
	}
	before, err := parse(file, text)
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		path := pathOf(e.Key)
		k, err := KeyByName(path[0])
		if err != nil {
			return nil, err
		}
		if err := k.editable(path); err != nil {
			return nil, err
		}
		if e.Unset {
			text, err = unset(text, path)
		} else {
			text, err = k.set(text, path, e.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Key, err)
		}
	}
	after, err := parse(file, text)
	if err != nil { // an inline table, say
		return nil, fmt.Errorf("%s is written in a way that cannot be edited (%v): edit it by hand", file, err)
	}
	// Whatever the syntax around it, nothing but these settings has changed.
	others := func(values []value) map[string]any {
		m := make(map[string]any)
		for _, v := range values {
			if !slices.ContainsFunc(edits, func(e Edit) bool { return pathOf(e.Key)[0] == v.key }) {
				m[v.key] = v.value
			}
		}
		return m
	}
	if !reflect.DeepEqual(others(before), others(after)) {
		return nil, fmt.Errorf("%s is written in a way that cannot be edited: edit it by hand", file)
	}
	return text, verifyFile(file, after)
}

// verifyFile says what of a user's file could not be understood.
func verifyFile(file string, values []value) error {
	s := &Settings{Config: Defaults(), Origins: make(map[string][]Origin)}
	if faults := s.user(file, values); len(faults) > 0 {
		return faults[0].Err
	}
	if s.Model != "" {
		if _, err := tokens.ModelByName(s.Model, s.Models...); err != nil {
			return fmt.Errorf("model: %w", err)
		}
	}
	return nil
}

// editable says why a key cannot be edited alone.
func (k *Key) editable(path []string) error {
	switch k.field(new(Config)).(type) {
	case *[]tokens.Model:
		return fmt.Errorf("%s is a list of tables [[%s]]: edit them by hand", k.Name, k.Name)
	case *[]Price, *[]LLM:
		if len(path) != 3 {
			return fmt.Errorf("%s holds tables: name a field of one, such as %s.NAME.FIELD", k.Name, k.Name)
		}
		return nil
	}
	switch {
	case k.Kind() == "table" && len(path) == 1:
		return fmt.Errorf("%s is a table: name one of its fields, such as %s.NAME", k.Name, k.Name)
	case len(path) > 2, k.Kind() != "table" && len(path) > 1:
		return fmt.Errorf("%s is no table", k.Name)
	}
	return nil
}

// set writes a value in the place of the old one, or where it belongs.
func (k *Key) set(text []byte, path []string, value string) ([]byte, error) {
	if !utf8.ValidString(value) {
		return nil, errors.New("the value is not UTF-8")
	}
	lit, err := k.literal(value)
	if err != nil {
		return nil, err
	}
	if at, ok := locate(text, path); ok {
		return slices.Concat(text[:at.value], []byte(lit), text[at.end:]), nil
	}
	nl := "\n"
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		nl = "\r\n"
	}
	name := path[len(path)-1]
	line := tomlName(name) + " = " + lit + nl
	at, missing := place(text, path)
	if missing {
		line = nl + "[" + tablePath(path[:len(path)-1]) + "]" + nl + line
	}
	if at > 0 && text[at-1] != '\n' {
		line = nl + line
	}
	return slices.Concat(text[:at], []byte(line), text[at:]), nil
}

// pathOf takes the name of a setting apart: of a table of tables, its name, that
// of one of them, which may hold dots, and the field.
func pathOf(key string) []string {
	first, rest, ok := strings.Cut(key, ".")
	if !ok {
		return []string{key}
	}
	if i := strings.LastIndexByte(rest, '.'); i > 0 && (first == keyLLM.Name || first == "prices") {
		return []string{first, strings.Trim(rest[:i], `"`), rest[i+1:]}
	}
	return []string{first, rest}
}

// tablePath writes the path of a table.
func tablePath(path []string) string {
	names := make([]string, len(path))
	for i, s := range path {
		names[i] = tomlName(s)
	}
	return strings.Join(names, ".")
}

// unset takes the line of a setting out, with what stands behind it there.
func unset(text []byte, path []string) ([]byte, error) {
	at, ok := locate(text, path)
	if !ok {
		return nil, errors.New("it is not set there")
	}
	from := bytes.LastIndexByte(text[:at.key], '\n') + 1
	to := len(text)
	if i := bytes.IndexByte(text[at.end:], '\n'); i >= 0 {
		to = at.end + i + 1
	}
	return slices.Concat(text[:from], text[to:]), nil
}

// A span is where a setting stands: its key, its value, and the end of that.
type span struct{ key, value, end int }

// locate finds a setting. One that stands in an inline table is not found, and
// then the text that comes of an edit is none that can be read.
func locate(text []byte, path []string) (span, bool) {
	var p unstable.Parser
	p.Reset(text)
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		var names []string
		end := 0
		for keys := e.Key(); keys.Next(); {
			n := keys.Node()
			names = append(names, string(n.Data))
			end = int(n.Raw.Offset + n.Raw.Length)
		}
		switch e.Kind {
		case unstable.Table:
			table = names
		case unstable.ArrayTable:
			table = append(names, "") // of which no path is
		case unstable.KeyValue:
			if slices.Equal(slices.Concat(table, names), path) {
				from := end + bytes.IndexByte(text[end:], '=') + 1
				for text[from] == ' ' || text[from] == '\t' {
					from++
				}
				return span{int(e.Raw.Offset), from, int(e.Raw.Offset + e.Raw.Length)}, true
			}
		}
	}
	return span{}, false
}

// place says where a line for a setting belongs: behind the line of a comment that
// shows it, else behind the last one of its table. missing is whether the table
// has to begin there.
func place(text []byte, path []string) (at int, missing bool) {
	var p unstable.Parser
	p.Reset(text)
	in, last, first := len(path) == 1, -1, len(text) // of the table; its last line; the first header
	seen := in
	for p.NextExpression() {
		e := p.Expression()
		var names []string
		start := -1
		for keys := e.Key(); keys.Next(); {
			if start < 0 {
				start = int(keys.Node().Raw.Offset)
			}
			names = append(names, string(keys.Node().Data))
		}
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			first = min(first, bytes.LastIndexByte(text[:start], '\n')+1)
			if in = e.Kind == unstable.Table && slices.Equal(names, path[:len(path)-1]); in {
				seen, last = true, lineEnd(text, start)
			}
		case unstable.KeyValue:
			if in {
				last = lineEnd(text, int(e.Raw.Offset+e.Raw.Length))
			}
		}
	}
	if !seen {
		return len(text), true
	}
	if len(path) == 1 {
		for from := 0; from < first; from = lineEnd(text, from) {
			shown, ok := bytes.CutPrefix(bytes.TrimSpace(text[from:lineEnd(text, from)]), []byte("#"))
			name, _, is := bytes.Cut(shown, []byte("="))
			if ok && is && string(bytes.TrimSpace(name)) == path[0] {
				return lineEnd(text, from), false
			}
		}
	}
	if last >= 0 {
		return last, false
	}
	for at = first; at > 0 && first < len(text); { // above the comments of the first table
		from := bytes.LastIndexByte(text[:at-1], '\n') + 1
		if line := bytes.TrimSpace(text[from:at]); len(line) == 0 || line[0] != '#' {
			break
		}
		at = from
	}
	return at, false
}

// lineEnd is the end of the line of a byte, its newline included.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// literal writes a value as TOML.
func (k *Key) literal(value string) (string, error) {
	c := Defaults()
	switch p := k.field(&c).(type) {
	case *int, *int64, *bool:
		if err := k.setText(&c, []string{value}); err != nil {
			return "", err
		}
		return fmt.Sprint(k.Value(&c)), nil
	case *float64:
		if _, err := percentage(value); err != nil {
			return "", err
		}
		if strings.HasSuffix(value, "%") {
			return tomlString(value), nil
		}
		return value, nil
	case *[]string:
		list := []string{value}
		if strings.HasPrefix(strings.TrimSpace(value), "[") {
			var doc struct{ V []string }
			if err := toml.Unmarshal([]byte("V = "+value), &doc); err != nil {
				return "", fmt.Errorf(`%.60q: want one text, or a list such as ["a", "b"]`, value)
			}
			list = doc.V
		}
		quoted := make([]string, len(list))
		for i, s := range list {
			quoted[i] = tomlString(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]", nil
	case *string:
		return tomlString(value), nil
	default:
		_ = p // a field of a table: a number or a switch as it is, anything else as a text
		if _, err := strconv.ParseFloat(value, 64); err == nil || value == "true" || value == "false" {
			return value, nil
		}
		var list struct{ V []any }
		if strings.HasPrefix(value, "[") && toml.Unmarshal([]byte("V = "+value), &list) == nil {
			return value, nil
		}
		return tomlString(value), nil
	}
}

// tomlString quotes a text. JSON's strings are TOML's, but for one control
// character.
func tomlString(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always can
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

// tomlName quotes a key unless it is bare.
func tomlName(name string) string {
	if name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" {
		return name
	}
	return tomlString(name)
}
