package transcript

import (
	"strings"
	"testing"
)

// TestValid reads one conversation a line: u text, a text, c ids (calls), r ids
// (results), t thinking, and + joins blocks to one message.
func TestValid(t *testing.T) {
	for _, x := range []struct{ in, want string }{
		{"u hi", ""},
		{"u hi, a ho", ""},
		{"u hi, u again, a ho, a more", ""},
		{"u hi, a ho+c 1, r 1, a done", ""},
		{"u hi, c 1+c 2, r 2+r 1+u go on", ""},
		{"u hi, t hm+c 1, r 1, u next", ""},
		{"", "no messages"},
		{"a ho", "message 0 is the assistant's"},
		{"u ", "message 0, block 0: empty text"},
		{"u hi, -", "message 1 is empty"},
		{"u hi, c 1", `message 1: call "1" has no result`},
		{"u hi, c 1, u no", `message 1: call "1" has no result`},
		{"u hi, c 1+c 2, r 1", `message 1: call "2" has no result`},
		{"u hi, c 1, u first, r 1", `message 1: call "1" has no result`},
		{"u hi, c 1, u first+r 1", `message 2: result of "1" does not come first`},
		{"u hi, r 1", `message 1: result of "1" has no call`},
		{"u hi, c 1, r 1+r 1", `message 2: result of "1" has no call`},
		{"u hi, c 1, r 1, c 1, r 1", `message 3: call id "1" is not its own`},
		{"u hi, c ", `message 1: call id "" is not its own`},
		{"u hi+c 1, r 1", "message 0, block 1: a call by the user"},
		{"u hi, a ho+r 1", "message 1, block 1: a result by the assistant"},
		{"u t, u x+t hm", "message 1, block 1: thinking by the user"},
		{"u hi, x", `message 1, block 0: unknown type "x"`},
		{"u hi, b 1, r 1", `message 1, block 0: input of call "1" is not JSON`},
	} {
		var ms []Message
		for part := range strings.SplitSeq(x.in, ", ") {
			if x.in == "" {
				break
			}
			m := Message{Role: User, Kind: Prompt}
			for j, s := range strings.Split(part, "+") {
				kind, arg, _ := strings.Cut(s, " ")
				b := Block{Type: Text, Text: arg}
				switch kind {
				case "c":
					b = Block{Type: Call, ID: arg, Input: []byte("{}")}
				case "b":
					b = Block{Type: Call, ID: arg, Input: []byte("{")}
				case "r":
					b = Block{Type: Result, ID: arg}
				case "t":
					b = Block{Type: Thinking, Text: arg}
				case "x":
					b = Block{Type: "x"}
				case "-":
					continue
				}
				if j == 0 {
					switch kind {
					case "a", "c", "t", "b":
						m.Role, m.Kind = Assistant, Answer
					case "r":
						m.Kind = Results
					}
				}
				m.Blocks = append(m.Blocks, b)
			}
			ms = append(ms, m)
		}
		got := ""
		if err := Valid(ms); err != nil {
			got = err.Error()
		}
		if (x.want == "") != (got == "") || !strings.Contains(got, x.want) {
			t.Errorf("Valid(%s) = %q, want %q", x.in, got, x.want)
		}
	}
}
