// Package sqlite reads tables of a SQLite database file, without SQLite.
//
// Some agents keep their sessions in such a file, and all that is wanted of it
// is the rows of a few tables, or those that an index finds. So there is no
// SQL, no writing and no locking here: a file, its write-ahead log, the b-trees
// in them ([Open], [DB.Table], [Table.Scan], [Table.Where]).
//
// A program may be writing the database at the same time. Pages are read as of
// the last commit in the log when the file was opened; the caller has to find
// out (by the files' times) whether a checkpoint went on meanwhile, and to read
// again if so. Damage becomes an error: every page number, offset and length is
// checked, and no walk visits more pages than the file has.
//
// Not supported, and refused: databases in UTF-16, tables WITHOUT ROWID.
package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// errFormat says that the file is not a SQLite database, or is damaged.
var errFormat = errors.New("not a readable SQLite database")

const (
	magic     = "SQLite format 3\x00"
	headerLen = 100
	maxDepth  = 20      // of a b-tree, as SQLite has it (BTCURSOR_MAX_DEPTH)
	maxRecord = 1 << 30 // SQLite's own default limit of a row, in bytes
)

// A DB is an open database. It holds no state that reading changes.
type DB struct {
	file   io.ReaderAt
	page   int // bytes
	usable int // bytes of a page that hold content
	pages  uint32
	wal    io.ReaderAt
	frames map[uint32]int64 // page → offset of its newest committed image in wal
}

// Open reads the headers of a database of size bytes, and its write-ahead log;
// wal may be nil.
func Open(file io.ReaderAt, size int64, wal io.ReaderAt, walSize int64) (*DB, error) {
	d := &DB{file: file}
	if wal != nil {
		if err := d.readLog(wal, walSize); err != nil {
			return nil, err
		}
	}
	head := make([]byte, headerLen)
	if off, ok := d.frames[1]; ok {
		if _, err := wal.ReadAt(head, off); err != nil {
			return nil, fmt.Errorf("%w: log: %v", errFormat, err)
		}
	} else if _, err := file.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("%w: header: %v", errFormat, err)
	}
	if string(head[:16]) != magic {
		return nil, errFormat
	}
	page := pageSize(uint32(binary.BigEndian.Uint16(head[16:])))
	if page == 0 || d.page != 0 && d.page != page {
		return nil, fmt.Errorf("%w: page size %d", errFormat, page)
	}
	if enc := binary.BigEndian.Uint32(head[56:]); enc > 1 {
		return nil, fmt.Errorf("%w: text is not UTF-8", errFormat)
	}
	d.page, d.usable = page, page-int(head[20])
	if d.usable < 480 { // the least that the format allows
		return nil, fmt.Errorf("%w: %d usable bytes a page", errFormat, d.usable)
	}
	pages := size/int64(page) + int64(len(d.frames)) // no file has more, whatever its log says
	if d.frames == nil || int64(d.pages) > pages {
		d.pages = uint32(min(pages, math.MaxUint32)) //nolint:gosec // within bounds
	}
	return d, nil
}

func pageSize(n uint32) int {
	if n == 1 {
		return 65536
	}
	if n < 512 || n > 65536 || n&(n-1) != 0 {
		return 0
	}
	return int(n)
}

// readLog finds the newest committed image of every page in a write-ahead log.
// A log that is empty, or of another kind, holds nothing.
func (d *DB) readLog(wal io.ReaderAt, size int64) error {
	const headLen, frameLen = 32, 24
	head := make([]byte, headLen)
	if size < headLen {
		return nil
	}
	if _, err := wal.ReadAt(head, 0); err != nil {
		return fmt.Errorf("%w: log: %v", errFormat, err)
	}
	m := binary.BigEndian.Uint32(head)
	if m&^1 != 0x377f0682 {
		return nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if m&1 == 1 {
		order = binary.BigEndian
	}
	page := pageSize(binary.BigEndian.Uint32(head[8:]))
	s0, s1 := logSum(order, 0, 0, head[:24])
	if page == 0 || s0 != binary.BigEndian.Uint32(head[24:]) || s1 != binary.BigEndian.Uint32(head[28:]) {
		return nil
	}
	d.wal, d.page = wal, page
	pending := make(map[uint32]int64)
	frame := make([]byte, frameLen+page)
	for off := int64(headLen); off+int64(len(frame)) <= size; off += int64(len(frame)) {
		if _, err := wal.ReadAt(frame, off); err != nil {
			break
		}
		if string(frame[8:16]) != string(head[16:24]) { // another generation of the log
			break
		}
		s0, s1 = logSum(order, s0, s1, frame[:8])
		s0, s1 = logSum(order, s0, s1, frame[frameLen:])
		if s0 != binary.BigEndian.Uint32(frame[16:]) || s1 != binary.BigEndian.Uint32(frame[20:]) {
			break // torn: being written
		}
		pending[binary.BigEndian.Uint32(frame)] = off + frameLen
		if commit := binary.BigEndian.Uint32(frame[4:]); commit != 0 {
			d.pages = commit
			if d.frames == nil {
				d.frames = make(map[uint32]int64, len(pending))
			}
			for n, at := range pending {
				d.frames[n] = at
			}
			clear(pending)
		}
	}
	return nil
}

func logSum(order binary.ByteOrder, s0, s1 uint32, b []byte) (uint32, uint32) {
	for ; len(b) >= 8; b = b[8:] {
		s0 += order.Uint32(b) + s1
		s1 += order.Uint32(b[4:]) + s0
	}
	return s0, s1
}

// read returns the bytes of a page.
func (d *DB) read(n uint32) ([]byte, error) {
	if n == 0 || n > d.pages {
		return nil, fmt.Errorf("%w: page %d of %d", errFormat, n, d.pages)
	}
	b := make([]byte, d.page)
	from, off := d.file, int64(n-1)*int64(d.page)
	if at, ok := d.frames[n]; ok {
		from, off = d.wal, at
	}
	if _, err := from.ReadAt(b, off); err != nil {
		return nil, fmt.Errorf("%w: page %d: %v", errFormat, n, err)
	}
	return b, nil
}

// A Table is a table of rows.
type Table struct {
	Columns []string
	db      *DB
	root    uint32
	rowid   int     // the column that is the row's number, or -1
	indexes []index // whose first column can be looked up
}

type index struct {
	column string
	root   uint32
}

// Table finds a table by name. It returns nil if there is none.
func (d *DB) Table(name string) (*Table, error) {
	master := &Table{Columns: []string{"type", "name", "tbl_name", "rootpage", "sql"}, db: d, root: 1, rowid: -1}
	var t *Table
	var indexes []index
	var bad error
	collated := false // a column has an order of its own, and so have its indexes
	err := master.Scan(func(row Row) bool {
		if !strings.EqualFold(row.Text("tbl_name"), name) {
			return true
		}
		root := row.Int("rootpage")
		if root < 1 || root > int64(d.pages) {
			return true
		}
		switch sql := row.Text("sql"); row.Text("type") {
		case "table":
			cols, rowid := columns(sql)
			collated = strings.Contains(strings.ToUpper(sql), "COLLATE")
			if strings.Contains(strings.ToUpper(sql[strings.LastIndexByte(sql, ')')+1:]), "WITHOUT") {
				bad = fmt.Errorf("%w: table %s is without row numbers", errFormat, name)
			}
			t = &Table{Columns: cols, db: d, root: uint32(root), rowid: rowid}
		case "index":
			if !strings.Contains(strings.ToUpper(sql[strings.LastIndexByte(sql, ')')+1:]), "WHERE") { // a partial index misses rows
				if col := firstColumn(sql); col != "" {
					indexes = append(indexes, index{col, uint32(root)})
				}
			}
		}
		return true
	})
	if err != nil || t == nil || bad != nil {
		return nil, errors.Join(err, bad)
	}
	if !collated {
		t.indexes = indexes
	}
	return t, nil
}

// columns reads the names between the parentheses of CREATE TABLE or CREATE
// INDEX, and which of them is the row's number.
func columns(sql string) (names []string, rowid int) {
	rowid = -1
	open := strings.IndexByte(sql, '(')
	if open < 0 {
		return nil, rowid
	}
	depth, start := 0, open+1
	add := func(def string) {
		name, rest := firstName(def)
		switch up := strings.ToUpper(name); {
		case name == "":
			return
		case up == "CONSTRAINT" || up == "PRIMARY" || up == "UNIQUE" || up == "CHECK" || up == "FOREIGN":
			return
		}
		if up := strings.Join(strings.Fields(strings.ToUpper(rest)), " "); strings.HasPrefix(up, "INTEGER PRIMARY KEY") {
			rowid = len(names)
		}
		names = append(names, name)
	}
	var quote byte
	for i := open + 1; i < len(sql); i++ {
		switch c := sql[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ')':
			add(sql[start:i])
			return names, rowid
		case c == ',' && depth == 0:
			add(sql[start:i])
			start = i + 1
		}
	}
	return names, rowid
}

// firstColumn returns the column by whose bytes an index is ordered, and "" if
// the index begins with an expression, or is ordered another way.
func firstColumn(sql string) string {
	open := strings.IndexByte(sql, '(')
	if open < 0 {
		return ""
	}
	name, rest := firstName(sql[open+1:])
	rest = strings.TrimSpace(rest)
	if rest == "" || rest[0] != ',' && rest[0] != ')' {
		return ""
	}
	return name
}

func firstName(def string) (name, rest string) {
	def = strings.TrimSpace(def)
	if def == "" {
		return "", ""
	}
	if end := strings.IndexByte("`\"[", def[0]); end >= 0 {
		if i := strings.IndexByte(def[1:], "`\"]"[end]); i >= 0 {
			return def[1 : 1+i], def[i+2:]
		}
		return "", ""
	}
	i := strings.IndexAny(def, " \t\r\n(,)")
	if i < 0 {
		return def, ""
	}
	return def[:i], def[i:]
}
