package sqlite

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Row is one row of a table. It is valid until the next one.
type Row struct {
	table  *Table
	number int64
	values []value
}

type value struct {
	kind byte // 0 NULL, 1 integer, 2 float, 3 text, 4 blob
	num  int64
	text []byte
}

func (r Row) value(column string) value {
	i := slices.Index(r.table.Columns, column)
	if i < 0 || i >= len(r.values) {
		return value{} // added to the table later than this row
	}
	if i == r.table.rowid && r.values[i].kind == 0 {
		return value{kind: 1, num: r.number}
	}
	return r.values[i]
}

// Text returns a column as text; "" if it is NULL, absent or a number.
func (r Row) Text(column string) string { return string(r.value(column).text) }

// Bytes returns a column as text or blob. The bytes are the caller's to keep.
func (r Row) Bytes(column string) []byte { return r.value(column).text }

// Int returns a column as an integer; 0 if it is none.
func (r Row) Int(column string) int64 { return r.value(column).num }

// Scan calls yield with each row in the order of their numbers, until yield
// returns false.
func (t *Table) Scan(yield func(Row) bool) error {
	w := t.db.walk()
	return w.table(t.root, 0, func(number int64, record []byte) (bool, error) {
		row, err := t.row(number, record)
		return err == nil && yield(row), err
	})
}

// Where calls yield with each row whose column holds the text, until yield
// returns false. Where an index begins with the column the rows come in its
// order and nothing else is read; otherwise all rows are.
func (t *Table) Where(column, text string, yield func(Row) bool) error {
	i := slices.IndexFunc(t.indexes, func(x index) bool { return strings.EqualFold(x.column, column) })
	if i < 0 {
		return t.Scan(func(r Row) bool { return r.Text(column) != text || yield(r) })
	}
	w := t.db.walk()
	numbers, err := w.numbers(t.indexes[i].root, text)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		c, err := t.cell(w, n)
		if err != nil {
			return err
		}
		_, record, err := w.leafCell(c)
		if err != nil {
			return err
		}
		row, err := t.row(n, record)
		if err != nil {
			return err
		}
		if !yield(row) {
			return nil
		}
	}
	return nil
}

func (t *Table) row(number int64, record []byte) (Row, error) {
	values, err := parse(record)
	return Row{table: t, number: number, values: values}, err
}

// A walk goes through a b-tree. It stops when it has seen as many pages as the
// file has, or more bytes in records: then there is a cycle, or pages are shared.
type walk struct {
	db   *DB
	left uint32 // pages
	room int64  // bytes
	path []step // of the newest search
}

func (d *DB) walk() *walk {
	return &walk{db: d, left: d.pages, room: int64(d.pages) * int64(d.page)}
}

// held is node for the search of a row: the pages of the one before are held,
// so rows that lie together cost no reading.
func (w *walk) held(number uint32, depth int) (node, error) {
	if depth < len(w.path) && w.path[depth].number == number {
		return w.path[depth].node, nil
	}
	w.left = w.db.pages // the depth bounds a search
	n, err := w.node(number, depth)
	if err != nil {
		return n, err
	}
	w.path = append(w.path[:depth], step{number, n})
	return n, nil
}

// A step is a page on the way to a row.
type step struct {
	number uint32
	node   node
}

// Kinds of b-tree pages.
const (
	indexInner, tableInner = 2, 5
	indexLeaf, tableLeaf   = 10, 13
)

type node struct {
	kind  byte
	page  []byte
	cells []byte // two bytes each: offsets
	right uint32 // last child of an inner page
}

func (n node) len() int { return len(n.cells) / 2 }

// cell returns the bytes of the page from the cell on.
func (n node) cell(i int) ([]byte, error) {
	off := int(binary.BigEndian.Uint16(n.cells[2*i:]))
	if off < 8 || off >= len(n.page) {
		return nil, fmt.Errorf("%w: cell at %d", errFormat, off)
	}
	return n.page[off:], nil
}

func (w *walk) node(number uint32, depth int) (node, error) {
	if w.left == 0 || depth > maxDepth {
		return node{}, fmt.Errorf("%w: the pages form a cycle", errFormat)
	}
	w.left--
	page, err := w.db.read(number)
	if err != nil {
		return node{}, err
	}
	head := page
	if number == 1 {
		head = page[headerLen:]
	}
	n := node{kind: head[0], page: page[:w.db.usable]}
	start := 8
	switch n.kind {
	case tableInner, indexInner:
		n.right = binary.BigEndian.Uint32(head[8:])
		start = 12
	case tableLeaf, indexLeaf:
	default:
		return node{}, fmt.Errorf("%w: page %d is of kind %d", errFormat, number, n.kind)
	}
	end := start + 2*int(binary.BigEndian.Uint16(head[3:]))
	if end > len(head) {
		return node{}, fmt.Errorf("%w: page %d has too many cells", errFormat, number)
	}
	n.cells = head[start:end]
	return n, nil
}

// table visits the rows below a page; yield returns false to stop.
func (w *walk) table(number uint32, depth int, yield func(int64, []byte) (bool, error)) error {
	_, err := w.tableFrom(number, depth, yield)
	return err
}

func (w *walk) tableFrom(number uint32, depth int, yield func(int64, []byte) (bool, error)) (bool, error) {
	n, err := w.node(number, depth)
	if err != nil {
		return false, err
	}
	for i := range n.len() {
		c, err := n.cell(i)
		if err != nil {
			return false, err
		}
		switch n.kind {
		case tableInner:
			if len(c) < 4 {
				return false, fmt.Errorf("%w: short cell", errFormat)
			}
			if more, err := w.tableFrom(binary.BigEndian.Uint32(c), depth+1, yield); err != nil || !more {
				return false, err
			}
		case tableLeaf:
			row, record, err := w.leafCell(c)
			if err != nil {
				return false, err
			}
			if more, err := yield(row, record); err != nil || !more {
				return false, err
			}
		default:
			return false, fmt.Errorf("%w: page %d is of an index", errFormat, number)
		}
	}
	if n.kind == tableInner {
		return w.tableFrom(n.right, depth+1, yield)
	}
	return true, nil
}

// Bytes returns how many bytes the rows take whose column holds the text,
// without reading them. It needs an index that begins with the column; without
// one it returns 0.
func (t *Table) Bytes(column, text string) (n int64, err error) {
	i := slices.IndexFunc(t.indexes, func(x index) bool { return strings.EqualFold(x.column, column) })
	if i < 0 {
		return 0, nil
	}
	w := t.db.walk()
	numbers, err := w.numbers(t.indexes[i].root, text)
	if err != nil {
		return 0, err
	}
	for _, row := range numbers {
		c, err := t.cell(w, row)
		if err != nil {
			return 0, err
		}
		if size, k := varint(c); k > 0 && size > 0 {
			n += size
		}
	}
	return n, nil
}

// cell returns the cell of a row. Its keys are in order, so a page is halved.
func (t *Table) cell(w *walk, row int64) ([]byte, error) {
	at := t.root
	for depth := 0; ; depth++ {
		n, err := w.held(at, depth)
		if err != nil {
			return nil, err
		}
		if n.kind != tableInner && n.kind != tableLeaf {
			return nil, fmt.Errorf("%w: page %d is of an index", errFormat, at)
		}
		lo, hi := 0, n.len() // the first cell whose key is not below the row
		for lo < hi {
			mid := (lo + hi) / 2
			_, key, err := n.key(mid)
			if err != nil {
				return nil, err
			}
			if key < row {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		if n.kind == tableInner {
			at = n.right
			if lo < n.len() {
				c, _, err := n.key(lo)
				if err != nil {
					return nil, err
				}
				at = binary.BigEndian.Uint32(c)
			}
			continue
		}
		if lo < n.len() {
			if c, key, err := n.key(lo); err != nil || key == row {
				return c, err
			}
		}
		return nil, fmt.Errorf("%w: row %d of an index is missing", errFormat, row)
	}
}

// key returns a cell of a table's page and its row number.
func (n node) key(i int) (c []byte, row int64, err error) {
	if c, err = n.cell(i); err != nil {
		return nil, 0, err
	}
	before := 4 // the child
	if n.kind == tableLeaf {
		_, before = varint(c)
	}
	if before == 0 || before >= len(c) {
		return nil, 0, fmt.Errorf("%w: short cell", errFormat)
	}
	row, k := varint(c[before:])
	if k == 0 {
		return nil, 0, fmt.Errorf("%w: short cell", errFormat)
	}
	return c, row, nil
}

// numbers returns the rows of an index whose first column is the text, in the
// order of the index. None stands there twice.
func (w *walk) numbers(root uint32, text string) (rows []int64, err error) {
	if err := w.index(root, 0, text, &rows); err != nil {
		return nil, err
	}
	sorted := slices.Sorted(slices.Values(rows))
	if len(slices.Compact(sorted)) < len(rows) {
		return nil, fmt.Errorf("%w: an index names a row twice", errFormat)
	}
	return rows, nil
}

// index adds the numbers of the rows whose first indexed column is the text.
func (w *walk) index(number uint32, depth int, text string, rows *[]int64) error {
	n, err := w.node(number, depth)
	if err != nil {
		return err
	}
	if n.kind != indexInner && n.kind != indexLeaf {
		return fmt.Errorf("%w: page %d is of a table", errFormat, number)
	}
	for i := range n.len() {
		c, err := n.cell(i)
		if err != nil {
			return err
		}
		var child uint32
		if n.kind == indexInner {
			if len(c) < 4 {
				return fmt.Errorf("%w: short cell", errFormat)
			}
			child, c = binary.BigEndian.Uint32(c), c[4:]
		}
		size, k := varint(c)
		if k == 0 {
			return fmt.Errorf("%w: short cell", errFormat)
		}
		record, err := w.payload(c[k:], size, true)
		if err != nil {
			return err
		}
		values, err := parse(record)
		if err != nil {
			return err
		}
		if len(values) < 2 {
			return fmt.Errorf("%w: index entry of %d values", errFormat, len(values))
		}
		order := compare(values[0], text)
		if child != 0 && order >= 0 {
			if err := w.index(child, depth+1, text, rows); err != nil {
				return err
			}
		}
		if order == 0 {
			*rows = append(*rows, values[len(values)-1].num)
		}
		if order > 0 {
			return nil
		}
	}
	if n.kind == indexInner {
		return w.index(n.right, depth+1, text, rows)
	}
	return nil
}

// compare orders a value against a text as SQLite does: NULL and numbers come
// before text, blobs after it.
func compare(v value, text string) int {
	switch {
	case v.kind < 3:
		return -1
	case v.kind > 3:
		return 1
	}
	return strings.Compare(string(v.text), text)
}

// leafCell reads a cell of a table's leaf.
func (w *walk) leafCell(c []byte) (row int64, record []byte, err error) {
	size, k := varint(c)
	if k == 0 {
		return 0, nil, fmt.Errorf("%w: short cell", errFormat)
	}
	row, m := varint(c[k:])
	if m == 0 {
		return 0, nil, fmt.Errorf("%w: short cell", errFormat)
	}
	record, err = w.payload(c[k+m:], size, false)
	return row, record, err
}

// payload returns the record of a cell; what does not fit into its page stands
// in a chain of overflow pages.
func (w *walk) payload(c []byte, size int64, index bool) ([]byte, error) {
	if size < 0 || size > maxRecord || size > w.room {
		return nil, fmt.Errorf("%w: record of %d bytes", errFormat, size)
	}
	w.room -= size
	total := int(size)
	most := w.db.usable - 35
	if index {
		most = (w.db.usable-12)*64/255 - 23
	}
	local := total
	if total > most {
		least := (w.db.usable-12)*32/255 - 23
		local = least + (total-least)%(w.db.usable-4)
		if local > most {
			local = least
		}
	}
	if local > len(c) || total > local && local+4 > len(c) {
		return nil, fmt.Errorf("%w: record past the end of its page", errFormat)
	}
	if total == local {
		return slices.Clone(c[:local]), nil
	}
	out := append(make([]byte, 0, total), c[:local]...)
	next := binary.BigEndian.Uint32(c[local:])
	for len(out) < total {
		page, err := w.db.read(next)
		if err != nil {
			return nil, err
		}
		next = binary.BigEndian.Uint32(page)
		out = append(out, page[4:4+min(total-len(out), w.db.usable-4)]...)
	}
	return out, nil
}

// parse takes a record apart.
func parse(record []byte) ([]value, error) {
	short := fmt.Errorf("%w: record cut short", errFormat)
	size, k := varint(record)
	if k == 0 || size < int64(k) || size > int64(len(record)) {
		return nil, short
	}
	head, body := record[k:size], record[size:]
	values := make([]value, 0, len(head))
	for len(head) > 0 {
		kind, k := varint(head)
		if k == 0 {
			return nil, short
		}
		head = head[k:]
		var v value
		n := 0
		switch {
		case kind == 0:
		case kind >= 1 && kind <= 6:
			n = [...]int{0, 1, 2, 3, 4, 6, 8}[kind]
			v.kind = 1
		case kind == 7:
			n = 8
			v.kind = 2
		case kind == 8 || kind == 9:
			v = value{kind: 1, num: kind - 8}
		case kind >= 12 && kind/2-6 <= int64(len(body)):
			n = int(kind/2 - 6)
			v.kind = 4 - byte(kind&1)
		default:
			return nil, short
		}
		if n > len(body) {
			return nil, short
		}
		switch v.kind {
		case 1:
			if n > 0 {
				v.num = int64(int8(body[0])) // the sign
				for _, b := range body[1:n] {
					v.num = v.num<<8 | int64(b)
				}
			}
		case 2:
			v.num = int64(math.Float64frombits(binary.BigEndian.Uint64(body)))
		case 3, 4:
			v.text = body[:n:n]
		}
		body = body[n:]
		values = append(values, v)
	}
	return values, nil
}

// varint reads one of SQLite's integers of one to nine bytes; 0 bytes means
// that there is none.
func varint(b []byte) (v int64, n int) {
	for i := range min(len(b), 9) {
		if i == 8 {
			return v<<8 | int64(b[i]), 9
		}
		v = v<<7 | int64(b[i]&0x7f)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}
