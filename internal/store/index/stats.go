package index

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/satchel-dev/satchel/internal/world/git"
)

// manyUnclean is the number of unclean files from which on their blob ids are
// remembered between Views. Fewer are read faster than a cache is kept.
const manyUnclean = 256

// A stat shows whether a file has changed since its bytes were read.
type stat struct {
	size, modified, changed int64
	inode                   uint64
}

// A statCache remembers the blob ids of a work tree's unclean files, as git's
// index does for clean ones. A file is remembered only if it last changed before
// the View began to read: a change after that has a later time, so that it
// cannot hide in the same tick of the clock.
type statCache struct {
	name  string // of the file that holds it; "" if nothing is remembered
	began int64  // when reading began, by the clock of the file system
	old   map[string]remembered
	now   []byte // encoded entries
	n     int
	fresh bool // now holds something that old does not
}

type remembered struct {
	stat
	blob string
}

// openStats returns what is remembered of the work tree.
func (m *viewBuilder) openStats(unclean int) *statCache {
	c := &statCache{}
	tree, ok := m.source.tree.(interface{ Dir() string })
	if !ok || m.store == nil || m.store.failed.Load() || unclean < manyUnclean {
		return c
	}
	began, err := m.store.clock()
	if err != nil {
		return c
	}
	sum := sha256.Sum256([]byte(tree.Dir()))
	c.name, c.began = fmt.Sprintf("w-%x.stat", sum[:8]), began
	b, err := m.store.readFile(c.name)
	if err != nil {
		return c
	}
	sec, err := decodeContainer(b, magicStats, m.version)
	if err != nil || len(sec) != 1 {
		return c
	}
	r := cursor{b: sec[0]}
	c.old = map[string]remembered{}
	for len(r.b) > 0 && !r.bad {
		path := r.string()
		f := remembered{stat{r.varint64(), r.varint64(), r.varint64(), r.uvarint()}, hex.EncodeToString(r.bytes())}
		if !r.bad && len(f.blob) == m.source.format().HexLen() {
			c.old[path] = f
		}
	}
	return c
}

// find returns the blob id of a file that did not change since it was read.
func (c *statCache) find(e *entry) (blob string, ok bool) {
	f, ok := c.old[e.path]
	if !ok || f.stat != e.stat || e.stat.changed == 0 {
		return "", false
	}
	return f.blob, true
}

// add remembers the blob id of a file. known says that find had it.
func (c *statCache) add(e *entry, known bool) {
	if c.name == "" || e.stat.changed == 0 || max(e.stat.changed, e.stat.modified) >= c.began {
		return
	}
	raw, err := hex.DecodeString(e.blob)
	if err != nil {
		return
	}
	b := appendString(c.now, e.path)
	b = binary.AppendVarint(b, e.stat.size)
	b = binary.AppendVarint(b, e.stat.modified)
	b = binary.AppendVarint(b, e.stat.changed)
	b = binary.AppendUvarint(b, e.stat.inode)
	c.now = appendString(b, string(raw))
	c.n++
	c.fresh = c.fresh || !known
}

// keepStats writes what is remembered, if that is news. If it cannot, the next
// View reads the files again.
func (m *viewBuilder) keepStats(ctx context.Context, c *statCache) {
	if !c.fresh || ctx.Err() != nil {
		return
	}
	m.building.Lock()
	defer m.building.Unlock()
	unlock, err := m.lock()
	if err != nil {
		return
	}
	defer unlock()
	_ = m.store.write(c.name, encodeContainer(magicStats, m.version, [][]byte{c.now}))
}

// clock returns the time of the file system that holds the index, in Unix
// nanoseconds.
func (s *store) clock() (int64, error) {
	if err := git.MakeOwn(s.dir); err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(s.dir, tempPrefix+"*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return fi.ModTime().UnixNano(), nil
}

func statOf(f *git.WorkFile) stat { return stat{f.Size, f.ModTime, f.ChangeTime, f.Inode} }

// A Status says what an index holds.
type Status struct {
	Dir       string // "" if in memory only
	Segments  int
	Documents int
	Commits   int
	Bytes     int64
	Missing   int // files of the work tree that are not in the index
}

// Status looks at the index without building anything.
func (x *Index) Status(ctx context.Context, tree Tree) (Status, error) {
	m := &viewBuilder{Index: x, source: x.newSource(tree)}
	if err := m.list(ctx, ""); err != nil {
		return Status{}, err
	}
	if err := m.compare(ctx); err != nil {
		return Status{}, err
	}
	m.keyAttributes()
	s := Status{Dir: x.opts.Dir, Missing: m.recall()}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, seg := range x.segs {
		s.Segments++
		s.Documents += seg.ndocs
		s.Bytes += int64(seg.bytes)
	}
	for _, seg := range x.commits {
		s.Segments++
		s.Commits += seg.n
		s.Bytes += int64(seg.bytes)
	}
	return s, nil
}
