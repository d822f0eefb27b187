package trim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/transcript"
)

// runs is a session of commands whose outputs begin and end with a line of
// their own, and hold names between that the agent uses later.
func runs(n int) []transcript.Message {
	ms := []transcript.Message{prompt("find out why loadConfig fails")}
	for i := range n {
		id := fmt.Sprint("c", i)
		ms = append(ms, call(id, "Bash", fmt.Sprintf(`{"command":"go test ./pkg%d"}`, i)))
		var b strings.Builder
		fmt.Fprintf(&b, "first line of run %c\n", 'a'+i)
		for k := range 60 {
			fmt.Fprintf(&b, "step %d of loadConfig%c%d called readHeader%d\n", k, 'A'+i, k, k%7)
		}
		fmt.Fprintf(&b, "last line of run %c", 'a'+i)
		ms = append(ms, answered(id, b.String()))
	}
	return append(ms, prompt("now fix loadConfigC7 and readHeader3, loadConfigE9 and loadConfigF21"))
}

// A command of whose output anything is shown, or which stands in place, shows
// how its output begins and ends.
func TestCommandsShowTheirEnds(t *testing.T) {
	in := runs(9)
	shown, inPlace := 0, 0
	for budget := 700; budget < 6000; budget += 350 {
		res, err := Trim(in, Options{Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range outputs(res.Messages) {
			for c := 'a'; c < 'a'+9; c++ {
				if !strings.Contains(text, fmt.Sprintf("of loadConfig%c", c-'a'+'A')) {
					continue
				}
				shown++
				if i > 0 {
					inPlace++
				}
				for _, end := range []string{"first", "last"} {
					if line := fmt.Sprintf("%s line of run %c", end, c); !strings.Contains(text, line) {
						t.Errorf("budget %d: the output of run %c is shown without %q:\n%s", budget, c, line, text)
					}
				}
			}
		}
	}
	if shown < 10 || inPlace == 0 {
		t.Errorf("the test looked at %d outputs, %d of them in place", shown, inPlace)
	}
}

// outputs returns the texts in which the results of a session stand: the digest,
// or "" if there is none, and then the results in place.
func outputs(ms []transcript.Message) []string {
	out := []string{""}
	for i := range ms {
		for b := range ms[i].Blocks {
			switch blk := &ms[i].Blocks[b]; {
			case i == 0 && blk.Type == transcript.Text:
				out[0] = blk.Text
			case blk.Type == transcript.Result:
				out = append(out, blk.Text)
			}
		}
	}
	return out
}
