// Accept runs the acceptance tests with the real agents, offline: each in an
// empty home, against a stand-in for the model APIs that records what the model
// would have seen.
//
//	accept -lab DIR [-install] [-only 1,2,10] [-keep]
//
// With -install the agents are installed into DIR first, by npm, in pinned
// versions (2 GB). One line a test: pass, fail or not run, and why. The exit
// status is 1 if a test fails.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A lab is where the agents are installed, and what a run of the tests shares.
type lab struct {
	dir     string // of the agents
	root    string // of the module
	work    string // of this run
	satchel string
	nodeDir string
	boxes   []*box
}

// A trial is one acceptance test, on its way.
type trial struct {
	*lab
	problems []string
	facts    []string // measured, for the line
}

// fail records something that is not as it has to be.
func (t *trial) fail(format string, args ...any) {
	t.problems = append(t.problems, fmt.Sprintf(format, args...))
}

// want fails unless ok.
func (t *trial) want(ok bool, format string, args ...any) {
	if !ok {
		t.fail(format, args...)
	}
}

func (t *trial) fact(format string, args ...any) {
	t.facts = append(t.facts, fmt.Sprintf(format, args...))
}

// setup makes a box, or panics with the reason: nothing can be tested then.
func (t *trial) setup(name string, settings ...func(*box) error) *box {
	b, err := t.box(name)
	for _, s := range settings {
		if err == nil {
			err = s(b)
		}
	}
	if err != nil {
		panic(notRun{err.Error()})
	}
	return b
}

// notRun is thrown where a test cannot be run.
type notRun struct{ why string }

// installed installs satchel into an agent and builds the index.
func (t *trial) installed(b *box, names ...string) {
	if r := b.satchel("index"); r.code != 0 {
		t.fail("satchel index: %s", r.err)
	}
	if len(names) == 0 {
		return
	}
	if r := b.satchel(append([]string{"install"}, names...)...); r.code != 0 {
		t.fail("satchel install: %s", r.err)
	}
}

// A test is one of the acceptance tests.
type test struct {
	number int
	name   string
	needs  []string // agents
	run    func(*trial)
}

func main() {
	var l lab
	var install, keep bool
	var only string
	flag.StringVar(&l.dir, "lab", "", "the folder of the agents")
	flag.BoolVar(&install, "install", false, "install the agents that are missing, by npm")
	flag.StringVar(&only, "only", "", "numbers of the tests to run; all without it")
	flag.BoolVar(&keep, "keep", false, "keep the folders of the run")
	flag.Parse()
	code, err := l.main(install, keep, only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "accept:", err)
		code = 2
	}
	os.Exit(code)
}

func (l *lab) main(install, keep bool, only string) (code int, err error) {
	if l.dir == "" {
		return 2, errors.New("want -lab DIR")
	}
	if l.dir, err = filepath.Abs(l.dir); err != nil {
		return 2, err
	}
	var numbers []int
	for _, s := range strings.FieldsFunc(only, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(s)
		if err != nil {
			return 2, err
		}
		numbers = append(numbers, n)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return 2, errors.New("node is not installed")
	}
	l.nodeDir = filepath.Dir(node)
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/satchel-dev/satchel").Output()
	if err != nil {
		return 2, fmt.Errorf("go list: %w", err)
	}
	l.root = strings.TrimSpace(string(out))
	if l.work, err = os.MkdirTemp("", "satchel-accept-"); err != nil {
		return 2, err
	}
	if keep {
		fmt.Fprintln(os.Stderr, "accept: the runs are in", l.work)
	} else {
		defer os.RemoveAll(l.work)
	}
	l.satchel = filepath.Join(l.work, "satchel")
	if out, err := exec.Command("go", "build", "-C", l.root, "-o", l.satchel, "./cmd/satchel").CombinedOutput(); err != nil {
		return 2, fmt.Errorf("go build: %w: %s", err, out)
	}
	if install {
		if err := l.install(); err != nil {
			return 2, err
		}
	}
	defer func() {
		for _, b := range l.boxes {
			b.api.close()
		}
	}()
	for _, t := range tests {
		if len(numbers) > 0 && !slices.Contains(numbers, t.number) {
			continue
		}
		if !l.try(&t) {
			code = 1
		}
	}
	return code, nil
}

// try runs a test and prints its line. It reports false if the test failed.
func (l *lab) try(t *test) bool {
	tr := &trial{lab: l}
	start := time.Now()
	why := ""
	for _, name := range t.needs {
		if l.argv(name) == nil {
			why = name + " is not installed; -install does it"
		}
	}
	if why == "" {
		why = func() (why string) {
			defer func() {
				switch r := recover().(type) {
				case nil:
				case notRun:
					why = r.why
				default:
					panic(r)
				}
			}()
			t.run(tr)
			return ""
		}()
	}
	line := func(what, more string) {
		fmt.Printf("%-7s %2d %-16s %5.1f s  %s\n", what, t.number, t.name, time.Since(start).Seconds(), more)
	}
	switch {
	case len(tr.problems) > 0:
		line("fail", strings.ReplaceAll(strings.Join(tr.problems, "; "), "\n", " "))
		return false
	case why != "":
		line("not run", why)
		return true
	}
	line("pass", strings.Join(tr.facts, ", "))
	return true
}

// install installs the agents that are missing.
func (l *lab) install() error {
	for _, a := range agents {
		if l.argv(a.name) != nil {
			continue
		}
		dir := filepath.Join(l.dir, a.name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "accept: npm install", strings.Join(a.modules, " "))
		cmd := exec.Command("npm", append([]string{"install", "--prefix", dir, "--no-fund", "--no-audit", "--loglevel=error"}, a.modules...)...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			fmt.Fprintf(os.Stderr, "accept: %s: %v\n", a.name, err) // its tests are not run
		}
	}
	return nil
}
