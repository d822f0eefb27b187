package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"
)

// A Format is the hash function that names a repository's objects.
type Format string

const (
	SHA1   Format = "sha1"
	SHA256 Format = "sha256"
)

// HexLen returns the number of hex digits of an object id, or 0 if the format is
// unknown.
func (f Format) HexLen() int {
	switch f {
	case SHA1:
		return 2 * sha1.Size
	case SHA256:
		return 2 * sha256.Size
	}
	return 0
}

// hash returns a new hash of the format.
func (f Format) hash() hash.Hash {
	if f == SHA256 {
		return sha256.New()
	}
	return sha1.New()
}

// BlobID returns the object id that data has as a blob, without any filter.
func BlobID(f Format, data []byte) string { return objectID(f, "blob", data) }

// objectID returns the id of an object of any type.
func objectID(f Format, kind string, data []byte) string {
	h := f.hash()
	head := strconv.AppendInt([]byte(kind+" "), int64(len(data)), 10)
	h.Write(append(head, 0))
	h.Write(data)
	var sum [sha256.Size]byte
	return hex.EncodeToString(h.Sum(sum[:0]))
}

// validID reports whether id is a full object id.
func (f Format) validID(id string) bool {
	return len(id) == f.HexLen() && strings.Trim(id, "0123456789abcdef") == ""
}
