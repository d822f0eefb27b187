package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

const (
	// maxCompared is the largest file that is compared line by line. git holds
	// both sides and a table of their lines in memory: for two files of this size
	// 430 MB and 20 s in the worst case found (lines of seven bytes, a third of
	// them changed), half of that for usual lines.
	maxCompared = 16 << 20

	// renameLimit is git's own: the square root of how many pairs of files are
	// compared to find renames and copies.
	renameLimit = 1000
)

// isolated are the flags of every comparison. The scratch repository has no
// configuration; they say once more what it would decide.
var isolated = []string{"diff-tree", "-r", "-z", "--raw", "--full-index", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--no-color",
	"--no-relative", "--submodule=short", "--ignore-submodules=none", "-O/dev/null"}

// patched are the flags with which patches are asked for: git's defaults.
var patched = []string{"-p", "--src-prefix=a/", "--dst-prefix=b/", "--unified=3", "--inter-hunk-context=0",
	"--diff-algorithm=myers", "--indent-heuristic", "--ws-error-highlight=none"}

// compare compares the two sides and fills in the set.
func (d *differ) compare(ctx context.Context) error {
	if d.from != "" && d.from != d.to {
		if err := d.listDeltas(ctx); err != nil {
			return err
		}
	}
	d.bound(0)
	least := ""
	if d.unlisted {
		least = "at least "
	}
	switch {
	case d.beyond > 0:
		d.set.Beyond = fmt.Sprintf("%s%d more files differ but are not compared: the limit is %d", least, d.beyond, len(d.deltas))
	case d.unlisted:
		d.set.Beyond = fmt.Sprintf("the trees are too large, or more than %d folders deep: other files may differ", maxDepth)
	}
	if d.set.Beyond != "" {
		d.diagnose("", d.set.Beyond)
	}
	if len(d.deltas) == 0 {
		return nil
	}
	if err := d.checkSizes(ctx); err != nil {
		return err
	}
	var paths []string
	var tracked, untracked []delta
	whole := d.from != "" && d.beyond == 0 && !d.unlisted && len(d.standIns) == 0 // the two trees may be compared as they are
	for _, x := range d.deltas {
		switch {
		case x.unmerged:
			d.set.Files = append(d.set.Files, change.File{Path: x.path, Status: change.Unmerged, OldMode: uint32(x.old.mode), NewMode: uint32(x.new.mode),
				OldBlob: x.old.oid, NewBlob: x.new.oid, Unread: change.InConflict})
			whole = false
			continue
		case x.untracked:
			untracked = append(untracked, x)
		default:
			tracked = append(tracked, x)
		}
		paths = append(paths, x.path)
	}
	if len(d.set.Files) > 0 {
		d.diagnose("", "files in conflict are not compared: satchel show PATH shows one with its markers")
	}
	if err := d.copyAttributes(paths); err != nil {
		return err
	}
	from, to := d.from, d.to
	if !whole {
		var err error
		if from, to, err = d.trees(tracked); err != nil {
			return err
		}
	}
	var newFrom, newTo string
	if len(untracked) > 0 {
		var err error
		if newFrom, newTo, err = d.trees(untracked); err != nil {
			return err
		}
	}
	if err := d.s.seal(); err != nil {
		return err
	}
	p := newPatchReader(nil, d.keep)
	if len(tracked) > 0 {
		if err := d.patches(ctx, p, from, to, renames(tracked)); err != nil {
			return err
		}
	}
	if len(untracked) > 0 {
		n := len(d.set.Files)
		if err := d.patches(ctx, p, newFrom, newTo, []string{"--no-renames"}); err != nil {
			return err
		}
		for i := range d.set.Files[n:] {
			d.set.Files[n+i].Untracked = true
		}
	}
	sortChanges(d.set.Files)
	d.markUnread()
	d.set.Diagnostics = append(d.set.Diagnostics, p.totalDiagnostic()...)
	return nil
}

// mostDeltas is how many files of a change are compared: an import of a large
// project has fewer. Each takes some 3 KB of memory until it is shown.
const mostDeltas = 50_000

// mostOfMany is how many are compared where not even the listing is whole.
const mostOfMany = 10_000

// bound drops what is beyond the most files, once there are slack more, and counts
// it: first what is not preferred, then what is deepest in the tree or last by path.
func (d *differ) bound(slack int) {
	most := mostDeltas
	if d.most > 0 {
		most = d.most
	}
	if len(d.deltas) <= most+slack {
		return
	}
	if prefer := d.keep.Prefer; prefer != nil {
		slices.SortStableFunc(d.deltas, func(a, b delta) int {
			return cmp.Compare(btoi(!prefer(a.path)), btoi(!prefer(b.path)))
		})
	}
	d.beyond += len(d.deltas) - most
	d.deltas = slices.Clone(d.deltas[:most])
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// renames returns the flags that find renames, and copies as well if that does
// not make git give up on both.
func renames(deltas []delta) []string {
	added, sources, modified := 0, 0, 0
	for _, x := range deltas {
		switch {
		case x.old.mode == 0:
			added++
		case x.new.mode == 0:
			sources++
		default:
			modified++
		}
	}
	flags := []string{"-M", "-l" + strconv.Itoa(renameLimit)}
	if added*(sources+modified) <= renameLimit*renameLimit {
		flags = append(flags, "-C")
	}
	return flags
}

// listDeltas finds the paths that differ between two trees, without reading files.
func (d *differ) listDeltas(ctx context.Context) (err error) {
	t := d.treeReader(ctx)
	defer t.Close()
	d.unlisted, err = t.compare(d.from, d.to, mostChanged, func(x delta) {
		d.deltas = append(d.deltas, x)
		d.bound(mostDeltas) // now and then
	})
	if d.unlisted && d.most == 0 {
		d.most = mostOfMany
	}
	return err
}

// missingTree gives git's complaint about a tree that is not there its type.
func missingTree(err error) error {
	if ce, ok := errors.AsType[*CommandError](err); ok &&
		(strings.Contains(ce.Stderr, "unable to read tree") || strings.Contains(ce.Stderr, "ad tree object") || strings.Contains(ce.Stderr, "bad object")) {
		return fmt.Errorf("%s: %w", ce.Stderr, ErrMissing)
	}
	return err
}

// readRaw reads records of
//
//	:oldmode SP newmode SP oldid SP newid SP status NUL path NUL [newpath NUL]
//
// up to something else.
func readRaw(br *bufio.Reader, fn func(change.File) error) error {
	for {
		if next, err := br.Peek(1); err == io.EOF || err == nil && next[0] != ':' {
			return nil
		}
		rec, err := token(br)
		if err != nil {
			return err
		}
		fields := strings.Split(rec, " ")
		if len(fields) != 5 || fields[4] == "" {
			return fmt.Errorf("%w: %q", errAnswer, clean(rec))
		}
		var f change.File
		oldMode, err1 := strconv.ParseUint(fields[0][1:], 8, 32)
		newMode, err2 := strconv.ParseUint(fields[1], 8, 32)
		f.OldMode, f.NewMode = uint32(oldMode), uint32(newMode)
		f.OldBlob, f.NewBlob = wholeID(fields[2]), wholeID(fields[3])
		var known bool
		f.Status, known = statuses[fields[4][0]]
		if len(fields[4]) > 1 {
			f.Similarity, _ = strconv.Atoi(fields[4][1:])
		}
		if f.Path, err = token(br); err == nil && (f.Status == change.Renamed || f.Status == change.Copied) {
			f.OldPath = f.Path
			f.Path, err = token(br)
		}
		if err != nil {
			return truncated(err)
		}
		if err1 != nil || err2 != nil || !known || f.Path == "" {
			return fmt.Errorf("%w: %q", errAnswer, clean(rec))
		}
		if err := fn(f); err != nil {
			return err
		}
	}
}

var statuses = map[byte]change.Status{'A': change.Added, 'M': change.Modified, 'D': change.Deleted, 'R': change.Renamed,
	'C': change.Copied, 'T': change.TypeChanged, 'U': change.Unmerged}

// checkSizes replaces each blob that cannot be compared by a small one of our own: a blob
// that is too large, or that is missing and not on disk.
func (d *differ) checkSizes(ctx context.Context) error {
	var ids []string
	asked := make(map[string]string) // id → what is wrong with it
	for _, x := range d.deltas {
		for _, b := range []blob{x.old, x.new} {
			if _, ok := asked[b.oid]; ok || b.mode == 0 || b.oid == "" || b.mode == ModeSubmodule || d.s.objects[b.oid] {
				continue
			}
			asked[b.oid] = ""
			ids = append(ids, b.oid)
		}
	}
	o := d.Objects(ctx)
	defer o.Close()
	err := o.Sizes(ids, func(i int, size int64, err error) {
		switch {
		case err != nil:
			asked[ids[i]] = satchel.WhyMissing
		case size > maxCompared:
			asked[ids[i]] = tooLarge(size)
		}
	})
	if err != nil {
		return err
	}
	for _, x := range d.deltas {
		for _, id := range []string{x.old.oid, x.new.oid} {
			if asked[id] != satchel.WhyMissing || d.folder == nil || d.s.written > maxWritten {
				continue
			}
			if data, err := d.folder.ReadFile(x.path, maxCompared); err == nil && BlobID(d.format, data) == id {
				asked[id] = ""
				if _, err := d.s.write(packBlob, data); err != nil {
					return err
				}
			}
		}
	}
	d.standIns = make(map[string]standIn)
	for i := range d.deltas {
		x := &d.deltas[i]
		for _, b := range []*blob{&x.old, &x.new} {
			why := cmp.Or(x.why, asked[b.oid])
			if why == "" || x.unmerged {
				continue
			}
			id, err := d.s.write(packBlob, []byte(d.s.dir+" "+cmp.Or(b.oid, x.path)+"\n")) // no file has this text
			if err != nil {
				return err
			}
			d.standIns[id] = standIn{b.oid, why}
			b.oid = id
		}
	}
	return nil
}

// markUnread marks the files that git compared by stand-ins. Notes name the files
// that were not compared and the command that fetches missing objects.
func (d *differ) markUnread() {
	missing := false
	for i := range d.set.Files {
		f := &d.set.Files[i]
		old, now := d.standIns[f.OldBlob], d.standIns[f.NewBlob]
		same := f.OldBlob == f.NewBlob && f.Status != change.TypeChanged // the contents need not be known
		if old.why != "" {
			f.OldBlob = old.oid
		}
		if now.why != "" {
			f.NewBlob = now.oid
		}
		if why := cmp.Or(old.why, now.why); why != "" && !same {
			f.Unread, f.Header, f.Added, f.Removed = clean(why), "", 0, 0
			if now.why != "" || len(f.Hunks) != 1 || f.Hunks[0].NewLines == 0 {
				f.Hunks = nil
			} else {
				h := &f.Hunks[0]
				_, lines, _ := strings.Cut(h.Body, "\n") // the first line belongs to the stand-in
				h.Body = strings.ReplaceAll("\n"+lines, "\n+", "\n ")[1:]
				h.OldFrom, h.OldLines, h.Added, h.Removed, h.Section = h.NewFrom, h.NewLines, 0, 0, "the file as it is now"
			}
		}
		if f.Unread != "" && f.Status != change.Unmerged && f.Unread != satchel.WhySpecial { // whoever listed it said so
			d.diagnose(f.Path, f.Unread)
		}
		missing = missing || f.Unread == satchel.WhyMissing
	}
	if missing {
		get := "git fetch --refetch"
		if d.partial {
			get = strings.TrimRight("git diff --stat "+d.set.From+" "+d.set.To, " ")
		}
		d.diagnose("", "objects are missing: "+get+" fetches them")
	}
}

func tooLarge(size int64) string {
	return fmt.Sprintf("%s: %d bytes, too many to compare lines (limit %d)", satchel.WhyLarge, size, maxCompared)
}

// trees stores the two sides of the deltas as trees.
func (d *differ) trees(deltas []delta) (from, to string, err error) {
	var sides [2][]TreeFile
	files := [2]map[string]bool{{}, {}}
	slices.SortFunc(deltas, func(a, b delta) int { return strings.Compare(a.path, b.path) })
	for _, x := range deltas {
		for i, b := range []blob{x.old, x.new} {
			if b.mode == 0 {
				continue
			}
			if insideAny(x.path, files[i]) { // only a forged index can say so
				d.diagnose(x.path, "not compared: a file and a folder have the same name")
				continue
			}
			files[i][x.path] = true
			sides[i] = append(sides[i], TreeFile{Path: x.path, Mode: b.mode, OID: b.oid})
		}
	}
	if from, err = d.s.tree(sides[0]); err == nil {
		to, err = d.s.tree(sides[1])
	}
	return from, to, err
}

// insideAny reports whether one of the folders of path, or path itself, is among
// files.
func insideAny(path string, files map[string]bool) bool {
	for i := range path {
		if path[i] == '/' && files[path[:i]] {
			return true
		}
	}
	return files[path]
}

// patches compares two trees and appends the files that differ.
func (d *differ) patches(ctx context.Context, p *patchReader, from, to string, flags []string) error {
	args := slices.Concat(isolated, patched, flags, []string{"--end-of-options", from, to, "--"})
	first := len(d.set.Files)
	warnings, err := d.s.run.stream(ctx, nil, maxHistory, func(br *bufio.Reader) error {
		if err := readRaw(br, func(f change.File) error {
			d.set.Files = append(d.set.Files, f)
			return nil
		}); err != nil {
			return err
		}
		if end, err := br.ReadByte(); err == io.EOF {
			return nil
		} else if err != nil || end != 0 {
			return fmt.Errorf("%w: no end of the list of files", errAnswer)
		}
		return d.readPatches(br, p, d.set.Files[first:])
	}, args...)
	if err != nil {
		return missingTree(err)
	}
	if warnings != "" {
		d.diagnose("", "git diff-tree: "+warnings)
	}
	return nil
}

// readPatches reads the patches of files, which are in their order, and fills in
// what the list of files did not say.
func (d *differ) readPatches(br *bufio.Reader, p *patchReader, files []change.File) error {
	p.br = br
	if want := d.keep.Want; want != nil {
		ahead := cursor{files: files} // p looks ahead, beyond a deleted file
		p.want = func(f *change.File) bool {
			file := *f
			if known := ahead.find(f.Path); known != nil {
				file = *known
			}
			return want(&file)
		}
	}
	c := cursor{files: files}
	for {
		f, err := p.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errAnswer, err)
		}
		known := c.find(f.Path)
		if known == nil || known.OldPath != f.OldPath {
			return fmt.Errorf("%w: patch of %q, which was not listed", errAnswer, clean(f.Path))
		}
		known.Binary, known.Added, known.Removed = f.Binary, f.Added, f.Removed
		known.Header, known.Hunks, known.Elided = f.Header, f.Hunks, f.Elided
		c.at++
	}
}

// A cursor finds files that are asked for in about their order.
type cursor struct {
	files []change.File
	at    int
}

func (c *cursor) find(path string) *change.File {
	for range c.files {
		if c.at >= len(c.files) {
			c.at = 0
		}
		if c.files[c.at].Path == path {
			return &c.files[c.at]
		}
		c.at++
	}
	return nil
}
