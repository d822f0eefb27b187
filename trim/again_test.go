package trim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/transcript"
)

// TestTrimmedAgain: what the user said stands in the digest of a digest, too, once and
// below a heading of its own.
func TestTrimmedAgain(t *testing.T) {
	in := []transcript.Message{prompt("Never touch the public API of package config.")}
	work := func(n int) {
		for i := range n {
			id := fmt.Sprintf("c%d-%d", len(in), i)
			in = append(in, call(id, "Bash", `{"command":"go test ./`+id+`"}`), answered(id, numbered(40, "ok "+id)))
		}
	}
	work(20)
	in = append(in, prompt("And keep the message short."))
	work(20)
	res, err := Trim(in, Options{Budget: 1500})
	if err != nil {
		t.Fatal(err)
	}
	in = res.Messages
	in = append(in, prompt("Now the docs."))
	work(20)
	if res, err = Trim(in, Options{Budget: 1500}); err != nil {
		t.Fatal(err)
	}
	text := res.Messages[0].Blocks[0].Text
	for _, want := range []string{"\n" + headSummary + "\n", "\n[User]\nNever touch the public API", "\n[User]\nAnd keep the message short.", "\n[User]\nNow the docs."} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%d of %q:\n%s", strings.Count(text, want), want, text)
		}
	}
	if strings.Count(text, header) != 1 {
		t.Errorf("the header of the first digest stands in the second:\n%s", text)
	}
}
