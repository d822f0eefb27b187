package sessions

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-dev/satchel/transcript"
)

// conversation is a document of one word, over and over.
func conversation(word string, messages int) string {
	text := strings.Repeat(word, 2000)
	return `[{"role":"user","ts":1,"content":"` + text + `"}` +
		strings.Repeat(`,{"role":"assistant","ts":1,"content":"`+text+`"},{"role":"user","ts":1,"content":"`+text+`"}`, messages) + "]"
}

// An underway file is being rewritten: while it is read, halfway, the next of
// its writings takes the place of the one before.
type underway struct {
	writings []writing
	at       int
}

type writing struct {
	text string
	age  time.Duration // of the change when it is seen first; less than unripe is the tick of now
	made time.Time
}

func (u *underway) now() *writing {
	w := &u.writings[min(u.at, len(u.writings)-1)]
	if w.made.IsZero() {
		w.made = time.Now().Add(-w.age)
		if u.at > 0 && w.age < unripe { // the same tick
			w.made = u.writings[u.at-1].made
		}
	}
	return w
}

func (u *underway) ReadAt(p []byte, off int64) (int, error) {
	was := u.now().text
	n := copy(p[:len(p)/2], was[off:])
	u.at++
	if rest := u.now().text; off+int64(n) < int64(len(rest)) {
		n += copy(p[n:], rest[off+int64(n):])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (u *underway) Stat() (fs.FileInfo, error) {
	w := u.now()
	if next := u.at + 1; next < len(u.writings) && u.writings[next].age < unripe && time.Since(w.made) > unripe/4 {
		u.at++ // nobody read, and the tick passed
		w = u.now()
	}
	return seen{size: int64(len(w.text)), time: w.made}, nil
}

type seen struct {
	fs.FileInfo
	size int64
	time time.Time
}

func (s seen) Size() int64        { return s.size }
func (s seen) ModTime() time.Time { return s.time }

// TestRewritten: of a document that is written anew while it is read one writing
// is read, from end to end, or none.
func TestRewritten(t *testing.T) {
	a, b, c := conversation("a", 3), conversation("b", 3), conversation("c", 9)
	old := time.Hour
	var always []writing
	for range 100 {
		always = append(always, writing{text: a, age: old}, writing{text: c, age: old})
	}
	for _, x := range []struct {
		name     string
		writings []writing
		want     string // "" is ErrRewritten
	}{
		{"nobody writes", []writing{{text: a, age: old}}, a},
		{"larger", []writing{{text: a, age: old}, {text: c, age: old - time.Minute}}, c},
		{"smaller", []writing{{text: c, age: old}, {text: a, age: old - time.Minute}}, a},
		{"of the same size", []writing{{text: a, age: old}, {text: b, age: old - time.Minute}}, b},
		{"of the same size and the same tick", []writing{{text: a}, {text: b}}, b},
		{"emptied, then written", []writing{{text: a, age: old}, {age: old - time.Minute}, {text: b, age: old - 2*time.Minute}}, b},
		{"half of it, then all", []writing{{text: a[:len(a)/2], age: old}, {text: a, age: old - time.Minute}}, a},
		{"half of it for good", []writing{{text: a[:len(a)/2], age: old}}, a[:len(a)/2]},
		{"over and over", always, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // however slow the machine is
				u := &underway{writings: x.writings}
				st, err := u.Stat()
				if err != nil {
					t.Fatal(err)
				}
				got, _, err := hold(u, st)
				if x.want == "" {
					if !errors.Is(err, ErrRewritten) {
						t.Errorf("%d bytes, %v; want ErrRewritten", len(got), err)
					}
					return
				}
				if err != nil || string(got) != x.want {
					t.Errorf("%d bytes %.50q…, %v; want %d, %.50q…", len(got), got, err, len(x.want), x.want)
				}
			})
		})
	}
}

// TestEmptied: a writer empties the file before it writes.
func TestEmptied(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Date(1999, 3, 1, 0, 0, 0, 0, time.UTC) // its age does not give it away
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { // the file is written between two looks at it, however slow the machine is
		done := make(chan error, 1)
		go func() {
			time.Sleep(5 * time.Millisecond)
			done <- os.WriteFile(name, []byte(conversation("a", 1)), 0o600)
		}()
		s, err := Read(name)
		if werr := <-done; werr != nil {
			t.Fatal(werr)
		}
		if err != nil || len(s.Messages) != 3 {
			t.Errorf("%v, %v; want the three messages that come", s, err)
		}
	})
}

// TestHeld: what was opened stays as it was, whatever its agent does to the file:
// a second reading, as of trim when it writes, sees the same bytes.
func TestHeld(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.traj")
	text := conversation("a", 1)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.WriteFile(name, []byte(conversation("b", 9)), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size))
	if err != nil || string(b) != text {
		t.Errorf("%d bytes, %v; want the %d that were there", len(b), err, len(text))
	}
}

// TestWatched: a file that is not held fails rather than give bytes of another
// text; lines may grow.
func TestWatched(t *testing.T) {
	line := `{"type":"user","uuid":"1","sessionId":"s","cwd":"/","message":{"role":"user","content":"one"}}` + "\n"
	was := strings.Repeat(line, 20)
	for _, c := range []struct {
		name     string
		document bool
		now      string
		want     error
	}{
		{"lines, as they were", false, was, nil},
		{"lines, grown", false, was + line, nil},
		{"lines, one gone", false, was[len(line):], ErrRewritten},
		{"lines, all gone", false, "", ErrRewritten},
		{"lines with another beginning", false, `{"type":"x"}` + "\n" + was, ErrRewritten},
		{"lines with another end", false, was[:len(was)-len(line)] + strings.Replace(line, "one", "two", 1), ErrRewritten},
		{"a document, as it was", true, was, nil},
		{"a document, grown", true, was + line, ErrRewritten},
		{"a document of the same size", true, strings.Replace(was, "one", "two", 1), ErrRewritten},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(name, []byte(was), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
			if err := os.Chtimes(name, at, at); err != nil {
				t.Fatal(err)
			}
			st, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			w, err := watch(f, st, c.document)
			if err != nil {
				t.Fatal(err)
			}
			b := make([]byte, len(was)/2)
			if _, err := w.ReadAt(b, 0); err != nil {
				t.Fatalf("before: %v", err)
			}
			if c.now != was {
				if err := os.WriteFile(name, []byte(c.now), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err = w.ReadAt(b, int64(len(b)))
			if !errors.Is(err, c.want) {
				t.Errorf("after: %v, want %v", err, c.want)
			}
			_, err = transcript.Read(w, int64(len(was)))
			if c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("Read: %v, want %v", err, c.want)
			}
			if c.want == nil && !c.document && err != nil {
				t.Errorf("Read: %v", err)
			}
		})
	}
}

// TestWhole: what a file ends with while it is written.
func TestWhole(t *testing.T) {
	for text, want := range map[string]bool{"": false, " \n": false, "[": false, "[]\n": true, "{}": true, `{"a"`: false} {
		if got := whole([]byte(text)); got != want {
			t.Errorf("whole(%q) = %v, want %v", text, got, want)
		}
	}
}
