package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-dev/satchel/internal/agents"
)

// sample is what the tables below put in and take out.
var sample = []entry{
	{Path: []string{"hooks", "Stop"}, List: true, Value: `{"hooks":[{"type":"command","command":"OURS"}]}`, What: "hook Stop"},
	{Path: []string{"mcpServers", "satchel"}, Value: `{"command":"satchel","args":["mcp"]}`, What: "MCP server satchel"},
}

// TestInsert: what is inserted looks like what surrounds it.
func TestInsert(t *testing.T) {
	one := []entry{{Path: []string{"mcp", "satchel"}, Value: `{"command":"x"}`}}
	list := []entry{{Path: []string{"hooks", "Stop"}, List: true, Value: `{"command":"OURS"}`}}
	for _, tt := range []struct {
		name, before, after string
		entries             []entry
	}{
		{"an empty file", "", "{\n  \"mcp\": {\n    \"satchel\": {\n      \"command\": \"x\"\n    }\n  }\n}\n", one},
		{"an empty object", "{}", "{\n  \"mcp\": {\n    \"satchel\": {\n      \"command\": \"x\"\n    }\n  }\n}", one},
		{"on one line", `{"a": 1, "mcp": {"b": 2}}`, `{"a": 1, "mcp": {"b": 2, "satchel": {"command":"x"}}}`, one},
		{"minified", `{"a":1,"mcp":{"b":2,"c":3}}`, `{"a":1,"mcp":{"b":2,"c":3,"satchel":{"command":"x"}}}`, one},
		{"tabs", "{\n\t\"mcp\": {\n\t\t\"b\": 2\n\t}\n}\n", "{\n\t\"mcp\": {\n\t\t\"b\": 2,\n\t\t\"satchel\": {\n\t\t\t\"command\": \"x\"\n\t\t}\n\t}\n}\n", one},
		{"four spaces and CRLF", "{\r\n    \"mcp\": {\r\n        \"b\": 2\r\n    }\r\n}\r\n",
			"{\r\n    \"mcp\": {\r\n        \"b\": 2,\r\n        \"satchel\": {\r\n            \"command\": \"x\"\r\n        }\r\n    }\r\n}\r\n", one},
		{"a comment behind the last member", "{\n  \"mcp\": {\n    \"b\": 2 // two\n  }\n}", "{\n  \"mcp\": {\n    \"b\": 2, // two\n    \"satchel\": {\n      \"command\": \"x\"\n    }\n  }\n}", one},
		{"a final comma", "{\n  \"mcp\": {\n    \"b\": 2, /* two */\n  },\n}", "{\n  \"mcp\": {\n    \"b\": 2, /* two */\n    \"satchel\": {\n      \"command\": \"x\"\n    },\n  },\n}", one},
		{"a list", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"command\": \"theirs\"}\n    ]\n  }\n}",
			"{\n  \"hooks\": {\n    \"Stop\": [\n      {\"command\": \"theirs\"},\n      {\n        \"command\": \"OURS\"\n      }\n    ]\n  }\n}", list},
		{"a comment alone", "{\n  // nothing yet\n}\n", "{\n  // nothing yet\n  \"mcp\": {\n    \"satchel\": {\n      \"command\": \"x\"\n    }\n  }\n}\n", one},
		{"the last of two names counts", `{"mcp": {}, "mcp": {"a": 1}}`, `{"mcp": {}, "mcp": {"a": 1, "satchel": {"command":"x"}}}`, one},
	} {
		after, err := addEntries([]byte(tt.before), tt.entries)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if d := cmp.Diff(string(after.text), tt.after); d != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, d)
		}
		back, err := removeEntries(after.text, tt.entries, after.made)
		if want := tt.before; err != nil || string(back.text) != want && want != "" {
			t.Errorf("%s: taken out again: %q, %v, want %q", tt.name, back.text, err, want)
		}
	}
}

// TestRefused: files that cannot be understood are refused, and it is said where.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"{\"a\": 1,\n \"b\" 2}", "2:6: want ':' after the name \"b\""},
		{"{\"a\": 1", "1:8: unexpected end: want '}' for line 1"},
		{"{\"a\": 1 \"b\": 2}", "1:9: want ',' or '}'"},
		{"[1]", "1:1: the top level is an array, not an object"},
		{"{\"hooks\": []}", "1:11: hooks is an array, not an object"},
		{"{\"hooks\": {\"Stop\": {}}}", "1:20: hooks.Stop is an object, not an array"},
		{"{\"ä\": tru}", "1:7: \"tru\" is not a value"},
		{"{\"a\": 'b'}", "1:7: unexpected '\\''"},
		{"{} {}", "1:4: unexpected text after the value"},
		{"{\"a\": \"b\nc\"}", "1:9: invalid byte 0x0a in a string"},
		{"{\"a\": \"\\x\"}", "1:7: invalid escape in a string"},
		{"/* {", "1:1: unterminated comment"},
		{"{,}", "1:2: want a name in quotes"},
		{"\x00", "1:1: unexpected '\\x00'"},
		{strings.Repeat("[", 200), "1:102: nested more than 100 deep"},
		{"<<<<<<< HEAD\n{}", "1:1: unexpected '<'"},
	} {
		_, err := addEntries([]byte(tt.text), sample)
		var at *syntaxError
		if !errors.As(err, &at) || err.Error() != tt.want {
			t.Errorf("%q: %v, want %s", tt.text, err, tt.want)
		}
	}
}

// jsonText writes random JSON with comments, final commas and white space as
// people and programs write it.
type jsonText struct {
	*rapid.T
	b        strings.Builder
	comments bool
}

func (g *jsonText) pick(label string, list ...string) string {
	return rapid.SampledFrom(list).Draw(g.T, label)
}

func (g *jsonText) space() {
	if g.comments {
		g.b.WriteString(g.pick("space", "", "", " ", "\n", "\n  ", "\t", " // note: {\"a\"]\n", "/* , */", "\r\n"))
		return
	}
	g.b.WriteString(g.pick("space", "", "", " ", "\n", "\n  ", "\t", "\r\n"))
}

func (g *jsonText) value(depth int) {
	k := rapid.IntRange(0, 7).Draw(g.T, "kind")
	if depth > 3 {
		k %= 4
	}
	switch k {
	case 0, 1:
		g.b.WriteString(g.pick("scalar", "null", "true", "false", "0", "-1.5e+3", `""`, `"a\"b"`, `"//"`, `"é\u00e9"`, `"OURS not"`))
	case 2:
		g.b.WriteString(`{}`)
	case 3:
		g.b.WriteString(`[]`)
	case 4, 5, 6:
		g.object(depth, nil)
	default:
		g.array(depth)
	}
}

func (g *jsonText) array(depth int) {
	g.b.WriteByte('[')
	n := rapid.IntRange(0, 3).Draw(g.T, "elements")
	for i := range n {
		g.space()
		g.value(depth + 1)
		g.space()
		g.comma(i, n)
	}
	g.space()
	g.b.WriteByte(']')
}

func (g *jsonText) comma(i, n int) {
	if i < n-1 || g.comments && rapid.Bool().Draw(g.T, "final comma") {
		g.b.WriteByte(',')
	}
}

// object writes an object; fixed members are written by their functions.
func (g *jsonText) object(depth int, fixed map[string]func()) {
	g.b.WriteByte('{')
	n := rapid.IntRange(0, 4).Draw(g.T, "members")
	used := map[string]bool{}
	for i := range n {
		name := g.pick("name", "a", "hooks", "mcpServers", "Stop", "b c", "statusLine", "é")
		if used[name] {
			name = fmt.Sprint(name, i)
		}
		used[name] = true
		g.space()
		g.b.WriteString(quoteJSON(name))
		g.space()
		g.b.WriteByte(':')
		g.space()
		if write := fixed[name]; write != nil {
			write()
		} else {
			g.value(depth + 1)
		}
		g.space()
		g.comma(i, n)
	}
	g.space()
	g.b.WriteByte('}')
}

// settings returns a random settings file: hooks and mcpServers are what they
// have to be, everything else is anything.
func settings(t *rapid.T) []byte {
	g := &jsonText{T: t, comments: rapid.Bool().Draw(t, "comments")}
	g.space()
	g.object(0, map[string]func(){
		"hooks":      func() { g.object(1, map[string]func(){"Stop": func() { g.array(2) }}) },
		"mcpServers": func() { g.object(1, nil) },
	})
	g.space()
	return []byte(g.b.String())
}

// plain reads text as encoding/json does, without comments and final commas.
func plain(t interface{ Fatalf(string, ...any) }, text []byte) any {
	root, err := parseJSON(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var v func(n *node) any
	v = func(n *node) any {
		switch n.kind {
		case '{':
			m := map[string]any{}
			for _, x := range n.members {
				m[x.key] = v(x.value)
			}
			return m
		case '[':
			l := []any{}
			for _, x := range n.members {
				l = append(l, v(x.value))
			}
			return l
		}
		var out any
		if err := json.Unmarshal(text[n.start:n.end], &out); err != nil {
			t.Fatalf("%q: %v", text[n.start:n.end], err)
		}
		return out
	}
	return v(root)
}

// subsequence reports whether all bytes of part stand in whole, in that order.
func subsequence(part, whole []byte) bool {
	for _, c := range part {
		i := bytes.IndexByte(whole, c)
		if i < 0 {
			return false
		}
		whole = whole[i+1:]
	}
	return true
}

// squeezed is the text without the white space at the end of objects and arrays
// that hold no members, which an uninstall does not bring back if it has nothing
// but the text.
func squeezed(t interface{ Fatalf(string, ...any) }, text []byte) string {
	root, err := parseJSON(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	out := slices.Clone(text)
	var walk func(n *node)
	walk = func(n *node) {
		for _, m := range slices.Backward(n.members) {
			walk(m.value)
		}
		if (n.kind == '{' || n.kind == '[') && len(n.members) == 0 {
			end, _ := lastWord(text, n.start+1, n.end-1)
			out = splice(out, end, n.end-1)
		}
	}
	walk(root)
	return string(out)
}

// checkLaws checks what holds for every settings file: ours is in, theirs is
// as it was, twice is once, and taking ours out gives the file back.
func checkLaws(t interface{ Fatalf(string, ...any) }, before []byte, entries []entry) {
	put, err := addEntries(before, entries)
	after := put.text
	if err != nil {
		t.Fatalf("put in:\n%s\n%v", before, err)
	}
	if !subsequence(before, after) {
		t.Fatalf("something of\n%s\nis gone from\n%s", before, after)
	}
	twice, err := addEntries(after, entries)
	if err != nil || !bytes.Equal(twice.text, after) || len(twice.made)+len(twice.entries) > 0 {
		t.Fatalf("twice is not once:\n%s\n%s\n%v", after, twice.text, err)
	}
	if len(put.entries) == 0 {
		return
	}
	taken, err := removeEntries(after, entries, put.made)
	back := taken.text
	if err != nil {
		t.Fatalf("take out:\n%s\n%v", after, err)
	}
	if len(taken.entries) != len(put.entries) {
		t.Fatalf("put in %d entries, took out %d:\n%s", len(put.entries), len(taken.entries), after)
	}
	if root, err := parseJSON(before); err == nil && root == nil {
		return // a root was made for us
	}
	if squeezed(t, back) != squeezed(t, before) {
		t.Fatalf("taken out:\n%q, want\n%q, from\n%q", back, before, after)
	}
	if d := cmp.Diff(plain(t, back), plain(t, before)); d != "" {
		t.Fatalf("taken out (-got +want):\n%s", d)
	}
}

func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkLaws(t, settings(t), sample) })
}

// TestForeignEdits: what others write after an install stays when ours goes.
func TestForeignEdits(t *testing.T) {
	theirs := []entry{
		{Path: []string{"hooks", "Stop"}, List: true, Value: `{"hooks":[{"type":"command","command":"THEIRS"}]}`},
		{Path: []string{"hooks", "Start"}, List: true, Value: `{"command":"THEIRS"}`},
		{Path: []string{"mcpServers", "other"}, Value: `{"command":"other","args":["x"]}`},
		{Path: []string{"model"}, Value: `"opus"`},
	}
	rapid.Check(t, func(t *rapid.T) {
		before := settings(t)
		ours, err := addEntries(before, sample)
		if err != nil {
			t.Fatalf("%v", err)
		}
		both, err := addEntries(ours.text, theirs)
		if err != nil {
			t.Fatalf("%v", err)
		}
		back, err := removeEntries(both.text, sample, ours.made)
		if err != nil {
			t.Fatalf("%v", err)
		}
		only, err := addEntries(before, theirs)
		if err != nil {
			t.Fatalf("%v", err)
		}
		got, want := plain(t, back.text), plain(t, only.text)
		if d := cmp.Diff(got, want); d != "" {
			t.Fatalf("from\n%s\n(-got +want):\n%s", both.text, d)
		}
	})
}

// FuzzSettings: whatever the file holds, it is refused with a position or
// obeys the laws.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{"", "{}", "{\n  // c\n}", `{"hooks":{"Stop":[{"hooks":[{"command":"OURS"},{"command":"x"}]}]}}`, `{"mcpServers":{"satchel":{"command":"satchel","args":["mcp"]},},}`,
		"{\"a\":1 // x\n}", "{\"mcpServers\":{\"b\":2, // x\n\"satchel\":{\"command\":\"satchel\",\"args\":[\"mcp\"]} }}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := parseJSON(text); err != nil {
			var at *syntaxError
			if !errors.As(err, &at) || at.Line < 1 || at.Column < 1 {
				t.Fatalf("%v", err)
			}
			return
		}
		without, err := removeEntries(text, sample, nil)
		out := without.text
		if err != nil {
			t.Fatalf("%v", err)
		}
		if _, err := parseJSON(out); err != nil {
			t.Fatalf("taking out broke it: %v\n%q\n%q", err, text, out)
		}
		if _, err := addEntries(out, sample); err != nil {
			return // hooks is a number, say
		}
		checkLaws(t, out, sample)
	})
}

func TestStatusLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		users := rapid.StringOf(rapid.RuneFrom([]rune(`ab'"\$ ;`+"\n"))).Draw(t, "command")
		if got, ok := unwrapStatus(wrapStatus(users)); !ok || got != users {
			t.Fatalf("%q: %q, %v", users, got, ok)
		}
	})
	for _, line := range []string{"", "x", agents.StatusLine, wrapBegin, wrapBegin + wrapMiddle + wrapEnd, wrapBegin + "'" + wrapMiddle + "'" + wrapEnd, wrapBegin + "'a'" + wrapMiddle + "'b'" + wrapEnd} {
		if got, ok := unwrapStatus(line); ok {
			t.Errorf("%q is taken for a status line around %q", line, got)
		}
	}
}
