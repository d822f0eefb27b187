package trim

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
)

func prompt(text string) transcript.Message {
	return transcript.Message{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}}
}

func call(id, name, input string) transcript.Message {
	return transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer,
		Blocks: []transcript.Block{{Type: transcript.Call, ID: id, Name: name, Input: json.RawMessage(input)}}}
}

func answered(id, text string) transcript.Message {
	return transcript.Message{Role: transcript.User, Kind: transcript.Results, Blocks: []transcript.Block{{Type: transcript.Result, ID: id, Text: text}}}
}

// numbered returns lines that all differ.
func numbered(n int, what string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(what)
		b.WriteString(" at lineNumber")
		b.WriteString(strings.Repeat("i", i%7))
		b.WriteByte('\n')
	}
	return b.String()
}

func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("giant texts")
	}
	huge := numbered(5000, "value of getUserById")
	for _, c := range []struct {
		name   string
		in     []transcript.Message
		budget int
	}{
		{"nothing", nil, 100},
		{"one giant prompt", []transcript.Message{prompt(huge)}, 500},
		{"one giant line", []transcript.Message{prompt("x"), call("1", "Bash", `{"command":"cat x"}`), answered("1", strings.Repeat("a,b;", 100_000))}, 500},
		{"one giant word", []transcript.Message{prompt(strings.Repeat("a", 400_000))}, 500},
		{"the newest results are giants", []transcript.Message{prompt("x"), call("1", "Bash", `{"command":"make"}`), answered("1", huge)}, 400},
		{"the newest input is a giant", []transcript.Message{prompt("x"), call("1", "Write", `{"file_path":"a","content":`+quote(huge)+`}`), answered("1", "ok")}, 400},
		{"a giant that waits for its result", []transcript.Message{prompt("x"), call("1", "Write", `{"content":`+quote(huge)+`}`)}, 400},
		{"results without calls", []transcript.Message{answered("9", huge), prompt("y"), answered("8", "z"), prompt(huge)}, 600},
		{"calls without results", []transcript.Message{prompt("x"), call("1", "Bash", `{}`), call("2", "Bash", `{}`), prompt(huge)}, 600},
		{"the same id twice", []transcript.Message{prompt("x"), call("1", "Bash", `{"command":"a"}`), answered("1", huge), call("1", "Bash", `{"command":"b"}`), answered("1", huge+"2")}, 600},
		{"input that is no JSON", []transcript.Message{prompt("x"), call("1", "Bash", `{"command":`), answered("1", huge)}, 600},
		{"deep input", []transcript.Message{prompt("x"), call("1", "Bash", strings.Repeat(`{"a":`, 9000)+"1"+strings.Repeat("}", 9000)), answered("1", huge)}, 600},
		{"no UTF-8", []transcript.Message{prompt("x\xff\xfe"), call("1", "Bash", `{}`), answered("1", strings.Repeat("\xff\n\x80abc\xc0 foo_bar\n", 3000))}, 400},
		{"only white space", []transcript.Message{prompt(strings.Repeat(" \n\t\u200b", 20_000)), prompt("\n\n"), prompt(" ")}, 300},
		{"an assistant who begins", []transcript.Message{call("1", "Bash", `{}`), answered("1", huge), prompt("go on")}, 300},
		{"a budget of one", []transcript.Message{prompt("x"), call("1", "Bash", `{}`), answered("1", huge)}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Budget: c.budget}
			checkAgain(t, c.in, o, checkLaws(t, c.in, o))
		})
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// TestOverflow: the error names a budget that works.
func TestOverflow(t *testing.T) {
	in := []transcript.Message{prompt("x"), call("1", "Write", `{"content":`+quote(numbered(900, "value"))+`}`), answered("1", "ok")}
	_, err := Trim(in, Options{Budget: 60})
	var overflow *satchel.OverflowError
	if !errors.As(err, &overflow) {
		t.Fatalf("Trim(budget 60) = %v, want an satchel.OverflowError", err)
	}
	res, err := Trim(in, Options{Budget: overflow.Need})
	if err != nil {
		t.Fatalf("Trim(budget %d), the smallest that works, = %v", overflow.Need, err)
	}
	if res.After > overflow.Need {
		t.Errorf("Trim(budget %d) takes %d tokens", overflow.Need, res.After)
	}
}

// TestHysteresis: below the trigger nothing changes, above it the budget holds.
func TestHysteresis(t *testing.T) {
	var in []transcript.Message
	trims := 0
	for i := range 60 {
		id := string(rune('A'+i%26)) + string(rune('a'+i/26))
		in = append(in, prompt("please look at file"+id+".go"), call(id, "Read", `{"file_path":"file`+id+`.go"}`), answered(id, numbered(40, "func load"+id)))
		res, err := Trim(in, Options{Budget: 3000, Trigger: 9000})
		if err != nil {
			t.Fatal(err)
		}
		if !res.Changed {
			if res.After > 9000 || len(res.Messages) != len(in) {
				t.Fatalf("step %d: unchanged at %d tokens", i, res.After)
			}
			continue
		}
		trims++
		if res.After > 3000 {
			t.Fatalf("step %d: %d tokens after a trim", i, res.After)
		}
		in = res.Messages
	}
	if trims < 2 || trims > 12 {
		t.Errorf("%d trims in 60 steps, want a few", trims)
	}
}

// TestClean: what a later message repeats becomes a marker, and nothing else
// changes.
func TestClean(t *testing.T) {
	long := numbered(30, "func x")
	in := []transcript.Message{
		prompt("x"),
		call("1", "Read", `{"file_path":"a.go"}`), answered("1", long),
		call("2", "Bash", `{"command":"go test"}`), answered("2", numbered(30, "FAIL")),
		call("3", "Bash", `{"command":"go test"}`), answered("3", numbered(30, "FAIL")),
		call("4", "Read", `{"file_path":"a.go"}`), answered("4", long+"changed\n"),
		call("5", "Read", `{"file_path":"b.go","offset":3}`), answered("5", numbered(20, "part")),
		call("6", "Bash", `{"command":"pwd"}`), answered("6", "/"),
		call("7", "Bash", `{"command":"pwd"}`), answered("7", "/"),
		call("8", "Read", `{"file_path":"c.go"}`), answered("8", numbered(20, "c")),
		call("9", "Write", `{"file_path":"c.go","content":"package c"}`), answered("9", "ok"),
		call("10", "Read", `{"file_path":"d.go"}`), answered("10", numbered(20, "d")),
		call("11", "Write", `{"file_path":"d.go","content":"package d"}`), answered("11", "no such folder"),
		call("12", "Read", `{"file_path":"e.go"}`), answered("12", numbered(20, "e")),
		call("13", "Edit", `{"file_path":"e.go","old_string":"e 3","new_string":"content: x"}`), answered("13", "ok"),
		call("14", "Read", `{"file_path":"/w/f.go"}`), answered("14", numbered(20, "f")),
		call("15", "Edit", `{"file_path":"f.go","old_string":"f 3","new_string":"x"}`), answered("15", "not found"),
		call("16", "Read", `{"file_path":"/w/f.go"}`), answered("16", numbered(22, "f")),
		call("17", "Edit", `{"file_path":"/w/f.go","old_string":"f 3","new_string":"x"}`), answered("17", "ok"),
		call("18", "Read", `{"file_path":"/w/f.go"}`), answered("18", numbered(24, "completely else")),
		call("19", "Edit", `{"file_path":"/w/f.go","old_string":"f 3","new_string":"x"}`), answered("19", "ok"),
		call("20", "Read", `{"file_path":"g.go"}`), answered("20", numbered(20, "g")),
		call("21", "Edit", `{"file_path":"g.go","old_string":"g 3","new_string":"x"}`), answered("21", "not found"),
		call("22", "Read", `{"file_path":"g.go"}`), answered("22", numbered(20, "something else")),
	}
	in[30].Blocks[0].Failed, in[42].Blocks[0].Failed = true, true
	in[22].Blocks[0].Failed = true
	out := Clean(in)
	for i := range in {
		want := in[i].Blocks[0].Text
		switch i {
		case 2:
			want = "[superseded: a.go is read again later; that text becomes this one by]\n@@ -31 +30,0 @@\n-changed"
		case 4:
			want = "[identical to a later result]"
		case 16:
			want = "[superseded: c.go is written whole later]"
		case 28, 32: // before the last read of it, which stays
			want = "[superseded: /w/f.go was edited since and is read again later]"
		case 40: // but the edit failed
			want = "[superseded: g.go is read again later]"
		}
		if got := out[i].Blocks[0].Text; got != want {
			t.Errorf("message %d: %.60q, want %.60q", i, got, want)
		}
		if out[i].Blocks[0].ID != in[i].Blocks[0].ID {
			t.Errorf("message %d lost its id", i)
		}
	}
}

// TestEditedSince: where a read is cut whose file was edited since, it says so.
func TestEditedSince(t *testing.T) {
	long := numbered(300, "value of a")
	for _, c := range []struct {
		name, path string
		failed     bool
		want       bool
	}{
		{"edited", "/w/src/a.go", false, true},
		{"by a shorter path", "src/a.go", false, true},
		{"an edit that failed", "/w/src/a.go", true, false},
		{"another file", "/w/src/b.go", false, false},
	} {
		in := []transcript.Message{
			prompt("please fix it"),
			call("1", "Read", `{"file_path":"/w/src/a.go"}`), answered("1", long),
			call("2", "Edit", `{"file_path":"`+c.path+`","old_string":"x","new_string":"y"}`), answered("2", "done"),
			call("3", "Bash", `{"command":"go test ./..."}`), answered("3", numbered(300, "ok")),
		}
		in[4].Blocks[0].Failed = c.failed
		for _, budget := range []int{400, 1500} { // in the digest, and in place
			res, err := Trim(in, Options{Budget: budget})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(textsOf(res.Messages), "edited since"); got != c.want {
				t.Errorf("%s, budget %d: said that it was edited since: %v, want %v\n%s", c.name, budget, got, c.want, textsOf(res.Messages))
			}
		}
	}
}
