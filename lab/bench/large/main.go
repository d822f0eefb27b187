// Large makes repositories that are larger than any that a developer has at
// hand, and says what an index of them costs:
//
//	cd lab && go run ./bench/large join -out /tmp/joined ~/src/*        # every repository a folder of one, with a common history
//	cd lab && go run ./bench/large files -out /tmp/files -n 1000000      # one commit of many small files
//	cd lab && go run ./bench/large index -satchel /tmp/satchel /tmp/joined
//	cd lab && go run ./bench/large languages -satchel /tmp/satchel ~/src/*
//
// The same clones at the same commits give the same repositories, to the id of the
// last commit. join and files need git; index and languages run satchel in a
// process of its own and print its processor time, that of git included, and index
// the most memory that the larger of the two held.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: large join|files|index|languages ...; see go doc")
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	out := flags.String("out", "", "the `folder` to make; it must not exist")
	n := flags.Int("n", 1_000_000, "how many files, of clones at most")
	commits := flags.Int("commits", 5000, "how many commits of the clones' histories to join")
	bin := flags.String("satchel", "satchel", "the `program`")
	rounds := flags.Int("rounds", 3, "how often an index is made")
	most := flags.Int("bytes", 20_000_000, "how much text of a language is indexed")
	_ = flags.Parse(os.Args[2:]) // it exits
	var err error
	switch os.Args[1] {
	case "join":
		err = join(*out, flags.Args(), *commits, *n)
	case "files":
		err = files(*out, *n)
	case "index":
		for _, dir := range flags.Args() {
			err = measure(*bin, dir, *rounds)
		}
	case "languages":
		err = languages(*bin, flags.Args(), *most, *rounds)
	default:
		log.Fatalf("%s: not one of join, files, index, languages", os.Args[1])
	}
	if err != nil {
		log.Fatal(err)
	}
}

// A cost is what one process took.
type cost struct {
	cpu, wall time.Duration
	memory    int64 // bytes, the most at one time; 0 where that is not known
}

// index makes the index of a repository anew.
func index(bin, dir string) (cost, error) {
	if err := os.RemoveAll(filepath.Join(dir, ".git", "satchel", "index")); err != nil {
		return cost{}, err
	}
	cmd := exec.Command(bin, "index", "--quiet")
	cmd.Dir = dir
	began := time.Now()
	if b, err := cmd.CombinedOutput(); err != nil {
		return cost{}, fmt.Errorf("index %s: %v\n%s", dir, err, b)
	}
	return cost{
		cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall: time.Since(began), memory: mostMemory(cmd.ProcessState),
	}, nil
}

// measure prints what each of several indexes of one repository costs.
func measure(bin, dir string, rounds int) error {
	for range rounds {
		c, err := index(bin, dir)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %.1f s of processor time, %.1f s on the clock", dir, c.cpu.Seconds(), c.wall.Seconds())
		if c.memory > 0 {
			fmt.Printf(", %d MiB", c.memory>>20)
		}
		fmt.Println()
	}
	return nil
}
