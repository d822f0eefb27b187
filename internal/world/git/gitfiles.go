package git

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// Some questions are so frequent that starting git for them costs more than the
// answer: what HEAD is, what satchel's references are, what the index holds. Files of a
// documented format (gitrepository-layout, gitformat-index) have the answers, and are
// read here each time. Git answers if a repository is not as plain as most (symbolic
// references, reftables, a commit in a pack, an index that is split, sparse or of a
// later version), and if anything looks damaged: then its complaint is the error.

// Limits of what is read here.
const (
	maxRefFile    = 4 << 10
	maxPackedRefs = 16 << 20
	maxLoose      = 1 << 20 // of an object, packed or not
	maxIndexFile  = 512 << 20
	maxIndexKept  = 64 << 20 // of an index that is compared with at the next call
)

// headFile returns the id that HEAD leads to, or "" if git has to tell, and the branch
// that it names, if it names one.
func (r *Repo) headFile() (id, branch string) {
	if r.own == nil {
		return "", ""
	}
	text, err := r.own.ReadFile("HEAD", maxRefFile)
	if err != nil {
		return "", ""
	}
	head := strings.TrimRight(string(text), "\n")
	if branch, symbolic := strings.CutPrefix(head, "ref: refs/heads/"); symbolic {
		return r.refFile("refs/heads/" + branch), branch
	}
	return r.plainID(head), ""
}

// refFile returns the id of a branch or of a reference of satchel, or "" if git has to
// tell.
func (r *Repo) refFile(ref string) string {
	if r.shared == nil || !strings.HasPrefix(ref, "refs/heads/") && !strings.HasPrefix(ref, "refs/satchel/") {
		return ""
	}
	text, err := r.shared.ReadFile(ref, maxRefFile)
	if err == nil {
		return r.plainID(strings.TrimRight(string(text), "\n"))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	// A line of packed-refs is: id SP name LF.
	packed, err := r.shared.ReadFile("packed-refs", maxPackedRefs)
	if err != nil {
		return ""
	}
	digits := r.format.HexLen()
	at := bytes.Index(packed, []byte(" "+ref+"\n"))
	if at < digits || at > digits && packed[at-digits-1] != '\n' {
		return ""
	}
	// A loose reference is removed when it is packed, and may have come back.
	if _, err := r.shared.ReadFile(ref, maxRefFile); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return r.plainID(string(packed[at-digits : at]))
}

// looseCommit reports whether a commit and its tree are loose objects, as a new
// commit's are. Git has to search for others.
func (r *Repo) looseCommit(id string) bool {
	tree, _, _ := strings.Cut(strings.TrimPrefix(r.loose("commit", id), "tree "), "\n")
	return r.format.validID(tree) && r.loose("tree", tree) != ""
}

// loose returns the contents of an object from its own file, verified by the id, or "".
func (r *Repo) loose(kind, id string) string {
	if r.shared == nil || id == "" {
		return ""
	}
	packed, _ := r.shared.ReadFile("objects/"+id[:2]+"/"+id[2:], maxLoose) // nothing is not zlib data
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return ""
	}
	data, err := io.ReadAll(io.LimitReader(z, maxLoose))
	head, body, _ := bytes.Cut(data, []byte{0})
	if err != nil || string(head) != fmt.Sprint(kind, " ", len(body)) || objectID(r.format, kind, body) != id {
		return ""
	}
	return string(body)
}

func (r *Repo) plainID(s string) string {
	if r.format.validID(s) {
		return s
	}
	return ""
}

// An indexFile is the index as it was read last. It is never changed.
type indexFile struct {
	data    []byte
	entries []indexEntry
}

// readIndex returns the entries of the index, in its order, and whether it could:
// if not, git has to tell. The caller must not change them.
func (r *Repo) readIndex() ([]indexEntry, bool) {
	if r.own == nil {
		return nil, false
	}
	data, err := r.own.ReadFile("index", maxIndexFile)
	if err != nil {
		return nil, false
	}
	last := r.lastIndex.Load()
	if last != nil && bytes.Equal(last.data, data) {
		return last.entries, true
	}
	entries, ok := decodeIndex(data, r.format)
	if ok && len(data) <= maxIndexKept {
		r.lastIndex.Store(&indexFile{data, entries})
	}
	return entries, ok
}

// Sizes in the file of an index.
const (
	indexHeader = 12 // "DIRC", version, number of entries
	indexStat   = 40 // ten numbers of 32 bits
	nameMask    = 0xfff
)

// decodeIndex reads an index file of version 2, 3 or 4, and reports whether it is
// one that needs nothing else. It does not verify the check sum: like git, which
// replaces the file as a whole, it takes what is there.
func decodeIndex(data []byte, format Format) ([]indexEntry, bool) {
	be := binary.BigEndian
	id := format.HexLen() / 2
	if len(data) < indexHeader+id || string(data[:4]) != "DIRC" {
		return nil, false
	}
	version, count := be.Uint32(data[4:]), int64(be.Uint32(data[8:]))
	if version < 2 || version > 4 || count > int64(len(data)/(indexStat+id+2)) {
		return nil, false
	}
	rest := data[indexHeader : len(data)-id]
	entries := make([]indexEntry, 0, count)
	name := "" // of the entry before
	for range count {
		n := indexStat + id + 2
		if len(rest) < n {
			return nil, false
		}
		var e indexEntry
		e.ctime = stamp{be.Uint32(rest), be.Uint32(rest[4:])}
		e.mtime = stamp{be.Uint32(rest[8:]), be.Uint32(rest[12:])}
		e.ino, e.mode, e.size = be.Uint32(rest[20:]), Mode(be.Uint32(rest[24:])), be.Uint32(rest[36:])
		e.oid = hex.EncodeToString(rest[indexStat : indexStat+id])
		flags := be.Uint16(rest[indexStat+id:])
		e.flags, e.stage = uint32(flags&^nameMask), int(flags>>12&3)
		if flags&0x4000 != 0 {
			if version < 3 || len(rest) < n+2 {
				return nil, false
			}
			e.flags |= uint32(be.Uint16(rest[n:])) << 16
			n += 2
		}
		cut := 0
		if version == 4 {
			// The name is the previous entry's, less some bytes, plus more.
			drop, size := offset(rest[n:])
			if size == 0 || drop > int64(len(name)) {
				return nil, false
			}
			n += size
			cut = len(name) - int(drop)
		}
		end := bytes.IndexByte(rest[n:], 0)
		if end < 0 {
			return nil, false
		}
		name = name[:cut] + string(rest[n:n+end])
		if name == "" || min(len(name), nameMask) != int(flags&nameMask) {
			return nil, false
		}
		e.path = name
		if n += end + 1; version < 4 {
			n = (n + 7) &^ 7 // one to eight NULs
		}
		if n > len(rest) {
			return nil, false
		}
		rest = rest[n:]
		entries = append(entries, e)
	}
	// Extensions that may be ignored begin with a capital letter.
	for len(rest) > 0 {
		if len(rest) < 8 || rest[0] < 'A' || rest[0] > 'Z' {
			return nil, false
		}
		n := int64(be.Uint32(rest[4:]))
		if n > int64(len(rest)-8) {
			return nil, false
		}
		rest = rest[8+n:]
	}
	return slices.Clip(entries), true
}

// offset reads a number in the encoding of pack files, and returns its length, or 0
// if it is invalid.
func offset(b []byte) (n int64, size int) {
	for i, c := range b[:min(len(b), 5)] {
		if i > 0 {
			n++
		}
		n = n<<7 | int64(c&0x7f)
		if c&0x80 == 0 {
			return n, i + 1
		}
	}
	return 0, 0
}
