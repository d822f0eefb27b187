package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

var update = flag.Bool("update", false, "rewrite testdata/ranking/golden.txt")

// The ranking corpus is testdata/ranking/*.txtar: one small repository each, and
// tasks with the files that ought to win. An archive holds, in this order,
//
//	-- history --   a line "DATE MESSAGE" for each commit, oldest first, and
//	                below it, indented, the files that it touches
//	-- tasks --     "== NAME (KIND)", the task's text, and a line
//	                "want PATH" or "want PATH: TEXT" for each wanted file
//	-- repo/… --    the files as they are after the last commit
//
// A path in the history that ends in a slash means the files below it, and *
// all files of the repository. A file that n commits touch grows from commit to
// commit: the k-th leaves the first k/n of its lines. TEXT is a part of exactly
// one line of the file, the one that the change would begin at.
const (
	corpusGlob = "testdata/ranking/*.txtar"
	goldenFile = "testdata/ranking/golden.txt"
)

// corpusBudgets are an eighth and a quarter of a repository of the corpus, so
// that a pack has to choose.
var corpusBudgets = [...]int{1000, 2000}

type corpus struct {
	name    string
	about   string
	dir     string // the repository that build made
	files   map[string][]byte
	commits []revision
	tasks   []question
}

type revision struct {
	time    time.Time
	message string
	paths   []string
}

type question struct {
	name, kind, text string
	want             []answer
}

// An answer is a wanted file, and the line of it to show; 0 if any will do.
type answer struct {
	path string
	line int
}

func TestRanking(t *testing.T) {
	names, err := filepath.Glob(corpusGlob)
	if err != nil || len(names) == 0 {
		t.Fatalf("no corpus in %s: %v", corpusGlob, err)
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	all := make([]*corpus, len(names))
	for i, name := range names {
		all[i] = readCorpus(t, name)
		all[i].build(t)
	}
	tables := make([]string, len(names))
	sums := make([]measures, len(names))
	var wg sync.WaitGroup
	for i, c := range all {
		wg.Go(func() {
			var err error
			if tables[i], sums[i], err = c.rank(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	var total measures
	for _, m := range sums {
		total.add(m)
	}
	got := strings.Join(tables, "\n") + "\n" + total.line("total") + "\n"
	if *update {
		if err := os.WriteFile(goldenFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s (-want +got), make golden rewrites it:\n%s", goldenFile, rowDiff(string(want), got))
	}
}

// rowFormat makes each wanted file one line that says everything, since a diff
// shows single lines.
const rowFormat = "%4s  %-4s  %-4s  %-13s  %-17s  %s\n"

// rowDiff returns the lines that only one of two tables has, whole, where
// cmp.Diff cuts them. It is empty if only their order differs.
func rowDiff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for i := range max(len(w), len(g)) {
		if i < len(w) && !slices.Contains(g, w[i]) {
			fmt.Fprintf(&b, "-%s\n", w[i])
		}
		if i < len(g) && !slices.Contains(w, g[i]) {
			fmt.Fprintf(&b, "+%s\n", g[i])
		}
	}
	return b.String()
}

// rank asks the engine about each task and returns the corpus's rows of the
// table.
func (c *corpus) rank() (string, measures, error) {
	var m measures
	ctx := context.Background()
	e, err := engine.Open(ctx, &engine.Options{Dir: c.dir, NoCache: true})
	if err != nil {
		return "", m, err
	}
	defer e.Close()
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n%d files, %d commits, %d tasks\n\n", c.name, c.about, len(c.files), len(c.commits), len(c.tasks))
	fmt.Fprintf(&b, rowFormat, "rank", "1k", "2k", "task", "kind", "file")
	for _, q := range c.tasks {
		var packs [len(corpusBudgets)]*satchel.Pack
		var order []string // the same with each budget
		for i, budget := range corpusBudgets {
			req := satchel.Request{Task: q.text, Rev: "main", Budget: budget}
			if packs[i], order, err = e.PackRanked(ctx, req); err != nil {
				return "", m, fmt.Errorf("task %s: %w", q.name, err)
			}
			if used := packs[i].Used; used > budget {
				return "", m, fmt.Errorf("task %s: the pack has %d tokens, want at most %d", q.name, used, budget)
			}
		}
		var ranks []int
		for _, a := range q.want {
			rank := slices.Index(order, a.path) + 1
			m.wanted++
			var cells [len(packs)]string
			for i, p := range packs {
				cells[i] = shown(p, a)
				if cells[i] == "line" || cells[i] == "file" && a.line == 0 {
					m.shown[i]++
				}
			}
			text := fmt.Sprint(rank)
			if rank == 0 {
				text = "none" // excluded before anything was ranked
			} else {
				ranks = append(ranks, rank)
			}
			where := a.path
			if a.line > 0 {
				where += fmt.Sprintf(":%d", a.line)
			}
			fmt.Fprintf(&b, rowFormat, text, cells[0], cells[1], q.name, q.kind, where)
		}
		m.task(ranks, len(q.want))
	}
	fmt.Fprintf(&b, "\n%s\n", m.line(c.name))
	return b.String(), m, nil
}

// shown says whether a pack shows the wanted line, other lines of the file, or
// nothing of it but perhaps its name.
func shown(p *satchel.Pack, a answer) string {
	s := "-"
	for _, e := range p.Entries {
		if e.Ref.Path != a.path {
			continue
		}
		for _, l := range e.Lines {
			if l.From <= a.line && a.line <= l.To {
				return "line"
			}
			s = "file"
		}
	}
	return s
}

// measures sum up what tasks came to. Sums of all tasks, not means of
// repositories.
type measures struct {
	tasks       int
	acc, hit    int                     // tasks whose only wanted file is first; any wanted file is
	recall, mrr float64                 // within the first five; of the first wanted file
	wanted      int                     // files
	shown       [len(corpusBudgets)]int // those that a pack shows, at the wanted line
}

func (m *measures) task(ranks []int, want int) {
	m.tasks++
	within := 0
	for _, r := range ranks {
		if r <= 5 {
			within++
		}
	}
	m.recall += float64(within) / float64(want)
	if len(ranks) > 0 {
		best := slices.Min(ranks)
		m.mrr += 1 / float64(best)
		if best == 1 {
			m.hit++
			if want == 1 {
				m.acc++
			}
		}
	}
}

func (m *measures) add(o measures) {
	m.tasks += o.tasks
	m.acc += o.acc
	m.hit += o.hit
	m.recall += o.recall
	m.mrr += o.mrr
	m.wanted += o.wanted
	for i, n := range o.shown {
		m.shown[i] += n
	}
}

func (m measures) line(name string) string {
	n := float64(max(m.tasks, 1))
	return fmt.Sprintf("%-10s Acc@1 %.3f   Hit@1 %.3f   recall@5 %.3f   MRR %.3f   shown in 1k %d, in 2k %d of %d",
		name, float64(m.acc)/n, float64(m.hit)/n, m.recall/n, m.mrr/n, m.shown[0], m.shown[1], m.wanted)
}

// readCorpus reads an archive, and fails on anything in it that would measure
// nothing.
func readCorpus(t *testing.T, name string) *corpus {
	t.Helper()
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c := &corpus{
		name:  strings.TrimSuffix(filepath.Base(name), ".txtar"),
		about: strings.TrimSpace(string(ar.Comment)),
		files: map[string][]byte{},
	}
	if len(ar.Files) < 3 || ar.Files[0].Name != "history" || ar.Files[1].Name != "tasks" {
		t.Fatalf("%s: want history, tasks and the files of a repository", name)
	}
	for _, f := range ar.Files[2:] {
		path, ok := strings.CutPrefix(f.Name, "repo/")
		if _, twice := c.files[path]; !ok || twice {
			t.Fatalf("%s: file %s: want it once, below repo/", name, f.Name)
		}
		c.files[path] = f.Data
	}
	if err := c.readHistory(string(ar.Files[0].Data)); err != nil {
		t.Fatalf("%s: history: %v", name, err)
	}
	if err := c.readTasks(string(ar.Files[1].Data)); err != nil {
		t.Fatalf("%s: tasks: %v", name, err)
	}
	return c
}

func (c *corpus) readHistory(text string) error {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if pattern, ok := strings.CutPrefix(line, "  "); ok && len(c.commits) > 0 {
			last := &c.commits[len(c.commits)-1]
			n := len(last.paths)
			for _, p := range slices.Sorted(maps.Keys(c.files)) {
				if p == pattern || pattern == "*" || strings.HasSuffix(pattern, "/") && strings.HasPrefix(p, pattern) {
					last.paths = append(last.paths, p)
				}
			}
			if len(last.paths) == n {
				return fmt.Errorf("no file is called %s", pattern)
			}
			continue
		}
		date, message, _ := strings.Cut(line, " ")
		day, err := time.Parse(time.DateOnly, date)
		if err != nil || message == "" {
			return fmt.Errorf("line %q: want DATE MESSAGE", line)
		}
		c.commits = append(c.commits, revision{time: day, message: message})
	}
	for i, r := range c.commits {
		slices.Sort(r.paths)
		c.commits[i].paths = slices.Compact(r.paths)
	}
	for p := range c.files {
		if !slices.ContainsFunc(c.commits, func(r revision) bool { return slices.Contains(r.paths, p) }) {
			return fmt.Errorf("no commit touches %s", p)
		}
	}
	return nil
}

func (c *corpus) readTasks(text string) error {
	for _, block := range strings.Split("\n"+text, "\n== ")[1:] {
		head, body, _ := strings.Cut(block, "\n")
		name, kind, ok := strings.Cut(strings.TrimSuffix(head, ")"), " (")
		if !ok {
			return fmt.Errorf("line %q: want == NAME (KIND)", "== "+head)
		}
		q := question{name: name, kind: kind}
		var says []string
		for line := range strings.Lines(body) {
			line = strings.TrimRight(line, "\n")
			wanted, ok := strings.CutPrefix(line, "want ")
			if !ok {
				says = append(says, line)
				continue
			}
			path, mark, marked := strings.Cut(wanted, ": ")
			data, ok := c.files[path]
			if !ok {
				return fmt.Errorf("%s: no file is called %s", name, path)
			}
			a := answer{path: path}
			if marked {
				if n := bytes.Count(data, []byte(mark)); n != 1 {
					return fmt.Errorf("%s: %q is in %s %d times, want once", name, mark, path, n)
				}
				a.line = 1 + bytes.Count(data[:bytes.Index(data, []byte(mark))], []byte("\n"))
			}
			q.want = append(q.want, a)
		}
		q.text = strings.TrimSpace(strings.Join(says, "\n"))
		if q.text == "" || len(q.want) == 0 {
			return fmt.Errorf("%s: want a text and at least one wanted file", name)
		}
		c.tasks = append(c.tasks, q)
	}
	if len(c.tasks) == 0 {
		return fmt.Errorf("there are none")
	}
	return nil
}

// build makes the repository, without a work tree, by one git process that
// reads nothing of the host's configuration.
func (c *corpus) build(t *testing.T) {
	t.Helper()
	r := gittest.New(t, "--bare", "--object-format=sha1")
	r.Input(string(c.stream()), "fast-import", "--quiet")
	c.dir = r.Dir
}

// stream is the history as git fast-import reads it.
func (c *corpus) stream() []byte {
	touches, seen := map[string]int{}, map[string]int{}
	for _, r := range c.commits {
		for _, p := range r.paths {
			touches[p]++
		}
	}
	var b bytes.Buffer
	for _, r := range c.commits {
		fmt.Fprintf(&b, "commit refs/heads/main\ncommitter A <a@example.org> %d +0000\ndata %d\n%s\n", r.time.Unix(), len(r.message), r.message)
		for _, p := range r.paths {
			seen[p]++
			lines := bytes.SplitAfter(c.files[p], []byte("\n"))
			text := bytes.Join(lines[:(len(lines)*seen[p]+touches[p]-1)/touches[p]], nil)
			fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", p, len(text), text)
		}
	}
	return b.Bytes()
}

// What would measure nothing is an error: a path that moved, a line that is
// gone, a file that no commit made.
func TestCorpusErrors(t *testing.T) {
	files := map[string][]byte{"a.go": []byte("package a\n\nfunc A() {}\nfunc B() {}\n"), "b/b.go": nil}
	history := "2024-01-01 all\n  *\n"
	for _, c := range []struct{ history, tasks, want string }{
		{history, "== x (prose)\ntext\nwant a.go: func A\n", ""},
		{"2024-01-01 all\n  a.go\n  b/\n", "== x (prose)\ntext\nwant b/b.go\n", ""},
		{"2024-01-01 all\n  *\n  c.go\n", "", "no file is called c.go"},
		{"2024-01-01 some\n  b/\n", "", "no commit touches a.go"},
		{"January all\n  *\n", "", `line "January all": want DATE MESSAGE`},
		{history, "", "there are none"},
		{history, "== x\ntext\nwant a.go\n", `line "== x": want == NAME (KIND)`},
		{history, "== x (prose)\ntext\nwant c.go\n", "x: no file is called c.go"},
		{history, "== x (prose)\ntext\nwant a.go: func\n", `x: "func" is in a.go 2 times, want once`},
		{history, "== x (prose)\ntext\n", "x: want a text and at least one wanted file"},
		{history, "== x (prose)\nwant a.go\n", "x: want a text and at least one wanted file"},
	} {
		r := &corpus{files: files}
		err := r.readHistory(c.history)
		if err == nil {
			err = r.readTasks(c.tasks)
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("history %q, tasks %q: error %q, want %q", c.history, c.tasks, got, c.want)
		}
	}
}

func TestMeasures(t *testing.T) {
	var m measures
	m.task([]int{1}, 1)       // the only one
	m.task([]int{4, 1, 6}, 4) // one of four is excluded
	m.task(nil, 1)            // so is the only one
	m.wanted, m.shown[1] = 6, 3
	got := m.line("three")
	want := "three      Acc@1 0.333   Hit@1 0.667   recall@5 0.500   MRR 0.667   shown in 1k 0, in 2k 3 of 6"
	if got != want {
		t.Errorf("measures = %s\nwant       %s", got, want)
	}
}
