package git

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

// walks runs a test with the walker of this system, and with the one of every system.
func walks(t *testing.T, dir string, test func(t *testing.T, walk func() walker)) {
	for _, portable := range []bool{false, true} {
		name := "own"
		if portable {
			name = "portable"
		}
		t.Run(name, func(t *testing.T) {
			f, err := OpenFolder(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			f.portable = portable
			test(t, func() walker { return f.walk(nil) })
		})
	}
}

// Whatever the order of the questions, the answers are those of the disk, and
// nothing behind a link exists.
func TestWalkers(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for _, p := range []string{"a", "b/c", "b/d/e", "b/d/f", "b.x", "g/h/i/j", "ö/ü"} {
		name := filepath.Join(dir, filepath.FromSlash(p))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(p), 0o644)); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	links := fsxtest.Symlink("b", filepath.Join(dir, "link")) == nil
	absent := []string{"b/c/x", "b/nothing", "nothing/x/y", "a/x"}
	if links {
		absent = append(absent, "link/c", "link/d/e")
	}
	all := slices.Concat(paths, absent, []string{"b", "b/d", "link"})
	walks(t, dir, func(t *testing.T, walk func() walker) {
		rnd := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			rnd.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
			w := walk()
			for _, p := range all {
				st, err := w.lstat(p)
				if slices.Contains(absent, p) || p == "link" && !links {
					if !noSuchFile(err) {
						t.Errorf("lstat(%s) = %+v, %v; want that there is none", p, st, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("lstat(%s): %v", p, err)
					continue
				}
				fi, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(p)))
				if err != nil {
					t.Fatal(err)
				}
				if want := modeOfFile(fi.Mode()); st.mode != want {
					t.Errorf("mode of %s is %v, want %v", p, st.mode, want)
				}
				if st.mode.IsRegular() && (st.size != fi.Size() || st.modTime != fi.ModTime().UnixNano()) {
					t.Errorf("%s has %d bytes of %d, want %d of %d", p, st.size, st.modTime, fi.Size(), fi.ModTime().UnixNano())
				}
			}
			w.close()
		}
		w := walk()
		defer w.close()
		if to, err := w.readlink("link"); links && (to != "b" || err != nil) {
			t.Errorf("readlink = %q, %v", to, err)
		}
		if to, err := w.readlink("b/c"); err == nil || strings.Contains(err.Error(), dir) {
			t.Errorf("readlink of a file = %q, %v; want an error without the folder", to, err)
		}
		if to, err := w.readlink("link/x"); links && err == nil {
			t.Errorf("readlink behind a link = %q", to)
		}
	})
}

// The repository looks the same to both walkers, save that one is told less.
func TestPortableWorkTree(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	for _, p := range []string{"a", "b/c", "b/d/e", "gone/x", "run"} {
		s.write("r/"+p, p)
	}
	links := fsxtest.Symlink("a", s.path("r/link")) == nil
	s.commit("r", "one")
	s.age("r")
	s.write("r/b/d/e", "other")
	s.write("r/b/new", "")
	if err := os.RemoveAll(s.path("r/gone")); err != nil {
		t.Fatal(err)
	}
	r := s.open("r")
	var got [2][]string
	for i := range got {
		r.folder.portable = i == 1
		files, diags, err := r.WorkTree(t.Context())
		if err != nil || len(diags) > 0 {
			t.Fatal(err, diags)
		}
		got[i] = summary(files)
	}
	if !slices.Equal(got[0], got[1]) {
		t.Errorf("the work tree is\n%s\nand to os.Root\n%s", strings.Join(got[0], "\n"), strings.Join(got[1], "\n"))
	}
	if links && !slices.ContainsFunc(got[1], func(line string) bool { return strings.HasPrefix(line, "link 120000") }) {
		t.Errorf("no link in %q", got[1])
	}
}

func TestNoSuchFile(t *testing.T) {
	for _, err := range []error{fs.ErrNotExist, syscall.ENOENT, syscall.ENOTDIR, syscall.ELOOP} {
		if !noSuchFile(err) {
			t.Errorf("%v does not mean that there is no file", err)
		}
	}
	for _, err := range []error{nil, fs.ErrPermission, syscall.EIO} {
		if noSuchFile(err) {
			t.Errorf("%v means that there is no file", err)
		}
	}
}

// BenchmarkWalkers asks for the metadata of 5,000 files in 420 folders.
func BenchmarkWalkers(b *testing.B) {
	r := benchRepo(b, 5000)
	entries, ok := r.readIndex()
	if !ok {
		b.Fatal("the index cannot be read")
	}
	for _, portable := range []bool{false, true} {
		name := "own"
		if portable {
			name = "portable"
		}
		b.Run(name, func(b *testing.B) {
			r.folder.portable = portable
			defer func() { r.folder.portable = false }()
			for b.Loop() {
				w := r.folder.walk(nil)
				for i := range entries {
					if _, err := w.lstat(entries[i].path); err != nil {
						b.Fatal(err)
					}
				}
				w.close()
			}
		})
	}
}
