package archive

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/proctree"
)

// child names the variable that makes this test binary a writer.
const child = "SATCHEL_ARCHIVE_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		if err := write(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// write keeps snapshots and prints the id of each one that was acknowledged.
func write() error {
	ctx := context.Background()
	if os.Getenv(child) == "fill" {
		limit, err := strconv.ParseUint(os.Getenv("SATCHEL_LIMIT"), 10, 64)
		if err != nil {
			return err
		}
		return fill(os.Getenv("SATCHEL_DIR"), limit)
	}
	repo, err := git.Open(ctx, os.Getenv("SATCHEL_DIR"))
	if err != nil {
		return err
	}
	a := New(repo)
	n, err := strconv.Atoi(os.Getenv("SATCHEL_COUNT"))
	if err != nil {
		return err
	}
	for i := range n {
		e, _, err := a.Keep(ctx, draft(a, fmt.Sprintf("%s-%d", os.Getenv("SATCHEL_NAME"), i), 5), day, chain)
		if err != nil {
			return err
		}
		fmt.Println(e.ID)
	}
	return nil
}

// Whatever was acknowledged before a writer was killed is there afterwards, whole.
// SATCHEL_SOAK_ROUNDS sets the number of kills.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes")
	}
	rounds := 15
	if s := os.Getenv("SATCHEL_SOAK_ROUNDS"); s != "" {
		var err error
		if rounds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	const each = 250 // rounds with one repository, so that its chain stays as short as in practice
	total := 0
	for from := 0; from < rounds; from += each {
		total += killRounds(t, from, min(from+each, rounds))
		t.Logf("%d rounds, %d snapshots acknowledged", min(from+each, rounds), total)
	}
}

// killRounds plays some rounds with a repository of their own and returns how
// many snapshots were acknowledged in them.
func killRounds(t *testing.T, from, to int) int {
	t.Helper()
	b := newBox(t)
	defer os.RemoveAll(b.Dir)
	acknowledged := make(map[string]bool)
	for round := from; round < to; round++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.Dir, child + "=keep", "SATCHEL_DIR=" + b.Dir,
			fmt.Sprintf("SATCHEL_NAME=r%d", round), "SATCHEL_COUNT=1000"}
		tree := proctree.New(cmd) // git dies with it
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Started(cmd.Start()); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		seen := 0
		for seen < round%3 && lines.Scan() { // killed in the 1st, 2nd or 3rd snapshot
			acknowledged[lines.Text()] = true
			seen++
		}
		time.Sleep(time.Duration(round*7%40) * time.Millisecond) // somewhere inside
		tree.Kill()
		for lines.Scan() {
			if id := lines.Text(); len(id) == 64 {
				acknowledged[id] = true
			}
		}
		err = cmd.Wait()
		if cmd.ProcessState == nil || cmd.ProcessState.Success() {
			t.Fatalf("round %d: the writer was not killed: %v", round, err)
		}
		tree.Close()
		// A git that is killed leaves its lock, which nobody owns any more.
		stale, err := filepath.Glob(filepath.Join(b.Dir, ".git/refs/satchel/*.lock"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range stale {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	have := make(map[string]bool)
	for _, p := range verify(t, b.open()) {
		have[p.ID] = true
		if len(p.Problems) > 0 {
			t.Fatalf("rounds %d to %d: snapshot %s: %s", from, to, p.ID, strings.Join(p.Problems, "; "))
		}
	}
	for id := range acknowledged {
		if !have[id] {
			t.Fatalf("rounds %d to %d: snapshot %s was acknowledged and is gone", from, to, id)
		}
	}
	if len(acknowledged) < (to-from)/3 {
		t.Errorf("only %d snapshots were acknowledged in %d rounds", len(acknowledged), to-from)
	}
	return len(acknowledged)
}
