package readonly

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
	"github.com/satchel-dev/satchel/internal/world/git"
)

var (
	ctx   = context.Background()
	start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
)

// A place is a folder with a set of its files.
type place struct {
	*Set
	t   testing.TB
	dir string
}

func newPlace(t testing.TB, files ...string) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, dir: dir}
	for _, name := range files {
		p.write(name, "text of "+name+"\n")
	}
	f, err := git.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	p.Set = New(folderDisk(f), state.ContextSet{})
	return p
}

func (p *place) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *place) write(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) link(target, name string) {
	p.t.Helper()
	fsxtest.Link(p.t, target, p.path(name))
}

// add adds rules: paths, and patterns where there is a star.
func (p *place) add(o Options, patterns ...string) *Report {
	p.t.Helper()
	r, err := p.tryAdd(o, patterns...)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func (p *place) tryAdd(o Options, patterns ...string) (*Report, error) {
	var rules []state.ContextRule
	for _, s := range patterns {
		s, pinned := strings.CutPrefix(s, "!")
		rules = append(rules, state.ContextRule{Pattern: s, Glob: IsPattern(s), ReadOnly: true, Pinned: pinned})
	}
	if o.Now.IsZero() {
		o.Now = start
	}
	return p.Add(ctx, rules, o)
}

func (p *place) paths() []string {
	var out []string
	for _, f := range p.Files {
		if !f.Evicted {
			out = append(out, f.Path)
		}
	}
	return out
}

func (p *place) want(paths ...string) {
	p.t.Helper()
	if diff := cmp.Diff(paths, p.paths()); diff != "" {
		p.t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestAddAndRemove(t *testing.T) {
	p := newPlace(t, "a.md", "docs/b.md", "docs/deep/c.md", "main.go")
	r := p.add(Options{}, "a.md", "docs/**")
	if !slices.Equal(r.Added, []string{"a.md", "docs/b.md", "docs/deep/c.md"}) || r.Tokens != p.tokens() || r.Tokens == 0 || r.Limit != DefaultBudget {
		t.Errorf("Add = %+v", r)
	}
	p.want("a.md", "docs/b.md", "docs/deep/c.md")
	var path *pathError
	if _, err := p.Remove("docs/b.md"); !errors.As(err, &path) || !strings.Contains(err.Error(), `the pattern "docs/**"`) {
		t.Errorf("Remove of what a pattern brought in: %v", err)
	}
	var unknown *UnknownError
	if _, err := p.Remove("a.md", "b.md"); !errors.As(err, &unknown) || len(p.Rules) != 2 {
		t.Errorf("Remove of what is not there: %v, rules %v", err, p.Rules)
	}
	r, err := p.Remove("docs/**")
	if err != nil || !slices.Equal(r.Removed, []string{"docs/b.md", "docs/deep/c.md"}) {
		t.Errorf("Remove = %+v, %v", r, err)
	}
	p.want("a.md")
}

// TestDefectAddAgainLosesFlags: adding a file again forgot that it was pinned.
func TestDefectAddAgainLosesFlags(t *testing.T) {
	p := newPlace(t, "a.md")
	p.add(Options{}, "!a.md")
	if _, err := p.Add(ctx, []state.ContextRule{{Pattern: "a.md", AutoRefresh: true}}, Options{Now: start}); err != nil {
		t.Fatal(err)
	}
	if f := p.Files[0]; !f.Pinned || !f.ReadOnly || !f.AutoRefresh {
		t.Errorf("after a second add: %+v", f)
	}
}

// TestDefectPatternIsResolvedOnce: a pattern was looked at when it was added, and
// never again; and it did not know "**".
func TestDefectPatternIsResolvedOnce(t *testing.T) {
	p := newPlace(t, "docs/a/b/one.md", "docs/two.md")
	p.add(Options{}, "docs/**/*.md")
	p.want("docs/a/b/one.md", "docs/two.md")
	p.write("docs/three.md", "three")
	if err := os.Remove(p.path("docs/two.md")); err != nil {
		t.Fatal(err)
	}
	r, err := p.Refresh(ctx, Options{Now: start})
	if err != nil || !slices.Equal(r.Added, []string{"docs/three.md"}) || !slices.Equal(r.Removed, []string{"docs/two.md"}) {
		t.Errorf("Refresh = %+v, %v", r, err)
	}
	p.want("docs/a/b/one.md", "docs/three.md")
}

// TestDefectRefreshExceedsBudget: a file that grew was read again whatever the
// budget.
func TestDefectRefreshExceedsBudget(t *testing.T) {
	p := newPlace(t, "a.md", "b.md")
	p.Budget = 50
	p.add(Options{}, "a.md", "!b.md")
	before := slices.Clone(p.Files)
	p.write("a.md", strings.Repeat("word ", 200))
	var small *satchel.OverflowError
	_, err := p.Refresh(ctx, Options{Now: start.Add(time.Hour)})
	if !errors.As(err, &small) || small.Limit != 50 || small.Need < 200 {
		t.Fatalf("Refresh beyond the budget: %v", err)
	}
	if diff := cmp.Diff(before, p.Files); diff != "" {
		t.Errorf("a refresh that failed changed (-before +after):\n%s", diff)
	}
	// The deficit is exact: so many tokens more, and it works.
	p.Budget = small.Need
	if _, err := p.Refresh(ctx, Options{Now: start}); err != nil || p.tokens() != small.Need {
		t.Errorf("with the budget that the error asked for: %v, %d tokens", err, p.tokens())
	}
}

// TestDefectChangeBetweenReadAndStamp: a change between reading a file and noting
// down the time was never seen, since times were compared. Bytes are.
func TestDefectChangeBetweenReadAndStamp(t *testing.T) {
	p := newPlace(t, "a.md")
	p.add(Options{Now: start}, "a.md")
	p.write("a.md", "other\n")
	old := start.Add(-24 * time.Hour)
	if err := os.Chtimes(p.path("a.md"), old, old); err != nil {
		t.Fatal(err)
	}
	if stale, err := p.stale(ctx); err != nil || !slices.Equal(stale, []string{"a.md"}) {
		t.Errorf("Stale = %v, %v", stale, err)
	}
	r, err := p.Refresh(ctx, Options{Now: start.Add(time.Hour)})
	if err != nil || !slices.Equal(r.Changed, []string{"a.md"}) || p.Files[0].Text != "other\n" {
		t.Errorf("Refresh = %+v, %v; text %q", r, err, p.Files[0].Text)
	}
}

// TestDefectEvictIsFIFO: eviction went by the time of adding, though it was
// documented to be by use.
func TestDefectEvictIsFIFO(t *testing.T) {
	p := newPlace(t, "a.md", "b.md", "c.md", "d.md")
	for i, name := range []string{"a.md", "b.md", "!c.md", "d.md"} {
		p.add(Options{Now: start.Add(time.Duration(i) * time.Hour)}, name)
	}
	p.Touch(start.Add(10*time.Hour), "a.md") // the oldest, and the last that was used
	each := p.Files[0].Tokens
	if got := p.Evict(2 * each); !slices.Equal(got, []string{"b.md", "d.md"}) {
		t.Errorf("Evict = %v, want b.md, d.md", got)
	}
	p.want("a.md", "c.md")
	if got := p.Evict(0); !slices.Equal(got, []string{"a.md"}) {
		t.Errorf("Evict of all = %v; what is pinned stays", got)
	}
	// What was evicted stays evicted, and protected, until it is added again.
	if _, err := p.Refresh(ctx, Options{Now: start}); err != nil {
		t.Fatal(err)
	}
	p.want("c.md")
	if got, err := p.Protects(ctx, "b.md"); err != nil || !got.Protected {
		t.Errorf("an evicted file: %+v, %v", got, err)
	}
	p.add(Options{}, "b.md")
	p.want("b.md", "c.md")
}

func TestAddEvicts(t *testing.T) {
	p := newPlace(t, "a.md", "b.md", "c.md", "d.md")
	p.add(Options{Now: start}, "a.md")
	p.add(Options{Now: start.Add(time.Hour)}, "b.md")
	p.Budget = p.tokens()
	var small *satchel.OverflowError
	if _, err := p.tryAdd(Options{Now: start.Add(2 * time.Hour)}, "c.md"); !errors.As(err, &small) || small.Fixed > small.Limit {
		t.Fatalf("Add without room: %v", err)
	}
	p.want("a.md", "b.md")
	r := p.add(Options{Now: start.Add(2 * time.Hour), Evict: true}, "c.md")
	if !slices.Equal(r.Evicted, []string{"a.md"}) {
		t.Errorf("Add = %+v", r)
	}
	p.want("b.md", "c.md")
	// What is added does not make room for itself, and nothing goes if it is not enough.
	p.write("d.md", strings.Repeat("word ", 1000))
	if _, err := p.tryAdd(Options{Now: start, Evict: true}, "d.md"); !errors.As(err, &small) || small.Fixed <= small.Limit {
		t.Errorf("Add of what never fits: %v", err)
	}
	p.want("b.md", "c.md")
}

func TestHostileFiles(t *testing.T) {
	p := newPlace(t, "good.md", "sub/x.md")
	p.write("binary.md", "a\x00b")
	p.write("huge.md", strings.Repeat("x", maxFileBytes+1))
	p.write("invalid.md", "caf\xe9\n")
	p.write("key.md", "the key is gh"+"p_x8Kd03LqPz7vTn5RbWm1YsJc9HfGa2Ee4UiO\n")
	p.link("loop", "loop")
	p.link("/etc/hostname", "outside.md")
	p.link("sub/x.md", "inside.md")
	r := p.add(Options{}, "*.md")
	p.want("good.md", "invalid.md", "key.md", "sub/x.md") // links are files of their own only by name
	var notes []string
	for _, n := range r.Diagnostics {
		notes = append(notes, n.Path+": "+n.Text)
	}
	if diff := cmp.Diff([]string{"binary.md: left out: binary", "huge.md: left out: too large: 1048577 bytes, limit is 1048576"}, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if f, _ := p.file("invalid.md"); f.Text != "caf\uFFFD\n" {
		t.Errorf("invalid UTF-8 became %q", f.Text)
	}
	if f, _ := p.file("key.md"); f.Redacted != 1 || strings.Contains(f.Text, "x8Kd03") {
		t.Errorf("a secret was kept: %q", f.Text)
	}
	for name, want := range map[string]string{
		"binary.md": "binary", "huge.md": "too large", "loop": "", "outside.md": "a link out", "no.md": "no such file", "sub": "", "../x": "", "/etc/hostname": "",
	} {
		before := len(p.Files)
		_, err := p.tryAdd(Options{}, name)
		if err == nil || !strings.Contains(err.Error(), want) || len(p.Files) != before {
			t.Errorf("Add of %s: %v", name, err)
		}
	}
	p.add(Options{}, "inside.md")
	if f, _ := p.file("inside.md"); f.Text != "text of sub/x.md\n" {
		t.Errorf("behind a link: %q", f.Text)
	}
	// What vanishes stays as it was, with a Diagnostic.
	if err := os.Remove(p.path("inside.md")); err != nil {
		t.Fatal(err)
	}
	r, err := p.Refresh(ctx, Options{Now: start})
	if err != nil || !slices.ContainsFunc(r.Diagnostics, func(n noteT) bool { return n.Path == "inside.md" && strings.Contains(n.Text, "still shown") }) {
		t.Errorf("Refresh after a file vanished: %+v, %v", r, err)
	}
}

func TestTooMany(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	p := newPlace(t)
	list := make(manyFiles, 100_000)
	for i := range list {
		list[i] = fmt.Sprintf("d/%06d.md", i)
	}
	p.disk = list
	var many *tooManyError
	if _, err := p.tryAdd(Options{}, "**/*.md"); !errors.As(err, &many) || many.Files != 100_000 || many.Pattern != "**/*.md" {
		t.Errorf("a pattern that matches 100,000 files: %v", err)
	}
	// Few enough, but gigabytes: counting ends soon.
	p.disk = list[:1500]
	var small *satchel.OverflowError
	if _, err := p.tryAdd(Options{}, "**/*.md"); !errors.As(err, &small) || !small.AtLeast {
		t.Errorf("a pattern that matches gigabytes: %v", err)
	}
	// A budget that large is no excuse: more is not stored than can be read back.
	p.Budget = 1 << 40
	var path *pathError
	if _, err := p.tryAdd(Options{}, "**/*.md"); !errors.As(err, &path) || !strings.Contains(err.Error(), "exceed 64 MiB") {
		t.Errorf("a pattern that matches gigabytes, with the budget for it: %v", err)
	}
	if len(p.Files)+len(p.Rules) != 0 {
		t.Errorf("%d files and %d rules were added", len(p.Files), len(p.Rules))
	}
}

// TestRefreshByName: who names a file uses it; one that is evicted stays so.
func TestRefreshByName(t *testing.T) {
	p := newPlace(t, "a.md", "b.md", "c.md")
	p.add(Options{Now: start}, "!a.md", "!b.md", "!c.md")
	if !p.EvictFile("c.md") {
		t.Fatal("c.md is not evicted")
	}
	later := start.Add(time.Hour)
	r, err := p.Refresh(ctx, Options{Now: later, Only: []string{"a.md", "c.md"}})
	if err != nil || len(r.Changed) > 0 || len(r.Diagnostics) != 1 || r.Diagnostics[0].Path != "c.md" || !strings.Contains(r.Diagnostics[0].Text, "evicted") {
		t.Errorf("Refresh = %+v, %v", r, err)
	}
	for path, want := range map[string]time.Time{"a.md": later, "b.md": start, "c.md": start} {
		if f, ok := p.file(path); !ok || !f.Used.Equal(want) || f.Evicted != (path == "c.md") {
			t.Errorf("%s: %+v", path, f)
		}
	}
}

func TestAutoRefresh(t *testing.T) {
	p := newPlace(t, "a.md", "auto/b.md")
	if _, err := p.Add(ctx, []state.ContextRule{{Pattern: "a.md"}, {Pattern: "auto/**", Glob: true, AutoRefresh: true}}, Options{Now: start}); err != nil {
		t.Fatal(err)
	}
	p.write("a.md", "new a\n")
	p.write("auto/b.md", "new b\n")
	p.write("auto/c.md", "new c\n")
	files, diags := p.current(ctx, start)
	var texts []string
	for _, f := range files {
		texts = append(texts, f.Text)
	}
	if diff := cmp.Diff([]string{"text of a.md\n", "new b\n", "new c\n"}, texts); diff != "" || len(diags) > 0 {
		t.Errorf("Current (-want +got):\n%s%v", diff, diags)
	}
	if p.Files[1].Text != "text of auto/b.md\n" || len(p.Files) != 2 {
		t.Error("looking changed the set")
	}
	p.Budget = p.tokens()
	p.write("auto/b.md", strings.Repeat("word ", 500))
	files, diags = p.current(ctx, start)
	if len(files) != 2 || files[1].Text != "text of auto/b.md\n" || len(diags) != 1 || !strings.Contains(diags[0].Text, "too many") {
		t.Errorf("Current beyond the budget = %d files, %v", len(files), diags)
	}
}

func TestOpenAnywhere(t *testing.T) {
	p := newPlace(t, "x/a.md", "x/deep/b.md", "x/c.go")
	t.Chdir(p.dir) // for the drive, on Windows
	d, err := OpenAnywhere()
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s := New(d, state.ContextSet{Budget: 1000})
	name, err := d.Name(p.path("x/a.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimSuffix(name, "a.md")
	r, err := s.Add(ctx, []state.ContextRule{{Pattern: name, ReadOnly: true}, {Pattern: "/" + dir + "**/*.md", Glob: true}}, Options{Now: start})
	if err != nil || !slices.Equal(r.Added, []string{dir + "a.md", dir + "deep/b.md"}) {
		t.Fatalf("Add = %+v, %v", r, err)
	}
	if got, err := s.Protects(ctx, p.path("x/../x/a.md")); err != nil || !got.Protected {
		t.Errorf("Protects = %+v, %v", got, err)
	}
}
