package git

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

// Keep selects the patches that are held in memory. Other patches are read, counted
// and dropped, and [change.File.Elided] is their size in bytes. The zero value keeps
// all patches of a useful size.
type Keep struct {
	// Want reports whether to hold a file's patch. It is asked when the file's
	// header has been read: paths, status, modes and ids are known, counts are
	// not. Nil means every file. It must not keep the pointer.
	Want func(*change.File) bool

	// Prefer reports whether a file is wanted before others where a change has more
	// files than are compared. Nil prefers none.
	Prefer func(path string) bool

	// MaxPatch is the largest patch of one file that is held, in bytes, and MaxTotal
	// the limit for all together. Zero means DefaultMaxPatch and DefaultMaxTotal.
	MaxPatch, MaxTotal int64
}

const (
	// defaultMaxPatch is far more than a reviewer or a model reads of one file:
	// about a million tokens.
	defaultMaxPatch = 4 << 20

	// defaultMaxTotal leaves room for a change of 10,000 files with 10 kB each.
	defaultMaxTotal = 128 << 20
)

// A PatchError says where a text stops being a patch, and why.
type PatchError struct {
	Line int    // from 1
	Path string // the file whose patch it is; may be empty
	Why  string
}

func (e *PatchError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("patch line %d: %s", e.Line, e.Why)
	}
	return fmt.Sprintf("patch line %d: %s: %s", e.Line, clean(e.Path), e.Why)
}

// ParsePatch reads a patch: the output of git diff, show, log -p or
// format-patch, or any unified diff. Text around the patches is skipped, as git
// apply does. A text that is not empty and holds no patch, a hunk that ends too
// early, and a line that cannot be part of its hunk are a *[PatchError]. Merges
// (diff --cc) are counted, and a Diagnostic says that they are not shown. An id that
// the patch abbreviates is left out.
//
// The files are sorted by path; where a text changes a file more than once, as
// a series of mails may, its patches are in the order of the text, and there is
// a Diagnostic. For a patch of one git diff, [change.File.AppendPatch] of all files is
// what git wrote, byte for byte, unless a patch was too large to keep.
func ParsePatch(r io.Reader, keep Keep) (*change.Set, error) {
	set := &change.Set{Source: "patch"}
	p := newPatchReader(bufio.NewReaderSize(r, patchBuffer), keep)
	for {
		f, err := p.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		set.Files = append(set.Files, f)
	}
	if len(set.Files) == 0 && p.text {
		return nil, &PatchError{Line: 1, Why: "no patch found: want the output of git diff or another unified diff"}
	}
	sortChanges(set.Files)
	set.Diagnostics = slices.Concat(capDiagnostics(p.diags), capDiagnostics(repeated(set.Files)), p.totalDiagnostic())
	if p.torn && len(set.Files) > 0 {
		set.Diagnostics = append(set.Diagnostics, satchel.Diagnostic{Text: "the patch ends without a line end: its last line may be cut off"})
	}
	return set, nil
}

// maxAlike is how many notes about files say the same before they are summed up.
const maxAlike = 20

// capDiagnostics sums up diagnostics whose texts are the same up to a colon.
func capDiagnostics(diags []satchel.Diagnostic) []satchel.Diagnostic {
	kind := func(n satchel.Diagnostic) string {
		k, _, _ := strings.Cut(n.Text, ":")
		return k
	}
	more := map[string]int{}
	kept := diags[:0:0]
	for _, n := range diags {
		if k := kind(n); n.Path == "" || more[k] < maxAlike {
			more[k]++
			kept = append(kept, n)
		} else {
			more[k]++
		}
	}
	for _, k := range slices.Sorted(maps.Keys(more)) {
		if n := more[k] - maxAlike; n > 0 {
			kept = append(kept, satchel.Diagnostic{Text: fmt.Sprintf("%s: %d more files", k, n)})
		}
	}
	return kept
}

func sortChanges(files []change.File) {
	slices.SortStableFunc(files, func(a, b change.File) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.OldPath, b.OldPath))
	})
}

// repeated notes the paths that a text changes more than once.
func repeated(files []change.File) (diags []satchel.Diagnostic) {
	for i := range files {
		if i > 0 && files[i].Path == files[i-1].Path && (i == 1 || files[i].Path != files[i-2].Path) {
			diags = append(diags, satchel.Diagnostic{Path: files[i].Path, Text: "changed more than once in this patch"})
		}
	}
	return diags
}

// patchBuffer is the longest line of a header or heading; lines of contents may
// be longer.
const patchBuffer = 64 << 10

// A patchReader reads the patches of files one after the other from a text.
type patchReader struct {
	br    *bufio.Reader
	want  func(*change.File) bool
	max   int64 // bytes of one patch
	left  int64 // bytes that may still be held
	lines int   // read so far
	text  bool  // there was something but white space
	diags []satchel.Diagnostic
	over  int          // patches dropped for left
	buf   []byte       // of the patch that is being read
	hunks []hunkAt     // likewise
	begun *change.File // a file that was read ahead
	err   error        // of a look ahead
	part  bool         // the line that was read last is not complete
	torn  bool         // the text ends without a line end
}

func newPatchReader(br *bufio.Reader, keep Keep) *patchReader {
	return &patchReader{br: br, want: keep.Want,
		max:  cmp.Or(keep.MaxPatch, defaultMaxPatch),
		left: cmp.Or(keep.MaxTotal, defaultMaxTotal)}
}

// next returns the next file. git writes a change of type as a deletion and a
// creation; they become one.
func (p *patchReader) next() (change.File, error) {
	f, err := p.held()
	if err != nil || f.Status != change.Deleted {
		return f, err
	}
	g, err := p.one()
	switch {
	case err == io.EOF:
		return f, nil
	case err != nil:
		return change.File{}, err
	case g.Status == change.Added && g.Path == f.Path && Mode(g.NewMode)&modeType != Mode(f.OldMode)&modeType:
		return typeChange(&f, &g), nil
	}
	p.begun = &g
	return f, nil
}

func (p *patchReader) held() (change.File, error) {
	if f := p.begun; f != nil {
		p.begun = nil
		return *f, nil
	}
	return p.one()
}

// typeChange makes one file of the two halves of a change of type.
func typeChange(from, to *change.File) change.File {
	f := change.File{Path: to.Path, Status: change.TypeChanged, OldMode: from.OldMode, NewMode: to.NewMode,
		OldBlob: from.OldBlob, NewBlob: to.NewBlob, Binary: from.Binary || to.Binary,
		Added: to.Added, Removed: from.Removed, Elided: from.Elided + to.Elided}
	f.Header = string(to.AppendPatch(from.AppendPatch(nil)))
	return f
}

// totalDiagnostic says how many patches were dropped because all together were too
// large.
func (p *patchReader) totalDiagnostic() []satchel.Diagnostic {
	if p.over == 0 {
		return nil
	}
	return []satchel.Diagnostic{{Text: fmt.Sprintf("the patches of %d files are not shown: too large in total", p.over)}}
}

// one returns the next patch of a file, or io.EOF.
func (p *patchReader) one() (change.File, error) {
	for {
		line, err := p.line()
		if err != nil {
			return change.File{}, err
		}
		p.buf, p.hunks = append(p.buf[:0], line...), p.hunks[:0]
		line = p.buf // reading ahead moves the reader's own buffer
		switch {
		case hasPrefix(line, "diff --git "):
			return p.file(&section{})
		case hasPrefix(line, "diff --cc "), hasPrefix(line, "diff --combined "):
			return p.combined()
		case hasPrefix(line, "* Unmerged path "):
			return p.unmerged(line)
		case hasPrefix(line, "--- ") && p.at("+++ "):
			f, found, err := p.plain()
			if found || err != nil {
				return f, err
			}
		case hasPrefix(line, "Binary files "):
			if f, ok := plainBinary(line); ok {
				return f, nil
			}
		case hasPrefix(line, "@@ -"):
			if _, ok := parseHeading(line); ok {
				return change.File{}, p.fail("", "hunk without the names of its files before it")
			}
		}
		p.text = p.text || len(bytes.TrimSpace(line)) > 0
		if _, err := p.skipRest(nil); err != nil {
			return change.File{}, err
		}
	}
}

func hasPrefix(line []byte, prefix string) bool {
	return len(line) >= len(prefix) && string(line[:len(prefix)]) == prefix
}

// line reads the start of the next line: all of it, with its end, or as much as
// fits the reader's buffer; then p.part is set. It is valid until the next read.
func (p *patchReader) line() ([]byte, error) {
	if p.err != nil {
		return nil, p.err
	}
	line, err := p.br.ReadSlice('\n')
	p.part = errors.Is(err, bufio.ErrBufferFull)
	if err != nil && !p.part && (err != io.EOF || len(line) == 0) {
		return nil, err
	}
	p.torn = err == io.EOF
	p.lines++
	return line, nil
}

// skipRest reads what is left of a line that line has begun, and hands it to
// more, if that is not nil. It returns the number of bytes.
func (p *patchReader) skipRest(more func([]byte)) (n int64, err error) {
	for p.part {
		line, err := p.br.ReadSlice('\n')
		p.part = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !p.part && err != io.EOF {
			return n, err
		}
		p.torn = err == io.EOF
		n += int64(len(line))
		if more != nil {
			more(line)
		}
	}
	return n, nil
}

// at reports whether the next line begins with text.
func (p *patchReader) at(text string) bool { return hasPrefix(p.ahead(len(text)), text) }

// ahead returns the next n bytes, or as many as there are.
func (p *patchReader) ahead(n int) []byte {
	got, err := p.br.Peek(n)
	if err != nil && err != io.EOF {
		p.err = err // the next read would not say so again
	}
	return got
}

// fail makes an error about the line that was read last.
func (p *patchReader) fail(path, format string, args ...any) error {
	if p.err != nil {
		return p.err
	}
	return &PatchError{Line: p.lines, Path: path, Why: fmt.Sprintf(format, args...)}
}
