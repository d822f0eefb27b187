package index

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A file that is replaced over and over is whole for everybody who reads it
// meanwhile, and never older than it was.
func TestReplaceFileWhileRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "satchel", "numbers")
	const rounds = 60
	text := func(n int) []byte { return []byte(strings.Repeat(strconv.Itoa(n)+"\n", 2000)) }
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			last := 0
			for {
				b, err := ReadFile(dir, "n", 1<<20)
				first, _, _ := strings.Cut(string(b), "\n")
				n, _ := strconv.Atoi(first)
				if err != nil || n < last || len(b) > 0 && string(b) != string(text(n)) {
					t.Errorf("after %d: %v, %d bytes that begin with %q", last, err, len(b), first)
					return
				}
				last = n
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond): // a writer on FAT, say, has to find a moment in which nobody reads
				}
			}
		})
	}
	for n := range rounds {
		if err := ReplaceFile(dir, "n", 1<<20, func([]byte) ([]byte, error) { return text(n + 1), nil }); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	readers.Wait()
	if b, err := ReadFile(dir, "n", 1<<20); err != nil || string(b) != string(text(rounds)) {
		t.Errorf("in the end %d bytes, %v", len(b), err)
	}
}

// A segment that does not count any more goes while somebody reads it, by a file or
// by a mapping. Who has it open sees its bytes; the same segment can come back; and
// in the end nothing is left.
func TestRetiredSegment(t *testing.T) {
	s := openStore(t.TempDir(), version())
	want := strings.Repeat("segment ", mapBytes/8+1)
	name, err := s.add("d", []byte(want))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		f, err := s.openFile(name)
		if err != nil {
			t.Fatal(err)
		}
		reader := openStore(s.dir, s.version)
		mapped, err := reader.bytes(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.publish(nil); err != nil {
			t.Fatal(err)
		}
		if _, err := s.bytes(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the segment that went is there: %v", err)
		}
		if again, err := s.add("d", []byte(want)); err != nil || again != name {
			t.Errorf("it comes back as %s, %v; want %s", again, err, name)
		}
		b, err := io.ReadAll(f)
		if err != nil || string(b) != want || string(mapped) != want {
			t.Errorf("who had it open reads %d bytes, mapped %d, %v; want %d", len(b), len(mapped), err, len(want))
		}
		if err := errors.Join(f.Close(), reader.close()); err != nil {
			t.Error(err)
		}
	}
	if err := s.publish(nil); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, "*")); err != nil || len(left) != 1 || filepath.Base(left[0]) != manifestName {
		t.Errorf("left are %q, %v; want the manifest", left, err)
	}
}

// What a writer that died has left goes with the next one.
func TestLeftBehind(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "satchel", "x")
	if err := Locked(dir, func() error { return (&store{dir: dir}).write(tempName(), []byte("half")) }); err != nil {
		t.Fatal(err)
	}
	if err := ReplaceFile(dir, "n", 10, func([]byte) ([]byte, error) { return []byte("x"), nil }); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*")); err != nil || len(left) > 0 {
		t.Errorf("left are %q, %v", left, err)
	}
}
