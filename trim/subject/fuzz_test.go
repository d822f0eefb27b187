package subject

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// A desk is a conversation that really edits a file, whose lines all differ.
type desk struct {
	r     *rand.Rand
	lines []string
	made  int
	deeds []did
}

func (d *desk) fresh(n int) (out []string) {
	for range n {
		d.made++
		out = append(out, fmt.Sprintf("\tline%d := made(when, %d, lines)", d.made, d.made))
	}
	return out
}

// step changes some lines in a row, in one of the ways in which agents do.
func (d *desk) step() {
	if d.r.IntN(40) == 0 {
		d.lines = d.fresh(1 + d.r.IntN(20))
		d.deeds = append(d.deeds, write("a.go", strings.Join(d.lines, "\n")))
		return
	}
	from := d.r.IntN(len(d.lines))
	to := min(len(d.lines), from+1+d.r.IntN(4))
	now := d.fresh(d.r.IntN(4))
	if d.r.IntN(3) == 0 { // some of the old lines stay
		now = append(slices.Clone(d.lines[from:to-1]), now...)
	}
	if len(now) == 0 {
		now = d.fresh(1)
	}
	e := edit("a.go", strings.Join(d.lines[from:to], "\n"), strings.Join(now, "\n"))
	switch d.r.IntN(8) {
	case 0: // it did not come about
		d.deeds = append(d.deeds, fail(e, "String to replace not found"))
		return
	case 1:
		patch := []string{"*** Update File: a.go", "@@"}
		for _, l := range d.lines[from:to] {
			patch = append(patch, "-"+l)
		}
		for _, l := range now {
			patch = append(patch, "+"+l)
		}
		e = codexPatch(patch...)
	}
	d.deeds = append(d.deeds, e)
	d.lines = slices.Concat(d.lines[:from:from], now, d.lines[to:])
}

// TestComposedIsTrue: what hunks wrote stands in the file, and what they say it
// replaced stood there at first.
func TestComposedIsTrue(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	for seed := range uint64(300) {
		d := &desk{r: rand.New(rand.NewPCG(seed, 3))}
		d.lines = d.fresh(3 + d.r.IntN(30))
		first := "\n" + strings.Join(d.lines, "\n") + "\n"
		for range d.r.IntN(40) {
			d.step()
		}
		s := opened(d.deeds...)
		if len(s.Files) == 0 {
			continue
		}
		f, now := s.Files[0], "\n"+strings.Join(d.lines, "\n")+"\n"
		whole := len(f.Hunks) > 0 && f.Hunks[0].Whole
		for _, h := range f.Hunks {
			if !strings.Contains(now, "\n"+h.New+"\n") {
				t.Fatalf("seed %d: a hunk says what is not in the file:\n%s\nthe file:%s\nhunks:\n%s", seed, h.New, now, state(s))
			}
			if !whole && f.whole < 0 && !strings.Contains(first, "\n"+h.Old+"\n") {
				t.Fatalf("seed %d: a hunk replaced what never was in the file:\n%s\nthe file:%s\nhunks:\n%s", seed, h.Old, first, state(s))
			}
		}
	}
}

// hostile makes conversations of parts that are hard to take apart.
func hostile(r *rand.Rand) []transcript.Message {
	piece := func() string {
		return []string{"a.go", "/r/a.go", "x", alpha, alpha + "\n" + beta, beta + "\n" + gamma, "", "\n", "'", `"`, "*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n", "*** End Patch", "*** Move to: b.go", "*** Delete File: a.go",
			"<<EOF", "EOF", "> a.go", "&& sed -i x a.go", "cd /r;", "cd ..", "git checkout .", "\\", "$(", "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE", "\xff", "- [ ] a\n- [x] b", "session ID 7", "exit code 1", "[", "*", "../..", "C:\\a", "~", "7", "true", "Error: x"}[r.IntN(36)]
	}
	text := func() string {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString(piece())
			b.WriteString([]string{"", " ", "\n"}[r.IntN(3)])
		}
		return b.String()
	}
	names := []string{"Edit", "Write", "Read", "Bash", "apply_patch", "TodoWrite", "TaskCreate", "TaskUpdate", "ExitPlanMode", "write_stdin", "replace_in_file", "MultiEdit", "delete_file", "update_plan", "NotebookEdit", ""}
	keys := []string{"file_path", "path", "old_string", "new_string", "content", "command", "cmd", "input", "diff", "todos", "plan", "taskId", "subject", "status", "session_id", "workdir", "replace_all", "edits", "new_source"}
	ms := []transcript.Message{{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: "go"}}}}
	for i := range r.IntN(30) {
		input := make(map[string]any)
		for range r.IntN(5) {
			key := keys[r.IntN(len(keys))]
			switch r.IntN(6) {
			case 0:
				input[key] = []any{text(), map[string]any{keys[r.IntN(len(keys))]: text()}}
			case 1:
				input[key] = r.IntN(9)
			default:
				input[key] = text()
			}
		}
		raw, _ := json.Marshal(input)
		if r.IntN(20) == 0 {
			raw = []byte("{\"command\":")
		}
		id := strconv.Itoa(i - r.IntN(20)/19)
		ms = append(ms, transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer, Blocks: []transcript.Block{{Type: transcript.Text, Text: text()}, {Type: transcript.Call, ID: id, Name: names[r.IntN(len(names))], Input: raw}}})
		if r.IntN(10) > 0 {
			ms = append(ms, transcript.Message{Role: transcript.User, Kind: transcript.Results, Blocks: []transcript.Block{{Type: transcript.Result, ID: id, Text: text(), Failed: r.IntN(5) == 0}}})
		}
	}
	return ms
}

func FuzzOpen(f *testing.F) {
	if testing.Short() {
		f.Skip("takes about a second")
	}
	for seed := range uint64(300) {
		f.Add(seed, "go test ./...", "*** Begin Patch\n*** Update File: a.go\n@@\n-1\n+2")
	}
	f.Fuzz(func(t *testing.T, seed uint64, command, patch string) {
		ms := hostile(rand.New(rand.NewPCG(seed, 4)))
		ms = append(ms, messages(bash(command, patch), did{name: "apply_patch", in: in{"input", patch}, out: command}, did{says: patch + command})...)
		s := Open(reuse.Open(ms))
		for _, f := range s.Files {
			if f.Path == "" || f.Edits+len(f.Reads) == 0 && f.By == "" || len(f.Hunks) > mostHunks {
				t.Fatalf("a file that is none: %+v", f)
			}
			for _, h := range f.Hunks {
				if len(h.Parts) == 0 || !slices.IsSorted(h.Parts) {
					t.Fatalf("a hunk that nobody made: %+v", h)
				}
			}
		}
		for _, c := range s.Commands {
			if len(c.Runs) == 0 || c.Last().Command != c {
				t.Fatalf("a command that did not run: %+v", c)
			}
		}
		if again := Open(reuse.Open(ms)); state(s) != state(again) || len(s.Commands) != len(again.Commands) || (s.Broken == nil) != (again.Broken == nil) {
			t.Fatal("not the same twice")
		}
	})
}

// TestLinear counts the bytes that are looked at: never more than a multiple of those
// that there are, whatever a conversation does.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("long conversations")
	}
	many := func(n int, f func(i int) did) (out []did) {
		for i := range n {
			out = append(out, f(i))
		}
		return out
	}
	line := func(i int) string { return fmt.Sprintf("line%d := made(when, lines)", i) }
	big := strings.Repeat("this line is no line that is alone\n", 10_000)
	for name, deeds := range map[string][]did{
		"edits of one file":       many(4000, func(i int) did { return edit("a.go", line(i), line(i+4000)) }),
		"edits of one place":      many(4000, func(i int) did { return edit("a.go", line(i), line(i+1)) }),
		"edits that grow":         many(3000, func(i int) did { return edit("a.go", line(i), line(i)+"\n"+line(i+1)) }),
		"edits of a large file":   append([]did{write("a.go", big)}, many(3000, func(int) did { return edit("a.go", "no line", "a line") })...),
		"edits that nearly match": append([]did{edit("a.go", "x", big)}, many(1000, func(i int) did { return edit("a.go", big[:1000]+strconv.Itoa(i), "x") })...),
		"files":                   many(4000, func(i int) did { return edit("/r/"+strconv.Itoa(i)+".go", "1", "2") }),
		"files in many folders":   many(2500, func(i int) did { return read("/r/"+strings.Repeat(strconv.Itoa(i)+"/", 60)+"a.go", "x") }),
		"relative files":          many(4000, func(i int) did { return read(strconv.Itoa(i)+".go", "x") }),
		"commands that change":    append(many(1500, func(i int) did { return edit(strconv.Itoa(i)+".go", "1", "2") }), many(3000, func(int) did { return bash("git stash; rm x y z", "") })...),
		"a long path":             {edit("/"+strings.Repeat("a/", 200_000), "1", "2"), codexPatch("*** Update File: "+strings.Repeat("a/", 200_000), "@@", "-1", "+2"), bash("rm "+strings.Repeat("a/", 200_000), "")},
		"a patch without end":     {{name: "apply_patch", in: in{"input", "*** Begin Patch\n" + strings.Repeat("*** Update File: a.go\n@@\n-x\n+y\n", 20_000)}, out: "ok"}},
		"words of a command":      {edit("a.go", "1", "2"), bash("rm "+strings.Repeat("x ", 200_000), "")},
		"tasks": many(4000, func(i int) did {
			return did{name: "TaskCreate", in: in{"subject", line(i)}, out: "Task #" + strconv.Itoa(i)}
		}),
		"commands":        many(4000, func(i int) did { return fail(bash("go test ./p"+strconv.Itoa(i), ""), "FAIL") }),
		"polls":           append([]did{bash("go test", "session ID 7")}, many(4000, func(int) did { return did{name: "write_stdin", in: in{"session_id", 7}} })...),
		"lists of checks": many(2000, func(int) did { return did{says: strings.Repeat("- [ ] x\n", 20)} }),
		"blocks of Cline": {{name: "replace_in_file", in: in{"path", "a.go", "diff", strings.Repeat("<<<<<<< SEARCH\nx\n=======\n", 20_000)}, out: "ok"}},
		"quotes":          {bash(strings.Repeat("'\"", 100_000), "")},
		"documents":       {bash(strings.Repeat("cat <<E ", 10_000)+"\n"+strings.Repeat("x\n", 10_000), "")},
	} {
		t.Run(name, func(t *testing.T) {
			c := reuse.Open(messages(deeds...))
			size := 0
			for p := range c.Parts {
				size += len(c.Parts[p].Text)
			}
			o := open(c)
			if most, did := looksAt*size+looksFreely, looksAt*size+looksFreely-o.work; did > most+2*size {
				t.Errorf("%d bytes looked at for %d", did, size)
			}
			if o.looks > mostLooks+1+len(o.s.Files) {
				t.Errorf("%d files looked at", o.looks)
			}
			for _, f := range o.s.Files {
				if len(f.Path) > maxPath || len(f.Hunks) > mostHunks {
					t.Errorf("file %.40q has %d hunks", f.Path, len(f.Hunks))
				}
				for _, h := range f.Hunks {
					if len(h.Parts) > mostParts {
						t.Errorf("a hunk of %d calls", len(h.Parts))
					}
				}
			}
		})
	}
}
