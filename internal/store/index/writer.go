package index

import (
	"errors"
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// maxSegments is how many segments a query should have to look into at most.
const maxSegments = 8

// A writer turns the results of a View into segments. Text with git objects goes into
// permanent segments. Text that is only in the work tree goes into one segment, which
// is replaced at every edit and holds only what the View needs: otherwise each edit
// would leave an unused document behind.
type writer struct {
	x             *Index
	keep, passing builder
	live          func() wanted // what the View needs of the passing segment
	unlock        func()        // non-nil while this process is the writer
	tried         bool
	passed        int // bytes of text behind the passing documents
	done, total   int
}

// maxPassing limits the uncommitted text in the passing segment. That segment is
// rewritten at every edit, so further text, in a folder without git or after a large
// import, is stored like committed text.
const maxPassing = 2 << 20

// wanted says what to take over into a merged segment. A nil function wants all.
type wanted struct {
	doc  func(docKey) bool
	fact func(factKey) bool
}

func (x *Index) newWriter(total int, live func() wanted) *writer {
	w := &writer{x: x, total: total, live: live}
	w.keep.version, w.passing.version = x.version, x.version
	return w
}

// step counts a blob as done.
func (w *writer) step() {
	w.done++
	if w.done%64 == 0 || w.done == w.total {
		w.x.progress("index", w.done, w.total)
	}
}

// builder returns where a document or fact goes.
func (w *writer) builder(dirty bool) *builder {
	if dirty && w.passed < maxPassing {
		return &w.passing
	}
	return &w.keep
}

func (w *writer) document(d *document, dirty bool) error {
	b := w.builder(dirty)
	b.add(d)
	if b == &w.passing {
		w.passed += d.bytes
	}
	if w.keep.full() {
		return w.flush()
	}
	return nil
}

// close writes what is left. The writer is of no use afterwards.
func (w *writer) close() error {
	err := errors.Join(w.pass(), w.flush())
	if err == nil {
		err = w.x.compact(w.unlock != nil)
	}
	if w.unlock != nil {
		w.unlock()
	}
	return err
}

// flush makes a segment of the documents that stay.
func (w *writer) flush() error {
	if w.keep.empty() {
		return nil
	}
	seg, err := w.segment("d", w.keep.finish())
	if err != nil {
		return err
	}
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	w.x.segs = append(slices.Clip(w.x.segs), seg)
	if seg.name != "" {
		w.x.publish()
	}
	return nil
}

// pass makes the segment of the documents that pass, in place of the earlier one.
func (w *writer) pass() error {
	if w.passing.empty() {
		return nil
	}
	data := w.passing.finish()
	seg, err := openSegment("", data, w.x.version)
	if err != nil {
		return fmt.Errorf("index: a new segment %w", err)
	}
	w.begin() // takes over what other processes passed
	old := slices.DeleteFunc(slices.Clone(w.x.snapshot()), func(s *segment) bool { return !s.passing })
	parts := mergeSegments(append(old, seg), w.x.version, w.live())
	if seg, err = w.segment("v", parts...); err != nil {
		return err
	}
	seg.passing = true
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	w.x.segs = append(slices.DeleteFunc(slices.Clone(w.x.segs), func(s *segment) bool { return s.passing }), seg)
	if seg.name != "" {
		w.x.publish()
	}
	return nil
}

// segment writes a segment, if this process can be the writer, and opens it. The
// parts are its file.
func (w *writer) segment(kind string, parts ...[]byte) (*segment, error) {
	name := ""
	if w.begin() {
		var err error
		if name, err = w.x.store.add(kind, parts...); err != nil {
			name = ""
			w.x.cannotWrite(err)
		}
	}
	seg, err := w.x.openNew(name, parts...)
	if err != nil {
		return nil, fmt.Errorf("index: a new segment %w", err)
	}
	return seg, nil
}

// openNew opens a segment that was just made, from disk if it is there, so that
// its memory can be reclaimed.
func (x *Index) openNew(name string, parts ...[]byte) (*segment, error) {
	if name != "" {
		x.mu.Lock()
		defer x.mu.Unlock()
		if b, err := x.store.bytes(name); err == nil {
			if seg, err := openSegment(name, b, x.version); err == nil {
				return seg, nil
			}
		}
	}
	return openSegment(name, slices.Concat(parts...), x.version)
}

// begin makes this process the writer, if it can be, and takes over what other
// processes have written meanwhile.
func (w *writer) begin() bool {
	if w.tried {
		return w.unlock != nil && !w.x.store.failed.Load()
	}
	w.tried = true
	w.unlock, _ = w.x.lock()
	return w.unlock != nil
}

// lock makes this process the writer and loads what counts now. If it cannot
// because the directory cannot be written, that is noted; if another process is
// the writer, that may well be indexing the same.
func (x *Index) lock() (unlock func(), err error) {
	switch {
	case x.store == nil:
		return nil, errMemory
	case x.store.failed.Load():
		return nil, errFailed
	}
	unlock, err = x.store.lock()
	if err != nil {
		if !errors.Is(err, fsx.ErrLocked) {
			x.cannotWrite(err)
		}
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.store.load(&contents{x.segs, x.commits}, x.diagnose)
	// What is in memory only stays.
	for _, s := range x.segs {
		if s.name == "" {
			now.docs = append(now.docs, s)
		}
	}
	for _, s := range x.commits {
		if s.name == "" {
			now.commits = append(now.commits, s)
		}
	}
	x.segs, x.commits = now.docs, now.commits
	return unlock, nil
}

var (
	errMemory = errors.New("the index is in memory only")
	errFailed = errors.New("the index cannot be written")
)

// publish makes the segments on disk the ones that count. The caller is the
// writer and holds x.mu.
func (x *Index) publish() {
	var names []string
	for _, s := range x.segs {
		if s.name != "" {
			names = append(names, s.name)
		}
	}
	for _, s := range x.commits {
		if s.name != "" {
			names = append(names, s.name)
		}
	}
	if err := x.store.publish(names); err != nil {
		x.store.failed.Store(true)
		x.diagnose("cannot be written; kept in memory: " + reason(err))
	}
}

// cannotWrite records that this process works in memory from now on.
func (x *Index) cannotWrite(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.store.failed.Store(true)
	x.diagnose("cannot be written; kept in memory: " + reason(err))
}

// reason returns what is wrong, without the name of a temporary file.
func reason(err error) string { return plain(err).Error() }
