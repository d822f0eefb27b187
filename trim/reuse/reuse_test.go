package reuse

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/transcript"
)

func TestNames(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"the quick brown fox", ""},
		{"parseHTTPHeader calls load_config and HTTPServer", "parseHTTPHeader load_config HTTPServer"},
		{"see https://example.com/a?b=c, or ./internal/world/git/diff.go.", "https://example.com/a?b=c ./internal/world/git/diff.go"},
		{"go test --run-only README.md foo-bar.ts", "--run-only README.md foo-bar.ts"},
		{"commit 3fa9c1b of 1234 and 42", "3fa9c1b 1234"},
		{"http.Get(os.Args[1]) // $HOME", "http.Get os.Args $HOME"},
		{"_ - -- . / // ~ @ + $", ""},
		{"~/.config/x @scope/pkg", "~/.config/x @scope/pkg"},
		{"naïveCase größe_x", "naïveCase größe_x"},
		{strings.Repeat("aB", 100), ""},
	} {
		var got []string
		Names(c.line, func(n string) { got = append(got, n) })
		if d := cmp.Diff(strings.Fields(c.want), got, cmp.Transformer("nil", func(s []string) string { return strings.Join(s, " ") })); d != "" {
			t.Errorf("Names(%q) (-want +got):\n%s", c.line, d)
		}
	}
}

func TestBody(t *testing.T) {
	for in, want := range map[string]string{
		"  12→\tfoo": "foo", "12\tfoo": "foo", "12: foo": "foo", "  foo ": "foo", "12": "12", "2024 was": "2024 was", "": "", "1234567890: x": "1234567890: x",
	} {
		if got := Body(in); got != want {
			t.Errorf("Body(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestSize compares with a slow reading of the same rule.
func TestSize(t *testing.T) {
	for in, want := range map[string]float64{
		"":                 0,
		"word":             perWord,
		"longerword":       perWord + 4*perLong,
		"fooBar":           perWord + perHump,
		"HTTP":             perWord,
		"12345":            2 * perDigits,
		"a  b":             2*perWord + perSpaces,
		"a b\n\n":          2*perWord + 2*perNewline,
		"(())":             perMark + 3*perMarks,
		"日本":               2 * perOther,
		"\xff\xfe":         2 * perOther,
		"if x != nil {\n}": 3*perWord + perMark + perMarks + perMark + perNewline + perMark,
	} {
		got := Size(in)
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("Size(%q) = %v, want %v", in, got, want)
		}
	}
}

func TestTools(t *testing.T) {
	for _, c := range []struct {
		name, input string
		want        Source
		path        string
	}{
		{"Read", `{"file_path":"a/b.go"}`, Read, "a/b.go"},
		{"read", `{"path":"a/b.go","offset":3}`, Read, "a/b.go"},
		{"Bash", `{"command":"go test ./... 2>&1 | tail -60"}`, Command, ""},
		{"Bash", `{"command":"cd x && sed -n 1,20p a/b.go"}`, Read, "a/b.go"},
		{"shell", `{"command":["bash","-lc","cat a/b.go"]}`, Read, "a/b.go"},
		{"exec_command", `{"cmd":"rg -n foo src"}`, Search, ""},
		{"Grep", `{"pattern":"x","path":"src"}`, Search, "src"},
		{"Edit", `{"file_path":"a.go","old_string":"x","new_string":"y"}`, write, "a.go"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a/b.go\n@@\n-x\n+y\n*** End Patch"}`, write, "a/b.go"},
		{"str_replace_editor", `{"command":"view","path":"/w/a.py"}`, Read, "/w/a.py"},
		{"str_replace_editor", `{"command":"str_replace","path":"/w/a.py","old_str":"x"}`, write, "/w/a.py"},
		{"TaskUpdate", `{"taskId":"1"}`, other, ""},
		{"Bash", `{"command":`, Command, ""},
		{"x", `null`, other, ""},
	} {
		got := toolOf(c.name, leaves(json.RawMessage(c.input)))
		if got.source != c.want || got.path != c.path {
			t.Errorf("%s %s: %v of %q, want %v of %q", c.name, c.input, got.source, got.path, c.want, c.path)
		}
	}
}

// TestPredict: what the agent itself used lately is more likely to be used than
// what stood once in an old result.
func TestPredict(t *testing.T) {
	block := func(t transcript.BlockType, id, name, input, text string) transcript.Block {
		return transcript.Block{Type: t, ID: id, Name: name, Input: json.RawMessage(input), Text: text}
	}
	ms := []transcript.Message{{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{block(transcript.Text, "", "", "", "fix loadConfig")}}}
	for i := range 12 {
		id := string(rune('a' + i))
		ms = append(ms,
			transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer, Blocks: []transcript.Block{block(transcript.Call, id, "Read", `{"file_path":"src/usedOften.go"}`, "")}},
			transcript.Message{Role: transcript.User, Kind: transcript.Results, Blocks: []transcript.Block{block(transcript.Result, id, "", "", "oldName"+strings.Repeat(id, 3)+" stood here\n")}})
	}
	c := Open(ms)
	c.Predict(nil)
	p := func(name string) float64 {
		i := slices.IndexFunc(c.Entities, func(e Entity) bool { return e.Name == name })
		if i < 0 {
			t.Fatalf("no entity %q", name)
		}
		return c.Entities[i].P
	}
	if used, old := p("src/usedOften.go"), p("oldNameaaa"); used <= 2*old {
		t.Errorf("P(used often) = %.3f, P(stood once) = %.3f: want more than twice as much", used, old)
	}
}

// TestFeatures: every feature has a name and a weight.
func TestFeatures(t *testing.T) {
	for part, w := range map[string][]float64{"entity": committed.Entity, "gram": committed.Gram, "line": committed.Line} {
		if n := len(Features(part)); n == 0 || n != len(w) {
			t.Errorf("%s: %d features, %d weights: run the trainer", part, n, len(w))
		}
	}
	if len(entityFeatures) != nEntity || len(gramFeatures) != nGram || len(lineFeatures) != nLine {
		t.Errorf("features and their names differ in number")
	}
}

func FuzzNames(f *testing.F) {
	f.Add("see https://x.y/z, a/b.go --flag fooBar 3fa9c1b\xff ")
	f.Fuzz(func(t *testing.T, s string) {
		at := 0
		Names(s, func(n string) {
			i := strings.Index(s[at:], n)
			if i < 0 || n == "" || len(n) > maxName {
				t.Fatalf("Names(%q) gives %q, which does not stand after byte %d", s, n, at)
			}
			at += i + len(n)
		})
		if Size(s) < 0 {
			t.Fatalf("Size(%q) < 0", s)
		}
	})
}

// FuzzLeaves: valid JSON is taken apart as a decoder does it.
func FuzzLeaves(f *testing.F) {
	for _, s := range []string{
		``, ` `, `null`, `"a"`, ` { } `, `[]`, `[ ]`, `{"a":1,"b":[true,false,null,-1.5e3,"x"],"c":{"d":"é\n\"q\" \ud83c\udf92 \ud800","a":[[],{}]}}`,
		"{\"a\" :\t\"x\xffy\" ,\n\"b\\u0041\":[ 1 , 2 ] }", `{"a":`, `{"a":1,`, `{"a":1}}`, `{"a":1} trailing`, `[1,2`, `[1,]`, `{"a":1,}`, `[01]`, `[-]`, `[1.]`, `[1e]`, `[1e+9,-0,0.5E-1]`, `[tru]`, "\"a\nb\"", `"\x"`, `{"":""}`, `{"a":"\\", "b":"\b\f\n\r\t\/\"\\u0041"}`,
		strings.Repeat("[", maxDepth) + `1` + strings.Repeat("]", maxDepth), strings.Repeat("[", maxDepth+1) + `1` + strings.Repeat("]", maxDepth+1),
		`[1,` + strings.Repeat(`{"a":`, 150) + `2` + strings.Repeat("}", 150) + `,3]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want []Field
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		decode(dec, "", 0, &want)
		if got := leaves(text); !slices.Equal(got, want) {
			t.Fatalf("leaves(%q) = %q, want %q", text, got, want)
		}
	})
}

func BenchmarkLeaves(b *testing.B) {
	input, _ := json.Marshal(map[string]any{"file_path": "internal/world/git/diff.go", "old_string": strings.Repeat("\tif err != nil {\n\t\treturn err\n\t}\n", 40), "replace_all": false})
	b.SetBytes(int64(len(input)))
	for b.Loop() {
		leaves(input)
	}
}
