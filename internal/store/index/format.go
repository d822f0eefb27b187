package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"slices"

	"github.com/satchel-dev/satchel/internal/text/terms"
)

// A container is how every file of the index is laid out: a header, a table of
// sections, and the sections, each at a multiple of 8 bytes. Integers are
// little endian.
//
//	magic    [8]byte  names the kind of file
//	version  uint64   of format and analysers
//	size     uint64   of the whole file
//	sections uint32
//	check    uint32   CRC-32C of the header with this field zero, and of the table
//	table    sections × { offset, length uint64; check uint32; zero uint32 }
//
// The header covers the table and the table covers the sections, so a file that
// was torn, truncated or changed by one bit does not open.

const (
	headerBytes = 32
	entryBytes  = 24

	// maxSections bounds what a damaged header can make us look at.
	maxSections = 32

	// maxSection is the largest section whose parts uint32 offsets can name.
	maxSection = 1<<32 - 1
)

// formatVersion changes whenever the layout of a section changes;
// analyserVersion whenever this package would make another document, or class
// of a file, from the same bytes. TestAnalyserVersion notices when it must.
const (
	formatVersion   = 2
	analyserVersion = 17
)

// version identifies what the bytes of a segment mean. Files of any other
// version are ignored and built again.
func version() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "satchel index %d %d terms %d", formatVersion, analyserVersion, terms.Version)
	return h.Sum64()
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Kinds of container files.
const (
	magicDocuments = "SATCHDOC"
	magicCommits   = "SATCHCOM"
	magicManifest  = "SATCHMAN"
	magicTip       = "SATCHTIP"
	magicStats     = "SATCHSTA"
	magicCounts    = "SATCHCNT"
)

// encodeContainer lays the sections out as one file.
func encodeContainer(magic string, version uint64, sections [][]byte) []byte {
	return slices.Concat(containerParts(magic, version, sections)...)
}

// containerParts is encodeContainer without copying the sections: the file is its
// parts, one after the other.
func containerParts(magic string, version uint64, sections [][]byte) [][]byte {
	b := make([]byte, headerBytes+entryBytes*len(sections))
	parts := [][]byte{b}
	copy(b, magic)
	le := binary.LittleEndian
	le.PutUint64(b[8:], version)
	le.PutUint32(b[24:], uint32(len(sections)))
	size := len(b)
	for i, s := range sections {
		at := align8(size)
		e := b[headerBytes+entryBytes*i:]
		le.PutUint64(e, uint64(at))
		le.PutUint64(e[8:], uint64(len(s)))
		le.PutUint32(e[16:], crc32.Checksum(s, castagnoli))
		parts = append(parts, make([]byte, at-size), s)
		size = at + len(s)
	}
	le.PutUint64(b[16:], uint64(size))
	le.PutUint32(b[28:], crc32.Checksum(b, castagnoli))
	return parts
}

func align8(n int) int { return (n + 7) &^ 7 }

// errStale says that a file is sound but of another version.
var errStale = errors.New("written by another version")

// decodeContainer verifies a file and returns its sections, which share b.
func decodeContainer(b []byte, magic string, version uint64) ([][]byte, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < headerBytes:
		return nil, fmt.Errorf("truncated to %d bytes", len(b))
	case string(b[:8]) != magic:
		return nil, errors.New("not a file of this kind")
	case le.Uint64(b[16:]) != uint64(len(b)):
		return nil, fmt.Errorf("has %d bytes, wants %d", len(b), le.Uint64(b[16:]))
	}
	n := int(le.Uint32(b[24:]))
	if n > maxSections || headerBytes+entryBytes*n > len(b) {
		return nil, errors.New("damaged header")
	}
	var head [headerBytes]byte
	copy(head[:], b)
	le.PutUint32(head[28:], 0)
	check := crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, b[headerBytes:headerBytes+entryBytes*n])
	if check != le.Uint32(b[28:]) {
		return nil, errors.New("damaged header")
	}
	if le.Uint64(b[8:]) != version {
		return nil, errStale
	}
	sections := make([][]byte, n)
	end := headerBytes + entryBytes*n
	for i := range sections {
		e := b[headerBytes+entryBytes*i:]
		off, length := le.Uint64(e), le.Uint64(e[8:])
		// Sections follow one another, and what lies between them is zero, so
		// that every byte of the file is covered by a check.
		if off != uint64(align8(end)) || off > uint64(len(b)) || length > uint64(len(b))-off || le.Uint32(e[20:]) != 0 {
			return nil, errors.New("damaged table")
		}
		for _, c := range b[end:off] {
			if c != 0 {
				return nil, errors.New("damaged padding")
			}
		}
		s := b[off : off+length : off+length]
		if crc32.Checksum(s, castagnoli) != le.Uint32(e[16:]) {
			return nil, fmt.Errorf("section %d is damaged", i)
		}
		sections[i] = s
		end = int(off + length)
	}
	if end != len(b) {
		return nil, errors.New("bytes after the last section")
	}
	return sections, nil
}

// appendString appends a length-prefixed string.
func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// A cursor reads varints and strings. Reading past the end gives zeros and
// sets bad, so that damaged bytes can neither panic nor allocate much.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.b, c.bad = nil, true
		return 0
	}
	c.b = c.b[n:]
	return v
}

// int reads a number that fits an int32.
func (c *cursor) int() int {
	v := c.uvarint()
	if v > 1<<31-1 {
		c.b, c.bad = nil, true
		return 0
	}
	return int(v)
}

func (c *cursor) bytes() []byte {
	n := c.uvarint()
	if n > uint64(len(c.b)) {
		c.b, c.bad = nil, true
		return nil
	}
	s := c.b[:n]
	c.b = c.b[n:]
	return s
}

func (c *cursor) string() string { return string(c.bytes()) }

// count reads the number of elements that follow, each at least one byte.
func (c *cursor) count() int {
	n := c.uvarint()
	if n > uint64(len(c.b)) {
		c.b, c.bad = nil, true
		return 0
	}
	return int(n)
}

// varint reads a signed number that fits an int32.
func (c *cursor) varint() int {
	v := c.varint64()
	if v > 1<<31-1 || v < -1<<31 {
		c.b, c.bad = nil, true
		return 0
	}
	return int(v)
}

func (c *cursor) varint64() int64 {
	v, n := binary.Varint(c.b)
	if n <= 0 {
		c.b, c.bad = nil, true
		return 0
	}
	c.b = c.b[n:]
	return v
}

// uint64 reads eight bytes.
func (c *cursor) uint64() uint64 {
	if len(c.b) < 8 {
		c.b, c.bad = nil, true
		return 0
	}
	v := binary.LittleEndian.Uint64(c.b)
	c.b = c.b[8:]
	return v
}
