// Pairs says whether one build of satchel is faster than another on a machine that
// is never quiet: it runs the same command with both, in turn and in a new process
// each time, and compares runs of the same moment.
//
//	go build -o /tmp/new ./cmd/satchel
//	cd lab && go run ./pairs -old /tmp/old -new /tmp/new -dir ~/src/terraform -n 40 search "provider configuration graph"
//
// With -prompt the command is a hook of Claude Code that gets the words as a prompt
// of a new session, so that no answer is empty because it was given before:
//
//	cd lab && go run ./pairs -old /tmp/old -new /tmp/new -dir ~/src/terraform -prompt "state lock is not released"
//
// It prints wall-clock and processor time, that of the children included (all that
// were waited for): the least, the median, and the median of new divided by old
// over the pairs. Both must print the same, or it says so and fails: a faster
// answer is the same answer. A hook whose deadline passes says nothing; that is counted
// apart.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// A run is one process.
type run struct {
	wall, cpu time.Duration
	out       []byte
}

func main() {
	log.SetFlags(0)
	before := flag.String("old", "", "the `program` to compare with")
	after := flag.String("new", "", "the `program` that ought to be faster")
	dir := flag.String("dir", ".", "the `repository`")
	n := flag.Int("n", 40, "pairs")
	prompt := flag.String("prompt", "", "measure the hook for a prompt of these `words`")
	flag.Parse()
	root, err := filepath.Abs(*dir)
	if err != nil {
		log.Fatal(err)
	}
	args := flag.Args()
	if *prompt != "" {
		args = []string{"hook", "claude"}
	}
	if *before == "" || *after == "" || len(args) == 0 {
		log.Fatal("usage: pairs -old program -new program [-dir repository] [-n pairs] command...")
	}
	bins := [2]string{*before, *after}
	for _, bin := range bins {
		cmd := exec.Command(bin, "index", "--quiet")
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			log.Fatalf("%s index: %v\n%s", bin, err, out)
		}
	}

	runs := compare(bins, root, args, *prompt, *n)
	printTimes("wall", runs, func(r run) time.Duration { return r.wall })
	printTimes("processor", runs, func(r run) time.Duration { return r.cpu })
	different, silent := differences(runs, *prompt != "")
	if silent > 0 {
		fmt.Printf("in %d of %d pairs one of the two missed the deadline of a hook, and said nothing\n", silent, *n)
	}
	if different > 0 {
		log.Fatalf("%d of %d pairs printed different things", different, *n)
	}
}

// compare runs both programs n times. Who is first has a colder cache: they take
// turns.
func compare(bins [2]string, root string, args []string, prompt string, n int) (runs [2][]run) {
	for i := range n {
		for k := range 2 {
			which := (i + k) % 2
			session := fmt.Sprintf("pairs-%d-%d-%d", os.Getpid(), i, which)
			runs[which] = append(runs[which], start(bins[which], root, args, input(prompt, root, session)))
		}
	}
	return runs
}

// differences counts the pairs that printed different things, and apart from them
// those in which one hook said nothing.
func differences(runs [2][]run, hook bool) (different, silent int) {
	for i := range runs[0] {
		a, b := runs[0][i].out, runs[1][i].out
		switch {
		case hook && (len(a) == 0) != (len(b) == 0):
			silent++
		case !bytes.Equal(a, b):
			different++
		}
	}
	return different, silent
}

// printTimes prints one kind of time of both programs, and how they compare.
func printTimes(what string, runs [2][]run, of func(run) time.Duration) {
	var list [2][]time.Duration
	var ratios []float64
	for i := range runs[0] {
		a, b := of(runs[0][i]), of(runs[1][i])
		list[0], list[1] = append(list[0], a), append(list[1], b)
		ratios = append(ratios, float64(b)/float64(a))
	}
	for k := range list {
		slices.Sort(list[k])
	}
	slices.Sort(ratios)

	at := func(l []time.Duration, p int) time.Duration {
		return l[min(len(l)-1, len(l)*p/100)].Round(100 * time.Microsecond)
	}
	fmt.Printf("%-10s old least %v median %v p95 %v, new least %v median %v p95 %v, new/old %.2f of medians, %.2f in pairs\n", what,
		at(list[0], 0), at(list[0], 50), at(list[0], 95), at(list[1], 0), at(list[1], 50), at(list[1], 95),
		float64(at(list[1], 50))/float64(at(list[0], 50)), ratios[len(ratios)/2])
}

// input is what a client says to the hook.
func input(prompt, dir, session string) []byte {
	if prompt == "" {
		return nil
	}
	b, err := json.Marshal(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": prompt, "cwd": dir, "session_id": session})
	if err != nil {
		log.Fatal(err)
	}
	return b
}

func start(bin, dir string, args []string, stdin []byte) run {
	cmd := exec.Command(bin, args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	began := time.Now()
	out, err := cmd.Output()
	wall := time.Since(began)
	if err != nil {
		log.Fatalf("%s %v: %v", bin, args, err)
	}
	return run{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), out}
}
