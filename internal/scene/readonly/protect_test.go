package readonly

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/world/git"
)

type noteT = satchel.Diagnostic

// manyFiles is a Disk of files that are each a megabyte of words.
type manyFiles []string

func (manyFiles) Root() string       { return string(filepath.Separator) }
func (manyFiles) Format() git.Format { return git.SHA1 }
func (m manyFiles) List(context.Context, string) ([]string, []noteT, error) {
	return slices.Clone(m), nil, nil
}
func (manyFiles) ReadTracked(string, int64) ([]byte, bool, error) {
	return []byte(strings.Repeat("one word after another\n", maxFileBytes/23)), false, nil
}

// protectedPlace is a place in which one file, one that is missing, a folder by a
// pattern and a link are read-only.
//
//	docs/spec.md        by its path
//	gone.md             by its path, missing
//	gen/**              by a pattern, with gen/a.go
//	*.lock              by a pattern
//	AGENTS.md           by its path, a link to CLAUDE.md
//	café.md, straße/k/b.md, kkk/e.md   by their paths, not there
//	ü?r/[à-ï].txt       by a pattern
//	free/x.md           not protected
//	to-docs, to-spec, far/up, chain   links to docs, docs/spec.md, .., to-spec
//	dangling            a link to gen/new.go, which is not there
//	hard, hard-gen      hard links to docs/spec.md and gen/a.go
func protectedPlace(t testing.TB) *place {
	p := newPlace(t, "docs/spec.md", "gone.md", "gen/a.go", "CLAUDE.md", "free/x.md", "far/y.md", "sub.lock")
	p.link("CLAUDE.md", "AGENTS.md")
	p.add(Options{}, "docs/spec.md", "gone.md", "gen/**", "*.lock", "AGENTS.md")
	p.Rules = append(p.Rules, state.ContextRule{Pattern: "caf\u00e9.md", ReadOnly: true}, state.ContextRule{Pattern: "stra\u00dfe/k/b.md", ReadOnly: true},
		state.ContextRule{Pattern: "\u00fc?r/[\u00e0-\u00ef].txt", Glob: true, ReadOnly: true}, state.ContextRule{Pattern: "kkk/e.md", ReadOnly: true})
	if err := os.Remove(p.path("gone.md")); err != nil {
		t.Fatal(err)
	}
	p.link("docs", "to-docs")
	p.link("docs/spec.md", "to-spec")
	p.link("..", "far/up")
	p.link("to-spec", "chain")
	p.link("gen/new.go", "dangling")
	p.link(p.path("docs"), "absolute")
	for from, to := range map[string]string{"docs/spec.md": "hard", "gen/a.go": "hard-gen"} {
		if err := os.Link(p.path(from), p.path(to)); err != nil {
			t.Skip(err)
		}
	}
	return p
}

// TestDefectProtectionBySpelling: protection compared strings, so that another
// spelling, a link or a hard link of a protected file could be written to.
func TestDefectProtectionBySpelling(t *testing.T) {
	p := protectedPlace(t)
	outside := t.TempDir()
	if err := os.Symlink(p.dir, filepath.Join(outside, "repo")); err != nil {
		t.Skip(err)
	}
	if err := os.Link(p.path("docs/spec.md"), filepath.Join(outside, "far.md")); err != nil {
		t.Log(err)
	}
	home := filepath.Dir(p.dir)
	t.Setenv("HOME", home)
	for _, test := range []struct {
		path string
		want bool
	}{
		{"docs/spec.md", true},
		{"./docs/spec.md", true},
		{"docs//spec.md", true},
		{"docs/./spec.md", true},
		{"docs/../docs/spec.md", true},
		{"not/there/../../docs/spec.md", true},
		{"free/../docs/spec.md", true},
		{" docs/spec.md\n", true},
		{"DOCS/Spec.MD", true},
		{"docs\\spec.md", true},
		{p.path("docs/spec.md"), true},
		{strings.ToUpper(p.path("docs/spec.md")), true},
		{"file://" + filepath.ToSlash(p.path("docs/spec.md")), true},
		{"file://localhost" + filepath.ToSlash(p.path("docs/%73pec.md")), true},
		{"~/" + filepath.Base(p.dir) + "/docs/spec.md", true},
		{filepath.Join(outside, "repo", "docs", "spec.md"), true},
		{outside + "/repo/free/../docs/spec.md", true},
		{filepath.Join(outside, "far.md"), true},
		{"to-docs/spec.md", true},
		{"to-docs/../docs/spec.md", true},
		{"absolute/spec.md", true},
		{"to-spec", true},
		{"chain", true},
		{"far/up/docs/spec.md", true},
		{"far/up/to-docs/spec.md", true},
		{"hard", true},
		{"hard-gen", true},
		{"gone.md", true},
		{"gen/a.go", true},
		{"gen/b.go", true},
		{"gen/new/deep/b.go", true},
		{"Gen/b.go", true},
		{"dangling", true},
		{"any/where/x.lock", true},
		{"x.LOCK", true},
		{"x.loc\u212A", true}, // the sign of kelvin is a k
		{"caf\u00e9.md", true},
		{"cafe\u0301.md", true},
		{"CAFE\u0301.MD", true},
		{"ca\u200bf\u00e9.md", true}, // what HFS+ does not see
		{"cafe.md", false},
		{"stra\u00dfe/K/b.md", true},
		{"STRASSE/k/B.md", true},
		{"strasse/\u212a", true},     // it holds one
		{"\u212a\u212a\u212a", true}, // a longer name than that of what it holds
		{"u\u0308\u00fcr/\u00e9.txt", true},
		{"\u00dcu\u0308r/e\u0301.txt", true},
		{"\u00fc\u00fcr/e.txt", false},
		{"file:" + filepath.ToSlash(p.path("docs/spec.md")), true},
		{"AGENTS.md", true},
		{"CLAUDE.md", true},
		{"docs", true}, // it holds one
		{"docs/", true},
		{"to-docs", true},
		{".", true},
		{p.dir, true},
		{"free", false},
		{"free/x.md", false},
		{"far/up/free/x.md", false},
		{"docs/other.md", false},
		{"docs/spec.md.bak", false},
		{"docs/spec", false},
		{"generated/a.go", false},
		{"x.lock.txt", false},
		{outside, false},
		{filepath.Join(outside, "new.md"), false},
		{"../docs/spec.md", false},
	} {
		got, err := p.Protects(ctx, test.path)
		if err != nil || got.Protected != test.want || got.Path != test.path {
			t.Errorf("Protects(%q) = %+v, %v, want %v", test.path, got, err, test.want)
		}
		if got.Protected && (got.Rule == "" || got.Why == "" || got.File == "" && test.path != ".") {
			t.Errorf("Protects(%q) = %+v does not say why", test.path, got)
		}
	}
	// From another folder.
	if got, err := p.Protects(ctx, "spec.md", p.path("docs")); err != nil || !got.Protected {
		t.Errorf("from docs: %+v, %v", got, err)
	}
	if got, err := p.Protects(ctx, "../docs/spec.md", p.path("free")); err != nil || !got.Protected {
		t.Errorf("from free: %+v, %v", got, err)
	}
	// What cannot be told is an error.
	p.link("loop", "loop")
	for _, path := range []string{"", "a\x00b", "loop", "loop/x", strings.Repeat("x", 5000)} {
		if got, err := p.Protects(ctx, path); err == nil {
			t.Errorf("Protects(%.20q) = %+v, want an error", path, got)
		}
	}
	// Without read-only rules nothing is.
	free := newPlace(t, "a.md")
	if _, err := free.Add(ctx, []state.ContextRule{{Pattern: "a.md"}}, Options{Now: start}); err != nil {
		t.Fatal(err)
	}
	if got, err := free.Protects(ctx, "a.md"); err != nil || got.Protected {
		t.Errorf("a file that is not read-only: %+v, %v", got, err)
	}
}

// TestRuleThatCannotBeRead: what a database of a stranger holds makes no file
// writable.
func TestRuleThatCannotBeRead(t *testing.T) {
	p := newPlace(t, "a.md", "b.md")
	p.add(Options{}, "a.md")
	p.Rules = append(p.Rules, state.ContextRule{Pattern: "[", Glob: true, ReadOnly: true})
	if got, err := p.Protects(ctx, "a.md"); err != nil || !got.Protected {
		t.Errorf("the rule beside it: %+v, %v", got, err)
	}
	if got, err := p.Protects(ctx, "b.md"); err == nil || !strings.Contains(err.Error(), `pattern "["`) {
		t.Errorf("a path that it may protect: %+v, %v", got, err)
	}
}

func TestSpell(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	for _, test := range []struct{ in, apart, together, plain string }{
		{"a/B.md", "a/B.md", "a/B.md", "A/B.MD"},
		{"\u00e9", "e\u0301", "\u00e9", "E\u0301"},
		{"\u1ea5\u0323", "a\u0323\u0302\u0301", "\u1ead\u0301", "A\u0323\u0302\u0301"},
		{"\u212b", "A\u030a", "\u00c5", "A\u030a"},
		{"\ud55c\uae00", "\u1112\u1161\u11ab\u1100\u1173\u11af", "\ud55c\uae00", "\u1112\u1161\u11ab\u1100\u1173\u11af"},
		{"\u0130", "I\u0307", "\u0130", "I\u0307"},
		{"\u1e9e\ufb03\u017f\u212a", "\u1e9e\ufb03\u017fK", "\u1e9e\ufb03\u017fK", "SSFFISK"},
		{"x\ufe0f\u200d\u00ad", "x\ufe0f\u200d\u00ad", "x\ufe0f\u200d\u00ad", "X"},
		{"\xff\u00e9", "\xffe\u0301", "\xff\u00e9", "\ufffdE\u0301"},
		{"a" + strings.Repeat("\u0301", 40), "a" + strings.Repeat("\u0301", 40), "\u00e1" + strings.Repeat("\u0301", 39), "A" + strings.Repeat("\u0301", 40)},
	} {
		if got := decompose(test.in); test.apart != got {
			t.Errorf("decompose(%+q) = %+q, want %+q", test.in, got, test.apart)
		}
		if got := compose(test.in); got != test.together {
			t.Errorf("compose(%+q) = %+q, want %+q", test.in, got, test.together)
		}
		if got := plainLetters(test.in); got != test.plain {
			t.Errorf("plainLetters(%+q) = %+q, want %+q", test.in, got, test.plain)
		}
	}
	for r := range rune(0x20000) { // no letter behind them has a case
		if s, other := string(r), string(unicode.SimpleFold(r)); plainLetters(s) != plainLetters(other) || plainLetters(s) != plainLetters(compose(s)) {
			t.Errorf("%+q differs from its other spellings", s)
		}
	}
}

// FuzzSpell: all spellings of a name are equal, however often it is spelt.
func FuzzSpell(f *testing.F) {
	for _, s := range []string{"caf\u00e9", "e\u0301\u0323", "\ud55c", "\u1112\u1161\u11ab", "STRA\u1e9eE", "\u0345\u03b1", "\xff\xfe/\u0300", "\u1fef"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		apart, together, plain := decompose(s), compose(s), plainLetters(s)
		for _, other := range []string{apart, together} {
			if got := decompose(other); got != apart {
				t.Errorf("%+q: decompose(%+q) = %+q, want %+q", s, other, got, apart)
			}
			if got := compose(other); got != together {
				t.Errorf("%+q: compose(%+q) = %+q, want %+q", s, other, got, together)
			}
		}
		for _, other := range []string{apart, together, strings.Map(unicode.SimpleFold, s), plain} {
			if got := plainLetters(other); got != plain {
				t.Errorf("%+q: plainLetters(%+q) = %+q, want %+q", s, other, got, plain)
			}
		}
		if p, err := index.ParsePattern(s); err == nil {
			spelt, err := spellPattern(s)
			for _, name := range []string{s, apart, together} {
				if n := spellName(name); err != nil || p.Match(name) && !spelt.match(&n) {
					t.Errorf("pattern %+q matches %+q, and no spelling does", s, name)
				}
			}
		}
	})
}

func TestFoldWindows(t *testing.T) {
	for in, want := range map[string]string{"a/b. /c.md..": "a/b/c.md", "c.md::$DATA": "c.md", "x": "x"} {
		if got := foldWindows(in); got != want {
			t.Errorf("foldWindows(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzProtects opens whatever path it is given, as an edit tool would, and checks
// that a path that arrives at a protected file is protected.
func FuzzProtects(f *testing.F) {
	for _, s := range []string{"docs/spec.md", "to-docs/spec.md", "far/up/docs/../to-spec", "absolute/../gen/x", "dangling", "chain", "free/x.md", "./gen/./a.go", "far/up/far/up/hard"} {
		f.Add(s)
	}
	if runtime.GOOS == "windows" {
		f.Skip("paths are other ones")
	}
	p := protectedPlace(f)
	protected := map[string]string{}
	for _, name := range []string{"docs/spec.md", "gen/a.go", "CLAUDE.md", "sub.lock"} {
		protected[name] = p.path(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if strings.IndexByte(name, 0) >= 0 || name == "" {
			return
		}
		got, err := p.Protects(ctx, name)
		open := name
		if !filepath.IsAbs(open) {
			open = p.dir + "/" + name
		}
		it, statErr := os.Stat(open)
		if statErr == nil && !it.IsDir() {
			for _, full := range protected {
				if other, e := os.Stat(full); e == nil && os.SameFile(it, other) && !got.Protected && err == nil {
					t.Errorf("Protects(%q) = %+v, and it is %s", name, got, full)
				}
			}
		}
		// A new file that would lie below gen.
		if dir, e := filepath.EvalSymlinks(filepath.Dir(open)); e == nil && statErr != nil {
			base := filepath.Base(open)
			if in := dir == p.path("gen") || strings.HasPrefix(dir, p.path("gen")+"/"); in && base != ".." && base != "." && !strings.HasSuffix(open, "/..") && !got.Protected && err == nil {
				t.Errorf("Protects(%q) = %+v, and it would lie in %s", name, got, dir)
			}
		}
	})
}

func BenchmarkProtects(b *testing.B) {
	p := protectedPlace(b)
	for b.Loop() {
		if _, err := p.Protects(ctx, "far/up/free/x.md"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRefresh(b *testing.B) {
	p := newPlace(b)
	for i := range 1000 {
		p.write("docs/"+strings.Repeat("x", i%7)+string(rune('a'+i%26))+"/"+strings.Repeat("y", i%11)+".md", strings.Repeat("some words of a document\n", i%50))
	}
	p.Budget = 10_000_000
	p.add(Options{}, "docs/**")
	for b.Loop() {
		if _, err := p.Refresh(ctx, Options{Now: start}); err != nil {
			b.Fatal(err)
		}
	}
}
