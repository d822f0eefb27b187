package engine_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/dialect/iris"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// secretKey has the form of a secret; no secret stands in a golden file.
const secretKey = "ghp_" + "wW9xK2mPqR7sT4vYzA1bC3dE5fG6hJ8kL0nQ"

var hostileText = strings.NewReplacer(`\e`, "\x1b", `\r`, "\r", `\x`, "\xff", `\b`, "\u202e", "KEY", secretKey)

// TestDiffGolden compares whole outputs: each archive in testdata/diff holds an
// old and a new tree, and what is said of the change from one to the other.
func TestDiffGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	names, err := filepath.Glob("testdata/diff/*.txtar")
	if err != nil || len(names) < 3 {
		t.Fatalf("golden files: %v, %v", names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			r := trees(t, archive)
			e := open(t, engine.Options{Dir: r.Dir, NoCache: true})
			asked := 0
			for i := range archive.Files {
				f := &archive.Files[i]
				how, ok := strings.CutPrefix(f.Name, "want/")
				if !ok {
					continue
				}
				asked++
				got := diffText(t, e, diffRequest(t, how))
				if *update {
					f.Data = []byte(got)
				} else if d := cmp.Diff(string(f.Data), got); d != "" {
					t.Errorf("%s (-want +got):\n%s", how, d)
				}
				if strings.Contains(how, "standard") && !strings.Contains(how, "json") {
					applies(t, r, how, got)
				}
			}
			if asked == 0 {
				t.Error("nothing is asked for")
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// trees commits the old tree of an archive, then the new one.
func trees(t *testing.T, archive *txtar.Archive) *gittest.Repo {
	t.Helper()
	r := newRepository(t)
	for _, side := range []string{"old/", "new/"} {
		files := map[string]string{}
		for _, f := range archive.Files {
			if name, ok := strings.CutPrefix(f.Name, side); ok {
				files[name] = hostileText.Replace(string(f.Data))
			}
		}
		if side == "new/" {
			r.Git("rm", "-q", "-r", ".")
		}
		r.WriteAll(files)
		r.Commit(strings.TrimSuffix(side, "/"))
	}
	return r
}

// diffRequest reads how a diff is asked for: PROFILE DETAIL [json] [debug]
// [budget=N] [files=PATH].
func diffRequest(t *testing.T, how string) engine.DiffRequest {
	t.Helper()
	req := engine.DiffRequest{Range: "HEAD~1..HEAD"}
	for i, word := range strings.Fields(how) {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case i == 0:
			req.Profile = iris.ByName(word)
		case i == 1:
			req.Detail = word
		case word == "json":
			req.JSON = true
		case word == "debug":
			req.Debug = true
		case key == "files":
			req.Files = []string{value}
		case key == "budget":
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			req.Budget = n
		default:
			t.Fatalf("%s: what is %s?", how, word)
		}
	}
	return req
}

func diffText(t *testing.T, e *engine.Engine, req engine.DiffRequest) string {
	t.Helper()
	d, err := e.Diff(context.Background(), req)
	if err != nil {
		t.Fatalf("%+v: %v", req, err)
	}
	text := render.DiffText(d)
	if req.JSON {
		if text, _, err = render.DiffJSON(d); err != nil {
			t.Fatal(err)
		}
	}
	if req.Budget > 0 && !req.JSON {
		if n := tokens.O200k().Count(text); n > req.Budget || n != d.Used {
			t.Errorf("%d tokens in a budget of %d, %d stated", n, req.Budget, d.Used)
		}
	}
	if strings.ContainsAny(text, "\x1b\u202e\ufffe") || strings.Contains(text, "\xff") || strings.Contains(text, secretKey) {
		t.Errorf("hostile text got through:\n%q", text)
	}
	return text
}

// applies gives a text to git apply, on the old tree: what it shows as a patch
// applies, and every file that the text shows whole is then as in the new tree.
func applies(t *testing.T, r *gittest.Repo, how, text string) {
	t.Helper()
	dir := t.TempDir()
	r.Git("worktree", "add", "-q", "--detach", dir, "HEAD~1")
	defer r.Git("worktree", "remove", "--force", dir)
	clone := gittest.In(t, dir, r.Home)
	apply := clone.Command("apply", "-")
	apply.Stdin = strings.NewReader(text)
	if out, err := apply.CombinedOutput(); err != nil {
		t.Errorf("%s: git apply: %v\n%s", how, err, out)
		return
	}
	clone.Git("add", "-A")
	left := clone.Git("diff", "--cached", "--name-only", "-z", "HEAD~0", "--")
	if left == "" {
		t.Errorf("%s: git apply changed nothing", how)
	}
	// What is not as in the new tree is something that the text does not show as
	// a patch: it is told in one line, trimmed, redacted or cleaned.
	for name := range strings.SplitSeq(strings.TrimRight(clone.Git("diff", "--cached", "--name-only", "--no-renames", "-z", r.Head()), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		if !strings.Contains(strings.ToUpper(text), "IN BRIEF") && !strings.Contains(text, "[omitted") && !strings.Contains(text, "[hunk ") {
			t.Errorf("%s: %s is not as in the new tree after git apply", how, name)
		}
	}
}

func TestDiffErrors(t *testing.T) {
	r := newRepository(t)
	r.WriteAll(map[string]string{"a.go": "package a\n"})
	r.Commit("one")
	r.WriteAll(map[string]string{"a.go": "package a\n\nfunc Exported() {}\n"})
	r.Commit("two")
	r.WriteAll(map[string]string{"a.go": "package a\n"})
	e := open(t, engine.Options{Dir: r.Dir, NoCache: true})
	ctx := context.Background()
	for name, c := range map[string]struct {
		req  engine.DiffRequest
		want any
	}{
		"no such revision": {engine.DiffRequest{Range: "nowhere..HEAD"}, new(*git.UnknownRevisionError)},
		"no such file":     {engine.DiffRequest{Files: []string{"b.go", "c.go"}}, new(*engine.FilterError)},
		"no such pattern":  {engine.DiffRequest{Files: []string{"*.rs"}}, new(*engine.FilterError)},
		"small budget":     {engine.DiffRequest{Budget: 3}, new(*satchel.OverflowError)},
		"small, standard":  {engine.DiffRequest{Detail: "standard", Budget: 3}, new(*satchel.OverflowError)},
		"bad cursor":       {engine.DiffRequest{Cursor: "what"}, new(*pack.CursorError)},
		"bad patch":        {engine.DiffRequest{Patch: strings.NewReader("--- a/x\n+++ b/x\n@@ -1,5 +1 @@\n-a\n")}, new(*git.PatchError)},
	} {
		_, err := e.Diff(ctx, c.req)
		if !errors.As(err, c.want) {
			t.Errorf("%s: error %v (%T), want a %T", name, err, err, c.want)
		}
	}
	if _, err := e.Diff(ctx, engine.DiffRequest{To: "HEAD"}); !errors.Is(err, git.ErrToWithoutFrom) {
		t.Errorf("to without from: %v", err)
	}
	for _, req := range []engine.DiffRequest{{Detail: "all"}} {
		if _, err := e.Diff(ctx, req); err == nil {
			t.Errorf("%+v: no error", req)
		}
	}
	// What is removed and was exported is named at any budget.
	_, err := e.Diff(ctx, engine.DiffRequest{Detail: "standard", Budget: 1})
	var over *satchel.OverflowError
	if !errors.As(err, &over) {
		t.Fatal(err)
	}
	text := diffText(t, e, engine.DiffRequest{Detail: "standard", Budget: over.Need})
	if !strings.Contains(text, "- Exported") {
		t.Errorf("a budget of %d does not name what is gone:\n%s", over.Need, text)
	}
}

func TestDiffOfPatch(t *testing.T) {
	r := newRepository(t)
	r.WriteAll(map[string]string{"a.go": "package a\n"})
	r.Commit("one")
	e := open(t, engine.Options{Dir: r.Dir, NoCache: true})
	patch := "From: somebody\n\n--- a/pkg/b.go\n+++ b/pkg/b.go\n@@ -1,2 +1,3 @@\n package b\n+\n+func New() {}\n-var x int\n"
	d, err := e.Diff(context.Background(), engine.DiffRequest{Patch: strings.NewReader(patch), Detail: "standard"})
	if err != nil {
		t.Fatal(err)
	}
	text := render.DiffText(d)
	for _, want := range []string{"### pkg/b.go modified +2 -1, ", "+func New() {}\n", "1 file, +2 -1: small"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestPackChanges(t *testing.T) {
	r := newRepository(t)
	r.WriteAll(map[string]string{
		"store/store.go":      "package store\n\n// FlushPending writes what is pending.\nfunc FlushPending(n int) error {\n\treturn nil\n}\n\nfunc unrelated() {}\n",
		"store/store_test.go": "package store\n\nimport \"testing\"\n\nfunc TestFlush(t *testing.T) {\n\tif FlushPending(1) != nil {\n\t\tt.Fail()\n\t}\n}\n",
		"main.go":             "package main\n\nimport \"x/store\"\n\nfunc main() {\n\t_ = store.FlushPending(2)\n}\n",
		"other.go":            "package main\n\nfunc other() {}\n",
		"docs/guide.md":       "# Guide\n\nCall `FlushPending` at the end.\n",
		"go.sum":              "a\n",
	})
	r.Commit("one")
	r.WriteAll(map[string]string{
		"store/store.go": "package store\n\n// FlushPending writes what is pending.\nfunc FlushPending(n int, force bool) error {\n\treturn nil\n}\n\nfunc unrelated() {}\n",
		"go.sum":         "a\nb\n",
	})
	r.Commit("two")
	e := open(t, engine.Options{Dir: r.Dir, NoCache: true})
	req := satchel.Request{Changes: "HEAD~1..HEAD", Budget: 3000}
	p, err := e.Pack(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	text := rendered(t, p, render.Markdown)
	for _, want := range []string{
		"+func FlushPending(n int, force bool) error {", "_ = store.FlushPending(2)", "func TestFlush", "Call `FlushPending` at the end.", "+1 -0, lock file",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "func other()") {
		t.Errorf("what has nothing to do with the change is packed:\n%s", text)
	}
	if p.Used > req.Budget || p.Used != tokens.O200k().Count(text) {
		t.Errorf("%d tokens used of %d, the text has %d", p.Used, req.Budget, tokens.O200k().Count(text))
	}
}
