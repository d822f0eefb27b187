package index

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// Limits of what a commit says about the files it changed.
const (
	// maxChanged is the largest number of changed files that are remembered:
	// a commit that changes more says little about each.
	maxChanged = 60

	// maxMessage is how many bytes of a message are looked at for terms.
	maxMessage = 3000
)

// A History is the commits that a view's commit has for ancestors, itself
// included: the newest first, at most Options.Commits, as git log orders them.
// Renames are not followed.
type History struct {
	Paths   []string // that Commits name, in order of first mention
	Commits []Commit
}

// A Commit is a document that points to the files it changed, compared with its
// first parent.
type Commit struct {
	ID      string
	Time    int64       // of the committer, unix seconds
	Files   []int32     // indices into History.Paths; none if Changed is over 60
	Changed int32       // how many files were changed
	Terms   []TermCount // of the message, and the numbers it refers to, ascending by term
	Len     int32       // length of the message in terms, numbers aside
}

// Sections of a commit segment.
const (
	secCommitPaths   = iota // paths, a list of strings
	secCommitIDs            // sorted { id, offset uint32 into secCommitRecords }
	secCommitRecords        // see commitBuilder.record
	commitSections
)

// A commitSegment is an immutable set of commits.
type commitSegment struct {
	name    string
	bytes   int
	digits  int // of an id
	paths   []string
	ids     []byte
	records []byte
	n       int
}

func openCommits(name string, b []byte, version uint64) (*commitSegment, error) {
	sec, err := decodeContainer(b, magicCommits, version)
	if err != nil {
		return nil, err
	}
	if len(sec) != commitSections {
		return nil, errors.New("wrong number of sections")
	}
	s := &commitSegment{name: name, bytes: len(b), ids: sec[secCommitIDs], records: sec[secCommitRecords]}
	c := cursor{b: sec[secCommitPaths]}
	s.digits = c.int()
	n := c.count()
	s.paths = make([]string, 0, n)
	for range n {
		s.paths = append(s.paths, c.string())
	}
	if c.bad || s.digits != git.SHA1.HexLen() && s.digits != git.SHA256.HexLen() || len(s.ids)%s.entry() != 0 {
		return nil, errors.New("damaged")
	}
	s.n = len(s.ids) / s.entry()
	return s, nil
}

// entry returns the size of an element of ids.
func (s *commitSegment) entry() int { return s.digits/2 + 4 }

// find returns a cursor at the record of a commit, nil if it is not there.
func (s *commitSegment) find(id []byte) *cursor {
	e := s.entry()
	if len(id) != e-4 {
		return nil
	}
	i := findRow(s.ids, e, id)
	if i < 0 {
		return nil
	}
	at := binary.LittleEndian.Uint32(s.ids[e*i+len(id):])
	if int(at) > len(s.records) {
		return nil
	}
	return &cursor{b: s.records[at:]}
}

// A commitBuilder gathers commits for one segment.
type commitBuilder struct {
	digits  int
	paths   nameTable[uint32]
	ids     []commitID
	records []byte
	words   terms.Analyzer
	tally   tally
}

type commitID struct {
	id []byte
	at uint32
}

// add appends a commit as git has it.
func (b *commitBuilder) add(c *git.Commit) {
	msg := c.Message
	if len(msg) > maxMessage {
		n := maxMessage
		for n > 0 && !utf8.RuneStart(msg[n]) {
			n--
		}
		msg = msg[:n]
	}
	b.tally.reset()
	length := 0
	b.words.Each([]byte(msg), func(t uint64) {
		n := b.tally.at(t)
		n.body = inc(n.body)
		length++
	})
	terms.Numbers(msg, func(t uint64) { b.tally.at(t).body = 1 }) // of no length
	counts := b.tally.counts
	slices.SortFunc(counts, func(x, y count) int { return cmp.Compare(x.term, y.term) })
	r := Commit{Time: c.Time, Changed: int32(len(c.Files)), Len: int32(length)}
	if len(c.Files) <= maxChanged {
		for _, f := range c.Files {
			r.Files = append(r.Files, int32(b.paths.id(f)))
		}
	}
	for _, n := range counts {
		r.Terms = append(r.Terms, TermCount{n.term, int32(n.body)})
	}
	id, _ := hex.DecodeString(c.ID) // git checked it
	b.record(id, &r)
}

// record appends a commit whose Files are numbers of b.paths.
func (b *commitBuilder) record(id []byte, c *Commit) {
	b.ids = append(b.ids, commitID{id, uint32(len(b.records))})
	r := binary.AppendVarint(b.records, c.Time)
	r = binary.AppendUvarint(r, uint64(c.Changed))
	r = binary.AppendUvarint(r, uint64(len(c.Files)))
	for _, f := range c.Files {
		r = binary.AppendUvarint(r, uint64(f))
	}
	r = binary.AppendUvarint(r, uint64(c.Len))
	r = binary.AppendUvarint(r, uint64(len(c.Terms)))
	for _, n := range c.Terms {
		r = binary.LittleEndian.AppendUint64(r, n.Term)
		r = binary.AppendUvarint(r, uint64(n.N))
	}
	b.records = r
}

func (b *commitBuilder) finish(version uint64) []byte {
	slices.SortFunc(b.ids, func(x, y commitID) int { return bytes.Compare(x.id, y.id) })
	sec := make([][]byte, commitSections)
	sec[secCommitPaths] = binary.AppendUvarint(nil, uint64(b.digits))
	sec[secCommitPaths] = binary.AppendUvarint(sec[secCommitPaths], uint64(len(b.paths.names)))
	for _, p := range b.paths.names {
		sec[secCommitPaths] = appendString(sec[secCommitPaths], p)
	}
	for _, c := range b.ids {
		sec[secCommitIDs] = append(sec[secCommitIDs], c.id...)
		sec[secCommitIDs] = binary.LittleEndian.AppendUint32(sec[secCommitIDs], c.at)
	}
	sec[secCommitRecords] = b.records
	return encodeContainer(magicCommits, version, sec)
}

// readHistory returns the history of a commit. Commits that were not seen
// before are asked of git and kept. What git cannot tell becomes a Diagnostic.
func (x *Index) readHistory(ctx context.Context, repo *git.Repo, commit string, diags *[]satchel.Diagnostic) (*History, error) {
	if repo == nil || commit == "" || x.opts.Commits < 0 {
		return noHistory, nil
	}
	if repo.Shallow() {
		*diags = append(*diags, satchel.Diagnostic{Text: "history is incomplete: the repository is a shallow clone"})
	}
	tip := tipName(repo, commit, x.opts.Commits)
	if h := x.knownHistory(repo, tip); h != nil {
		return h, nil
	}
	x.building.Lock()
	defer x.building.Unlock()
	before := x.commitSnapshot()
	ids, err := x.ancestors(ctx, repo, commit, tip)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		*diags = append(*diags, satchel.Diagnostic{Text: fmt.Sprintf("history is incomplete: %v", err)})
	}
	// Segments that went away meanwhile stay in use: what replaced them may lack
	// what they were relied on for.
	segs := x.commitSnapshot()
	for _, s := range before {
		if !slices.Contains(segs, s) {
			segs = append(slices.Clip(segs), s)
		}
	}
	h := assembleHistory(segs, ids)
	if err == nil && len(h.Commits) == len(ids) {
		x.keepHistory(repo, tip, h)
	}
	return h, nil
}

// noHistory is the history of a View without commits.
var noHistory = &History{}

// ancestors returns the ids of the newest commits, newest first, and makes sure
// that what git can tell about them is known.
func (x *Index) ancestors(ctx context.Context, repo *git.Repo, commit, tip string) ([]string, error) {
	ids, ok := x.readTip(tip, repo.Format().HexLen())
	if ok {
		return ids, x.readCommits(ctx, repo, ids)
	}
	x.mu.Lock()
	empty := len(x.commits) == 0
	x.mu.Unlock()
	var err error
	if empty {
		b := newCommitBuilder(repo)
		err = repo.LogFrom(ctx, commit, x.opts.Commits, func(c git.Commit) error {
			ids = append(ids, c.ID)
			x.addCommit(b, &c)
			return nil
		})
		x.keepCommits(b)
	} else if ids, err = repo.RevList(ctx, commit, x.opts.Commits); err == nil {
		err = x.readCommits(ctx, repo, ids)
	}
	if err == nil {
		x.writeTip(tip, ids)
	}
	return ids, err
}

// readCommits asks git about the commits that are not known.
func (x *Index) readCommits(ctx context.Context, repo *git.Repo, ids []string) error {
	var unknown []string
	segs := x.commitSnapshot()
	for _, id := range ids {
		if findCommit(segs, id) == nil {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	b := newCommitBuilder(repo)
	err := repo.Log(ctx, unknown, func(c git.Commit) error {
		x.addCommit(b, &c)
		return nil
	})
	x.keepCommits(b)
	return err
}

func newCommitBuilder(repo *git.Repo) *commitBuilder {
	return &commitBuilder{digits: repo.Format().HexLen()}
}

func (x *Index) addCommit(b *commitBuilder, c *git.Commit) {
	b.add(c)
	if n := len(b.ids); n%256 == 0 {
		x.progress("history", n, 0)
	}
}

// keepCommits makes a segment of the commits and keeps it, on disk if possible.
func (x *Index) keepCommits(b *commitBuilder) {
	if len(b.ids) == 0 {
		return
	}
	data := b.finish(x.version)
	if unlock, err := x.lock(); err == nil {
		defer unlock()
		x.mu.Lock()
		defer x.mu.Unlock()
		if len(x.commits) >= maxSegments {
			data = x.mergeCommits(data)
		}
		name, err := x.store.add("c", data)
		if err == nil {
			if seg, err := openCommits(name, data, x.version); err == nil {
				x.commits = append(slices.Clip(x.commits), seg)
			}
			x.publish()
			return
		}
		x.store.failed.Store(true)
		x.diagnose("cannot be written; kept in memory: " + reason(err))
	} else {
		x.mu.Lock()
		defer x.mu.Unlock()
	}
	if seg, err := openCommits("", data, x.version); err == nil {
		x.commits = append(slices.Clip(x.commits), seg)
	}
}

// mergeCommits returns the file of one segment with the commits of the file
// data and of all segments on disk, which it drops from x.commits. The caller
// holds x.mu.
func (x *Index) mergeCommits(data []byte) []byte {
	newest, err := openCommits("", data, x.version)
	if err != nil {
		return data
	}
	var rest []*commitSegment
	b := commitBuilder{digits: newest.digits}
	seen := map[string]bool{}
	for _, s := range append(slices.Clone(x.commits), newest) {
		if s.name == "" && s != newest || s.digits != b.digits {
			rest = append(rest, s)
			continue
		}
		s.copyTo(&b, seen)
	}
	x.commits = rest
	return b.finish(x.version)
}

// copyTo adds the segment's commits to b, except those in seen.
func (s *commitSegment) copyTo(b *commitBuilder, seen map[string]bool) {
	e := s.entry()
	for i := range s.n {
		id := s.ids[e*i:][:e-4]
		if seen[string(id)] {
			continue
		}
		at := binary.LittleEndian.Uint32(s.ids[e*i+e-4:])
		if int(at) > len(s.records) {
			continue
		}
		r, ok := readRecord(&cursor{b: s.records[at:]}, len(s.paths), nil)
		if !ok {
			continue
		}
		seen[string(id)] = true
		for k, f := range r.Files {
			r.Files[k] = int32(b.paths.id(s.paths[f]))
		}
		b.record(id, &r)
	}
}

// readRecord reads a commit, whose Files are paths of its segment. Terms are
// cut from the slab, if there is one.
func readRecord(c *cursor, npaths int, slab *slabs) (r Commit, ok bool) {
	r.Time = c.varint64()
	r.Changed = int32(c.uvarint() & (1<<31 - 1))
	n := c.count()
	r.Files = slab.files(n)
	for range n {
		f := c.int()
		if f >= npaths {
			return r, false
		}
		r.Files = append(r.Files, int32(f))
	}
	r.Len = int32(c.int())
	n = c.count()
	r.Terms = slab.terms(n)
	for range n {
		t := c.uint64()
		r.Terms = append(r.Terms, TermCount{t, int32(c.int())})
	}
	return r, !c.bad
}

// slabs cut many small slices from few large ones.
type slabs struct {
	f []int32
	t []TermCount
}

const slabLen = 4096

func (s *slabs) files(n int) []int32 {
	if n == 0 {
		return nil
	}
	if s == nil || n > slabLen {
		return make([]int32, 0, n)
	}
	if cap(s.f)-len(s.f) < n {
		s.f = make([]int32, 0, slabLen)
	}
	at := len(s.f)
	s.f = s.f[:at+n]
	return s.f[at : at : at+n]
}

func (s *slabs) terms(n int) []TermCount {
	if n == 0 {
		return nil
	}
	if s == nil || n > slabLen {
		return make([]TermCount, 0, n)
	}
	if cap(s.t)-len(s.t) < n {
		s.t = make([]TermCount, 0, slabLen)
	}
	at := len(s.t)
	s.t = s.t[:at+n]
	return s.t[at : at : at+n]
}

func (x *Index) commitSnapshot() []*commitSegment {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.commits
}

// A foundCommit is a commit's record in a segment.
type foundCommit struct {
	seg int
	*cursor
}

func findCommit(segs []*commitSegment, id string) *foundCommit {
	var buf [32]byte
	n, err := hex.Decode(buf[:], []byte(id[:min(len(id), 2*len(buf))]))
	if err != nil {
		return nil
	}
	for i, s := range segs {
		if c := s.find(buf[:n]); c != nil {
			return &foundCommit{i, c}
		}
	}
	return nil
}

// assembleHistory gathers the commits with the ids and numbers their paths.
func assembleHistory(segs []*commitSegment, ids []string) *History {
	h := &History{Commits: make([]Commit, 0, len(ids))}
	numbers := make([][]int32, len(segs)) // of each segment's paths, plus one
	for i, s := range segs {
		numbers[i] = make([]int32, len(s.paths))
	}
	byPath := map[string]int32{}
	var slab slabs
	for _, id := range ids {
		f := findCommit(segs, id)
		if f == nil {
			continue // git could not tell
		}
		c, ok := readRecord(f.cursor, len(segs[f.seg].paths), &slab)
		if !ok {
			continue
		}
		c.ID = id
		for k, p := range c.Files {
			n := &numbers[f.seg][p]
			if *n == 0 {
				path := segs[f.seg].paths[p]
				at, ok := byPath[path]
				if !ok {
					at = int32(len(h.Paths))
					byPath[path] = at
					h.Paths = append(h.Paths, path)
				}
				*n = at + 1
			}
			c.Files[k] = *n - 1
		}
		h.Commits = append(h.Commits, c)
	}
	return h
}

// tipName names the file that lists the commits of a tip. What a shallow clone
// has of its history can grow, so the list depends on where it is cut.
func tipName(repo *git.Repo, commit string, n int) string {
	sum := sha256.Sum256([]byte(repo.Cut()))
	return fmt.Sprintf("t-%s-%d-%x.ids", commit, n, sum[:4])
}

// readTip reads a list of commit ids. ok is false if anything is wrong.
func (x *Index) readTip(name string, digits int) ([]string, bool) {
	if x.store == nil {
		return nil, false
	}
	b, err := x.store.readFile(name)
	if err != nil {
		return nil, false
	}
	sec, err := decodeContainer(b, magicTip, x.version)
	if err != nil || len(sec) != 1 || len(sec[0])%(digits/2) != 0 {
		return nil, false
	}
	all := hex.EncodeToString(sec[0])
	ids := make([]string, 0, len(all)/digits)
	for ; len(all) > 0; all = all[digits:] {
		ids = append(ids, all[:digits])
	}
	return ids, true
}

// writeTip keeps a list of commit ids. If it cannot, the next View asks git.
func (x *Index) writeTip(name string, ids []string) {
	if x.store == nil || x.store.failed.Load() {
		return
	}
	var b []byte
	for _, id := range ids {
		raw, err := hex.DecodeString(id)
		if err != nil {
			return
		}
		b = append(b, raw...)
	}
	unlock, err := x.lock()
	if err != nil {
		return
	}
	defer unlock()
	_ = x.store.write(name, encodeContainer(magicTip, x.version, [][]byte{b}))
}

// Past lists the files of a commit of the view's history, sorted by path, at most
// DefaultMaxFiles. The list is empty outside git. The error comes from git, for
// example if the commit is missing.
func (v *View) Past(ctx context.Context, commit string) ([]git.TreeFile, error) {
	if v.source == nil || v.source.repo == nil {
		return nil, nil
	}
	files, _, err := v.source.repo.TreeWithin(ctx, commit, DefaultMaxFiles)
	return files, err
}

// ReadBlobs calls fn with the bytes of objects, in order and from the calling
// goroutine. A blob that cannot be read has an error and no text.
func (v *View) ReadBlobs(ctx context.Context, blobs []string, fn func(i int, text []byte, err error)) error {
	if v.source == nil || v.source.repo == nil || len(blobs) == 0 {
		return nil
	}
	err := v.source.objects().ReadAll(blobs, fn)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
