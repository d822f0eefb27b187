package base

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
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

func TestProgress(t *testing.T) {
	var w bytes.Buffer
	p := &Progress{W: &w, From: time.Now()}
	p.Step("index", 1, 10)
	if w.Len() > 0 {
		t.Errorf("a bar before there is long work: %q", w.String())
	}
	p.From = time.Now().Add(-time.Hour)
	p.Step("index", 3, 10)
	p.Step("index", 0, 0)
	p.Step("history", 20, 10)
	if !strings.Contains(w.String(), "satchel: index  30%") {
		t.Errorf("no bar: %q", w.String())
	}
	p.Stop()
	if last := w.String()[strings.LastIndex(strings.TrimRight(w.String(), "\r"), "\r")+1:]; strings.TrimSpace(last) != "" {
		t.Errorf("the bar stays: %q", last)
	}
	n := w.Len()
	p.Step("index", 4, 10)
	if w.Len() != n {
		t.Errorf("a bar after the end: %q", w.String()[n:])
	}

	// There is no bar off a terminal or with --quiet.
	for _, env := range []Env{
		{StderrTTY: false},
		{StderrTTY: true, Environ: []string{"TERM=dumb"}},
		{StderrTTY: true, Environ: []string{"SATCHEL_QUIET=1"}},
	} {
		env.Stdout, env.Stderr = io.Discard, io.Discard
		a := NewApp(env)
		if err := a.Load(&cobra.Command{Use: "satchel"}); err != nil {
			t.Fatal(err)
		}
		if p := a.Progress(); p.W != nil {
			t.Errorf("%+v: a bar", env)
		}
	}
}

func TestDetailFitsTerminal(t *testing.T) {
	l := Report{Width: 20}
	l.Detail("func Long(argument string) error")
	l.Detail("短い名前のとても長い関数")
	l.Detail("short  ")
	if got, want := l.String(), "    func Long(argum…\n    短い名前のとて…\n    short\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
