package cli_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
)

// makeFormer makes the files of testdata/former that the present version keeps. It is run
// once, when a version is released: what it kept never changes.
var makeFormer = flag.String("make-former", "", "keep what this version writes as testdata/former/`NAME`.tar.gz")

// formerDir holds what former versions kept: a repository, a plain folder and a home of
// each, as make.txtar makes them.
var formerDir = filepath.Join("testdata", "former")

// TestFormer opens what each former version kept with today's program: indexes are read
// or built again, and notes, snapshots, feedback, dismissals, settings and the records of
// installs are read.
func TestFormer(t *testing.T) {
	clitest.Slow(t)
	if *makeFormer != "" {
		t.Run("make", func(t *testing.T) { runFormer(t, "make.txtar", filepath.Join(formerDir, *makeFormer+".tar.gz")) })
	}
	kept, err := filepath.Glob(filepath.Join(formerDir, "*.tar.gz"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("no former version is kept: %v", err)
	}
	for _, name := range kept {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".tar.gz"), func(t *testing.T) { runFormer(t, "check.txtar", name) })
	}
}

// runFormer runs a script about one version's files, which are in the archive.
func runFormer(t *testing.T, script, archive string) {
	archive, err := filepath.Abs(archive)
	if err != nil {
		t.Fatal(err)
	}
	p := suite.Params("")
	p.Files = []string{filepath.Join(formerDir, script)}
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		if err := setup(e); err != nil {
			return err
		}
		home := filepath.Join(e.WorkDir, "home")
		e.Vars = append(e.Vars, clitest.Isolated(home)...)
		e.Vars = append(e.Vars, "XDG_STATE_HOME=")
		return os.MkdirAll(home, 0o755)
	}
	p.Cmds["keep-former"] = func(ts *testscript.TestScript, _ bool, _ []string) {
		ts.Check(packFormer(ts.Getenv("WORK"), archive))
	}
	p.Cmds["former"] = func(ts *testscript.TestScript, _ bool, _ []string) {
		ts.Check(unpackFormer(ts.Getenv("WORK"), archive))
	}
	testscript.Run(t, p)
}

// formerRoots are the folders that are kept, and atWork stands for the folder in which
// they were: records of installs name files by their whole path.
var formerRoots = []string{"app", "home", "plain"}

const atWork = "@WORK@"

// packFormer keeps what a version wrote: regular files, in the order of their names,
// without what git puts into every new repository.
func packFormer(work, archive string) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(z)
	for _, root := range formerRoots {
		err := filepath.WalkDir(filepath.Join(work, root), func(name string, d fs.DirEntry, err error) error {
			rel, relErr := filepath.Rel(work, name)
			if err = errors.Join(err, relErr); err != nil || !d.Type().IsRegular() || strings.Contains(name, filepath.FromSlash("/.git/hooks/")) {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fi, err := d.Info()
			if err != nil {
				return err
			}
			if isRecord(name) {
				text = bytes.ReplaceAll(text, []byte(work), []byte(atWork))
			} else if bytes.Contains(text, []byte(work)) {
				return fmt.Errorf("%s names the folder in which it was written", rel)
			}
			if inPlainCache(rel, work) {
				rel = strings.Replace(rel, plainKey(filepath.Join(work, "plain")), "plain", 1)
			}
			err = w.WriteHeader(&tar.Header{Name: filepath.ToSlash(rel), Mode: int64(fi.Mode().Perm()), Size: int64(len(text))})
			if err == nil {
				_, err = w.Write(text)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		return err
	}
	return os.WriteFile(archive, b.Bytes(), 0o644)
}

// unpackFormer puts what a version wrote into another folder, under the names that it
// would have there.
func unpackFormer(work, archive string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	renamed := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		name := strings.Replace(filepath.FromSlash(h.Name), filepath.FromSlash(cacheFolder+"plain/"), filepath.FromSlash(cacheFolder+plainKey(filepath.Join(work, "plain"))+"/"), 1)
		if isRecord(name) {
			text = bytes.ReplaceAll(text, []byte(atWork), []byte(work))
			var record struct {
				Path string `json:"path"`
			}
			if err := json.Unmarshal(text, &record); err != nil {
				return err
			}
			old := strings.TrimSuffix(filepath.Base(name), ".json")
			renamed[old] = recordKey(record.Path)
			name = filepath.Join(filepath.Dir(name), renamed[old]+".json")
		}
		name = filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, text, fs.FileMode(h.Mode)); err != nil {
			return err
		}
	}
	// The copies of settings are named as their records.
	copies, err := filepath.Glob(filepath.Join(work, "home", ".local", "state", "satchel", "install", "*.before"))
	for _, name := range copies {
		old, rest, _ := strings.Cut(filepath.Base(name), "-")
		err = errors.Join(err, os.Rename(name, filepath.Join(filepath.Dir(name), renamed[old]+"-"+rest)))
	}
	return err
}

// cacheFolder is where caches of plain folders are, below the work folder.
const cacheFolder = "home/.cache/satchel/"

// inPlainCache reports whether a file is in the cache of the plain folder.
func inPlainCache(rel, work string) bool {
	return strings.HasPrefix(filepath.ToSlash(rel), cacheFolder+plainKey(filepath.Join(work, "plain"))+"/")
}

// plainKey is the name of the cache of a plain folder: the beginning of the id that git
// would give its path, by SHA-256.
func plainKey(dir string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "blob %d\x00%s", len(dir), dir))
	return hex.EncodeToString(sum[:])[:32]
}

// isRecord reports whether a file is the record of an install.
func isRecord(name string) bool {
	return strings.HasSuffix(filepath.ToSlash(filepath.Dir(name)), "/satchel/install") && strings.HasSuffix(name, ".json")
}

// recordKey is the name of a record: the beginning of the hash of the settings' path.
func recordKey(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// newerState is the command newer-state DATABASE: it says that a newer version of satchel
// has written it, in the number that SQLite keeps for programs at byte 60 of the header.
func newerState(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: newer-state DATABASE")
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt([]byte{0, 0, 0, 99}, 60)
	ts.Check(errors.Join(err, f.Close()))
}
