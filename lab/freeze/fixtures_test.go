package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/front/cli"
)

var update = flag.Bool("update", false, "rewrite the digests and the kept outputs of testdata")

// The cases over fixtures. Of the outputs that are digested, those of at most
// mostKept bytes are kept as well, so that a failure can show what changed.
const (
	fixtureTable   = "testdata/fixtures.txtar"
	fixtureDigests = "testdata/fixtures.digests"
	keptFolder     = "testdata/kept"
	mostKept       = 8 << 10
)

// TestMain is satchel where it is started by that name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "satchel" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		code := cli.Main(ctx, cli.System(), os.Args[1:])
		stop()
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// TestFrozen checks that what satchel prints over our own fixtures is, byte for
// byte, what it printed when testdata was written. A change that is meant to
// change it rewrites testdata by -update, and says so in the change log.
func TestFrozen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the cases are lines of sh")
	}
	text, err := os.ReadFile(fixtureTable)
	if err != nil {
		t.Fatal(err)
	}
	groups, inputs, err := parseTable(text)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := &settings{
		satchel: program, mirror: "../eval/testdata/ranking", sessions: "../../transcript/testdata/read",
		work: filepath.Join(t.TempDir(), "work"), keep: filepath.Join(t.TempDir(), "outputs"),
	}
	w, err := newWorkshop(f, inputs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.runAll(groups, 4)
	if err != nil {
		t.Fatal(err)
	}
	if n := w.late(); n > 0 {
		t.Skipf("%d hooks ran out of time: the machine is too busy for them", n)
	}
	if *update {
		rewrite(t, got, f.keep)
		return
	}

	committed, err := os.ReadFile(fixtureDigests)
	if err != nil {
		t.Fatal(err)
	}
	want, err := parseDigests(committed)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range compare(want, got, false) {
		name, _, _ := strings.Cut(line, ": ")
		t.Errorf("%s\n%s", line, firstDifference(name, f.keep))
	}
}

// rewrite commits the digests, and the outputs that are small.
func rewrite(t *testing.T, got []digest, outputs string) {
	t.Helper()
	if err := os.WriteFile(fixtureDigests, formatDigests(merge(nil, got, false)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(keptFolder); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(outputs, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || len(text) == 0 || len(text) > mostKept {
			return err
		}
		name := filepath.Join(keptFolder, strings.TrimPrefix(path, outputs))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.WriteFile(name, text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// firstDifference shows where the outputs of a case leave those that are kept.
func firstDifference(name, outputs string) string {
	var b strings.Builder
	for _, ext := range []string{".out", ".err"} {
		got, _ := os.ReadFile(filepath.Join(outputs, filepath.FromSlash(name)+ext))
		want, err := os.ReadFile(filepath.Join(keptFolder, filepath.FromSlash(name)+ext))
		switch {
		case err == nil && !bytes.Equal(got, want):
			fmt.Fprintf(&b, "%s%s (-want +got):\n%s", name, ext, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")))
		case err != nil && len(got) > 0:
			fmt.Fprintf(&b, "%s%s is not kept; it begins now:\n%.400s\n", name, ext, got)
		}
	}
	return b.String()
}
