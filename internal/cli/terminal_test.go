package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeTree writes files below a fresh folder and returns it.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestPager: search and show page on a terminal, pack never does, and a pager
// that is not there costs nothing.
func TestPager(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.go": "package a\n\n// Hello greets.\nfunc Hello() {}\n"})
	path := "PATH=" + os.Getenv("PATH")
	for _, tt := range []struct {
		name    string
		tty     bool
		environ []string
		args    []string
		paged   bool
	}{
		{"show", true, []string{"SATCHEL_PAGER=sed s/^/paged:/"}, []string{"show", "a.go"}, true},
		{"PAGER", true, []string{"PAGER=sed s/^/paged:/"}, []string{"show", "a.go"}, true},
		{"flag", true, []string{"PAGER=false"}, []string{"show", "a.go", "--pager", "sed s/^/paged:/"}, true},
		{"search", true, []string{"PAGER=sed s/^/paged:/"}, []string{"search", "hello"}, true},
		{"no terminal", false, []string{"PAGER=sed s/^/paged:/"}, []string{"show", "a.go"}, false},
		{"JSON", true, []string{"PAGER=sed s/^/paged:/"}, []string{"show", "a.go", "--json"}, false},
		{"pack", true, []string{"PAGER=sed s/^/paged:/"}, []string{"pack", "hello"}, false},
		{"cat", true, []string{"PAGER=cat"}, []string{"show", "a.go"}, false},
		{"none", true, []string{"PAGER=sed s/^/paged:/"}, []string{"show", "a.go", "--pager="}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			env := Env{
				Dir: dir, Environ: append([]string{path, "HOME=" + t.TempDir()}, tt.environ...),
				Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, StdoutTTY: tt.tty,
			}
			code := Main(t.Context(), env, append(tt.args, "--no-cache", "--color=never"))
			if code != ExitOK || !strings.Contains(out.String(), "a.go") && !strings.Contains(out.String(), "Hello") {
				t.Fatalf("exit code %d, stdout %q, stderr %q", code, out.String(), errs.String())
			}
			if paged := strings.HasPrefix(out.String(), "paged:"); paged != tt.paged {
				t.Errorf("paged %v, want %v:\n%s", paged, tt.paged, out.String())
			}
		})
	}
}

func TestProgress(t *testing.T) {
	var w bytes.Buffer
	p := &progress{w: &w, from: time.Now()}
	p.step("index", 1, 10)
	if w.Len() > 0 {
		t.Errorf("a bar before there is long work: %q", w.String())
	}
	p.from = time.Now().Add(-time.Hour)
	p.step("index", 3, 10)
	p.step("index", 0, 0)
	p.step("history", 20, 10)
	if !strings.Contains(w.String(), "satchel: index  30%") {
		t.Errorf("no bar: %q", w.String())
	}
	p.stop()
	if last := w.String()[strings.LastIndex(strings.TrimRight(w.String(), "\r"), "\r")+1:]; strings.TrimSpace(last) != "" {
		t.Errorf("the bar stays: %q", last)
	}
	n := w.Len()
	p.step("index", 4, 10)
	if w.Len() != n {
		t.Errorf("a bar after the end: %q", w.String()[n:])
	}

	// Off a terminal, or quietly, there is none.
	for _, env := range []Env{
		{StderrTTY: false},
		{StderrTTY: true, Environ: []string{"TERM=dumb"}},
		{StderrTTY: true, Environ: []string{"SATCHEL_QUIET=1"}},
	} {
		env.Stdout, env.Stderr = io.Discard, io.Discard
		a := newApp(env)
		if err := a.load(a.root()); err != nil {
			t.Fatal(err)
		}
		if p := a.progress(); p.w != nil {
			t.Errorf("%+v: a bar", env)
		}
	}
}

func TestDetailFitsTerminal(t *testing.T) {
	l := listing{width: 20}
	l.detail("func Long(argument string) error")
	l.detail("短い名前のとても長い関数")
	l.detail("short  ")
	if got, want := l.String(), "    func Long(argum…\n    短い名前のとて…\n    short\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
}
