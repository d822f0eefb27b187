package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// Two questions are asked so often that starting git for them costs more than the
// answer: what HEAD is, and what the index holds. Both are files of a documented
// format (gitrepository-layout, gitformat-index), so they are read here, anew each
// time. Whatever is not as plain as in nearly all repositories is git's to answer:
// a reference that names another one, references in another format, an index that
// is split, sparse or of a version to come. So is anything that looks damaged,
// which makes git's complaint the error.

// Limits of what is read here.
const (
	maxRefFile    = 4 << 10
	maxPackedRefs = 16 << 20
	maxIndexFile  = 512 << 20
	maxIndexKept  = 64 << 20 // of an index that is compared with at the next call
)

// headFile returns the id that HEAD leads to, or "" if git has to tell.
func (r *Repo) headFile() string {
	if r.own == nil || r.shared == nil {
		return ""
	}
	text, err := r.own.ReadFile("HEAD", maxRefFile)
	if err != nil {
		return ""
	}
	head := strings.TrimRight(string(text), "\n")
	ref, symbolic := strings.CutPrefix(head, "ref: ")
	switch {
	case !symbolic:
		return r.plainID(head)
	case !strings.HasPrefix(ref, "refs/heads/"):
		return ""
	}
	text, err = r.shared.ReadFile(ref, maxRefFile)
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
			// The name is that of the entry before, less some bytes, and more.
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

// offset reads a number as pack files have it, and returns its length, 0 if it is
// none.
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
