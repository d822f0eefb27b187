package state

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// writerEnv makes this program a process that adds notes, instead of running
// tests: the path of the database and the number of the first note.
const writerEnv = "SATCHEL_STATE_TEST_WRITER"

// soakEnv is the number of rounds that TestKill plays; make soak sets it.
const soakEnv = "SATCHEL_SOAK_ROUNDS"

func TestMain(m *testing.M) {
	if args := os.Getenv(writerEnv); args != "" {
		os.Exit(writerMain(args))
	}
	os.Exit(m.Run())
}

// writerMain adds notes and touches them, and says each time when it is done. It
// opens the database anew now and then, as commands do.
func writerMain(args string) int {
	limit, rest, _ := strings.Cut(args, " ")
	number, path, _ := strings.Cut(rest, " ")
	i, err := strconv.Atoi(number)
	if err == nil && limit != "none" {
		err = limitFiles(limit)
	}
	for err == nil {
		var s *Store
		if s, err = Open(ctx, path, Options{}); err != nil {
			break
		}
		for range 5 {
			m, _, e := s.add(ctx, fmt.Sprintf("note %d %s", i, strings.Repeat("word ", i%300)), "", false, start)
			if err = e; err != nil {
				break
			}
			fmt.Printf("ok %d\n", i)
			i++
			if _, err = s.touch(ctx, start.Add(day), m.ID); err != nil {
				break
			}
		}
		s.Close()
	}
	fmt.Println(err)
	return 1
}

// TestKill kills a process that adds notes, again and again, and checks that
// whatever it acknowledged is there.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for some seconds")
	}
	rounds := 15
	if s := os.Getenv(soakEnv); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		rounds = n
	}
	path := filepath.Join(t.TempDir(), "satchel", Name)
	next, acknowledged := 0, 0
	for round := range rounds {
		if next > 2000 { // start over
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			next = 0
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=none %d %s", writerEnv, next, path))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Not only right after an acknowledgement: some time into the next write.
		kill := 1 + round%7
		last := -1
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if n, err := fmt.Sscanf(lines.Text(), "ok %d", &last); n != 1 {
				t.Fatalf("round %d: the writer says %q, %v", round, lines.Text(), err)
			}
			acknowledged++
			if kill--; kill == 0 {
				delay := time.Duration(round*37%300) * 10 * time.Microsecond
				time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
			}
		}
		_ = cmd.Wait() // it was killed

		s := openStore(t, path)
		have := map[int]bool{}
		most := -1
		for _, m := range notesOf(t, s) {
			var n, words int
			if _, err := fmt.Sscanf(m.Text, "note %d", &n); err != nil || have[n] {
				t.Fatalf("round %d: note %q, %v", round, m.Text, err)
			}
			if words = strings.Count(m.Text, "word"); words != n%300 {
				t.Fatalf("round %d: note %d has %d words", round, n, words)
			}
			have[n] = true
			most = max(most, n)
		}
		for i := range max(last+1, next) {
			if !have[i] {
				t.Fatalf("round %d: note %d was acknowledged and is lost", round, i)
			}
		}
		if most > last+1 && last >= 0 {
			t.Fatalf("round %d: note %d is there, and %d was the last to be written", round, most, last+1)
		}
		var sound string
		if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&sound); err != nil || sound != "ok" {
			t.Fatalf("round %d: integrity check: %s, %v", round, sound, err)
		}
		s.Close()
		next = most + 1
	}
	t.Logf("%d rounds, %d notes acknowledged", rounds, acknowledged)
}

// TestFullDisk has a process add notes until its files may grow no further.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=200000 0 %s", writerEnv, path))
	out, err := cmd.Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	said := lines[len(lines)-1]
	if strings.Contains(said, errNoLimit) {
		t.Skip(said)
	}
	if err == nil || !strings.HasPrefix(said, "write "+path+": ") {
		t.Errorf("the writer ended with %v and said %q", err, said)
	}
	if len(lines) < 5 {
		t.Errorf("the disk was full after %d notes; the test shows little", len(lines))
	}
	list := notesOf(t, openStore(t, path))
	if len(list) < len(lines)-1 {
		t.Errorf("%d notes were acknowledged, %d are there", len(lines)-1, len(list))
	}
}
