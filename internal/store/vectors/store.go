package vectors

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// A file is two lines, the second a JSON object, then records of one size:
//
//	key 16 bytes · factor float32 · numbers int8, one for each dimension · CRC-32C of these
//
// with numbers of several bytes in little-endian order.
const (
	magic     = "satchel vectors 1\n"
	suffix    = ".vectors"
	maxHeader = 8192
	maxModel  = 1024 // bytes of a model's name

	// maxFile bounds what is read: 2 million vectors of 1,024 numbers.
	maxFile = 2 << 30
)

const overhead = len(textKey{}) + 4 + 4 // bytes of a record besides its numbers

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A header says whose vectors a file holds.
type header struct {
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"`
}

func (h header) bytes() []byte {
	b, err := json.Marshal(h)
	if err != nil {
		panic(err) // a string and a number
	}
	return append(append([]byte(magic), b...), '\n')
}

func (h header) name() string {
	sum := sha256.Sum256([]byte(h.Model))
	return fmt.Sprintf("%s-%d%s", hex.EncodeToString(sum[:8]), h.Dimensions, suffix)
}

// A store holds the vectors of one model, all of them in memory.
type store struct {
	dir        string
	header     header
	dimensions int
	at         map[textKey]int32 // place in factors
	factors    []float32
	numbers    []int8 // dimensions for each vector
	end        int64  // where in the file the records end that were read or written

	// Damaged counts records that were there and unreadable.
	Damaged int
}

// openStore reads the vectors of a model below a folder whose parent is called
// satchel. A file that is not there is an empty Store, and made by the first Add.
func openStore(dir, model string, dimensions int) (*store, error) {
	if dimensions < 1 || dimensions > math.MaxUint16 || model == "" || len(model) > maxModel || !utf8.ValidString(model) {
		return nil, fmt.Errorf("vectors of %d numbers of the model %.40q: want 1 to %d, and a name", dimensions, model, math.MaxUint16)
	}
	s := &store{dir: dir, header: header{model, dimensions}, dimensions: dimensions, at: make(map[textKey]int32)}
	f, err := fsx.Open(s.file())
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(io.LimitReader(f, maxFile), 1<<20)
	h, err := readHeader(r)
	if err != nil || h != s.header {
		return s, nil // of another version, or torn: the next Add replaces it
	}
	s.end = int64(len(s.header.bytes()))
	record := make([]byte, overhead+dimensions)
	for {
		if _, err := io.ReadFull(r, record); err == io.EOF {
			return s, nil
		} else if errors.Is(err, io.ErrUnexpectedEOF) {
			s.Damaged++
			return s, nil
		} else if err != nil {
			return nil, fmt.Errorf("read %s: %w", s.file(), err)
		}
		s.take(record)
		s.end += int64(len(record))
	}
}

// take adds a record if it is sound, and returns its key.
func (s *store) take(record []byte) (key textKey, ok bool) {
	body, sum := record[:len(record)-4], binary.LittleEndian.Uint32(record[len(record)-4:])
	rest := body[len(textKey{}):]
	factor := math.Float32frombits(binary.LittleEndian.Uint32(rest))
	if crc32.Checksum(body, castagnoli) != sum || !(factor >= 0 && factor <= 1) {
		s.Damaged++
		return key, false
	}
	key = textKey(body[:len(textKey{})])
	s.put(key, factor, rest[4:])
	return key, true
}

func (s *store) put(key textKey, factor float32, numbers []byte) {
	if _, ok := s.at[key]; ok {
		return
	}
	s.at[key] = int32(len(s.factors))
	s.factors = append(s.factors, factor)
	for _, b := range numbers {
		s.numbers = append(s.numbers, int8(b))
	}
}

func readHeader(r *bufio.Reader) (header, error) {
	var h header
	first, err := r.ReadSlice('\n')
	if err != nil || string(first) != magic {
		return h, errors.New("no file of vectors")
	}
	second, err := r.ReadSlice('\n')
	if err != nil || len(second) > maxHeader {
		return h, errors.New("no file of vectors")
	}
	return h, json.Unmarshal(second, &h)
}

func (s *store) file() string { return filepath.Join(s.dir, s.header.name()) }

// Len is how many vectors there are.
func (s *store) Len() int { return len(s.factors) }

// has reports whether there is a vector for a key.
func (s *store) has(k textKey) bool { _, ok := s.at[k]; return ok }

// add keeps vectors of length 1, one for each key. They are on disk when it
// returns. Another process that adds at the same time is waited for, and what it
// has added is not kept a second time.
func (s *store) add(keys []textKey, vectors [][]float32) error {
	var more bytes.Buffer
	for i, v := range vectors {
		if len(v) != s.dimensions {
			return fmt.Errorf("a vector of %d numbers among those of %d", len(v), s.dimensions)
		}
		factor, q := quantise(v)
		from := more.Len()
		more.Write(keys[i][:])
		b := binary.LittleEndian.AppendUint32(nil, math.Float32bits(factor))
		for _, x := range q {
			b = append(b, byte(x))
		}
		more.Write(b)
		more.Write(binary.LittleEndian.AppendUint32(nil, crc32.Checksum(more.Bytes()[from:], castagnoli)))
	}
	if err := index.Locked(s.dir, func() error { return s.extend(more.Bytes()) }); err != nil {
		return fmt.Errorf("keep vectors: %w", err)
	}
	size := overhead + s.dimensions
	for b := more.Bytes(); len(b) > 0; b = b[size:] {
		s.take(b[:size])
	}
	return nil
}

// extend writes records behind those that are there, without those whose keys
// another process has added since. Half a record at the end, and a file that is
// none of ours, goes first.
func (s *store) extend(records []byte) error {
	f, err := os.OpenFile(s.file(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	head := s.header.bytes()
	var end int64
	if h, err := readHeader(bufio.NewReaderSize(f, 2*maxHeader)); err == nil && h == s.header {
		size, err := f.Seek(0, io.SeekEnd)
		if err != nil {
			return err
		}
		end = size - (size-int64(len(head)))%int64(overhead+s.dimensions)
		if records, err = s.fresh(f, end, records); err != nil {
			return err
		}
	} else {
		records = append(head, records...)
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	if _, err := f.WriteAt(records, end); err != nil {
		return errors.Join(err, f.Truncate(end)) // a full disk: what was there stays
	}
	s.end = end + int64(len(records))
	return f.Sync()
}

// fresh takes the records of a file between those that are known and the end,
// and returns those of the new ones whose keys the file lacks. A file that is
// shorter than it was is another one, and read from its beginning.
func (s *store) fresh(f io.ReaderAt, end int64, records []byte) ([]byte, error) {
	from, there := s.end, make(map[textKey]bool)
	another := from > end || from == 0
	if another {
		from = int64(len(s.header.bytes()))
	}
	size := overhead + s.dimensions
	record := make([]byte, size)
	r := bufio.NewReaderSize(io.NewSectionReader(f, from, max(0, min(end, maxFile)-from)), 1<<16)
	for {
		if _, err := io.ReadFull(r, record); err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read %s: %w", s.file(), err)
		}
		if key, ok := s.take(record); ok {
			there[key] = true
		}
	}
	var out []byte
	for ; len(records) > 0; records = records[size:] {
		if key := textKey(records[:len(textKey{})]); !there[key] && (another || !s.has(key)) {
			there[key] = true
			out = append(out, records[:size]...)
		}
	}
	return out, nil
}

// A File is a file of vectors, as far as its beginning tells.
type File struct {
	Path       string `json:"path"`
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"`
	Vectors    int    `json:"vectors"` // as many as the file has room for
	Bytes      int64  `json:"bytes"`
	newest     int64
}

// List returns the files of a folder, by model, the one that was written last
// first.
func List(dir string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) || !e.Type().IsRegular() {
			continue
		}
		if in, ok := look(filepath.Join(dir, e.Name())); ok {
			out = append(out, in)
		}
	}
	slices.SortFunc(out, func(a, b File) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(b.newest, a.newest), cmp.Compare(a.Path, b.Path))
	})
	return out, nil
}

func look(name string) (File, bool) {
	f, err := fsx.Open(name)
	if err != nil {
		return File{}, false
	}
	defer f.Close()
	h, err := readHeader(bufio.NewReaderSize(f, 2*maxHeader))
	st, statErr := f.Stat()
	if err != nil || statErr != nil || h.Dimensions < 1 || filepath.Base(name) != h.name() {
		return File{}, false
	}
	n := max(0, st.Size()-int64(len(h.bytes()))) / int64(overhead+h.Dimensions)
	return File{name, h.Model, h.Dimensions, int(n), st.Size(), st.ModTime().UnixNano()}, true
}
