package index

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// A store is the directory that holds an index:
//
//	manifest        names the segments that count
//	lock            held by the one process that writes
//	d-*.seg         segments of documents, named by their bytes
//	v-*.seg         the same, of what is only in a work tree; see writer
//	c-*.seg         segments of commits
//	t-*.ids         the commits behind one tip; a cache that needs no manifest
//	w-*.stat        the blob ids of a work tree's unclean files; a cache, too
//
// A file appears by being renamed into place after its bytes have reached the
// disk, and the manifest is replaced last. So a manifest never names a file that
// is not whole, and a crash leaves at worst files that no manifest names, which
// the next writer removes.
type store struct {
	dir     string
	version uint64
	maps    []func() error // unmap what is mapped
	mapped  [][]byte
	failed  atomic.Bool // writing failed: this process does not try again
}

const (
	manifestName = "manifest"
	lockName     = "lock"
	tempPrefix   = "satchel-tmp-"
)

// mapBytes is the size from which on a segment is mapped rather than read: small
// ones come and go with every edit, and a mapping lives until the store is closed.
const mapBytes = 1 << 20

func openStore(dir string, version uint64) *store {
	return &store{dir: dir, version: version}
}

func (s *store) path(name string) string { return filepath.Join(s.dir, name) }

func (s *store) close() error {
	var errs []error
	for _, unmap := range s.maps {
		errs = append(errs, unmap())
	}
	s.maps, s.mapped = nil, nil
	return errors.Join(errs...)
}

// forget gives back the memory of what is mapped.
func (s *store) forget() {
	for _, b := range s.mapped {
		forget(b)
	}
}

// The contents are the segments that are loaded, of either kind.
type contents struct {
	docs    []*segment
	commits []*commitSegment
}

// maxManifestRetries is how often a reader starts over because a writer replaced
// the segments between its reading of the manifest and opening them.
const maxManifestRetries = 10

// load opens the files that the manifest names. have returns open segments by name;
// it may be nil. It skips damaged files and reports them to note.
func (s *store) load(have *contents, note func(string)) contents {
	for try := 0; ; try++ {
		names, err := s.manifest()
		switch {
		case errors.Is(err, fs.ErrNotExist), fsx.NotDir(err):
			return contents{}
		case errors.Is(err, git.ErrOwnLink):
			return contents{} // nor can it be written, which is reported
		case errors.Is(err, errStale):
			return contents{} // another version's; it is rebuilt
		case err != nil:
			note(fmt.Sprintf("index manifest %v: rebuilding the index", err))
			return contents{}
		}
		var c contents
		gone := false
		for _, name := range names {
			err := s.open(&c, have, name)
			if errors.Is(err, fs.ErrNotExist) && try < maxManifestRetries {
				gone = true
				break
			}
			if err != nil {
				note(fmt.Sprintf("index segment %s %v: rebuilding it", name, err))
			}
		}
		if !gone {
			return c
		}
		if again, err := s.manifest(); err == nil && slices.Equal(again, names) {
			try = maxManifestRetries // it is not a writer that removed the segment
		}
	}
}

// open opens one segment and appends it to c.
func (s *store) open(c, have *contents, name string) error {
	if have != nil {
		for _, o := range have.docs {
			if o.name == name {
				c.docs = append(c.docs, o)
				return nil
			}
		}
		for _, o := range have.commits {
			if o.name == name {
				c.commits = append(c.commits, o)
				return nil
			}
		}
	}
	b, err := s.bytes(name)
	if err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(name, "d-"), strings.HasPrefix(name, "v-"):
		seg, err := openSegment(name, b, s.version)
		if err != nil {
			return err
		}
		seg.passing = name[0] == 'v'
		c.docs = append(c.docs, seg)
	case strings.HasPrefix(name, "c-"):
		seg, err := openCommits(name, b, s.version)
		if err != nil {
			return err
		}
		c.commits = append(c.commits, seg)
	default:
		return errors.New("is of an unknown kind")
	}
	return nil
}

// bytes reads or maps a file.
func (s *store) bytes(name string) ([]byte, error) {
	f, err := s.openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, plain(err)
	}
	if fi.Size() >= mapBytes {
		if b, unmap, err := mapFile(f, int(fi.Size())); err == nil {
			s.maps, s.mapped = append(s.maps, unmap), append(s.mapped, b)
			return b, nil
		}
	}
	b, err := io.ReadAll(f)
	return b, plain(err)
}

// openFile opens a regular file for reading. Anything else that has its name,
// such as a pipe that would never answer, is an error.
func (s *store) openFile(name string) (*os.File, error) {
	if _, err := git.CheckOwn(s.dir); err != nil {
		return nil, plain(err)
	}
	fi, err := os.Lstat(s.path(name))
	if err != nil {
		return nil, plain(err)
	}
	if !fi.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	f, err := fsx.Open(s.path(name))
	return f, plain(err)
}

// readFile reads a small file.
func (s *store) readFile(name string) ([]byte, error) {
	f, err := s.openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSmallFile))
	return b, plain(err)
}

// maxSmallFile is more than a manifest or a list of commits ever is.
const maxSmallFile = 64 << 20

// plain drops the path from an error of package os: the caller names the file.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// manifest reads the names of the segments that count.
func (s *store) manifest() ([]string, error) {
	b, err := s.readFile(manifestName)
	if err != nil {
		return nil, err
	}
	sec, err := decodeContainer(b, magicManifest, s.version)
	if err != nil {
		return nil, err
	}
	if len(sec) != 1 {
		return nil, fmt.Errorf("has %d sections, want 1", len(sec))
	}
	c := cursor{b: sec[0]}
	var names []string
	for range c.count() {
		name := c.string()
		if name != filepath.Base(name) || strings.ContainsAny(name, `/\:`) {
			return nil, errors.New("names a file elsewhere")
		}
		names = append(names, name)
	}
	if c.bad {
		return nil, errors.New("is damaged")
	}
	return names, nil
}

// publish makes the named segments the ones that count, and removes the files
// that do not.
func (s *store) publish(names []string) error {
	var n nameTable[uint16]
	n.names = names
	b := encodeContainer(magicManifest, s.version, [][]byte{n.encode()})
	if err := s.write(manifestName, b); err != nil {
		return err
	}
	s.sweep(names)
	return nil
}

// add writes a segment under a name made of its bytes, and returns the name.
func (s *store) add(kind string, parts ...[]byte) (string, error) {
	sum := sha256.New()
	for _, b := range parts {
		sum.Write(b)
	}
	name := kind + "-" + hex.EncodeToString(sum.Sum(nil)[:10]) + ".seg"
	return name, s.write(name, parts...)
}

// write makes a file with the bytes appear under the name, all or nothing, even
// if the power fails.
func (s *store) write(name string, parts ...[]byte) error {
	dir, err := os.OpenRoot(s.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	return fsx.Write(dir, tempName(), name, 0o600, parts...)
}

// remove removes a file, which others may be reading.
func (s *store) remove(name string) error {
	dir, err := os.OpenRoot(s.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	return fsx.Remove(dir, tempName(), name)
}

// sweepTemps removes what has a temporary name. The caller holds the lock, so it is
// a dead writer's, or was removed while somebody read it.
func (s *store) sweepTemps() {
	dir, err := os.OpenRoot(s.dir)
	if err != nil {
		return
	}
	defer dir.Close()
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			_ = dir.Remove(e.Name())
		}
	}
}

// tempName is what a file is called that comes or goes. Those that are left, by a
// process that died or because somebody read them, go with the next sweep.
func tempName() string { return tempPrefix + rand.Text() }

// maxCaches is how many lists of commits, and of files, are kept: an evaluation
// walks through hundreds of tips, a user through few.
const maxCaches = 64

// sweep removes what no manifest names, and the oldest caches. What cannot be removed
// stays until the next time. The caller holds the lock.
func (s *store) sweep(names []string) {
	dir, err := os.OpenRoot(s.dir)
	if err != nil {
		return
	}
	defer dir.Close()
	s.sweepTemps()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	var caches []fs.FileInfo
	for _, e := range entries {
		n := e.Name()
		if strings.HasPrefix(n, "t-") || strings.HasPrefix(n, "w-") {
			if fi, err := e.Info(); err == nil {
				caches = append(caches, fi)
			}
		}
		if strings.HasSuffix(n, ".seg") && !slices.Contains(names, n) && !strings.HasPrefix(n, tempPrefix) {
			_ = fsx.Drop(dir, tempName(), n)
		}
	}
	slices.SortFunc(caches, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for i := maxCaches; i < len(caches); i++ {
		_ = fsx.Drop(dir, tempName(), caches[i].Name())
	}
}

// lock makes this process the writer. It does not wait: if another process
// writes, it returns fsx.ErrLocked.
func (s *store) lock() (unlock func(), err error) {
	if err := git.MakeOwn(s.dir); err != nil {
		return nil, err
	}
	if fi, err := os.Lstat(s.path(lockName)); err == nil && !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", s.path(lockName)) // a link would make what it leads to
	}
	f, err := fsx.OpenLock(s.path(lockName))
	if err != nil {
		return nil, err
	}
	if err := fsx.Lock(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() { fsx.Unlock(f) }, nil
}
