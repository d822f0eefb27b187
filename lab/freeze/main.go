// Command freeze runs a table of satchel commands over public repositories and
// recorded sessions, and compares what they print with committed digests: a
// change that is meant to change no byte changes no digest.
//
//	freeze -satchel bin/satchel -mirror DIR -sessions DIR
//	freeze -satchel bin/satchel -mirror DIR -sessions DIR -write lab/freeze/digests.txt
//	freeze -satchel bin/satchel -mirror DIR -sessions DIR -only flask -keep /tmp/new
//
// The mirror has a git directory OWNER+NAME/repo for each repository, and the
// folder of sessions is one that lab/sessions -mode gather wrote. The table is
// cases.txtar, whose head says how it is read; the digests are digests.txt, a
// line a case; cases over our own fixtures stand in testdata, and run as a test.
// Outputs that -keep kept of two programs are compared by diff -r.
//
// The exit code is 0 if every digest is the committed one, else 1.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

//go:embed cases.txtar
var table []byte

//go:embed digests.txt
var committed []byte

// settings are the flags.
type settings struct {
	satchel, mirror, sessions string
	work, keep, write, only   string
	jobs                      int
}

func main() {
	var f settings
	flag.StringVar(&f.satchel, "satchel", "bin/satchel", "the `program` whose outputs are digested")
	flag.StringVar(&f.mirror, "mirror", "", "`folder` of git directories OWNER+NAME/repo")
	flag.StringVar(&f.sessions, "sessions", "", "`folder` of gathered sessions")
	flag.StringVar(&f.work, "work", "", "`folder` to work in, which must be empty or absent; one is made and removed if none is named")
	flag.StringVar(&f.keep, "keep", "", "write each output below this `folder`")
	flag.StringVar(&f.write, "write", "", "write the digests to this `file` instead of comparing them")
	flag.StringVar(&f.only, "only", "", "run only the groups of cases whose names begin with one of these `names`, divided by commas")
	flag.IntVar(&f.jobs, "jobs", 2, "groups that run side by side")
	flag.Parse()

	same, err := run(&f)
	if err != nil {
		fmt.Fprintln(os.Stderr, "freeze:", err)
	}
	if err != nil || !same {
		os.Exit(1)
	}
}

// run reports whether the digests are the committed ones, or were written.
func run(f *settings) (bool, error) {
	began := time.Now()
	groups, inputs, err := parseTable(table)
	if err != nil {
		return false, err
	}
	want, err := parseDigests(committed)
	if err != nil {
		return false, err
	}
	if f.only != "" {
		groups = chosen(groups, strings.Split(f.only, ","))
	}
	w, err := newWorkshop(f, inputs)
	if err != nil {
		return false, err
	}
	defer w.close()

	got, broken := w.runAll(groups, f.jobs)
	fmt.Printf("%d cases in %.0f s\n", len(got), time.Since(began).Seconds())
	if broken != nil {
		return false, broken
	}
	if n := w.late(); n > 0 {
		fmt.Printf("%d hooks ran out of time: run this again when the machine is less busy\n", n)
	}
	if f.write != "" {
		return true, os.WriteFile(f.write, formatDigests(merge(want, got, f.only != "")), 0o644)
	}
	differences := compare(want, got, f.only != "")
	for _, d := range differences {
		fmt.Println(d)
	}
	if n := len(differences); n > 0 {
		fmt.Printf("%d of %d cases differ\n", n, len(got))
	}
	return len(differences) == 0, nil
}

// chosen returns the groups whose names begin with one of the names.
func chosen(groups []*group, names []string) []*group {
	var out []*group
	for _, g := range groups {
		for _, name := range names {
			if strings.HasPrefix(g.name, name) {
				out = append(out, g)
				break
			}
		}
	}
	return out
}

// absolute returns a path that stays right in any folder.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
