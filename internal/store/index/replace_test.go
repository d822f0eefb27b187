package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

func TestReplaceFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "satchel", "numbers")
	read := func() string {
		t.Helper()
		b, err := ReadFile(dir, "n", 100)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got := read(); got != "" {
		t.Errorf("missing file: %q", got)
	}
	// Nobody's addition is lost.
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				err := ReplaceFile(dir, "n", 100, func(old []byte) ([]byte, error) {
					n, _ := strconv.Atoi(string(old))
					return []byte(strconv.Itoa(n + 1)), nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := read(); got != "40" {
		t.Errorf("after 40 additions: %q", got)
	}
	wrong := errors.New("wrong")
	if err := ReplaceFile(dir, "n", 100, func([]byte) ([]byte, error) { return []byte("x"), wrong }); !errors.Is(err, wrong) || read() != "40" {
		t.Errorf("after an error: %v, %q", err, read())
	}
	if err := ReplaceFile(dir, "n", 100, func([]byte) ([]byte, error) { return nil, nil }); err != nil || read() != "" {
		t.Errorf("removed: %v, %q", err, read())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, tempPrefix+"*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// What is no file of ours is neither followed nor replaced.
func TestReplaceFileHostile(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "satchel", "numbers")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(root, "outside")
	if err := os.WriteFile(outside, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	fsxtest.Link(t, outside, filepath.Join(dir, "n"))
	same := func(old []byte) ([]byte, error) { return append(old, '!'), nil }
	if err := ReplaceFile(dir, "n", 100, same); err == nil {
		t.Error("a link was followed")
	}
	if err := os.WriteFile(filepath.Join(dir, "long"), make([]byte, 101), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ReplaceFile(dir, "long", 100, same); err == nil {
		t.Error("a long file was read")
	}
	linked := filepath.Join(root, "other", "satchel")
	if err := os.MkdirAll(filepath.Dir(linked), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "satchel"), linked); err != nil {
		t.Fatal(err)
	}
	if err := ReplaceFile(filepath.Join(linked, "numbers"), "m", 100, same); err == nil {
		t.Error("a linked folder was written to")
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "theirs" {
		t.Errorf("outside: %q, %v", fmt.Sprint(string(b)), err)
	}
}
