package trim

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/transcript"
)

// recorded makes a session in the shape of recorded ones, of about so many
// bytes of text: reads of source files, edits, commands and their output.
func recorded(bytes int) []transcript.Message {
	r := rand.New(rand.NewPCG(1, 2))
	names := make([]string, 400)
	for i := range names {
		names[i] = []string{"load", "parse", "Write", "fetch", "index"}[i%5] + []string{"Config", "Header", "user_id", "Tree", "Cache"}[i/5%5] + string(rune('A'+i/25))
	}
	line := func() string {
		n := func() string { return names[min(r.IntN(len(names)), r.IntN(len(names)))] }
		switch r.IntN(6) {
		case 0:
			return ""
		case 1:
			return "func " + n() + "(ctx context.Context, id int) (*" + n() + ", error) {"
		case 2:
			return "\t// the value of " + n() + " is what the caller expects to see here"
		case 3:
			return "\t}"
		}
		return "\t" + n() + ", err := s." + n() + "(" + n() + ", " + fmt.Sprint(r.IntN(3000)) + ")"
	}
	text := func(lines int) string {
		var b strings.Builder
		for i := range lines {
			fmt.Fprintf(&b, "%6d→%s\n", i+1, line())
		}
		return b.String()
	}
	ms := []transcript.Message{prompt("make loadConfigA return an error when the file is missing, and test it")}
	size := 0
	for i := 0; size < bytes; i++ {
		id := fmt.Sprint("call", i)
		file := fmt.Sprintf("internal/pkg%d/file%d.go", i%9, i%40)
		input, out := map[string]any{"file_path": file}, text(20+r.IntN(250))
		name := "Read"
		switch i % 4 {
		case 1:
			name, out = "Bash", text(r.IntN(60))
			input = map[string]any{"command": "go test ./internal/pkg" + fmt.Sprint(i%9) + " 2>&1 | tail -40", "description": "Run tests"}
		case 2:
			name, out = "Edit", "The file "+file+" has been updated."
			input = map[string]any{"file_path": file, "old_string": text(4), "new_string": text(6)}
		}
		b, _ := json.Marshal(input)
		m := call(id, name, string(b))
		m.Blocks = append([]transcript.Block{{Type: transcript.Text, Text: "Now " + name + " " + file + " to see " + names[r.IntN(len(names))] + "."}}, m.Blocks...)
		ms = append(ms, m, answered(id, out))
		size += len(b) + len(out) + 60
		if i%30 == 29 {
			ms = append(ms, prompt("go on with "+names[r.IntN(len(names))]))
		}
	}
	return ms
}

func BenchmarkTrim(b *testing.B) {
	for _, size := range []int{100_000, 1_000_000} {
		ms := recorded(size)
		n := len(textsOf(ms))
		b.Run(fmt.Sprintf("%dk", size/1000), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Trim(ms, Options{Budget: 30_000}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
