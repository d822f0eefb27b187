package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
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

// TestPager: what people read is paged on a terminal, by their own pager or less,
// and nothing is elsewhere.
func TestPager(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.go": "package a\n\n// Hello greets.\nfunc Hello() {}\n",
		"less":    "#!/bin/sh\nsed s/^/paged:/\n",
		"a.patch": "--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-package b\n+package a\n",
	})
	path := "PATH=" + os.Getenv("PATH")
	lesser := writeTree(t, map[string]string{"less": "#!/bin/sh\nsed s/^/paged:/\n"})
	for _, folder := range []string{lesser, dir} {
		if err := os.Chmod(filepath.Join(folder, "less"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	less := "PATH=" + lesser + ":" + os.Getenv("PATH")
	for _, tt := range []struct {
		name    string
		tty     bool
		environ []string
		args    []string
		paged   bool
	}{
		{"show", true, []string{"SATCHEL_PAGER=sed s/^/paged:/"}, []string{"show", "a.go"}, true},
		{"PAGER", true, []string{"PAGER=sed s/^/paged:/"}, []string{"show", "a.go"}, true},
		{"flag", true, []string{"PAGER=false"}, []string{"show", "a.go", "--set", "pager=sed s/^/paged:/"}, true},
		{"search", true, []string{"PAGER=sed s/^/paged:/"}, []string{"search", "hello"}, true},
		{"no terminal", false, []string{"PAGER=sed s/^/paged:/"}, []string{"show", "a.go"}, false},
		{"JSON", true, []string{"PAGER=sed s/^/paged:/"}, []string{"show", "a.go", "--json"}, false},
		{"pack", true, []string{"PAGER=sed s/^/paged:/"}, []string{"pack", "hello"}, true},
		{"pack to a pipe", false, []string{"PAGER=sed s/^/paged:/"}, []string{"pack", "hello"}, false},
		{"pack as JSON", true, []string{"PAGER=sed s/^/paged:/"}, []string{"pack", "hello", "--json"}, false},
		{"diff", true, []string{"PAGER=sed s/^/paged:/"}, []string{"diff", "--patch", "a.patch"}, true},
		{"less", true, []string{less}, []string{"show", "a.go"}, true},
		{"PAGER is empty", true, []string{less, "PAGER="}, []string{"show", "a.go"}, false},
		{"SATCHEL_PAGER is empty", true, []string{less, "SATCHEL_PAGER="}, []string{"show", "a.go"}, false},
		{"no pager, by flag", true, []string{less}, []string{"show", "a.go", "--set", "pager="}, false},
		{"less on a dumb terminal", true, []string{less, "TERM=dumb"}, []string{"show", "a.go"}, false},
		{"less to a pipe", false, []string{less}, []string{"show", "a.go"}, false},
		{"less of the current folder", true, []string{"PATH=.:"}, []string{"show", "a.go"}, false},
		{"cat", true, []string{"PAGER=cat"}, []string{"show", "a.go"}, false},
		{"none", true, []string{"PAGER=sed s/^/paged:/"}, []string{"show", "a.go", "--set", "pager="}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			env := base.Env{
				Dir: dir, Environ: append([]string{path, "HOME=" + t.TempDir()}, tt.environ...),
				Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, StdoutTTY: tt.tty,
			}
			code := Main(t.Context(), env, append(tt.args, "--set", "no-cache", "--set", "color=never"))
			if code != base.ExitOK || !strings.Contains(out.String(), "a.go") && !strings.Contains(out.String(), "Hello") {
				t.Fatalf("exit code %d, stdout %q, stderr %q", code, out.String(), errs.String())
			}
			if paged := strings.HasPrefix(out.String(), "paged:"); paged != tt.paged {
				t.Errorf("paged %v, want %v:\n%s", paged, tt.paged, out.String())
			}
		})
	}
}

// TestPaint: colours change no text, on a terminal only, and none runs over the
// end of a line.
func TestPaint(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.go": "package a\n\n/* Hello\ngreets. */\nfunc Hello() string { return \"```\" }\n"})
	run := func(tty bool, args ...string) string {
		var out, errs bytes.Buffer
		env := base.Env{Dir: dir, Environ: []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "PAGER=cat"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, StdoutTTY: tty}
		if code := Main(t.Context(), env, append(args, "--set", "no-cache")); code != base.ExitOK {
			t.Fatalf("%q: exit code %d, stderr %q", args, code, errs.String())
		}
		return out.String()
	}
	sequence := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	for _, args := range [][]string{{"show", "a.go"}, {"pack", "hello"}, {"pack", "hello", "--format", "plain"}} {
		plain := run(false, args...)
		if strings.Contains(plain, "\x1b") || strings.Contains(run(false, append(args, "--set", "color=always")...), "\x1b") {
			t.Errorf("%q to a pipe is coloured: %q", args, plain)
		}
		painted := run(true, args...)
		if got := sequence.ReplaceAllString(painted, ""); got != plain || got == painted {
			t.Errorf("%q: colours change the text, or there are none:\n%q\nwant\n%q", args, painted, plain)
		}
		for line := range strings.Lines(painted) {
			if codes := sequence.FindAllString(line, -1); len(codes) > 0 && codes[len(codes)-1] != "\x1b[0m" {
				t.Errorf("%q: a colour runs over the end of %q", args, line)
			}
		}
		if got := run(true, append(args, "--set", "color=never")...); got != plain {
			t.Errorf("%q --set color=never: %q", args, got)
		}
	}
	if painted := run(true, "show", "a.go"); !strings.Contains(painted, "\x1b[35mfunc\x1b[0m Hello() \x1b") && !strings.Contains(painted, "\x1b[35mfunc\x1b[0m Hello() string") {
		t.Errorf("the keyword is not coloured: %q", painted)
	}
	for _, args := range [][]string{{"pack", "hello", "--json"}, {"pack", "hello", "--format", "xml"}, {"show", "a.go", "--json"}, {"show", "a.go", "--raw"}} {
		if out := run(true, args...); strings.Contains(out, "\x1b") {
			t.Errorf("%q is coloured: %q", args, out)
		}
	}
}

// TestCopyByTerminal: without a program the terminal is asked, of as much as it
// takes.
func TestCopyByTerminal(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.txt": "short\n", "long.txt": strings.Repeat("a long line\n", 10_000)})
	for _, tt := range []struct {
		name           string
		environ        []string
		stdout, stderr bool // are terminals
		file           string
		code           int
		want           string
	}{
		{"stderr", nil, false, true, "a.txt", base.ExitOK, "by the terminal"},
		{"stdout", nil, true, false, "a.txt", base.ExitOK, "by the terminal"},
		{"tmux", []string{"TMUX=/tmp/x"}, true, true, "a.txt", base.ExitOK, "set-clipboard"},
		{"too long", nil, true, true, "long.txt", base.ExitFailed, "the text has 120000 bytes, and a terminal takes 75000 for its clipboard"},
		{"dumb", []string{"TERM=dumb"}, true, true, "a.txt", base.ExitFailed, "no clipboard"},
		{"none", nil, false, false, "a.txt", base.ExitFailed, "no clipboard"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			env := base.Env{Dir: dir, Environ: append([]string{"HOME=" + t.TempDir(), "SSH_TTY=/dev/pts/0"}, tt.environ...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, StdoutTTY: tt.stdout, StderrTTY: tt.stderr}
			code := Main(t.Context(), env, []string{"show", tt.file, "--copy", "--set", "no-cache"})
			if code != tt.code || !strings.Contains(errs.String(), tt.want) {
				t.Errorf("exit code %d, stderr %q, want %d and %q", code, errs.String(), tt.code, tt.want)
			}
			sequence := "\x1b]52;c;c2hvcnQK\a"
			if has := strings.Contains(out.String()+errs.String(), sequence); has != (tt.code == base.ExitOK) {
				t.Errorf("the terminal got %q and %q", out.String(), errs.String())
			}
			if tt.code != base.ExitOK && out.Len() > 0 {
				t.Errorf("stdout %q", out.String())
			}
		})
	}
}
