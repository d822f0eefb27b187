package git

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// A WorkFile is one file of a work tree or folder.
type WorkFile struct {
	Path string
	Mode Mode
	OID  string // object id of the contents; set if Clean

	// Size is the size on disk; for a sparse file, the size of its blob, or -1 if the
	// blob is missing.
	Size int64

	// ModTime is the time of the last change of a file on disk, in Unix nanoseconds,
	// and ChangeTime the time of its inode. With Size and Inode they show whether
	// bytes that were read before can have changed. Windows has no Inode, and there
	// ChangeTime is the time of creation.
	ModTime, ChangeTime int64
	Inode               uint64

	// Clean means that the contents equal the object OID. A file that git has not
	// recorded as unchanged is never Clean: its bytes on disk count. A submodule is
	// Clean, and OID is its commit.
	Clean bool

	Untracked bool // not in the index; for ModeSubmodule, a repository of its own
	Conflict  bool // a merge of it is unfinished
	Sparse    bool // not on disk, by the user's wish; read it by OID
}

// An indexEntry is what ls-files --stage --debug says about a path.
type indexEntry struct {
	path         string
	mode         Mode
	oid          string
	stage        int
	ctime, mtime stamp
	ino          uint32 // git keeps 32 bits
	size         uint32 // likewise
	flags        uint32
}

// A stamp is a file time as git's index has it: 32 bits of seconds.
type stamp struct{ sec, nsec uint32 }

func (s stamp) before(t stamp) bool { return s.sec < t.sec || s.sec == t.sec && s.nsec < t.nsec }

// Flags of an index entry, from git's read-cache.h.
const (
	flagIntentToAdd  = 1 << 29
	flagSkipWorktree = 1 << 30
)

// WorkTree lists the files of the work tree: all that are tracked and on disk,
// tracked files that a sparse checkout leaves out, submodules, and untracked
// files that are not ignored. Deleted files are not listed. It is sorted by
// path.
//
// Nothing is read but the index, the ignore files, the names in folders and the
// files' metadata. What is untracked is git's to say; see strays.go. A
// file whose metadata equals what the index recorded is Clean, unless the index
// is too young to tell; files marked assume-unchanged get no special trust.
func (r *Repo) WorkTree(ctx context.Context) ([]WorkFile, []satchel.Diagnostic, error) {
	if r.folder == nil {
		return nil, nil, fmt.Errorf("%s: %w", clean(r.gitDir), ErrNoWorkTree)
	}
	// The index is read twice, and an add between the two would hide a file.
	for try := 1; ; try++ {
		before, err := r.indexTime()
		if err != nil {
			return nil, nil, err
		}
		files, _, diags, err := r.list(ctx, before, true)
		if err != nil {
			return nil, nil, err
		}
		if after, err := r.indexTime(); err == nil && (after == before || try == maxTries) {
			return files, diags, r.sparseSizes(ctx, files)
		}
	}
}

// maxTries is how often the work tree is listed while someone changes the index.
const maxTries = 3

// list lists the work tree, with an index that was written at a given time or
// later. A later time would only make fewer files look too young. It returns
// the entries of the index as well, one for each path.
func (r *Repo) list(ctx context.Context, written stamp, others bool) ([]WorkFile, []indexEntry, []satchel.Diagnostic, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	var wg sync.WaitGroup
	var untracked []WorkFile
	var unlisted string // git's complaint about folders that it cannot list
	ask := func(paths ...string) {
		var err error
		if untracked, unlisted, err = r.others(ctx, paths...); err != nil {
			cancel(err) // the first failure ends the other call and is reported
		}
	}
	askAll := func() { wg.Go(func() { ask() }) }

	// Where the index can be read here, git need not look everywhere.
	entries, plain, err := r.entries(ctx, func() {
		if others {
			askAll()
		}
	})
	var find *strays
	var tracked []WorkFile
	var diags []satchel.Diagnostic
	if err == nil {
		tracked, entries = trackedFiles(slices.Clone(entries))
	}
	if plain && others {
		if find = r.newStrays(entries, askAll); find == nil {
			askAll()
		}
	}
	if err != nil {
		cancel(err)
	} else {
		tracked = r.folder.statAll(tracked, &indexState{entries, written, r.written}, find, &diags)
		if find != nil && !find.doubtful.Load() && len(find.found) > 0 {
			ask(find.found...)
		}
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, nil, nil, context.Cause(ctx)
	}
	untracked = r.folder.statAll(untracked, nil, nil, &diags)
	for i := range untracked {
		untracked[i].Mode = r.written.mode(untracked[i].Mode, 0)
	}
	if unlisted != "" {
		diags = append(diags, satchel.Diagnostic{Text: "git ls-files: " + unlisted})
	}
	return mergeFiles(tracked, untracked), entries, diags, nil
}

// entries returns the entries of the index, which the caller must not change. plain is
// whether it could be read here; if not, git is asked, and meanwhile called before.
func (r *Repo) entries(ctx context.Context, meanwhile func()) (entries []indexEntry, plain bool, err error) {
	if entries, plain = r.readIndex(); plain {
		return entries, true, nil
	}
	meanwhile()
	entries, err = r.askIndex(ctx)
	return entries, false, err
}

// askIndex asks git for the entries of the index.
func (r *Repo) askIndex(ctx context.Context) (entries []indexEntry, err error) {
	_, err = r.run.stream(ctx, nil, maxListing, func(br *bufio.Reader) (err error) {
		entries, err = parseIndex(br)
		return err
	}, "ls-files", "-z", "--stage", "--debug")
	return entries, err
}

// ReadFile returns the bytes of a file of the work tree. See [Folder.ReadFile].
func (r *Repo) ReadFile(path string, limit int64) ([]byte, error) {
	if r.folder == nil {
		return nil, fmt.Errorf("%s: %w", clean(path), ErrNoWorkTree)
	}
	return r.folder.ReadFile(path, limit)
}

// NotCheckedOut says of a file that [Repo.ReadTracked] read it from git's index.
const NotCheckedOut = "not checked out (sparse checkout); the text is from git's index"

// ReadTracked is ReadFile, and reads a file that a sparse checkout leaves out from git's
// index. sparse reports whether it did; for a folder, the error is [ErrNotRegular]. Text
// without a byte order mark is converted if the attribute working-tree-encoding says so.
func (r *Repo) ReadTracked(path string, limit int64) (data []byte, sparse bool, err error) {
	data, err = r.ReadFile(path, limit)
	if bytes.IndexByte(Decode(data), 0) >= 0 {
		attrs, _ := r.attributes(context.Background(), []string{path}, "working-tree-encoding")
		if text, ok := decodeNamed(data, attrs[path]["working-tree-encoding"]); ok {
			data = text
		}
	}
	if !errors.Is(err, fs.ErrNotExist) && !fsx.NotDir(err) {
		return data, false, err
	}

	entries, _, _ := r.entries(context.Background(), func() {}) // none if there is an error
	for i := range entries {
		e := &entries[i]
		below, ok := strings.CutPrefix(e.path, strings.TrimSuffix(path, "/"))
		switch {
		case !ok || e.flags&flagSkipWorktree == 0 || below != "" && below[0] != '/':
		case below != "" || !e.mode.IsRegular():
			return nil, true, fmt.Errorf("%s: %w", clean(path), ErrNotRegular)
		default:
			objects := r.Objects(context.Background())
			defer objects.Close()
			data, err = objects.Read(e.oid, limit)
			return data, true, err
		}
	}
	return nil, false, err
}

// indexTime returns the time when the index was written, or zero without an index.
func (r *Repo) indexTime() (stamp, error) {
	fi, err := os.Stat(filepath.Join(r.gitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{}, nil
	}
	if err != nil {
		return stamp{}, err
	}
	return nsStamp(fi.ModTime().UnixNano()), nil
}

// parseOthers reads paths that end in NUL. One that ends in a slash is a
// repository of its own, which git does not enter.
func parseOthers(br *bufio.Reader) ([]WorkFile, error) {
	var files []WorkFile
	for {
		path, err := token(br)
		if err == io.EOF {
			sortFiles(files) // by the path without the slash
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		f := WorkFile{Path: path, Untracked: true}
		if p, ok := strings.CutSuffix(path, "/"); ok {
			f.Path, f.Mode = p, ModeSubmodule
		}
		files = append(files, f)
	}
}

// parseIndex reads the output of ls-files -z --stage --debug. A record is
//
//	mode SP oid SP stage TAB path NUL
//	  ctime: sec:nsec LF   mtime: sec:nsec LF
//	  dev: n TAB ino: n LF   uid: n TAB gid: n LF   size: n TAB flags: hex LF
func parseIndex(br *bufio.Reader) ([]indexEntry, error) {
	var entries []indexEntry
	for {
		rec, err := token(br)
		if err == io.EOF {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
		head, path, _ := strings.Cut(rec, "\t")
		mode, head, _ := strings.Cut(head, " ")
		oid, stage, _ := strings.Cut(head, " ")
		m, err := strconv.ParseUint(mode, 8, 32)
		if err != nil || len(stage) != 1 || stage[0] < '0' || stage[0] > '3' || path == "" {
			return nil, fmt.Errorf("%w: %q", errAnswer, clean(rec))
		}
		e := indexEntry{path: path, mode: Mode(m), oid: oid, stage: int(stage[0] - '0')}
		s := scanner{br: br}
		e.ctime = stamp{s.number("  ctime: ", 10), s.number(":", 10)}
		e.mtime = stamp{s.number("\n  mtime: ", 10), s.number(":", 10)}
		s.number("\n  dev: ", 10)
		e.ino = s.number("\tino: ", 10)
		s.number("\n  uid: ", 10)
		s.number("\tgid: ", 10)
		e.size = s.number("\n  size: ", 10)
		e.flags = s.number("\tflags: ", 16)
		s.literal("\n")
		if s.bad {
			return nil, fmt.Errorf("%w: metadata of %q", errAnswer, clean(path))
		}
		entries = append(entries, e)
	}
}

// A scanner reads numbers and fixed text.
type scanner struct {
	br  *bufio.Reader
	bad bool
}

func (s *scanner) literal(text string) {
	got, err := s.br.Peek(len(text))
	if err != nil || string(got) != text {
		s.bad = true
		return
	}
	_, _ = s.br.Discard(len(text)) // it was just seen
}

// maxDigits is the length of the largest number of 32 bits.
const maxDigits = 10

// number reads text and then an unsigned number, which another character ends.
func (s *scanner) number(text string, base uint32) uint32 {
	s.literal(text)
	digits, _ := s.br.Peek(maxDigits + 1)
	var n uint32
	i := 0
	for ; i < len(digits); i++ {
		c := uint32(digits[i])
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case base == 16 && c >= 'a' && c <= 'f':
			c -= 'a' - 10
		default:
			c = base
		}
		if c == base {
			break
		}
		n = n*base + c
	}
	s.bad = s.bad || i == 0 || i == len(digits)
	_, _ = s.br.Discard(i)
	return n
}

// trackedFiles makes one WorkFile of the entries of each path, and returns the
// entries that belong to them, index by index.
func trackedFiles(entries []indexEntry) ([]WorkFile, []indexEntry) {
	byPath := func(a, b indexEntry) int {
		return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.stage, b.stage))
	}
	if !slices.IsSortedFunc(entries, byPath) { // git does not check it
		slices.SortFunc(entries, byPath)
	}
	files := make([]WorkFile, 0, len(entries))
	kept := entries[:0]
	for _, e := range entries {
		f := WorkFile{Path: e.path, Mode: e.mode, Conflict: e.stage != 0}
		if n := len(files); n > 0 && files[n-1].Path == f.Path {
			files[n-1].Conflict = true
			continue
		}
		files = append(files, f)
		kept = append(kept, e)
	}
	return files, kept
}

// An indexState is the index beside the files it describes.
type indexState struct {
	entries []indexEntry // one for each file
	written stamp
	how     written // how git wrote the files
}

// emptyBlob are the ids of the blob without contents.
var emptyBlob = map[string]bool{BlobID(SHA1, nil): true, BlobID(SHA256, nil): true}

// trusts reports whether a file that looks like st is what the entry recorded.
func (x *indexState) trusts(e *indexEntry, f *WorkFile) bool {
	switch {
	case f.Conflict, e.flags&flagIntentToAdd != 0,
		f.Mode&modeType != e.mode&modeType,
		uint32(f.Size) != e.size,
		nsStamp(f.ModTime) != e.mtime:
		return false
	case e.ctime != (stamp{}) && f.ChangeTime != 0 && nsStamp(f.ChangeTime) != e.ctime,
		e.ino != 0 && f.Inode != 0 && uint32(f.Inode) != e.ino:
		return false // where both are known
	case e.size == 0 && !emptyBlob[e.oid]:
		return false // git's mark for an entry that it does not trust itself
	}
	// A file that changed in the same tick of the clock after it was recorded
	// would look the same. Only an index that was written later can tell.
	return e.mtime.before(x.written)
}

func nsStamp(ns int64) stamp { return stamp{uint32(ns / 1e9), uint32(ns % 1e9)} }

// mergeFiles merges two sorted lists. Of two files with one path it keeps a's.
func mergeFiles(a, b []WorkFile) []WorkFile {
	if len(b) == 0 {
		return a
	}
	out := make([]WorkFile, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := strings.Compare(a[0].Path, b[0].Path); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			b = b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// sparseSizes asks for the sizes of files that are not on disk.
func (r *Repo) sparseSizes(ctx context.Context, files []WorkFile) error {
	var at []int
	var ids []string
	for i := range files {
		if files[i].Sparse {
			at, ids = append(at, i), append(ids, files[i].OID)
		}
	}
	if len(at) == 0 {
		return nil
	}
	o := r.Objects(ctx)
	defer o.Close()
	return o.Sizes(ids, func(i int, size int64, err error) {
		if err != nil {
			size = -1
		}
		files[at[i]].Size = size
	})
}
