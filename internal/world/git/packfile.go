package git

import (
	"bufio"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// A packFile writes objects to a pack with its index, as gitformat-pack(5) says,
// one after the other and without compression: it is read once and then removed.
// One file for each object would take longer than the comparison they are for.
type packFile struct {
	format Format
	dir    string
	file   *os.File
	out    *bufio.Writer
	sum    uint32 // CRC of the entry that is being written
	at     int64
	zip    *zlib.Writer
	known  []packEntry
}

type packEntry struct {
	id  string // as bytes
	crc uint32
	at  uint32
}

var errPackFull = errors.New("more than 2 GiB in a temporary pack")

func newPackFile(format Format, dir string) (*packFile, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, "pack.pack"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	p := &packFile{format: format, dir: dir, file: file, out: bufio.NewWriterSize(file, 64<<10)}
	_, err = p.Write([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x00")) // the number of objects comes later
	return p, err
}

// Write writes a part of an entry. A failure shows in finish.
func (p *packFile) Write(b []byte) (int, error) {
	p.at += int64(len(b))
	p.sum = crc32.Update(p.sum, crc32.IEEETable, b)
	return p.out.Write(b)
}

// add appends an object, which must not be there yet.
func (p *packFile) add(kind int, id string, data []byte) (err error) {
	raw, err := hex.DecodeString(id)
	if err != nil {
		return err
	}
	if p.at > 1<<31-1 {
		return errPackFull
	}
	e := packEntry{id: string(raw), at: uint32(p.at)}
	p.sum = 0
	if p.zip == nil {
		if p.zip, err = zlib.NewWriterLevel(p, zlib.NoCompression); err != nil {
			return err
		}
	}
	p.zip.Reset(p)
	_, err1 := p.Write(packHead(kind, len(data)))
	_, err2 := p.zip.Write(data)
	if err := errors.Join(err1, err2, p.zip.Close()); err != nil {
		return err
	}
	e.crc = p.sum
	p.known = append(p.known, e)
	return nil
}

// finish completes the pack and writes its index.
func (p *packFile) finish() error {
	if err := p.out.Flush(); err != nil {
		return err
	}
	if _, err := p.file.WriteAt(binary.BigEndian.AppendUint32(nil, uint32(len(p.known))), 8); err != nil {
		return err
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	h := p.format.hash()
	if _, err := io.Copy(h, p.file); err != nil {
		return err
	}
	sum := h.Sum(nil)
	if _, err := p.file.Write(sum); err != nil {
		return err
	}
	if err := p.file.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.dir, "pack.idx"), p.index(sum), 0o600)
}

// index returns the index of the pack, version 2.
func (p *packFile) index(pack []byte) []byte {
	slices.SortFunc(p.known, func(a, b packEntry) int { return cmp.Compare(a.id, b.id) })
	out := []byte("\xfftOc\x00\x00\x00\x02")
	n := 0
	for first := range 256 {
		for n < len(p.known) && int(p.known[n].id[0]) == first {
			n++
		}
		out = binary.BigEndian.AppendUint32(out, uint32(n))
	}
	for _, e := range p.known {
		out = append(out, e.id...)
	}
	for _, e := range p.known {
		out = binary.BigEndian.AppendUint32(out, e.crc)
	}
	for _, e := range p.known {
		out = binary.BigEndian.AppendUint32(out, e.at)
	}
	out = append(out, pack...)
	h := p.format.hash()
	h.Write(out)
	return h.Sum(out)
}
