package trim_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// stage makes a session of lines, one message each:
//
//	prompt WORDS           a person
//	meta WORDS             the client
//	answer N WORDS         the model; the context is N tokens after it
//	read N PATH            a call, with its usage, and its result: lines of the file
//	edit N PATH
//	write N PATH           the file as a whole
//	run N COMMAND          a command that prints 200 alike lines
//	old N                  an answer that is not sent any more
//	summary WORDS          of a compaction
func stage(t *testing.T, script string) (*trim.Inventory, *transcript.Session) {
	t.Helper()
	var v trim.Inventory
	s := &transcript.Session{}
	id, file := 0, 0
	for line := range strings.Lines(script) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "" {
			continue
		}
		var size int
		m := transcript.Message{Role: transcript.User, Kind: transcript.Prompt, Sent: true, Blocks: []transcript.Block{{Type: transcript.Text, Text: rest}}}
		var result string
		switch word {
		case "meta":
			m.Kind = transcript.Meta
		case "summary":
			m.Kind = transcript.Summary
			s.Compactions++
		case "answer", "old", "read", "edit", "write", "run":
			var arg string
			number, arg, _ := strings.Cut(rest, " ")
			if _, err := fmt.Sscan(number, &size); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			m.Role, m.Kind, m.Sent = transcript.Assistant, transcript.Answer, word != "old"
			m.Usage = &transcript.Usage{Input: size - 60, Output: 60}
			m.Blocks[0].Text = arg
			if word == "answer" || word == "old" {
				break
			}
			id++
			key, name := "path", map[string]string{"read": "read", "edit": "edit", "write": "write", "run": "bash"}[word]
			if word == "run" {
				key = "command"
			}
			fields := map[string]string{key: arg}
			if word == "write" {
				fields["content"] = "all of it"
			}
			input, _ := json.Marshal(fields)
			m.Blocks[0] = transcript.Block{Type: transcript.Call, ID: fmt.Sprint(id), Name: name, Input: input}
			switch word {
			case "read":
				result = strings.Repeat(fmt.Sprintf("the text of %s as of edit %d\n", arg, file), 40)
			case "edit", "write":
				file++
				result = "edited"
			case "run":
				for i := range 200 {
					result += fmt.Sprintf("ok  \tpackage/number/%d\t0.%03ds\n", i, i)
				}
				result += "FAIL package/last\n"
			}
		}
		v.Add(&m)
		if result != "" {
			v.Add(&transcript.Message{Role: transcript.User, Kind: transcript.Results, Sent: true, Blocks: []transcript.Block{{Type: transcript.Result, ID: fmt.Sprint(id), Text: result}}})
		}
	}
	return &v, s
}

func model(t *testing.T) tokens.Model {
	t.Helper()
	m, err := tokens.ModelByName("claude-sonnet-4-5")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// states lists the items that something is said about, as people would.
func states(c *trim.Contents) []string {
	var out []string
	for _, it := range c.Items {
		if it.State != "" {
			out = append(out, fmt.Sprintf("%s %s ×%d %s", it.Kind, it.Name, it.Copies, it.State))
		}
	}
	return out
}

func TestInventory(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		want         []string
	}{
		{"read twice", "prompt look\n read 5000 a/b.go\n read 6000 a/b.go\n answer 7000 done", []string{"read a/b.go ×2 duplicate", "prompt look ×1 pinned"}},
		{"edited since", "prompt look\n read 5000 a/b.go\n edit 6000 a/b.go\n answer 6100 done", []string{"prompt look ×1 pinned"}},
		{"written since", "prompt look\n read 5000 a/b.go\n write 6000 a/b.go\n answer 6100 done", []string{"read a/b.go ×1 stale", "prompt look ×1 pinned"}},
		{"edited, then read again", "prompt look\n read 5000 a/b.go\n edit 6000 a/b.go\n read 6100 a/b.go\n answer 7000 done", []string{"read a/b.go ×2 duplicate", "prompt look ×1 pinned"}},
		{"another file of the name", "prompt look\n read 5000 a/b.go\n write 6000 c/b.go\n answer 6100 done", []string{"prompt look ×1 pinned"}},
		{"lines that are alike", "prompt test\n run 5000 go test\n answer 9000 done", []string{"bash go test ×1 compressible", "prompt test ×1 pinned"}},
		{"the newest prompt", "prompt first\n answer 5000 yes\n prompt second", []string{"prompt second ×1 pinned"}},
	} {
		v, s := stage(t, tt.script)
		c := v.Contents(model(t), s)
		if diff := cmp.Diff(states(c), tt.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, diff)
		}
		sum := 0
		for _, f := range c.Sections {
			sum += f.Tokens.Tokens
		}
		if sum != c.Context.Tokens {
			t.Errorf("%s: sections of %d tokens, context of %d", tt.name, sum, c.Context.Tokens)
		}
	}
}

// TestInventoryCleared: a client that sends less than it records. The sections
// still add up to what the provider counted.
func TestInventoryCleared(t *testing.T) {
	v, s := stage(t, "prompt test\n run 1000 go test\n run 1100 go vet\n answer 1200 done")
	c := v.Contents(model(t), s)
	sum := 0
	for _, f := range c.Sections {
		sum += f.Tokens.Tokens
	}
	if c.Cleared == 0 || sum != 1200 || c.Context.Tokens != 1200 {
		t.Errorf("cleared %d, sections %d, context %d, want some, 1200, 1200", c.Cleared, sum, c.Context.Tokens)
	}
}

func TestInventoryGrowth(t *testing.T) {
	v, s := stage(t, "old 50000\n old 90000\n summary it was long\n prompt on\n answer 20000 a\n run 24000 satchel pack x\n answer 30000 b")
	c := v.Contents(model(t), s)
	want := []trim.Growth{{Turn: 1, Tokens: 50000}, {Turn: 2, Tokens: 90000}, {Turn: 5, Tokens: 20000, Compacted: true}, {Turn: 6, Tokens: 24000}, {Turn: 7, Tokens: 30000, Injected: true}}
	if diff := cmp.Diff(c.Growth, want); diff != "" || !c.Reported {
		t.Errorf("reported %v (-got +want):\n%s", c.Reported, diff)
	}
	if c.Items[0].Kind != "inject" || c.Items[0].Section != "injected" {
		t.Errorf("what satchel gave is %+v", c.Items[0])
	}
}

// FuzzInventory: whatever a file holds, the sections add up to the context.
func FuzzInventory(f *testing.F) {
	f.Add([]byte(`[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Read","input":{"file_path":"a.go"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]}]`))
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"9"}]}]}`))
	m, err := tokens.ModelByName("claude-sonnet-4-5")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v trim.Inventory
		s, err := transcript.Scan(strings.NewReader(string(data)), int64(len(data)), func(m *transcript.Message) error { v.Add(m); return nil })
		if err != nil {
			return
		}
		c := v.Contents(m, s)
		sum := 0
		for _, x := range c.Sections {
			sum += x.Tokens.Tokens
			if x.Tokens.Tokens < 0 {
				t.Fatalf("negative: %+v", x)
			}
		}
		if sum != c.Context.Tokens {
			t.Fatalf("sections of %d tokens, context of %d", sum, c.Context.Tokens)
		}
		for _, it := range c.Items {
			if it.Tokens.Tokens < 0 || it.Frees < 0 || it.Frees > it.Tokens.Tokens || it.Age < 0 {
				t.Fatalf("%+v", it)
			}
		}
	})
}
