package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/internal/front/cli"
)

var update = flag.Bool("update", false, "rewrite the digests of testdata")

// The cases over fixtures, and the digests of their outputs.
const (
	fixtureTable   = "testdata/fixtures.txtar"
	fixtureDigests = "testdata/fixtures.digests"
)

// TestMain is satchel where it is started by that name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "satchel" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		env := cli.System()
		env.HookDeadline = 10 * time.Minute // however busy the machine is
		code := cli.Main(ctx, env, os.Args[1:])
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
	if *update {
		if err := os.WriteFile(fixtureDigests, formatDigests(merge(nil, got, false)), 0o644); err != nil {
			t.Fatal(err)
		}
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
		out, _ := os.ReadFile(filepath.Join(f.keep, filepath.FromSlash(name)+".out"))
		errs, _ := os.ReadFile(filepath.Join(f.keep, filepath.FromSlash(name)+".err"))
		t.Errorf("%s; make freeze with -keep shows all of it\n%.2000s%.2000s", line, out, errs)
	}
}
