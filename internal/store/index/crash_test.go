package index

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// writerEnv makes this program a process that indexes, instead of running
// tests: "repository index mode first", see writerMain.
const writerEnv = "SATCHEL_INDEX_TEST_WRITER"

// soakEnv is the number of rounds that TestKill plays; make soak sets it.
const soakEnv = "SATCHEL_SOAK_ROUNDS"

// writerMain views the commits of a repository, oldest first from the given one
// on, in a new Index each, and prints the number of each when its View is there.
func writerMain(args string) int {
	f := strings.Fields(args)
	repo, dir, limit := f[0], f[1], f[2]
	first, err := strconv.Atoi(f[3])
	if err == nil && limit != "none" {
		err = limitFiles(limit)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	ctx := context.Background()
	g, err := git.Open(ctx, repo)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer g.Close()
	for i := first; ; i++ {
		rev := fmt.Sprintf("refs/tags/t%d", i)
		if _, _, err := g.Resolve(ctx, rev); err != nil {
			return 0
		}
		x, err := Open(Options{Dir: dir})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		if i%4 == 3 { // something uncommitted, too
			name := filepath.Join(repo, "dirty.go")
			if err := os.WriteFile(name, []byte(program(1000+i, 3)), 0o666); err != nil {
				fmt.Println(err)
				return 1
			}
			if _, err := x.View(ctx, g, ""); err != nil {
				fmt.Println(err)
				return 1
			}
		}
		if _, err := x.View(ctx, g, rev); err != nil {
			fmt.Println(err)
			return 1
		}
		note := ""
		if n := x.Diagnostics(); len(n) > 0 {
			note = " " + n[0].Text
		}
		fmt.Printf("ok %d%s\n", i, note)
		x.Close()
	}
}

func writerCommand(r *repo, dir, limit string, first int) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %d", writerEnv, r.Dir, dir, limit, first))
	return cmd
}

// tagged makes a repository with n commits, tagged t0, t1, …, that change a few
// files each.
func tagged(t testing.TB, n int) *repo {
	r := newRepo(t)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "commit refs/heads/main\ncommitter a <a@example.org> %d +0000\ndata 9\nstep %04d\n", 1700000000+i, i)
		for k := range 4 {
			text := program(10*i+k, 4+k)
			fmt.Fprintf(&b, "M 100644 inline d%d/f%d.go\ndata %d\n%s\n", k, (i+k)%7, len(text), text)
		}
		fmt.Fprintf(&b, "\nreset refs/tags/t%d\nfrom refs/heads/main\n\n", i)
	}
	r.Input(b.String(), "fast-import", "--quiet")
	return r
}

// TestKill kills a process that indexes, again and again, and checks that what
// it acknowledged is there and that nothing is damaged.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for some seconds")
	}
	rounds := 15
	if s := os.Getenv(soakEnv); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		rounds = n
	}
	const commits = 120
	r := tagged(t, commits)
	g := r.open()
	memory := openIndex(t, Options{})
	dir := t.TempDir()
	next, killed, acknowledged := 0, 0, 0
	for round := range rounds {
		if next >= commits-10 { // start over
			os.RemoveAll(dir)
			next = 0
		}
		cmd := writerCommand(r, dir, "none", next)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// The delays sweep over all that happens between one acknowledgement and
		// the next. Nothing depends on what they hit.
		delay := time.Duration(round*7919%47) * time.Millisecond
		timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		last, left := -1, 1+round%3
		for s := bufio.NewScanner(out); s.Scan(); {
			if _, err := fmt.Sscanf(s.Text(), "ok %d", &last); err != nil || strings.Count(s.Text(), " ") > 1 {
				t.Errorf("round %d: the writer says %q", round, s.Text())
			}
			acknowledged++
			if left--; left == 0 {
				timer.Reset(delay)
			}
		}
		if err := cmd.Wait(); err != nil {
			killed++
		}
		timer.Stop()
		if last < 0 {
			last = next - 1
		}
		checkIndex(t, g, memory, dir, round, last)
		if t.Failed() {
			return
		}
		next = last + 1
	}
	t.Logf("%d rounds, %d killed, %d views acknowledged", rounds, killed, acknowledged)
	if killed == 0 {
		t.Error("no process was killed: the test tests nothing")
	}
}

// checkIndex checks that the index in dir holds all of commit t<last>, and that
// it gives the same view as one in memory.
func checkIndex(t *testing.T, g *git.Repo, memory *Index, dir string, round, last int) {
	t.Helper()
	if last < 0 {
		return
	}
	rev := fmt.Sprintf("refs/tags/t%d", last)
	looked := 0
	x := openIndex(t, Options{Dir: dir, Progress: func(string, int, int) { looked++ }})
	defer x.Close()
	got := dumped(view(t, x, g, rev))
	if looked > 0 {
		t.Errorf("round %d: %s was acknowledged, and is not all there", round, rev)
	}
	if n := x.Diagnostics(); len(n) > 0 {
		t.Errorf("round %d: notes %v", round, n)
	}
	if diff := cmp.Diff(dumped(view(t, memory, g, rev)), got); diff != "" {
		t.Errorf("round %d: %s (-memory +disk):\n%s", round, rev, diff)
	}
}

// Several processes index at once; each sees what there is to see, and what
// they leave behind is whole.
func TestSeveralProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r := tagged(t, 12)
	dir := t.TempDir()
	var cmds []*exec.Cmd
	var outs []*strings.Builder
	for range 3 {
		cmd := writerCommand(r, dir, "none", 0)
		out := &strings.Builder{}
		cmd.Stdout = out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil || strings.Count(outs[i].String(), "ok ") != 12 || strings.Contains(outs[i].String(), "again") {
			t.Errorf("process %d: %v\n%s", i, err, outs[i])
		}
	}
	memory := openIndex(t, Options{})
	x := openIndex(t, Options{Dir: dir})
	for i := range 12 {
		rev := fmt.Sprintf("refs/tags/t%d", i)
		if diff := cmp.Diff(dumped(view(t, memory, r.open(), rev)), dumped(view(t, x, r.open(), rev))); diff != "" {
			t.Errorf("%s (-memory +disk):\n%s", rev, diff)
		}
	}
	if n := x.Diagnostics(); len(n) > 0 {
		t.Errorf("notes %v", n)
	}
}

// While another process holds the lock, a View works in memory.
func TestLocked(t *testing.T) {
	r := sample(t)
	dir := t.TempDir()
	unlock, err := openStore(dir, version()).lock()
	if err != nil {
		t.Fatal(err)
	}
	x := openIndex(t, Options{Dir: dir})
	want := dumped(view(t, openIndex(t, Options{}), r.open(), ""))
	if diff := cmp.Diff(want, dumped(view(t, x, r.open(), ""))); diff != "" {
		t.Errorf("(-memory +locked):\n%s", diff)
	}
	if n := x.Diagnostics(); len(n) > 0 {
		t.Errorf("notes %v", n)
	}
	if _, err := os.Stat(filepath.Join(dir, manifestName)); err == nil {
		t.Error("a process without the lock wrote a manifest")
	}
	unlock()
	// The next that writes takes what is in memory only along.
	r.Write("more.go", "package main\n")
	r.Commit("more")
	view(t, x, r.open(), "")
	if _, err := os.Stat(filepath.Join(dir, manifestName)); err != nil {
		t.Error(err)
	}
}

// Whatever happens to a file of the index, the View is the same, and the damage
// is noted and repaired.
func TestDamagedFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r := sample(t)
	r.Write("uncommitted.go", program(1, 2))
	g := r.open()
	dir := t.TempDir()
	for _, rev := range []string{"HEAD~1", "HEAD", ""} {
		view(t, openIndex(t, Options{Dir: dir}), g, rev)
	}
	want := dumped(view(t, openIndex(t, Options{}), g, ""))
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	damages := map[string]func(name string, b []byte) error{
		"truncated": func(name string, b []byte) error { return replace(name, b[:len(b)/2]) },
		"empty":     func(name string, b []byte) error { return replace(name, nil) },
		"removed":   func(name string, b []byte) error { return os.Remove(name) },
		"longer":    func(name string, b []byte) error { return replace(name, append(b, 'x')) },
		"flipped": func(name string, b []byte) error {
			b = slices.Clone(b)
			b[len(b)*2/3] ^= 4
			return replace(name, b)
		},
		"directory": func(name string, b []byte) error {
			if err := os.Remove(name); err != nil {
				return err
			}
			return os.Mkdir(name, 0o777)
		},
		"other version": func(name string, b []byte) error {
			b = slices.Clone(b)
			b[8] ^= 1
			reseal(b)
			return replace(name, b)
		},
	}
	for how, damage := range damages {
		for _, f := range files {
			if f.Name() == lockName {
				continue
			}
			broken := t.TempDir()
			if err := os.CopyFS(broken, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(filepath.Join(broken, f.Name()), b); err != nil {
				t.Fatal(err)
			}
			x := openIndex(t, Options{Dir: broken})
			if diff := cmp.Diff(want, dumped(view(t, x, g, ""))); diff != "" {
				t.Errorf("%s %s (-whole +damaged):\n%s", f.Name(), how, diff)
			}
			again := openIndex(t, Options{Dir: broken})
			if diff := cmp.Diff(want, dumped(view(t, again, g, ""))); diff != "" {
				t.Errorf("%s %s, opened again (-whole +damaged):\n%s", f.Name(), how, diff)
			}
			quiet := f.Name() == manifestName && (how == "removed" || how == "other version") || f.Name()[0] == 't'
			if len(x.Diagnostics()) == 0 && !quiet {
				t.Errorf("%s %s: nothing was noted", f.Name(), how)
			}
		}
	}
}

// replace writes a file anew, as the old one may be mapped.
func replace(name string, b []byte) error {
	if err := os.Remove(name); err != nil {
		return err
	}
	return os.WriteFile(name, b, 0o666)
}

func TestUnwritable(t *testing.T) {
	r := sample(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	want := dumped(view(t, openIndex(t, Options{}), r.open(), ""))
	x := openIndex(t, Options{Dir: filepath.Join(file, "index")})
	if diff := cmp.Diff(want, dumped(view(t, x, r.open(), ""))); diff != "" {
		t.Errorf("(-memory +unwritable):\n%s", diff)
	}
	n := x.Diagnostics()
	why := "not a directory"
	if runtime.GOOS == "windows" {
		why = "" // that there is no such path, in the user's language
	}
	if len(n) != 1 || !strings.HasPrefix(n[0].Text, "cannot be written; kept in memory: "+why) {
		t.Errorf("notes %v", n)
	}

	// A directory that leads elsewhere is not written either.
	elsewhere := t.TempDir()
	precious := filepath.Join(elsewhere, "precious.seg")
	if err := os.WriteFile(precious, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "satchel")
	if err := os.Mkdir(home, 0o777); err != nil {
		t.Fatal(err)
	}
	fsxtest.Link(t, elsewhere, filepath.Join(home, "index"))
	x = openIndex(t, Options{Dir: filepath.Join(home, "index")})
	view(t, x, r.open(), "")
	if len(x.Diagnostics()) != 1 {
		t.Errorf("diagnostics %v", x.Diagnostics())
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

// A full disk costs the index, not the View, whichever write it hits.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r := tagged(t, 3)
	memory := openIndex(t, Options{})
	for _, limit := range []int{0, 50, 200, 1000, 5000, 8000, 20000} {
		dir := t.TempDir()
		out, err := writerCommand(r, dir, strconv.Itoa(limit), 0).CombinedOutput()
		if err != nil && strings.Contains(string(out), "not supported") {
			t.Skip(string(out))
		}
		if err != nil || strings.Count(string(out), "ok ") != 3 {
			t.Fatalf("with files of at most %d bytes: %v\n%s", limit, err, out)
		}
		if limit < 5000 && !strings.Contains(string(out), "cannot be written") {
			t.Errorf("with files of at most %d bytes nothing was noted:\n%s", limit, out)
		}
		x := openIndex(t, Options{Dir: dir})
		if diff := cmp.Diff(dumped(view(t, memory, r.open(), "t2")), dumped(view(t, x, r.open(), "t2"))); diff != "" {
			t.Errorf("with files of at most %d bytes (-memory +disk):\n%s", limit, diff)
		}
		if n := x.Diagnostics(); len(n) > 0 {
			t.Errorf("with files of at most %d bytes: notes %v", limit, n)
		}
	}
}

// A reader goes on with a segment that a writer has removed.
func TestUnlinkedSegment(t *testing.T) {
	r := tagged(t, 3)
	g := r.open()
	dir := t.TempDir()
	x := openIndex(t, Options{Dir: dir})
	v := view(t, x, g, "t0")
	want := dumped(v)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		os.Remove(filepath.Join(dir, e.Name()))
	}
	if diff := cmp.Diff(want, dumped(v)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, dumped(view(t, x, g, "t0"))); diff != "" {
		t.Error(diff)
	}
	view(t, x, g, "t2")
	if diff := cmp.Diff(want, dumped(view(t, openIndex(t, Options{Dir: dir}), g, "t0"))); diff != "" {
		t.Error(diff)
	}
}

func sortedTerms(v *View, all map[uint64]bool) []uint64 {
	for _, p := range v.parts {
		for i := range p.seg.nterms {
			if t := p.seg.term(i); len(v.Postings(nil, t)) > 0 {
				all[t] = true
			}
		}
	}
	var ts []uint64
	for t := range all {
		ts = append(ts, t)
	}
	slices.Sort(ts)
	return ts
}

// Commits and lists that are forged, like segments, must not crash a reader.
func TestForgedCommits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r, revs := states(t)
	g := r.open()
	x := openIndex(t, Options{})
	view(t, x, g, revs[1])
	b := commitBuilder{digits: git.SHA1.HexLen()}
	seen := map[string]bool{}
	for _, s := range x.commits {
		s.copyTo(&b, seen)
	}
	good := b.finish(1)
	var ids []string
	for id := range seen {
		ids = append(ids, fmt.Sprintf("%x", id))
	}
	slices.Sort(ids)
	opened := 0
	for i := range good {
		for _, flip := range []byte{1, 0x80, 0xff} {
			forged := slices.Clone(good)
			forged[i] ^= flip
			reseal(forged)
			s, err := openCommits("", forged, 1)
			if err != nil {
				continue
			}
			opened++
			assembleHistory([]*commitSegment{s}, ids)
			s.copyTo(&commitBuilder{digits: s.digits}, map[string]bool{})
		}
	}
	if opened == 0 {
		t.Error("no forged segment opened: the test tests nothing")
	}
}
