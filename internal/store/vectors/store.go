// Package vectors keeps the embeddings of texts, and compares texts by them.
//
// A SQLite database keeps a vector of small integers for each text, model and length,
// found by the hash of the text. So a text is sent once, whichever repository it is in,
// and vectors of different models are never compared. A [Finder] asks a model for
// missing vectors and says how similar texts are.
package vectors

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/world/database"
)

// fileName is the name of the database in its folder.
const fileName = "vectors.db"

// schema has one row for each text, model and length. numbers holds int8.
const schema = `CREATE TABLE IF NOT EXISTS vector (
	model TEXT, dimensions INTEGER, key BLOB, factor REAL, numbers BLOB, UNIQUE (model, dimensions, key))`

// maxModel is the most bytes of a model's name.
const maxModel = 1024

// withDatabase opens the database of a folder for fn. If there is none it is created
// when fn writes; otherwise fn is not called.
func withDatabase(dir string, writes bool, fn func(*sql.DB) error) error {
	path := filepath.Join(dir, fileName)
	mode := "rw" // not ro, for the journal of a process that was killed
	if writes {
		mode = "rwc"
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) // a text can be guessed from its vector
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	} else if st, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || err == nil && st.Size() == 0 {
		return nil // empty while another process creates it
	}
	q := url.Values{"mode": {mode}, "_txlock": {"immediate"}, "_pragma": {"busy_timeout(10000)", "trusted_schema(0)", "cell_size_check(1)"}}
	db, err := sql.Open("sqlite", database.URL(path, q))
	if err == nil {
		err = errors.Join(fn(db), db.Close())
	}
	if err != nil {
		return fmt.Errorf("vectors in %s: %w; without the file, satchel embed build asks for them again", path, err)
	}
	return nil
}

// A store holds the vectors of one model and length in memory.
type store struct {
	dir, model string
	dimensions int
	vectors    map[textKey]vector
}

// openStore reads the vectors of a model and length from the database of a folder.
func openStore(dir, model string, dimensions int) (*store, error) {
	if dimensions < 1 || dimensions > math.MaxUint16 || model == "" || len(model) > maxModel || !utf8.ValidString(model) {
		return nil, fmt.Errorf("vectors of %d numbers of the model %.40q: want 1 to %d, and a name", dimensions, model, math.MaxUint16)
	}
	s := &store{dir, model, dimensions, make(map[textKey]vector)}
	return s, withDatabase(dir, false, func(db *sql.DB) error {
		rows, err := db.Query("SELECT key, factor, numbers FROM vector WHERE model = ? AND dimensions = ?", model, dimensions)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var key []byte
			var v vector
			if err := rows.Scan(&key, &v.factor, &v.numbers); err != nil {
				return err
			}
			if len(key) == len(textKey{}) && len(v.numbers) == dimensions {
				s.vectors[textKey(key)] = v
			}
		}
		return rows.Err()
	})
}

func (s *store) has(k textKey) bool { _, ok := s.vectors[k]; return ok }

// add keeps vectors of length 1, one for each key. They are on disk when it returns.
func (s *store) add(keys []textKey, vectors [][]float32) error {
	for _, v := range vectors {
		if len(v) != s.dimensions {
			return fmt.Errorf("a vector has %d numbers, the others have %d", len(v), s.dimensions)
		}
	}
	return withDatabase(s.dir, true, func(db *sql.DB) error {
		if _, err := db.Exec(schema); err != nil {
			return err
		}
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		for i, key := range keys {
			v := quantise(vectors[i])
			if _, err := tx.Exec("INSERT OR IGNORE INTO vector VALUES (?, ?, ?, ?, ?)", s.model, s.dimensions, key[:], v.factor, v.numbers); err != nil {
				return err
			}
			s.vectors[key] = v
		}
		return tx.Commit()
	})
}

// A Kept says how many vectors of a model and length there are.
type Kept struct {
	Path       string `json:"path"` // of the database
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"`
	Vectors    int    `json:"vectors"`
	Bytes      int64  `json:"bytes"` // of the vectors' numbers
}

// List returns what a folder keeps, by model. The newest length comes first.
func List(dir string) (list []Kept, err error) {
	err = withDatabase(dir, false, func(db *sql.DB) error {
		rows, err := db.Query("SELECT model, dimensions, count(*), sum(length(numbers)) FROM vector GROUP BY model, dimensions ORDER BY model, max(rowid) DESC")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			k := Kept{Path: filepath.Join(dir, fileName)}
			if err := rows.Scan(&k.Model, &k.Dimensions, &k.Vectors, &k.Bytes); err != nil {
				return err
			}
			list = append(list, k)
		}
		return rows.Err()
	})
	return list, err
}

// A textKey is the first half of the SHA-256 of a text.
type textKey [16]byte

// keyOf returns the key of a text.
func keyOf(text string) textKey {
	sum := sha256.Sum256([]byte(text))
	return textKey(sum[:16])
}

// A vector is one of length 1, divided by a factor and rounded to int8. It takes a quarter
// of the memory of float32, and cosines differ by less than 0.01.
type vector struct {
	factor  float32
	numbers []byte
}

func quantise(v []float32) vector {
	const most = math.MaxInt8
	var peak float32
	for _, x := range v {
		peak = max(peak, x, -x)
	}
	q := vector{peak / most, make([]byte, len(v))}
	if peak == 0 {
		return q
	}
	for i, x := range v {
		q.numbers[i] = byte(int8(math.RoundToEven(float64(x / q.factor))))
	}
	return q
}

// cosine returns the cosine of two vectors of the same number of dimensions.
func (q vector) cosine(v []float32) float64 {
	numbers := q.numbers[:len(v)]
	var a, b, c, d float32 // four sums run in parallel
	i := 0
	for ; i+4 <= len(v); i += 4 {
		a += v[i] * float32(int8(numbers[i]))
		b += v[i+1] * float32(int8(numbers[i+1]))
		c += v[i+2] * float32(int8(numbers[i+2]))
		d += v[i+3] * float32(int8(numbers[i+3]))
	}
	for ; i < len(v); i++ {
		a += v[i] * float32(int8(numbers[i]))
	}
	return min(max(float64((a+b+c+d)*q.factor), -1), 1)
}
