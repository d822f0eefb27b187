package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// log.db was made by SQLite itself: pages of 1,024 bytes, records on overflow
// pages, and changes that are in its log only.
func fixture(t testing.TB) (db, log []byte) {
	t.Helper()
	db, err := os.ReadFile(filepath.Join("testdata", "log.db"))
	if err != nil {
		t.Fatal(err)
	}
	if log, err = os.ReadFile(filepath.Join("testdata", "log.db-wal")); err != nil {
		t.Fatal(err)
	}
	return db, log
}

func open(t *testing.T, db, log []byte) *DB {
	t.Helper()
	d, err := openBytes(db, log)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func openBytes(db, log []byte) (*DB, error) {
	if log == nil {
		return Open(bytes.NewReader(db), int64(len(db)), nil, 0)
	}
	return Open(bytes.NewReader(db), int64(len(db)), bytes.NewReader(log), int64(len(log)))
}

func tableOf(t *testing.T, d *DB, name string) *Table {
	t.Helper()
	tab, err := d.Table(name)
	if err != nil || tab == nil {
		t.Fatalf("Table(%q) = %v, %v", name, tab, err)
	}
	return tab
}

func TestScan(t *testing.T) {
	db, log := fixture(t)
	d := open(t, db, log)
	notes := tableOf(t, d, "note")
	if got := strings.Join(notes.Columns, " "); got != "id at text of it score data" {
		t.Errorf("columns %q", got)
	}
	n, total := 0, 0
	err := notes.Scan(func(r Row) bool {
		text := r.Text("text of it")
		total += len([]rune(text))
		switch r.Text("id") {
		case "id007":
			if text != "changed in the log" {
				t.Errorf("id007 is %q: the log was not read", text)
			}
		case "id010":
			if want := strings.Repeat("line 10 of the note, with ünïcode\n", 120); text != want {
				t.Errorf("id010 has %d bytes, want %d: overflow pages", len(text), len(want))
			}
			if r.Int("at") != 9995 || len(r.Bytes("data")) != 10 || r.Bytes("data")[9] != 9 {
				t.Errorf("id010: at %d, data %v", r.Int("at"), r.Bytes("data"))
			}
		case "id000":
			if r.Int("at") != 0 || r.Bytes("data") == nil || r.Text("no such column") != "" {
				t.Errorf("id000: at %d, data %v", r.Int("at"), r.Bytes("data"))
			}
		}
		n++
		return true
	})
	if err != nil || n != 60 || total != 26172 {
		t.Errorf("%d rows of %d characters, %v; want 60 of 26172", n, total, err)
	}

	n = 0
	if err := notes.Scan(func(Row) bool { n++; return n < 3 }); err != nil || n != 3 {
		t.Errorf("stopped after %d rows, %v; want 3", n, err)
	}
}

func TestWhere(t *testing.T) {
	db, log := fixture(t)
	plain := tableOf(t, open(t, db, log), "plain")
	byScan, byIndex := map[int64]string{}, map[int64]string{}
	if err := plain.Scan(func(r Row) bool {
		if r.Text("word") == "beta" {
			byScan[r.Int("n")] = r.Text("later")
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if err := plain.Where("word", "beta", func(r Row) bool { byIndex[r.Int("n")] = r.Text("later"); return true }); err != nil {
		t.Fatal(err)
	}
	if len(byIndex) == 0 || len(byScan) != len(byIndex) || byIndex[1000] != "new" {
		t.Errorf("the index finds %d rows, a scan %d, row 1000 %q", len(byIndex), len(byScan), byIndex[1000])
	}
	for n := range byScan {
		if _, ok := byIndex[n]; !ok || n != 1000 && n < 200 {
			t.Errorf("row %d: by index %v, deleted %v", n, ok, n < 200)
		}
	}
	n := 0
	if err := plain.Where("later", "new", func(Row) bool { n++; return true }); err != nil || n != 1 {
		t.Errorf("without an index %d rows, %v; want 1", n, err)
	}
	size, err := plain.Bytes("word", "beta")
	if err != nil || size < int64(7*len(byScan)) || size > int64(12*len(byScan)) {
		t.Errorf("Bytes = %d, %v for %d short rows", size, err, len(byScan))
	}
	if err := plain.Where("word", "zeta", func(Row) bool { t.Error("a row of zeta"); return true }); err != nil {
		t.Error(err)
	}
}

// TestDamagedIndex refuses an index that names a row twice, or one that is not
// there: rows would be missed, and few bytes could ask for endless searches.
func TestDamagedIndex(t *testing.T) {
	db, _ := fixture(t)
	plain := tableOf(t, open(t, db, nil), "plain")
	if _, err := plain.cell(plain.db.walk(), 1<<40); !errors.Is(err, errFormat) {
		t.Errorf("a row that is not there: %v, want ErrFormat", err)
	}
	twice := bytes.Clone(db)
	for off := 1024; off < len(twice); off += 1024 {
		if page := twice[off:]; page[0] == indexLeaf && binary.BigEndian.Uint16(page[3:]) > 1 {
			copy(page[8:10], page[10:12])
		}
	}
	plain = tableOf(t, open(t, twice, nil), "plain")
	if err := plain.Where("word", "beta", func(Row) bool { return true }); !errors.Is(err, errFormat) {
		t.Errorf("rows named twice: %v, want ErrFormat", err)
	}
}

func TestFirstColumn(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE INDEX i ON t (a)":                   "a",
		"CREATE INDEX i ON t(a,b)":                  "a",
		"CREATE UNIQUE INDEX i ON t ( `a b` , c )":  "a b",
		`CREATE INDEX i ON t ("a","b")`:             "a",
		"CREATE INDEX i ON t (a DESC)":              "", // rows would be missed
		"CREATE INDEX i ON t (a COLLATE NOCASE, b)": "",
		"CREATE INDEX i ON t (lower(a))":            "",
		"CREATE INDEX i ON t (\"a\" DESC, b)":       "",
		"CREATE INDEX i ON t (a":                    "",
		"CREATE INDEX i ON t":                       "",
		"":                                          "",
	} {
		if got := firstColumn(sql); got != want {
			t.Errorf("firstColumn(%q) = %q, want %q", sql, got, want)
		}
	}
}

func TestLog(t *testing.T) {
	db, log := fixture(t)
	count := func(log []byte) (n int) {
		d := open(t, db, log)
		if err := tableOf(t, d, "plain").Scan(func(Row) bool { n++; return true }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	whole, none := count(log), count(nil)
	if none != 399 || whole != 357 { // as SQLite counts
		t.Fatalf("%d rows without the log, %d with it; want 399 and 357", none, whole)
	}
	// A log that is torn, of another generation or foreign counts up to its last
	// whole commit.
	if n := count(log[:len(log)-1]); n != whole-1 { // the last commit added a row
		t.Errorf("torn log: %d rows, want %d", n, whole-1)
	}
	other := bytes.Clone(log)
	binary.BigEndian.PutUint32(other[16:], 1) // salt
	if n := count(other); n != none {
		t.Errorf("log with another salt: %d rows, want %d", n, none)
	}
	if n := count([]byte("not a log, but long enough to have a header")); n != none {
		t.Errorf("foreign log: %d rows, want %d", n, none)
	}
}

func TestRefused(t *testing.T) {
	db, log := fixture(t)
	utf16 := bytes.Clone(db)
	utf16[59] = 2
	for name, b := range map[string][]byte{
		"empty": {}, "text": bytes.Repeat([]byte("hello "), 100), "header alone": db[:100][:60], "UTF-16": utf16,
	} {
		if _, err := openBytes(b, nil); !errors.Is(err, errFormat) {
			t.Errorf("%s: %v, want ErrFormat", name, err)
		}
	}
	d := open(t, db, log)
	if _, err := d.Table("bare"); !errors.Is(err, errFormat) {
		t.Errorf("a table without row numbers: %v", err)
	}
	if tab, err := d.Table("none"); tab != nil || err != nil {
		t.Errorf("no table: %v, %v", tab, err)
	}
	tab := tableOf(t, open(t, db[:8*1024], nil), "note")
	if err := tab.Scan(func(Row) bool { return true }); !errors.Is(err, errFormat) {
		t.Errorf("a file cut short: %v, want ErrFormat", err)
	}
}

// FuzzOpen: whatever the bytes, reading ends, without a panic and without
// asking for more memory than the file's own size allows.
func FuzzOpen(f *testing.F) {
	db, log := fixture(f)
	f.Add(db[:8<<10], log[:4<<10])
	f.Add(db, log)
	f.Fuzz(func(t *testing.T, db, log []byte) {
		d, err := openBytes(db, log)
		if err != nil {
			return
		}
		for _, name := range []string{"note", "plain"} {
			tab, err := d.Table(name)
			if err != nil || tab == nil {
				continue
			}
			_ = tab.Scan(func(r Row) bool { r.Text("id"); r.Int("at"); return true })
			_ = tab.Where("word", "beta", func(r Row) bool { r.Int("n"); return true })
			_, _ = tab.Bytes("word", "beta")
		}
	})
}

func BenchmarkScan(b *testing.B) {
	db, log := fixture(b)
	d, err := openBytes(db, log)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(db)))
	for b.Loop() {
		tab, err := d.Table("note")
		if err != nil {
			b.Fatal(err)
		}
		if err := tab.Scan(func(Row) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
}
