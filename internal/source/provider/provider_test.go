package provider

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/tokens"
)

var ctx = context.Background()

// files makes files in a folder; the later ones are newer, by an hour each.
func files(t testing.TB, dir string, list ...string) {
	t.Helper()
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	for i := 0; i < len(list); i += 2 {
		name := filepath.Join(dir, filepath.FromSlash(list[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(list[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Hour)
	}
}

// repository makes a repository of a folder, with commits of that winter.
func repository(t testing.TB, dir string) *gittest.Repo {
	t.Helper()
	r := gittest.At(t, dir)
	r.When = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Unix()
	return r
}

func open(t testing.TB, dir string) *Place {
	t.Helper()
	p, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// say writes what a provider says, one item a line and its text below.
func say(t testing.TB, p Provider, req Request) string {
	t.Helper()
	a := Gather(ctx, []Provider{p}, req, time.Minute)[0]
	if a.Err != nil {
		t.Fatalf("%s: %v", p.Name(), a.Err)
	}
	var b strings.Builder
	for _, it := range a.Items {
		fmt.Fprintf(&b, "%s\n", it.Ref)
		for l := range strings.Lines(it.Forms[0].Text.String()) {
			b.WriteString("\t" + l)
		}
	}
	for _, n := range a.Diagnostics {
		fmt.Fprintf(&b, "note %s: %s\n", n.Path, n.Text)
	}
	return b.String()
}

func check(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimLeft(want, "\n"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGit(t *testing.T) {
	dir := t.TempDir()
	r := repository(t, dir)
	place := open(t, dir)
	check(t, say(t, &Git{Place: place}, Request{}), "status\n\tno uncommitted changes\nbranch\n\ton main, without a commit yet\n")

	files(t, dir, "a.go", "package a\n", "proxy.go", "package a\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "proxy: dial with a time-out\n\nBody.")
	r.Git("commit", "-q", "--allow-empty", "-m", "second")
	files(t, dir, "a.go", "package a\n\nvar x int\n", "new file.go", "package a\n")
	got := say(t, &Git{Place: open(t, dir), Commits: 1}, Request{Query: "the proxy cannot dial"})
	for _, want := range []string{"\tmodified a.go +2 -0\n\tuntracked new file.go +1 -0\n", "\ton main, at ", "proxy: dial with a time-out (a.go, proxy.go)\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %q", got, want)
		}
	}
	if strings.Contains(got, "second") {
		t.Errorf("the commit about the query should come before the newest one:\n%s", got)
	}
	if got := say(t, &Git{Place: open(t, dir), Commits: 1}, Request{}); !strings.Contains(got, "second") {
		t.Errorf("without a query, the newest commit: %s", got)
	}
	r.Git("checkout", "-q", "--detach")
	if got := say(t, &Git{Place: open(t, dir)}, Request{}); !strings.Contains(got, "no branch, at ") {
		t.Errorf("detached: %s", got)
	}
	check(t, say(t, &Git{Place: open(t, t.TempDir())}, Request{}), "")
}

// TestDefectFilesOfDot: with the folder ".", nothing was found at all, since its
// name looked hidden; ignored files and build trees were walked.
func TestDefectFilesOfDot(t *testing.T) {
	dir := t.TempDir()
	files(t, dir, "old.go", "", "node_modules/x/index.js", "", "build/out.go", "", ".hidden/y.go", "", "src/new.go", "")
	t.Chdir(dir)
	check(t, say(t, &Recent{Place: open(t, "."), Files: 2}, Request{}), `
src/new.go
	modified 2026-01-05 13:00 UTC
build/out.go
	modified 2026-01-05 11:00 UTC
`)
	// In a repository, what git ignores is not told, and what is committed is told by its commit.
	r := repository(t, dir)
	files(t, dir, ".gitignore", "build/\nnode_modules/\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "first")
	files(t, dir, "src/new.go", "package src\n")
	got := say(t, &Recent{Place: open(t, "")}, Request{})
	if !strings.HasPrefix(got, "src/new.go\n\tuncommitted, modified 2026-01-05 09:00 UTC\nold.go\n\tchanged 2026-01-02 in ") || strings.Contains(got, "build") || strings.Contains(got, "hidden") {
		t.Errorf("in a repository:\n%s", got)
	}
	// A context that has ended is heeded.
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if a := Gather(ended, []Provider{&Recent{Place: open(t, "")}}, Request{}, 0)[0]; a.Err == nil {
		t.Errorf("with an ended context: %+v", a)
	}
}

// TestDefectQueryIsIgnored: no provider read the query.
func TestDefectQueryIsIgnored(t *testing.T) {
	dir := t.TempDir()
	files(t, dir, "requirements.txt", "alpha==1\nzulu-proxy==2\n", "proxy.go", "", "other.go", "")
	place := open(t, dir)
	first := func(p Provider, query string) string {
		a := Gather(ctx, []Provider{p}, Request{Query: query, Budget: 60}, 0)[0]
		if len(a.Items) == 0 {
			t.Fatalf("%s: %+v", p.Name(), a)
		}
		return a.Items[0].Ref.Path
	}
	if got := first(&Recent{Place: place}, ""); got != "other.go" {
		t.Errorf("without a query %s is first, want the newest", got)
	}
	if got := first(&Recent{Place: place}, "fix the proxy"); got != "proxy.go" {
		t.Errorf("about the proxy, %s is first", got)
	}
	list := []dependency{{name: "alpha"}, {name: "beta"}, {name: "zulu-proxy"}, {name: "gamma"}}
	if got := dependencyText("fix the proxy", list, 6); !strings.HasPrefix(got, "zulu-proxy\n") || !strings.Contains(got, "more") {
		t.Errorf("dependencies for a query: %q", got)
	}
	lines := []string{"x error: disk is full", "y error: proxy refused", "z error: no memory"}
	if got := compress(lines, "the proxy", 12); !strings.Contains(got.text, "proxy refused") {
		t.Errorf("errors for a query: %q", got.text)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	many := strings.Repeat("2026-01-05 ok request 12 served in 5 ms\n", 5000)
	files(t, dir,
		"logs/quiet.log", "0 errors, 0 failures\nall is well\n",
		"logs/app.log", many+"2026-01-05 09:00:01 ERROR cannot open db 17: no such file\n"+strings.Repeat("2026-01-05 09:00:02 ERROR cannot open db 18: no such file\n", 3)+"done\n",
		"build/TEST-x.xml", `<testsuite><testcase classname="a.B" name="c"><failure message="want 1, got 2">at B.java:7
at Main.java:1</failure></testcase><testcase name="fine"/></testsuite>`,
		"binary.log", "error\x00\x00",
		"node_modules/x/error.log", "error: not ours\n",
		"notes.txt", "error: no log\n",
	)
	if err := os.Symlink("logs/app.log", filepath.Join(dir, "link.log")); err != nil {
		t.Log(err)
	}
	check(t, say(t, &Errors{Place: open(t, dir)}, Request{}), `
build/TEST-x.xml
	FAILED a.B.c: want 1, got 2
	  at B.java:7
	  at Main.java:1
logs/app.log:5002-5005
	2026-01-05 09:00:02 ERROR cannot open db 18: no such file  (4 times)
	2026-01-05 09:00:02 ERROR cannot open db 18: no such file
	2026-01-05 09:00:02 ERROR cannot open db 18: no such file
	done
note binary.log: left out: binary
`)
	// Old logs say nothing about now.
	if got := say(t, &Errors{Place: open(t, dir)}, Request{Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}); got != "" {
		t.Errorf("of old logs: %s", got)
	}
	// Another folder, and a budget.
	a := Gather(ctx, []Provider{&Errors{Place: open(t, t.TempDir()), Dir: filepath.Join(dir, "logs")}}, Request{Budget: 70}, 0)[0]
	if len(a.Items) != 1 || a.Items[0].Ref.Path != "app.log" || a.Items[0].Forms[0].Tokens > 70 {
		t.Errorf("of a folder: %+v", a)
	}
}

func TestErrorLines(t *testing.T) {
	for _, l := range []string{
		"--- FAIL: TestX (0.00s)", "FAIL\texample.com/x\t0.1s", "panic: boom", "FAILED tests/test_a.py::test_b - AssertionError", "E   assert 1 == 2",
		"error[E0308]: mismatched types", "src/a.c:7:3: error: expected ';'", "Traceback (most recent call last):", "ValueError: bad", "test x ... FAILED",
		"thread 'main' panicked at src/main.rs:1", "  ● suite › test", "not ok 3 - name", "Caused by: java.io.IOException: x", "npm ERR! failed", "2026 FATAL disk full",
	} {
		if errorWeight(l) < leastError {
			t.Errorf("%q tells of no error", l)
		}
	}
	for _, l := range []string{"", "0 errors", "no failures", "errors: 0", "ok  \texample.com/x\t0.1s", "warning: unused", "starting up", "terror", "errorless"} {
		if errorWeight(l) >= leastError {
			t.Errorf("%q tells of an error", l)
		}
	}
}

func TestDependencies(t *testing.T) {
	dir := t.TempDir()
	files(t, dir,
		"go.mod", "module x\n\ngo 1.26\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.1.0 // indirect\n\texample.com/c v1.2.0 // why; indirectly\n)\nrequire example.com/d v0.1.0\nreplace example.com/a => ../a\n",
		"web/package.json", `{"name":"x","dependencies":{"react":"^19.0.0"},"devDependencies":{"vite":"~7.0"}}`,
		"requirements.txt", "# a comment\nflask==3.0  # web\nJinja2==3.1 \\\n    --hash=sha256:00\n    # via flask\n-r other.txt\nrequests[socks]>=2,<3 ; python_version > '3'\ngit+https://example.com/x\n",
		"pyproject.toml", "[project]\ndependencies = [\n  \"click>=8\",\n]\n[project.optional-dependencies]\nfast = [\"orjson\"]\n[dependency-groups]\ndev = [\"pytest>=8\", {include-group = \"x\"}]\n[tool.poetry.dependencies]\npython = \"^3.12\"\nhttpx = {version = \"0.28\", optional = true}\n",
		"rs/Cargo.toml", "[dependencies]\nserde = \"1.0\"\ntokio = { version = \"1.40\", features = [\"full\"] }\n[dev-dependencies]\nproptest = \"1\"\n[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n",
		"bad/package.json", "{",
		"node_modules/z/package.json", `{"dependencies":{"no":"1"}}`,
	)
	a := Gather(ctx, []Provider{&Dependencies{Place: open(t, dir), Files: 20}}, Request{Budget: 10_000}, 0)[0]
	var b strings.Builder
	for _, it := range a.Items {
		fmt.Fprintf(&b, "%s: %s\n", it.Ref, strings.ReplaceAll(it.Forms[0].Text.Trim().String(), "\n", ", "))
	}
	for _, n := range a.Diagnostics {
		fmt.Fprintf(&b, "note %s: %.30s\n", n.Path, n.Text)
	}
	check(t, b.String(), `
go.mod:6-10: example.com/a v1.0.0, example.com/c v1.2.0, example.com/d v0.1.0
pyproject.toml:3-11: click >=8, orjson (fast), pytest >=8 (dev), httpx 0.28
requirements.txt:2-7: flask ==3.0, Jinja2 ==3.1, requests >=2,<3
rs/Cargo.toml:2-7: serde 1.0, tokio 1.40, proptest 1 (dev), libc 0.2 (cfg(unix))
web/package.json:1-1: react ^19.0.0, vite ~7.0 (dev)
note bad/package.json: dependencies: not JSON: unexpe
`)
}

// TestTooManyDependencies: what is left out of a manifest is said.
func TestTooManyDependencies(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	lines := func(format string) string {
		var b strings.Builder
		for i := range maxDependencies + 1 {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"go.mod":           "require (\n" + lines("x.y/n%d v1.0.0\n") + ")\n",
		"package.json":     `{"dependencies":{` + lines(`"n%d":"1",`) + `"z":"1"}}`,
		"requirements.txt": lines("n%d==1\n"),
		"Cargo.toml":       "[dependencies]\n" + lines("n%d = \"1\"\n"),
		"pyproject.toml":   "[project]\ndependencies = [" + lines("\"n%d\",\n") + "]\n",
	} {
		list, err := manifests[name]([]byte(text))
		if len(list) != maxDependencies || err == nil || !strings.Contains(err.Error(), "the others are left out") {
			t.Errorf("%s: %d dependencies, %v", name, len(list), err)
		}
	}
}

// TestStyledLog: what a terminal would color is told as it reads, and logs that
// tests compare with are none of today's.
func TestStyledLog(t *testing.T) {
	dir := t.TempDir()
	files(t, dir, "run.log", "ok\n\x1b[1;31m--- FAIL: TestX\x1b[0m (0.00s)\n\x1b[2K\x1b[1Gkey AKI\x1b[1mAIOSFODNN7ABCDEFG\n", "testdata/a.log", "error: old\n", "x/fixtures/b.log", "error: old\n")
	got := say(t, &Errors{Place: open(t, dir)}, Request{})
	if !strings.Contains(got, "--- FAIL: TestX (0.00s)\n") || strings.ContainsAny(got, "\x1b") || strings.Contains(got, "old") || strings.Contains(got, "AIOSFODNN7ABCDEFG") {
		t.Errorf("%s", got)
	}
}

// TestEndOfReport: of a report that is too large to be read whole, the end is, and
// its mistakes cost only themselves.
func TestEndOfReport(t *testing.T) {
	const c = "<testcase classname=\"c\" name=\"%s\"><failure message=\"it broke\">at %s.go:1</failure></testcase>\n"
	text := "first.go:2</failure></testcase>\n" + fmt.Sprintf(c, "a", "a") + "</testsuite>\n<testsuite>" + fmt.Sprintf(c, "b", "b") + "</testsuite></testsuites>"
	got := strings.Join(junitFailures([]byte(text)), "\n")
	if want := "FAILED c.a: it broke\n  at a.go:1\nFAILED c.b: it broke\n  at b.go:1"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if n := len(junitFailures([]byte(strings.Repeat("</a>", 100_000)))); n != 0 {
		t.Errorf("%d lines of nothing", n)
	}
}

func TestEnvironment(t *testing.T) {
	dir := t.TempDir()
	files(t, dir,
		"go.mod", "module x\n\ngo 1.26.0\ntoolchain go1.26.2\n", ".nvmrc", "v24\n", "package.json", `{"engines":{"node":">=22"},"packageManager":"pnpm@10.1.0+sha512.abc"}`,
		".tool-versions", "# x\nruby 3.4.1\n", ".python-version", "PASSWORD=hunter2\n",
	)
	t.Setenv("API_TOKEN", "canary-value")
	check(t, say(t, &Environment{Place: open(t, dir), OS: "plan9", Arch: "mips"}, Request{}), `
.nvmrc:1-1
	node v24
.tool-versions:2-2
	ruby 3.4.1
go.mod:3-3
	go 1.26.0
go.mod:4-4
	go toolchain 1.26.2
machine
	os plan9, arch mips
package.json:1-1
	node >=22
package.json:1-1
	pnpm 10.1.0
`)
}

// A scripted provider does what a test tells it.
type scripted struct {
	name   string
	budget int
	gather func(ctx context.Context, req Request) ([]satchel.Item, []satchel.Diagnostic, error)
}

func (s *scripted) Name() string { return s.name }
func (s *scripted) Budget() int  { return s.budget }
func (s *scripted) Gather(ctx context.Context, req Request) ([]satchel.Item, []satchel.Diagnostic, error) {
	return s.gather(ctx, req)
}

func text(s string) []satchel.Item {
	it := item(satchel.KindGit, s, 0, 0, s+"\n")
	it.Signals = []satchel.Signal{{Name: Relevance, Value: 0.5}}
	return []satchel.Item{it}
}

func TestGather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		after := func(name string, d time.Duration) Provider {
			return &scripted{name, 100, func(ctx context.Context, req Request) ([]satchel.Item, []satchel.Diagnostic, error) {
				select {
				case <-time.After(d):
					return text(name), nil, nil
				case <-ctx.Done():
					return nil, nil, ctx.Err()
				}
			}}
		}
		var deaf chan struct{}
		list := []Provider{
			after("slow", 900*time.Millisecond), after("fast", time.Millisecond), after("never", time.Hour),
			&scripted{"broken", 100, func(context.Context, Request) ([]satchel.Item, []satchel.Diagnostic, error) {
				return nil, nil, errors.New("no luck")
			}},
			&scripted{"panics", 100, func(context.Context, Request) ([]satchel.Item, []satchel.Diagnostic, error) { panic("boom") }},
			&scripted{"deaf", 100, func(context.Context, Request) ([]satchel.Item, []satchel.Diagnostic, error) {
				<-deaf
				return text("too late"), nil, nil
			}},
			&scripted{"leaks", 100, func(context.Context, Request) ([]satchel.Item, []satchel.Diagnostic, error) {
				return text("gh" + "p_x8Kd03LqPz7vTn5RbWm1YsJc9HfGa2Ee4UiO"), nil, nil
			}},
			&scripted{"long", 20, func(_ context.Context, req Request) ([]satchel.Item, []satchel.Diagnostic, error) {
				return text(strings.Repeat("a line of text\n", 100)), []satchel.Diagnostic{{Text: fmt.Sprint("budget ", req.Budget)}}, nil
			}},
		}
		deaf = make(chan struct{})
		got := Gather(ctx, list, Request{}, time.Second)
		close(deaf)
		var b strings.Builder
		for _, a := range got {
			fmt.Fprintf(&b, "%s:", a.Provider)
			for _, it := range a.Items {
				fmt.Fprintf(&b, " %d %.16q", it.Forms[0].Detail, it.Forms[0].Text)
			}
			for _, n := range a.Diagnostics {
				fmt.Fprintf(&b, " (%s)", n.Text)
			}
			b.WriteByte('\n')
		}
		check(t, b.String(), `
slow: 4 "slow\n"
fast: 4 "fast\n"
never: (never: no answer within 1s)
broken: (broken: no luck)
panics: (panics: panic: boom)
deaf: (deaf: no answer within 1s)
leaks: 4 "[secret:github-t"
long: 3 "a line of text\na" (budget 20)
`)
		if n := tokens.O200k().Count(got[7].Items[0].Forms[0].Text.String()); n > 20 {
			t.Errorf("an item of %d tokens, of a budget of 20", n)
		}
	})
}

// TestChooseLaws: the offers that are taken fit, and no source is left out while
// another has two, if its best would have fit beside the best of the others.
func TestChooseLaws(t *testing.T) { rapid.Check(t, chooseLaws) }

func FuzzChoose(f *testing.F) { f.Fuzz(rapid.MakeFuzz(chooseLaws)) }

func chooseLaws(t *rapid.T) {
	list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Offer {
		return Offer{
			rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "source"),
			rapid.OneOf(rapid.Float64Range(0, 1), rapid.Just(math.NaN())).Draw(t, "relevance"),
			rapid.IntRange(-5, 50).Draw(t, "tokens"),
		}
	}), 0, 20).Draw(t, "offers")
	budget := rapid.IntRange(-5, 200).Draw(t, "budget")
	got := Choose(list, budget)
	used := 0
	seen := map[int]bool{}
	sources := map[string]int{}
	for _, i := range got {
		if seen[i] {
			t.Fatalf("%d was taken twice", i)
		}
		seen[i] = true
		used += max(list[i].Tokens, 0)
		sources[list[i].Source]++
	}
	if used > max(budget, 0) {
		t.Fatalf("%d tokens taken of %d", used, budget)
	}
	for i, o := range list {
		if !seen[i] && max(o.Tokens, 0) <= budget-used {
			t.Fatalf("%+v would have fit", o)
		}
		// Without the second ones of others there was room for it.
		if sources[o.Source] == 0 {
			rest := budget
			for _, k := range got {
				first := !slices.ContainsFunc(got[:slices.Index(got, k)], func(j int) bool { return list[j].Source == list[k].Source })
				if first {
					rest -= max(list[k].Tokens, 0)
				}
			}
			if used > budget-rest && max(o.Tokens, 0) <= rest {
				t.Fatalf("source %s has nothing, though %+v fits beside the first ones of the others", o.Source, o)
			}
		}
	}
	if again := Choose(list, budget); !slices.Equal(got, again) {
		t.Fatalf("%v, and then %v", got, again)
	}
}

// FuzzManifests: no manifest, report or log makes a reader panic, and what is read
// is bounded.
func FuzzManifests(f *testing.F) {
	for _, s := range []string{
		"require (\n a v1\n)", `{"dependencies":{"a":"1","b":{}}}`, "a==1\n# via b", "[project]\ndependencies=['a']", "<project><dependencies><dependency><artifactId>a</artifactId>",
		"gem 'a'\nend\nend", "[[[[", "<a><failure>x", "error: x\n\n", "{\"engines\":{\"node\":1}}", "[dependencies.a]\n[dependencies.a.b]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for name, read := range manifests {
			list, _ := read(text)
			if len(list) > 4*maxDependencies {
				t.Errorf("%s: %d dependencies", name, len(list))
			}
			for i := range list {
				if list[i].line < 0 || list[i].line > len(text)+1 || strings.ContainsAny(list[i].String(), "\n\r") {
					t.Errorf("%s: %+v", name, list[i])
				}
			}
		}
		for _, v := range versionFiles {
			for _, x := range v.read(text) {
				if len(x.version) > 4*longestVersion {
					t.Errorf("%s: %+v", v.path, x)
				}
			}
		}
		lines := strings.Split(string(text), "\n")
		for _, budget := range []int{0, 5, 50} {
			if c := compress(lines, "error in x", budget); c != nil && (c.from < 0 || c.to < c.from || c.to >= len(lines)) {
				t.Errorf("compress: lines %d-%d of %d", c.from, c.to, len(lines))
			}
		}
		junitFailures(text)
	})
}

func BenchmarkCompress(b *testing.B) {
	var lines []string
	for i := range 4000 {
		lines = append(lines, fmt.Sprintf("2026-01-05 09:00:%02d INFO request %d served in %d ms", i%60, i, i%17))
		if i%400 == 0 {
			lines = append(lines, fmt.Sprintf("ERROR cannot open shard %d: no such file", i))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		compress(lines, "shard cannot be opened", 400)
	}
}
