package index

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// View makes the revision searchable, or, if rev is "", the work tree with its
// uncommitted and untracked files, and returns it. It analyses new blobs and, if the
// index can be written, keeps the results. Pinned are paths of files, or of
// directories with a final slash, that are included despite rules; they are not
// patterns.
//
// Errors come from listing the tree, such as an unknown revision, and from ctx. An
// unreadable file becomes an omission, and its loss a Diagnostic.
func (x *Index) View(ctx context.Context, tree Tree, rev string, pinned ...string) (*View, error) {
	return x.ViewWith(ctx, tree, rev, pinned, nil)
}

// ViewWith is View, and does not leave out the outputs as build output. Every other rule
// holds for them.
func (x *Index) ViewWith(ctx context.Context, tree Tree, rev string, pinned, outputs []string) (*View, error) {
	return x.viewOf(ctx, &viewBuilder{Index: x, source: x.newSource(tree), pinned: pinned, outputs: outputs}, rev)
}

// ViewReady is View of the work tree for one who cannot wait: if more than most
// files were not seen before, nothing is analysed and the error is a
// [*BehindError]. A plain folder is not even read then, and if it holds more than
// mostHasty files the error is a [*CrowdedError].
func (x *Index) ViewReady(ctx context.Context, tree Tree, most int) (*View, error) {
	return x.viewOf(ctx, &viewBuilder{Index: x, source: x.newSource(tree), most: max(most, 0), hasty: true}, "")
}

// A BehindError says that the index lacks more files of the work tree than there
// is time for.
type BehindError struct{ Missing int }

func (e *BehindError) Error() string { return fmt.Sprintf("the index lacks %d files", e.Missing) }

func (x *Index) viewOf(ctx context.Context, m *viewBuilder, rev string) (*View, error) {
	// The history is read while git lists the files.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	history := noHistory
	var diags []satchel.Diagnostic
	var failed error
	m.onCommit = func(commit string) {
		wg.Go(func() { history, failed = x.readHistory(ctx, m.source.repo, commit, &diags) })
	}
	s, err := m.make(ctx, rev)
	if err != nil {
		cancel()
	}
	wg.Wait()
	if err := cmp.Or(err, failed); err != nil {
		return nil, err
	}
	return x.with(s, history, diags), nil
}

// ViewFiles is View without the history, for callers that rank nothing.
func (x *Index) ViewFiles(ctx context.Context, tree Tree, rev string, pinned ...string) (*View, error) {
	m := &viewBuilder{Index: x, source: x.newSource(tree), pinned: pinned}
	s, err := m.make(ctx, rev)
	if err != nil {
		return nil, err
	}
	return x.with(s, noHistory, nil), nil
}

// make makes the View, but for its history, unless it is known.
func (m *viewBuilder) make(ctx context.Context, rev string) (*seen, error) {
	if err := m.list(ctx, rev); err != nil {
		return nil, err
	}
	m.readRules()
	m.bound()
	if err := m.compare(ctx); err != nil {
		return nil, err
	}
	if s := m.known(m); s != nil && !m.anew {
		return s, nil
	}
	s := &seen{
		tree: m.source.tree, commit: m.listing.commit, workTree: m.listing.workTree, pinned: slices.Clone(m.pinned), outputs: slices.Clone(m.outputs),
		entries: slices.Clone(m.listing.entries), excluded: slices.Clone(m.excluded), diags: slices.Clone(m.diags),
	}
	if err := m.judge(ctx); err != nil {
		return nil, err
	}
	var err error
	if s.body, err = m.view(); err != nil {
		return nil, err
	}
	if !m.lacking && !m.anew {
		m.keep(s)
	}
	return s, nil
}

// based reports the commit that the listing is based on.
func (m *viewBuilder) based(commit string) {
	if m.onCommit != nil {
		m.onCommit(commit)
	}
}

// A viewBuilder is a View on its way.
type viewBuilder struct {
	*Index
	source   *source
	pinned   []string
	outputs  []string // see ViewWith
	hasty    bool     // more than most files that are not known are an error
	most     int
	onCommit func(commit string) // if set, called with the commit once, as soon as it is known
	listing  listing
	rules    *Rules
	ruled    bool // the rules of the listing are in rules
	excluded []exclusion
	attrsKey [32]byte
	facts    []fact  // of listing.entries; class "" if unknown
	places   []place // of the entries' documents; without a segment for new ones
	skip     []bool  // entries that are excluded
	diags    []satchel.Diagnostic
	anew     bool              // judge even what is known: the verdicts are wanted
	lacking  bool              // objects could not be read, and may be there next time
	despite  map[string]string // why a rule leaves out what was asked for, by path
	allowing sync.Mutex        // of despite
	segs     []*segment        // where the documents are; the newest state of the index first
	lf       map[int]string    // what the blobs of unclean entries with CR LF would be with LF
}

// An exclusion is the verdict on one entry of the listing.
type exclusion struct {
	verdict
	entry int
}

// exclude leaves entry i out.
func (m *viewBuilder) exclude(i int, v verdict) {
	m.skip[i] = true
	m.excluded = append(m.excluded, exclusion{v, i})
}

// judge looks at everything that is new, and applies the rules about contents.
func (m *viewBuilder) judge(ctx context.Context) error {
	m.keyAttributes()
	missing := m.recall()
	if missing == 0 {
		return nil
	}
	if m.hasty && missing > m.most {
		return &BehindError{missing}
	}
	m.building.Lock()
	defer m.building.Unlock()
	if m.recall() == 0 { // another View may have looked meanwhile
		return nil
	}
	return m.build(ctx)
}

// compare applies the rules that need no content, and names the contents of all
// files.
func (m *viewBuilder) compare(ctx context.Context) error {
	m.readRules()
	n := len(m.listing.entries)
	m.skip, m.facts, m.places = make([]bool, n), make([]fact, n), make([]place, n)
	m.diags = append(m.diags, m.listing.diags...)
	for i := range m.listing.entries {
		if v := m.byPath(&m.listing.entries[i]); v.why != "" {
			m.exclude(i, v)
		}
	}
	remember, err := m.readDirty(ctx)
	if err != nil {
		return err
	}
	if err := m.findObjects(ctx); err != nil {
		return err
	}
	remember()
	return nil
}

// readDirty reads the files whose bytes git does not have, and names them as
// git would. What it returns remembers the names, once they are the last ones.
func (m *viewBuilder) readDirty(ctx context.Context) (remember func(), err error) {
	var unclean []int
	for i := range m.listing.entries {
		if !m.skip[i] && m.listing.entries[i].blob == "" {
			unclean = append(unclean, i)
		}
	}
	stats := m.openStats(len(unclean))
	if m.hasty && m.source.repo == nil {
		if n := m.unread(stats, unclean); n > max(m.most, manyUnclean) {
			return nil, &BehindError{n}
		}
	}
	held := 0
	found := make([]bool, len(unclean))
	for k, i := range unclean {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e := &m.listing.entries[i]
		blob, known := stats.find(e)
		if !known {
			text, err := m.source.tree.ReadFile(e.path, m.limit(e.path))
			if err != nil {
				m.exclude(i, verdict{whyUnread(err), e.path})
				continue
			}
			blob, e.size = git.BlobID(m.source.format(), text), int64(len(text))
			m.noteLines(i, text)
			if held += len(text); held <= maxHeld {
				m.source.held[e.path] = git.Decode(text)
			}
		}
		e.blob, found[k] = blob, known
	}
	return func() {
		for k, i := range unclean {
			if e := &m.listing.entries[i]; e.blob != "" {
				stats.add(e, found[k])
			}
		}
		m.keepStats(ctx, stats)
	}, nil
}

// noteLines remembers what an entry would be if git had converted its line ends.
func (m *viewBuilder) noteLines(i int, text []byte) {
	if m.source.repo == nil || !bytes.Contains(text, []byte("\r\n")) {
		return
	}
	if m.lf == nil {
		m.lf = map[int]string{}
	}
	m.lf[i] = git.BlobID(m.source.format(), bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
}

// unread returns how many of the entries would have to be read.
func (m *viewBuilder) unread(stats *statCache, entries []int) (n int) {
	for _, i := range entries {
		if _, known := stats.find(&m.listing.entries[i]); !known {
			n++
		}
	}
	return n
}

// whyUnread returns the reason for leaving out a file that cannot be read.
func whyUnread(err error) string {
	var large *git.TooLargeError
	switch {
	case errors.As(err, &large):
		return satchel.WhyLarge
	case errors.Is(err, git.ErrMissing):
		return satchel.WhyMissing
	}
	return satchel.WhyUnread
}

// findObjects finds out which of the files that were read git has objects for
// after all: those that were only touched, changed back, or added since.
func (m *viewBuilder) findObjects(ctx context.Context) error {
	if m.source.repo == nil {
		return nil
	}
	var at []int
	var blobs []string
	for i := range m.listing.entries {
		if e := &m.listing.entries[i]; e.dirty && e.blob != "" && !m.skip[i] {
			at, blobs = append(at, i), append(blobs, e.blob)
		}
	}
	if len(at) == 0 {
		return nil
	}
	err := m.source.objects().Sizes(blobs, func(i int, _ int64, err error) {
		e := &m.listing.entries[at[i]]
		if e.dirty = err != nil; !e.dirty {
			delete(m.source.held, e.path) // git keeps it
		}
	})
	if err == nil {
		err = m.findConverted(ctx)
	}
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// findConverted finds the dirty files that were only touched, or that git has with
// other line ends. It asks git only about files with such a blob.
func (m *viewBuilder) findConverted(ctx context.Context) error {
	var at []int
	var blobs []string
	for _, i := range slices.Sorted(maps.Keys(m.lf)) {
		if m.listing.entries[i].dirty {
			at, blobs = append(at, i), append(blobs, m.lf[i])
		}
	}
	if len(at) == 0 {
		return nil
	}
	var there []int
	err := m.source.objects().Sizes(blobs, func(i int, _ int64, err error) {
		if err == nil {
			there = append(there, at[i])
		}
	})
	if err != nil || len(there) == 0 {
		return err
	}
	paths := make([]string, len(there))
	for k, i := range there {
		paths[k] = m.listing.entries[i].path
	}
	same, err := m.source.repo.Unchanged(ctx, paths, max(m.opts.MaxFileBytes, maxIncluded))
	for _, i := range there {
		e := &m.listing.entries[i]
		if id := same[e.path]; id != "" {
			e.blob, e.dirty = id, false
			delete(m.source.held, e.path)
		}
	}
	return err
}

// keyAttributes digests which .gitattributes files there are.
func (m *viewBuilder) keyAttributes() {
	h := sha256.New()
	for i := range m.listing.entries {
		e := &m.listing.entries[i]
		if _, ok := attributeFile(e.path); ok && e.kind == regular {
			fmt.Fprintf(h, "%s\x00%s\x00", e.path, e.blob)
		}
	}
	h.Sum(m.attrsKey[:0])
}

// recall looks up the facts and documents of entries in the index as it is now,
// and returns how many are not known. Segments that were replaced since the last
// time stay in use: they may hold what the new ones do not.
func (m *viewBuilder) recall() (unknown int) {
	segs := m.snapshot()
	for _, s := range m.segs {
		if !slices.Contains(segs, s) {
			segs = append(slices.Clip(segs), s)
		}
	}
	m.segs = segs
	inShares(len(m.listing.entries), func(from, to int) {
		for i := from; i < to; i++ {
			if !m.skip[i] && m.places[i].seg == nil {
				m.lookUp(i)
			}
		}
	})
	for i := range m.listing.entries {
		if m.skip[i] || m.places[i].seg != nil {
			continue
		}
		if m.facts[i].class != "" {
			if v := m.byContent(&m.listing.entries[i], m.facts[i]); v.why != "" {
				m.exclude(i, v)
				continue
			}
		}
		unknown++
	}
	return unknown
}

// lookUp looks up the fact and the document of entry i in m.segs. Several
// goroutines look up different entries.
func (m *viewBuilder) lookUp(i int) {
	e := &m.listing.entries[i]
	if m.facts[i].class == "" {
		key := factKeyOf(m.attrsKey, e.path, e.blob)
		for _, s := range m.segs {
			if f, ok := s.fact(key); ok {
				m.facts[i] = f
				break
			}
		}
	}
	if m.facts[i].class != "" && m.byContent(e, m.facts[i]).why == "" {
		m.places[i] = findPlace(m.segs, keyOf(e.blob, m.facts[i].lang))
	}
}

// minShare is how many entries make a second goroutine worth while.
const minShare = 512

// inShares calls fn for parts of 0..n that make up the whole, at the same time.
func inShares(n int, fn func(from, to int)) {
	shares := min(runtime.GOMAXPROCS(0), n/minShare)
	if shares < 2 {
		fn(0, n)
		return
	}
	var wg sync.WaitGroup
	for s := range shares {
		wg.Go(func() { fn(n*s/shares, n*(s+1)/shares) })
	}
	wg.Wait()
}

// A place is where a document lives.
type place struct {
	seg *segment
	doc int32
}

// findPlace returns the first place that has the document.
func findPlace(segs []*segment, key docKey) place {
	for _, s := range segs {
		if d := s.find(key); d >= 0 {
			return place{s, int32(d)}
		}
	}
	return place{}
}

// snapshot returns the segments that exist now.
func (x *Index) snapshot() []*segment {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.segs
}
