package archive

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/snapshot"
)

// growing is a snapshot of bytes that no packing makes fewer.
func growing(a *Archive, i int) *snapshot.Draft {
	d := snapshot.New(snapshot.Explicit, a.BlobID)
	data := make([]byte, 10_000<<min(i, 12))
	rand.New(rand.NewSource(int64(i))).Read(data)
	d.Add(snapshot.Item{Kind: snapshot.KindSnippet, Path: fmt.Sprint("noise ", i), Role: snapshot.Pinned, Detail: satchel.Full}, snapshot.Bytes{Data: data})
	return d
}

// fill keeps larger and larger snapshots, and prints the id of each one that was
// acknowledged and then the error. No file of this process and of the git that it
// starts may grow beyond limit bytes, 0 being no limit.
func fill(dir string, limit uint64) error {
	if limit > 0 {
		signal.Ignore(unix.SIGXFSZ) // git inherits it, and is told by an error
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
	}
	repo, err := git.Open(context.Background(), dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	a := New(repo)
	for i := 0; ; i++ {
		e, _, err := a.Keep(context.Background(), growing(a, i), day, chain)
		if err != nil {
			return err
		}
		fmt.Println(e.ID)
	}
}

// A disk that is full says so, and what was acknowledged before stays whole. The
// next snapshot that fits is kept.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	const limit = 200_000
	for name, disk := range map[string]func(t *testing.T) (dir string, limit uint64){
		"files may not grow": func(t *testing.T) (string, uint64) { return t.TempDir(), limit },
		"a small file system": func(t *testing.T) (string, uint64) {
			dir := t.TempDir()
			if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
				t.Skipf("a file system cannot be mounted here: %v", err)
			}
			t.Cleanup(func() {
				if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
					t.Error(err)
				}
			})
			return dir, 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, limit := disk(t)
			b := &box{gittest.In(t, dir, t.TempDir()), t}
			b.Git("init", "-q", "-b", "main", "--template=")
			cmd := exec.Command(os.Args[0])
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, child + "=fill", "SATCHEL_DIR=" + dir, fmt.Sprintf("SATCHEL_LIMIT=%d", limit)}
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); err == nil || !strings.HasPrefix(errs.String(), "store the snapshot: git ") {
				t.Errorf("the writer ended with %v and said %q", err, errs.String())
			}
			ids := strings.Fields(out.String())
			if len(ids) < 3 {
				t.Errorf("the disk was full after %d snapshots; the test shows little", len(ids))
			}
			a := b.open()
			sound := make(map[string]bool)
			for _, p := range verify(t, a) {
				sound[p.ID] = len(p.Problems) == 0
			}
			for _, id := range ids {
				if !sound[id] {
					t.Errorf("snapshot %s was acknowledged and is not whole", id)
				}
			}
			// What git left of the attempt goes, and there is room again.
			left, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/tmp_*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range left {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			keep(t, a, "small", 1, day, chain)
		})
	}
}
