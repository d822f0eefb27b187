package index

import "context"

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
