package git

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// A scratch is a repository of its own in a temporary folder, which borrows the
// objects of another one. It has none of that one's configuration, index,
// references and hooks, so that git can compare contents in it: there is nothing
// that could make it start a program. Objects that a comparison needs and the
// other repository does not have, such as files of the work tree, are written
// here, and so are copies of the attribute files that apply.
type scratch struct {
	dir     string
	run     runner
	format  Format
	objects map[string]bool // ids of what was written
	written int64           // bytes of that
	pack    *packFile       // where it is; nil if there is nothing
}

// newScratch makes a scratch repository. Call remove when it is not needed any
// more.
func (r *Repo) newScratch() (*scratch, error) {
	dir, err := emptyRepository(r.format, false)
	if err != nil {
		return nil, err
	}
	s := &scratch{dir: dir, run: r.run, format: r.format, objects: make(map[string]bool)}
	if err := os.Mkdir(s.work(), 0o700); err != nil {
		s.remove()
		return nil, err
	}
	s.run.dir, s.run.timeout = s.work(), max(s.run.timeout, minDiffTimeout)
	s.run.env = append(r.run.without("GIT_DIR=", "GIT_WORK_TREE="), "GIT_DIR="+dir, "GIT_WORK_TREE="+s.work(),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+quoteAlternate(filepath.Join(r.common, "objects")))
	// The limit of the other calls would make text files binary. Contents that
	// are too large to be compared do not get here: see maxCompared.
	s.run.config = []string{"core.bigFileThreshold=512m", "core.ignoreCase=" + strconv.FormatBool(r.written.noCase)}
	return s, nil
}

func (s *scratch) remove() {
	if s.pack != nil {
		s.pack.file.Close()
	}
	_ = fsx.RemoveAll(s.dir)
}

// work is the folder that git takes for the work tree.
func (s *scratch) work() string { return filepath.Join(s.dir, "work") }

// quoteAlternate writes a path for GIT_ALTERNATE_OBJECT_DIRECTORIES, a list
// with colons.
func quoteAlternate(path string) string {
	if q := quoteName(path); q != path || !strings.Contains(path, ":") {
		return q
	}
	return `"` + path + `"`
}

// write adds an object to the pack and returns its id. git sees it after seal.
func (s *scratch) write(kind int, data []byte) (id string, err error) {
	id = objectID(s.format, packTypes[kind], data)
	if s.objects[id] {
		return id, nil
	}
	if s.pack == nil {
		if s.pack, err = newPackFile(s.format, filepath.Join(s.dir, "objects", "pack")); err != nil {
			return "", err
		}
	}
	s.objects[id] = true
	s.written += int64(len(data))
	return id, s.pack.add(kind, id, data)
}

// seal completes the pack. Nothing can be written after that.
func (s *scratch) seal() error {
	if s.pack == nil {
		return nil
	}
	return s.pack.finish()
}

// tree stores the trees of files, which are sorted by path, and returns the id
// of the topmost.
func (s *scratch) tree(files []TreeFile) (id string, err error) { return s.subtree(files, 0, 0) }

// subtree stores the tree of files whose paths agree up to from.
func (s *scratch) subtree(files []TreeFile, from, depth int) (id string, err error) {
	if depth > maxDepth {
		return "", fmt.Errorf("%s: more than %d folders deep", clean(files[0].Path[:from]), maxDepth)
	}
	var data []byte
	for len(files) > 0 {
		f := files[0]
		name, _, isDir := strings.Cut(f.Path[from:], "/")
		n := 1
		mode, oid := f.Mode, f.OID
		if isDir {
			prefix := f.Path[:from+len(name)+1]
			for n < len(files) && strings.HasPrefix(files[n].Path, prefix) {
				n++
			}
			mode = ModeDir
			if oid, err = s.subtree(files[:n], len(prefix), depth+1); err != nil {
				return "", err
			}
		}
		raw, err := hex.DecodeString(oid)
		if err != nil {
			return "", fmt.Errorf("object id %q of %s: want %d hex digits", clean(oid), clean(f.Path), s.format.HexLen())
		}
		data = strconv.AppendUint(data, uint64(mode), 8)
		data = append(append(append(data, ' '), name...), 0)
		data = append(data, raw...)
		files = files[n:]
	}
	return s.write(packTree, data)
}

// maxAttributes is the largest attribute file that is copied; git itself stops
// at 100 MB.
const maxAttributes = 1 << 20

// copyAttributes copies the attribute files that can apply to paths, from the work
// tree and the git folder.
func (d *differ) copyAttributes(paths []string) error {
	if fi, err := os.Stat(filepath.Join(d.common, "info", "attributes")); err == nil && fi.Mode().IsRegular() && fi.Size() <= maxAttributes {
		if err := os.Mkdir(filepath.Join(d.s.dir, "info"), 0o700); err != nil {
			return err
		}
		if err := copyFile(filepath.Join(d.s.dir, "info", "attributes"), filepath.Join(d.common, "info", "attributes")); err != nil {
			return err
		}
	}
	if d.folder == nil {
		return nil // as in git: a bare repository has no others
	}
	for _, f := range d.folder.statAll(attributeFiles(paths), nil, nil, new([]satchel.Diagnostic)) {
		text, err := d.folder.ReadFile(f.Path, maxAttributes)
		if err != nil { // git does not follow links to them either
			d.diagnose(f.Path, "attributes not used: "+err.Error())
			continue
		}
		to := filepath.Join(d.s.work(), filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}
