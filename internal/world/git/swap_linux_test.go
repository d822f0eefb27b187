package git

import (
	"context"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A folder that is swapped for a link while the tree is read leads nowhere.
func TestFolderSwappedForLink(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/d/f", "inside\n")
	s.write("home/f", "a secret\n")
	s.commit("r", "d")
	r := s.open("r")
	if err := os.Symlink(s.home, s.path("r/link")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	swapped := make(chan int)
	go func() {
		n := 0
		for ctx.Err() == nil {
			// One call swaps the two names, so that d is now a folder, now a link.
			if unix.Renameat2(unix.AT_FDCWD, s.path("r/d"), unix.AT_FDCWD, s.path("r/link"), unix.RENAME_EXCHANGE) == nil {
				n++
			}
		}
		swapped <- n
	}()
	for _, slow := range []bool{false, true} {
		for range 2000 {
			var data []byte
			var err error
			if slow {
				data, err = readSlow(r.folder, "d/f")
			} else {
				data, err = r.ReadFile("d/f", 100)
			}
			if err == nil && string(data) != "inside\n" {
				t.Fatalf("slow=%v: read %q through a link", slow, data)
			}
		}
	}
	var secret unix.Stat_t
	if err := unix.Stat(s.path("home/f"), &secret); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		r.folder.portable = i%2 == 1
		files, _, err := r.WorkTree(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if f.Path == "d/f" && f.Size == secret.Size {
				t.Fatal("WorkTree looked through a link")
			}
		}
	}
	cancel()
	if n := <-swapped; n == 0 {
		t.Skip("the file system cannot exchange names")
	}
}
