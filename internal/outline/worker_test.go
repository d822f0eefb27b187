package outline

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func newParser(t *testing.T, o *Options) *Parser {
	t.Helper()
	p := New(o)
	t.Cleanup(func() { p.Close() })
	return p
}

func parse(t *testing.T, p *Parser, lang, src string) Outline {
	t.Helper()
	o, err := p.Parse(context.Background(), lang, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func needWorkers(t *testing.T) {
	t.Helper()
	if !hasGrammar("python") {
		t.Skip("built without cgo")
	}
}

// TestWorkerDies lets a worker exit, run out of memory and hang; the next text
// gets another one.
func TestWorkerDies(t *testing.T) {
	needWorkers(t)
	tests := []struct {
		name string
		op   byte
		want error
	}{
		{"exit", opExit, errDied},
		{"hoard", opHoard, errDied},
		{"spin", opSpin, errHung},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := &Options{Workers: 1, Memory: 256 << 20}
			if test.op == opSpin {
				o.Patience = 300 * time.Millisecond
			}
			p := newParser(t, o)
			if _, err := p.pool.ask(context.Background(), test.op, "python", nil); !errors.Is(err, test.want) {
				t.Fatalf("ask = %v, want %v", err, test.want)
			}
			p.pool.o.Patience = defaultPatience
			if out := parse(t, p, "python", "def f(): pass\n"); len(out.Symbols) != 1 || out.Partial {
				t.Errorf("after that, Parse = %+v", out)
			}
		})
	}
}

// TestFallback is what a text gets whose parser dies.
func TestFallback(t *testing.T) {
	needWorkers(t)
	p := newParser(t, &Options{command: []string{"/bin/sh", "-c", "printf '" + strings.TrimSpace(hello) + "\\n'; exit 0"}})
	out := parse(t, p, "python", "def f(): pass\n")
	if !out.Partial || out.Why != errDied.Error() || len(out.Symbols) != 1 {
		t.Errorf("Parse = %+v, want a partial outline", out)
	}
}

// TestNotAWorker runs a program that does not call WorkerMain. It is started a
// few times, not once per text.
func TestNotAWorker(t *testing.T) {
	needWorkers(t)
	dir := t.TempDir()
	p := newParser(t, &Options{command: []string{"/bin/sh", "-c", "echo >>" + dir + "/starts"}})
	for range 10 {
		out := parse(t, p, "python", "def f(): pass\n")
		if !out.Partial || !strings.Contains(out.Why, "WorkerMain") || len(out.Symbols) != 1 {
			t.Fatalf("Parse = %+v, want a partial outline", out)
		}
	}
	b, err := os.ReadFile(dir + "/starts")
	if err != nil || len(b) != maxStarts {
		t.Errorf("started %d times, %v; want %d", len(b), err, maxStarts)
	}
}

func TestGarbledAnswer(t *testing.T) {
	needWorkers(t)
	p := newParser(t, &Options{command: []string{"/bin/sh", "-c", "printf '" + strings.TrimSpace(hello) + "\\n\\005\\0\\0\\0oXYZW'; cat >/dev/null"}})
	if out := parse(t, p, "python", "def f(): pass\n"); !out.Partial || len(out.Symbols) != 1 {
		t.Errorf("Parse = %+v, want a partial outline", out)
	}
}

func TestCancel(t *testing.T) {
	needWorkers(t)
	p := newParser(t, &Options{Workers: 1})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := p.pool.ask(ctx, opSpin, "python", nil)
		done <- err
	}()
	waiting := make(chan error)
	go func() { // for the only worker
		_, err := p.Parse(ctx, "python", []byte("x = 1\n"))
		waiting <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("ask = %v, want %v", err, context.Canceled)
	}
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("Parse = %v, want %v", err, context.Canceled)
	}
	if out := parse(t, p, "python", "def f(): pass\n"); len(out.Symbols) != 1 || out.Partial {
		t.Errorf("after that, Parse = %+v", out)
	}
}

func TestClose(t *testing.T) {
	needWorkers(t)
	p := New(nil)
	parse(t, p, "python", "x = 1\n")
	pid := p.pool.idle[0].cmd.Process.Pid
	p.Close()
	p.Close()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("worker %d lives on: %v", pid, err)
	}
	if _, err := p.Parse(context.Background(), "python", []byte("x = 1\n")); !errors.Is(err, errClosed) {
		t.Errorf("Parse = %v, want %v", err, errClosed)
	}
	if out, err := p.Parse(context.Background(), "go", []byte("package p\nvar x int\n")); err != nil || len(out.Symbols) != 1 {
		t.Errorf("Parse(go) = %v, %v; needs no worker", out, err)
	}
}

// TestParentDies kills a process that has started a worker, and waits for the
// worker's end, which closes the pipe that both hold.
func TestParentDies(t *testing.T) {
	needWorkers(t)
	if os.Getenv("OUTLINE_TEST_PARENT") != "" {
		p := New(nil)
		parse(t, p, "python", "x = 1\n")
		go p.pool.ask(context.Background(), opSpin, "python", nil)
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(os.Args[0], "-test.run=^TestParentDies$")
	cmd.Env = append(os.Environ(), "OUTLINE_TEST_PARENT=1")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	r.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := r.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the worker outlives its parent: %v", err)
	}
	cmd.Wait()
}

func TestConcurrent(t *testing.T) {
	p := newParser(t, nil)
	sources := map[string]string{"python": "def f(): pass\n", "go": "package p\nfunc f() {}\n", "rust": "fn f() {}\n", "lua": "function f() end\n"}
	var wg sync.WaitGroup
	for range 8 {
		for lang, src := range sources {
			wg.Go(func() {
				out, err := p.Parse(context.Background(), lang, []byte(src))
				if err != nil || len(out.Symbols) != 1 {
					t.Errorf("Parse(%s) = %v, %v", lang, out, err)
				}
			})
		}
	}
	wg.Wait()
}

// TestBombs are texts that are hard on parsers. Each must come back, with or
// without an outline.
func TestBombs(t *testing.T) {
	p := newParser(t, &Options{Patience: time.Minute})
	for lang, src := range map[string]string{
		"c":    strings.Repeat("x => \n", 10_000),  // crashes the parser
		"bash": strings.Repeat("@a(\n)\n", 10_000), // takes error recovery very long
	} {
		checkLaws(t, parse(t, p, lang, src), []byte(src))
	}
	bombs := map[string]string{
		"python":     strings.Repeat("(", 200_000),
		"javascript": strings.Repeat("a=>{", 100_000),
		"typescript": strings.Repeat("a<b<", 100_000),
		"cpp":        strings.Repeat("a<b<c(", 80_000),
		"c":          strings.Repeat("{", 400_000),
		"java":       strings.Repeat("class A {\n", 20_000),
		"rust":       strings.Repeat("mod a {\n", 20_000),
		"go":         "package p\nvar x = " + strings.Repeat("\n(", 100_000),
		"ruby":       strings.Repeat("def a\n", 20_000),
		"kotlin":     strings.Repeat("x?.let {\n", 20_000),
		"bash":       strings.Repeat("$(\n", 20_000),
		"scala":      strings.Repeat("object A {\n", 20_000),
		"php":        "<?php " + strings.Repeat("[\n", 100_000),
		"csharp":     strings.Repeat("namespace A {\n", 20_000),
		"markdown":   strings.Repeat("# a\n", 100_000),
		"swift":      strings.Repeat("class A {\n", 20_000),
		"lua":        strings.Repeat(" function a()\n", 20_000),
		"json":       strings.Repeat(`{"a":`, 100_000),
		"text":       "a\x00b",
	}
	for lang, src := range bombs {
		t.Run(lang, func(t *testing.T) {
			out := parse(t, p, lang, src)
			checkLaws(t, out, []byte(src))
		})
	}
}

func TestTooMuch(t *testing.T) {
	p := newParser(t, nil)
	long := "x = '" + strings.Repeat("a", maxLine) + "'\ndef f(): pass\n"
	if out := parse(t, p, "python", long); !out.Partial || len(out.Symbols) == 0 {
		t.Errorf("Parse of a long line = %d symbols, partial %v %q", len(out.Symbols), out.Partial, out.Why)
	}
	big := strings.Repeat("def f():\n    pass\n\n", maxBytes/18)
	if out := parse(t, p, "python", big); !out.Partial || len(out.Symbols) == 0 {
		t.Errorf("Parse of a large text = %d symbols, partial %v %q", len(out.Symbols), out.Partial, out.Why)
	}
}
