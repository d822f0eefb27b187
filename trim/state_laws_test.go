package trim

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
	"github.com/satchel-dev/satchel/trim/subject"
)

// A worker is a conversation that really edits files, of lines that all differ, and
// knows what stands in them.
type worker struct {
	r     *rand.Rand
	ms    []transcript.Message
	files map[string][]string
	order []string // files by their last edit
	made  int
	never []string // lines that edits which failed would have written
}

func (w *worker) line() string {
	w.made++
	return fmt.Sprintf("\tvalue%d := compute(step, %d, total) // of the work", w.made, w.made)
}

func (w *worker) lines(n int) (out []string) {
	for range n {
		out = append(out, w.line())
	}
	return out
}

func (w *worker) do(name string, input map[string]any, out string, failed bool) {
	raw, _ := json.Marshal(input)
	id := fmt.Sprint("c", len(w.ms))
	w.ms = append(w.ms, call(id, name, string(raw)))
	r := answered(id, out)
	r.Blocks[0].Failed = failed
	w.ms = append(w.ms, r)
}

func (w *worker) step() {
	paths := make([]string, 0, len(w.files))
	for p := range w.files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	p := ""
	if len(paths) > 0 {
		p = paths[w.r.IntN(len(paths))]
	}
	switch n := w.r.IntN(12); {
	case p == "" || n == 0:
		p = fmt.Sprintf("/repo/pkg%d/file%d.go", w.r.IntN(4), w.r.IntN(20))
		w.files[p] = w.lines(2 + w.r.IntN(30))
		w.do("Write", map[string]any{"file_path": p, "content": strings.Join(w.files[p], "\n")}, "ok", false)
		w.touch(p)
	case n == 1:
		w.ms = append(w.ms, prompt(fmt.Sprintf("Now see to number%d of what is left, and never touch number%d.\n%s", len(w.ms), len(w.ms)+1, strings.Repeat("It matters more than the others. ", w.r.IntN(60)))))
	case n == 2:
		w.do("Read", map[string]any{"file_path": p}, strings.Join(w.files[p], "\n"), false)
	case n == 3:
		w.do("Bash", map[string]any{"command": "go test ./pkg" + fmt.Sprint(w.r.IntN(4))}, strings.Join(w.lines(w.r.IntN(20)), "\n"), w.r.IntN(2) == 0)
	default:
		lines := w.files[p]
		from := w.r.IntN(len(lines))
		to := min(len(lines), from+1+w.r.IntN(5))
		now := w.lines(1 + w.r.IntN(5))
		input := map[string]any{"file_path": p, "old_string": strings.Join(lines[from:to], "\n"), "new_string": strings.Join(now, "\n")}
		if n == 4 {
			w.never = append(w.never, now...)
			w.do("Edit", input, "<tool_use_error>String to replace not found in file.</tool_use_error>", w.r.IntN(2) == 0)
			return
		}
		w.do("Edit", input, "The file has been updated.", false)
		w.files[p] = slices.Concat(lines[:from:from], now, lines[to:])
		w.touch(p)
	}
}

func (w *worker) touch(p string) {
	w.order = append(slices.DeleteFunc(w.order, func(x string) bool { return x == p }), p)
}

// digestOf returns the digest of a result, and the rest of its text.
func digestOf(res *Result) (digest, rest string) {
	if len(res.Messages) > 0 && res.Messages[0].Kind == transcript.Summary {
		return textsOf(res.Messages[:1]), textsOf(res.Messages[1:])
	}
	return "", textsOf(res.Messages)
}

// writes finds the lines that a worker writes.
var writes = regexp.MustCompile(`value\d+ := compute\(step, \d+, total\)`)

// TestState: the laws of what a digest says stands now. Every message of the user is
// shown, whole or its ends, or is among what was omitted; so is every one of the last
// ten files that were edited; no line is shown as current that an edit took out, nor
// one that an edit which failed would have written.
func TestState(t *testing.T) {
	for seed := range rounds(50, 150) {
		w := &worker{r: rand.New(rand.NewPCG(seed, 5)), files: make(map[string][]string)}
		w.ms = append(w.ms, prompt("make it work"))
		for range 10 + w.r.IntN(120) {
			w.step()
		}
		o := Options{Budget: 300 + w.r.IntN(6000)}
		res, err := Trim(w.ms, o)
		if err != nil || !res.Changed {
			continue
		}
		digest, rest := digestOf(res)
		omitted := make(map[int]bool)
		for _, x := range res.Omitted {
			omitted[x.Message] = true
		}
		for i := range w.ms {
			if m := &w.ms[i]; m.Kind == transcript.Prompt && !omitted[i] && !strings.Contains(digest+rest, strings.TrimSpace(m.Blocks[0].Text)) {
				t.Fatalf("seed %d, budget %d: message %d of the user is neither shown nor omitted: %.80q", seed, o.Budget, i, m.Blocks[0].Text)
			}
		}
		for _, p := range w.order[max(0, len(w.order)-10):] {
			if strings.Contains(digest+rest, p[strings.LastIndex(p, "/")+1:]) {
				continue
			}
			if !slices.ContainsFunc(res.Omitted, func(x Omission) bool {
				return strings.Contains(string(w.ms[x.Message].Blocks[x.Block].Input), p)
			}) {
				t.Fatalf("seed %d, budget %d: %s is neither named nor omitted:\n%s", seed, o.Budget, p, digest)
			}
		}
		stands := make(map[string]bool)
		for _, lines := range w.files {
			for _, l := range lines {
				stands[writes.FindString(l)] = true
			}
		}
		files, _, _ := strings.Cut(digest[strings.Index(digest+"# Files", "# Files"):], "\n# Commands")
		for line := range strings.Lines(files) {
			if l := writes.FindString(line); l != "" && !strings.HasPrefix(line, "-") && !stands[l] {
				t.Fatalf("seed %d, budget %d: shown as current, and is not: %s\n%s", seed, o.Budget, line, files)
			}
		}
		for _, l := range w.never {
			if strings.Contains(digest, strings.TrimSpace(l)) {
				t.Fatalf("seed %d, budget %d: an edit that failed wrote: %s\n%s", seed, o.Budget, l, digest)
			}
		}
		again, err := Trim(w.ms, o)
		if err != nil || textsOf(again.Messages) != textsOf(res.Messages) {
			t.Fatalf("seed %d: not the same twice", seed)
		}
	}
}

// TestManyEdited: as many files as there are names for do not take the budget.
func TestManyEdited(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	ms := []transcript.Message{prompt("rename it everywhere")}
	for i := range 1500 {
		id := fmt.Sprint("c", i)
		ms = append(ms, call(id, "Edit", fmt.Sprintf(`{"file_path":"/repo/folder%d/file%d.go","old_string":"a","new_string":"b"}`, i, i)), answered(id, "ok"))
	}
	ms = append(ms, prompt("go on"))
	for _, budget := range []int{300, 1000, 4000, 20_000} {
		res, err := Trim(ms, Options{Budget: budget})
		if err != nil {
			t.Errorf("Trim(budget %d): %v", budget, err)
			continue
		}
		digest, rest := digestOf(res)
		if !strings.Contains(digest, "rename it everywhere") {
			t.Errorf("Trim(budget %d): the user's words are gone:\n%.600s", budget, digest)
		}
		if !strings.Contains(digest+rest, "file1499.go") {
			t.Errorf("Trim(budget %d): the newest file is not named:\n%.600s", budget, digest)
		}
	}
}

// TestMaskComposed: a secret that stands in no edit, but in what two of them make.
func TestMaskComposed(t *testing.T) {
	const secret = "token-0123456789abcdef"
	ms := []transcript.Message{prompt("set the token"),
		call("1", "Edit", `{"file_path":"/repo/a.go","old_string":"x","new_string":"const header = 1\nconst token = \"token-0123PLACEHOLDER\"\nconst footer = 2"}`), answered("1", "ok"),
		call("2", "Edit", `{"file_path":"/repo/a.go","old_string":"PLACEHOLDER","new_string":"456789abcdef"}`), answered("2", "ok"),
	}
	for i := range 30 {
		id := fmt.Sprint("r", i)
		ms = append(ms, call(id, "Bash", `{"command":"ls"}`), answered(id, numbered(40, "file "+id)))
	}
	mask := func(b transcript.Block) transcript.Block {
		b.Text = strings.ReplaceAll(b.Text, secret, "[REDACTED]")
		return b
	}
	seen := false
	for _, budget := range []int{200, 400, 800, 1600, 3000} {
		for _, m := range []func(transcript.Block) transcript.Block{nil, mask} {
			res, err := Trim(ms, Options{Budget: budget, Mask: m})
			if err != nil {
				t.Fatal(err)
			}
			has := strings.Contains(textsOf(res.Messages), secret)
			seen = seen || has
			if m != nil && has {
				t.Errorf("Trim(budget %d): the secret is shown:\n%s", budget, textsOf(res.Messages[:1]))
			}
		}
	}
	if !seen {
		t.Error("without a mask no digest shows what the two edits make")
	}
}

// TestSameTwice: subjects do not depend on the order of maps.
func TestSameTwice(t *testing.T) {
	ms := recorded(60_000)
	first := fmt.Sprintf("%+v", subject.Open(reuse.Open(ms)).Files[0].Hunks)
	res, err := Trim(ms, Options{Budget: 4000})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := Trim(ms, Options{Budget: 4000})
		if err != nil || textsOf(again.Messages) != textsOf(res.Messages) {
			t.Fatal("Trim gave two results for the same input")
		}
	}
	if len(first) == 0 {
		t.Fatal("no hunk")
	}
}
