package git

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

// readSlow is ReadFile where the kernel has no openat2.
func readSlow(f *Folder, path string) ([]byte, error) {
	file, size, err := f.openRoot(path, 100)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readLimited(file, path, size, 100)
}

func TestFolder(t *testing.T) {
	s := newSandbox(t)
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s.write("f/a.txt", "a\n")
	s.write("f/d/e/b.txt", "b\n")
	s.write("f/d.txt", "d\n")
	s.write("f/.git/config", "x")
	s.write("f/d/.GIT/config", "x")
	s.write("f/run", "x")
	do(os.Chmod(s.path("f/run"), 0o755))
	s.write("home/secret", "secret\n")
	do(os.Symlink(s.path("home/secret"), s.path("f/link")))
	do(os.Symlink(s.home, s.path("f/dirlink")))
	do(os.Symlink("a.txt", s.path("f/inner")))
	do(os.Symlink("d", s.path("f/innerdir")))
	do(os.Symlink("loop", s.path("f/loop")))
	fsxtest.Fifo(t, s.path("f/fifo"))
	device := fsxtest.NullDevice(s.path("f/null"))
	fsxtest.Socket(t, s.path("f/socket"))
	sparse, err := os.Create(s.path("f/huge"))
	do(err)
	do(sparse.Truncate(10 << 30))
	do(sparse.Close())

	f, err := OpenFolder(s.path("f"))
	do(err)
	defer f.Close()
	files, diags, err := f.Files()
	do(err)
	want := []string{
		"a.txt 100644 untracked", "d.txt 100644 untracked", "d/e/b.txt 100644 untracked", "dirlink 120000 untracked",
		"fifo 000000 untracked", "huge 100644 untracked", "inner 120000 untracked", "innerdir 120000 untracked",
		"link 120000 untracked", "loop 120000 untracked", "null 000000 untracked", "run 100755 untracked", "socket 000000 untracked",
	}
	got := summary(files)
	if !device {
		want = append(want[:10], want[11:]...)
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("Files (-got +want):\n%s", d)
	}
	var said []string
	for _, n := range diags {
		said = append(said, n.Path)
	}
	if got := strings.Join(said, " "); got != "fifo null socket" && device {
		t.Errorf("notes for %s, want fifo null socket", got)
	}

	for _, read := range []struct {
		name string
		fn   func(path string) ([]byte, error)
	}{
		{"openat2", func(path string) ([]byte, error) { return f.ReadFile(path, 100) }},
		{"os.Root", func(path string) ([]byte, error) { return readSlow(f, path) }},
	} {
		if data, err := read.fn("d/e/b.txt"); string(data) != "b\n" || err != nil {
			t.Errorf("%s: ReadFile = %q, %v", read.name, data, err)
		}
		for _, path := range []string{"link", "dirlink/secret", "inner", "innerdir/e/b.txt", "loop", "loop/x", "fifo", "null", "socket", "d",
			".git/config", "d/.GIT/config", "../home/secret", "d/../a.txt", "/etc/passwd", "", ".", "d/", "./a.txt", "d//e"} {
			if path == "null" && !device {
				continue
			}
			if data, err := read.fn(path); !errors.Is(err, ErrNotRegular) {
				t.Errorf("%s: ReadFile(%q) = %q, %v, want ErrNotRegular", read.name, path, data, err)
			}
		}
		var tooLarge *TooLargeError
		if _, err := read.fn("huge"); !errors.As(err, &tooLarge) || tooLarge.Size != 10<<30 {
			t.Errorf("%s: ReadFile(huge): %v, want a TooLargeError with the size", read.name, err)
		}
		if _, err := read.fn("absent\x1b"); !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "\x1b") || strings.Contains(err.Error(), s.dir) {
			t.Errorf("%s: ReadFile(absent): %v", read.name, err)
		}
	}
	if data, err := f.ReadFile("a.txt", 2); string(data) != "a\n" || err != nil {
		t.Errorf("ReadFile at the limit = %q, %v", data, err)
	}
}

// A file of unknown or growing length is read up to the limit, not beyond.
func TestReadLimited(t *testing.T) {
	for _, size := range []int64{0, 3, 10} {
		if data, err := readLimited(strings.NewReader("0123456789"), "x", size, 10); string(data) != "0123456789" || err != nil {
			t.Errorf("stated size %d: %q, %v", size, data, err)
		}
		var tooLarge *TooLargeError
		if data, err := readLimited(strings.NewReader("0123456789+"), "x", size, 10); !errors.As(err, &tooLarge) {
			t.Errorf("stated size %d: %q, %v, want a TooLargeError", size, data, err)
		}
	}
}

func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	s := newSandbox(t)
	s.init("r")
	s.write("r/a", "a\n")
	s.write("r/d/b", "b\n")
	for _, name := range []string{"r/a", "r/d"} {
		if err := os.Chmod(s.path(name), 0); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(s.path(name), 0o700)
	}
	r := s.open("r")
	if _, err := r.ReadFile("a", 10); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("ReadFile: %v, want a permission error", err)
	}
	files, diags, err := r.WorkTree(t.Context())
	if len(files) != 1 || len(diags) != 1 || err != nil {
		t.Errorf("WorkTree = %v, %v, %v, want a and a note about d", files, diags, err)
	}
	if files, diags, err = r.folder.Files(); len(files) != 1 || len(diags) != 1 || err != nil {
		t.Errorf("Files = %v, %v, %v, want a and a note about d", files, diags, err)
	}
}

func TestFilesIn(t *testing.T) {
	s := newSandbox(t)
	for _, name := range []string{"f/b/1", "f/b/2", "f/a", "f/.hidden/3", "f/c", "f/b/d/4"} {
		s.write(name, "x")
	}
	f, err := OpenFolder(s.path("f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, test := range []struct {
		most int
		want string
		more bool
	}{
		{0, "", true}, {1, "a", true}, {3, "a b/1 b/2", true}, {5, "a b/1 b/2 b/d/4 c", false}, {9, "a b/1 b/2 b/d/4 c", false},
	} {
		files, diags, more, err := f.FilesIn(func(dir string) bool { return dir != ".hidden" }, test.most)
		var got []string
		for i := range files {
			got = append(got, files[i].Path)
		}
		if strings.Join(got, " ") != test.want || more != test.more || len(diags) != 0 || err != nil {
			t.Errorf("at most %d: %v, more %v, %v, %v; want %s", test.most, got, more, diags, err, test.want)
		}
	}
}
