package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// encodeIndex returns an index file, version 2, that holds files, which are
// sorted by path, and no metadata.
func encodeIndex(f Format, files []TreeFile) ([]byte, error) {
	out := append([]byte("DIRC"), 0, 0, 0, 2)
	out = binary.BigEndian.AppendUint32(out, uint32(len(files)))
	for _, e := range files {
		oid, err := hex.DecodeString(e.OID)
		if err != nil || len(e.OID) != f.HexLen() {
			return nil, fmt.Errorf("object id %q of %s: want %d hex digits", clean(e.OID), clean(e.Path), f.HexLen())
		}
		start := len(out)
		out = append(out, make([]byte, 24)...) // ctime, mtime, dev, ino
		out = binary.BigEndian.AppendUint32(out, uint32(e.Mode))
		out = append(out, make([]byte, 12)...) // uid, gid, size
		out = append(out, oid...)
		out = binary.BigEndian.AppendUint16(out, uint16(min(len(e.Path), 0xfff)))
		out = append(out, e.Path...)
		// One to eight NULs make the length of the entry a multiple of eight.
		out = append(out, make([]byte, 8-(len(out)-start)%8)...)
	}
	if f == SHA256 {
		sum := sha256.Sum256(out)
		return append(out, sum[:]...), nil
	}
	sum := sha1.Sum(out)
	return append(out, sum[:]...), nil
}
