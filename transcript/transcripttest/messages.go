// Package transcripttest makes small conversations for tests.
package transcripttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// Prompt is a message of a person.
func Prompt(text string) transcript.Message {
	return transcript.Message{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}}
}

// Answer is one of the assistant, with calls.
func Answer(text string, calls ...transcript.Block) transcript.Message {
	m := transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer}
	if text != "" {
		m.Blocks = append(m.Blocks, transcript.Block{Type: transcript.Text, Text: text})
	}
	m.Blocks = append(m.Blocks, calls...)
	return m
}

// Call is a call of a tool.
func Call(id, name string, input any) transcript.Block {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	return transcript.Block{Type: transcript.Call, ID: id, Name: name, Input: raw}
}

// Read calls read on a path.
func Read(id, path string) transcript.Block {
	return Call(id, "read", map[string]string{"path": path})
}

// Edit calls edit on a path.
func Edit(id, path string) transcript.Block {
	return Call(id, "edit", map[string]string{"path": path, "oldText": "a", "newText": "b"})
}

// Bash calls bash with a command.
func Bash(id, command string) transcript.Block {
	return Call(id, "bash", map[string]string{"command": command})
}

// Results is the message with the results of calls.
func Results(rs ...transcript.Block) transcript.Message {
	return transcript.Message{Role: transcript.User, Kind: transcript.Results, Blocks: rs}
}

// Result is the result of a call.
func Result(id, text string) transcript.Block {
	return transcript.Block{Type: transcript.Result, ID: id, Text: text}
}

// Failed is the result of one that failed.
func Failed(id, text string) transcript.Block {
	return transcript.Block{Type: transcript.Result, ID: id, Text: text, Failed: true}
}

// Long is a conversation of n prompts, each with an answer that reads a file
// and one that says what it found.
func Long(n, lines int) []transcript.Message {
	var ms []transcript.Message
	for i := range n {
		id := fmt.Sprintf("c%d", i)
		var text strings.Builder
		for l := range lines {
			fmt.Fprintf(&text, "line %d of file %d holds nothing of interest\n", l, i)
		}
		ms = append(ms,
			Prompt(fmt.Sprintf("Tell me about file %d. There is more.", i)),
			Answer("Reading the file now. One moment.", Read(id, fmt.Sprintf("src/f%d.go", i))),
			Results(Result(id, strings.TrimSuffix(text.String(), "\n"))),
			Answer(fmt.Sprintf("File %d holds %d lines. Nothing else.", i, lines)))
	}
	return ms
}

// Valid reports what an API would object to.
func Valid(ms []transcript.Message) error {
	if len(ms) > 0 && ms[0].Role != transcript.User {
		return errors.New("the first message is not the user's")
	}
	var open []string
	for i := range ms {
		answered := make(map[string]bool)
		for _, b := range ms[i].Blocks {
			switch b.Type {
			case transcript.Result:
				answered[b.ID] = true
			case transcript.Text:
				if strings.TrimSpace(b.Text) == "" {
					return fmt.Errorf("message %d holds an empty text", i)
				}
			}
		}
		for _, id := range open {
			if !answered[id] {
				return fmt.Errorf("message %d does not answer call %s", i, id)
			}
			delete(answered, id)
		}
		if len(answered) > 0 {
			return fmt.Errorf("message %d answers calls that do not exist: %v", i, answered)
		}
		open = nil
		for _, b := range ms[i].Blocks {
			if b.Type == transcript.Call {
				open = append(open, b.ID)
			}
		}
	}
	return nil
}

// Random is a valid session with parallel calls, chatter and giants, as chance, a
// number below n, has it.
func Random(chance func(n int) int) []transcript.Message {
	words := []string{"fix", "please", "the", "error", "is", "src/a.go", "```", "日本", "\n", "retry", "x", "summary", "decided"}
	say := func(n int) string {
		var b strings.Builder
		for range chance(n) + 1 {
			b.WriteString(words[chance(len(words))] + " ")
		}
		return "say " + b.String()
	}
	ms := []transcript.Message{Prompt(say(40))}
	for i := range chance(25) {
		switch chance(4) {
		case 0:
			ms = append(ms, Prompt(say(60)))
		case 1:
			ms = append(ms, Answer(say(80)))
		default:
			var calls, rs []transcript.Block
			for j := range chance(5) + 1 {
				id := fmt.Sprintf("c%d.%d", i, j)
				calls = append(calls, Read(id, fmt.Sprintf("src/%d.go", chance(4))))
				b := Result(id, say(1+chance(3000)))
				b.Failed = chance(4) == 0
				rs = append(rs, b)
			}
			text := ""
			if chance(2) == 0 {
				text = say(20)
			}
			ms = append(ms, Answer(text, calls...), Results(rs...))
		}
	}
	return ms
}
