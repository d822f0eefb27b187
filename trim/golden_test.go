package trim

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/satchel-dev/satchel/transcript"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden shows conversations before and after a trim, as a person reads
// them. The comment of each file says what to look for and ends with the
// budget.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Count: func(s string) int { return len(s) / 4 }}
			for l := range strings.Lines(string(a.Comment)) {
				if v, ok := strings.CutPrefix(strings.TrimSpace(l), "budget "); ok {
					o.Budget, _ = strconv.Atoi(v)
				}
				if v, ok := strings.CutPrefix(strings.TrimSpace(l), "pin "); ok {
					n, _ := strconv.Atoi(v)
					o.Pins = append(o.Pins, n)
				}
			}
			in := readScript(t, string(a.Files[0].Data))
			checkAgain(t, in, o, checkLaws(t, in, o))
			res, err := Trim(in, o)
			if err != nil {
				t.Fatal(err)
			}
			got := script(res)
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "out", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(a.Files) < 2 {
				t.Fatal("no output yet: run with -update")
			}
			if d := cmp.Diff(string(a.Files[1].Data), got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// readScript reads the little language of the golden files: a line that begins
// with "### " opens a block.
//
//	### user | client | assistant | thinking
//	### call ID TOOL {"input": …}
//	### result ID | failed ID
func readScript(t *testing.T, text string) []transcript.Message {
	t.Helper()
	var ms []transcript.Message
	for _, part := range strings.Split("\n"+text, "\n### ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		f := strings.SplitN(head, " ", 4)
		b := transcript.Block{Type: transcript.Text, Text: strings.TrimSuffix(body, "\n")}
		role, kind := transcript.Assistant, transcript.Answer
		switch f[0] {
		case "user":
			role, kind = transcript.User, transcript.Prompt
		case "client":
			role, kind = transcript.User, transcript.Meta
		case "assistant":
		case "thinking":
			b.Type = transcript.Thinking
		case "call":
			b = transcript.Block{Type: transcript.Call, ID: f[1], Name: f[2], Input: json.RawMessage(f[3])}
		case "result", "failed":
			role, kind = transcript.User, transcript.Results
			b.Type, b.ID, b.Failed = transcript.Result, f[1], f[0] == "failed"
		default:
			t.Fatalf("unknown block %q", head)
		}
		if n := len(ms); n > 0 && ms[n-1].Role == role && ms[n-1].Kind == kind && kind != transcript.Prompt {
			ms[n-1].Blocks = append(ms[n-1].Blocks, b)
			continue
		}
		ms = append(ms, transcript.Message{Role: role, Kind: kind, Blocks: []transcript.Block{b}})
	}
	return ms
}

// script writes a result in the same language, with the accounts after it.
func script(res *Result) string {
	var b strings.Builder
	for i := range res.Messages {
		m := &res.Messages[i]
		for k := range m.Blocks {
			blk := &m.Blocks[k]
			switch {
			case blk.Type == transcript.Call:
				fmt.Fprintf(&b, "### call %s %s %s\n", blk.ID, blk.Name, blk.Input)
				continue
			case blk.Type == transcript.Result:
				fmt.Fprintf(&b, "### result %s\n", blk.ID)
			case blk.Type == transcript.Thinking:
				b.WriteString("### thinking\n")
			case m.Kind == transcript.Summary:
				b.WriteString("### digest\n")
			default:
				fmt.Fprintf(&b, "### %s\n", m.Role)
			}
			b.WriteString(blk.Text + "\n")
		}
	}
	b.WriteString("\n=== what became of each message\n")
	for _, a := range res.Accounts {
		fmt.Fprintf(&b, "%2d %-8s %3d of %3d lines: %s\n", a.Message, a.Fate, a.Left, a.Lines, a.Why)
	}
	b.WriteString("\n=== what can be fetched\n")
	for _, o := range res.Omitted {
		fmt.Fprintf(&b, "%s message %d block %d: %d lines\n", o.Handle, o.Message, o.Block, o.Lines)
	}
	return b.String()
}
