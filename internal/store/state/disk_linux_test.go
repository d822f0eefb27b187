package state

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSmallDisk is TestFullDisk with a real file system that is full: the
// database, its log and its index share what there is.
func TestSmallDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(dir, Name)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=none 0 %s", writerEnv, path))
	out, err := cmd.Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if said := lines[len(lines)-1]; err == nil || !strings.Contains(said, path+": ") {
		t.Errorf("the writer ended with %v and said %q", err, said)
	}
	if len(lines) < 20 {
		t.Errorf("the disk was full after %d notes; the test shows little", len(lines))
	}
	// Reading takes no room.
	s := openStore(t, path)
	list := notesOf(t, s)
	if len(list) < len(lines)-1 {
		t.Errorf("%d notes were acknowledged, %d are there", len(lines)-1, len(list))
	}
	t.Logf("%d notes, then: %s", len(lines)-1, lines[len(lines)-1])
	// Room on the disk again, from elsewhere: notes can be added.
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT, "size=4m"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.add(ctx, "there is room", "", false, start); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if n := len(notesOf(t, s)); n != len(list)+1 {
		t.Errorf("%d notes, want %d", n, len(list)+1)
	}
}
