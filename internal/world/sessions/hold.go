package sessions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Agents write sessions in two ways. Lines are appended: what a file held when
// it was opened stays as it is. A document (opencode's export, Gemini CLI's of
// old, SWE-agent's, Cline's) is written anew with every message, often over
// itself; between two reads the first half may be of one text and the second of
// another. So a document is read at once when it is opened, again if it changed
// meanwhile, and everything after works on that copy. A file that is too large
// for that is watched: a read fails rather than return bytes of another text.

// ErrRewritten says that a session was written anew while it was read.
var ErrRewritten = errors.New("its agent rewrote it while it was read")

const (
	// maxHeld is the largest document that is copied. Recorded ones are of a few
	// megabytes; statistics of any file have to do with 200 MiB.
	maxHeld = 64 << 20

	// sampled is how much of the beginning and of the end of a file of lines is
	// compared in order to see that it only grew.
	sampled = 256

	// unripe is how old a change has to be before the file's time tells it from
	// the next one: file systems count in ticks of up to 10 ms.
	unripe = 20 * time.Millisecond
)

// isDocument reports whether an agent rewrites files of this name as a whole.
func isDocument(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".json" || ext == ".traj"
}

// A statFile is what hold needs of an open file.
type statFile interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// hold copies a document. One that changes while it is copied, or that is no
// whole value, is copied again for a moment.
func hold(f statFile, st fs.FileInfo) ([]byte, fs.FileInfo, error) {
	for wait := time.Millisecond; ; wait *= 2 {
		late := wait > patience
		if ripe(st) && st.Size() <= maxHeld {
			b := make([]byte, st.Size())
			n, err := f.ReadAt(b, 0)
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, st, err
			}
			now, err := f.Stat()
			if err != nil {
				return nil, st, err
			}
			if same := n == len(b) && now.Size() == st.Size() && now.ModTime().Equal(st.ModTime()); same && (late || whole(b)) {
				return b, st, nil
			}
		}
		if late {
			return nil, st, ErrRewritten
		}
		time.Sleep(wait)
		var err error
		if st, err = f.Stat(); err != nil {
			return nil, st, err
		}
	}
}

// ripe reports whether the next change of a file will show in its time.
func ripe(st fs.FileInfo) bool {
	age := time.Since(st.ModTime())
	return age < 0 || age >= unripe // of a clock that goes ahead nothing is known
}

// whole reports whether bytes end as a record does. A file is empty for a moment
// when it is written anew.
func whole(b []byte) bool {
	b = bytes.TrimRight(b, " \t\r\n")
	return len(b) > 0 && (b[len(b)-1] == '}' || b[len(b)-1] == ']')
}

// A watched file is read as it was when it was opened, or not at all.
type watched struct {
	f          *os.File
	size       int64
	time       time.Time
	document   bool
	head, tail []byte
}

func watch(f *os.File, st fs.FileInfo, document bool) (*watched, error) {
	w := &watched{f: f, size: st.Size(), time: st.ModTime(), document: document}
	if document {
		return w, nil
	}
	var err error
	if w.head, w.tail, err = w.samples(); err != nil {
		return nil, err
	}
	return w, nil
}

// samples reads the beginning and the end of what the file was.
func (w *watched) samples() (head, tail []byte, err error) {
	n := min(sampled, w.size)
	head, tail = make([]byte, n), make([]byte, n)
	if _, err = w.f.ReadAt(head, 0); err == nil || errors.Is(err, io.EOF) {
		_, err = w.f.ReadAt(tail, w.size-n)
	}
	if errors.Is(err, io.EOF) {
		err = nil // shorter than it was: zeros are no text
	}
	return head, tail, err
}

// ReadAt reads the file, and then looks whether that can be trusted.
func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.f.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, err
	}
	st, serr := w.f.Stat()
	switch {
	case serr != nil:
		return 0, serr
	case st.Size() == w.size && st.ModTime().Equal(w.time):
		return n, err
	case w.document || st.Size() < w.size:
		return 0, ErrRewritten
	}
	head, tail, serr := w.samples()
	if serr != nil {
		return 0, serr
	}
	if !bytes.Equal(head, w.head) || !bytes.Equal(tail, w.tail) {
		return 0, ErrRewritten
	}
	return n, err
}

// openHeld makes a File of what was opened.
func openHeld(name string, f *os.File, st fs.FileInfo) (*File, error) {
	out := &File{Path: name, Diagnostics: clineDiagnostics(name)}
	document := isDocument(name)
	if document && st.Size() <= maxHeld {
		b, now, err := hold(f, st)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("read session %s: %w", name, err)
		}
		out.ReaderAt, out.Size, out.Time = bytes.NewReader(b), int64(len(b)), now.ModTime().UTC()
		return out, nil
	}
	st = settled(f, st, document)
	w, err := watch(f, st, document)
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", name, errors.Join(err, f.Close()))
	}
	out.ReaderAt, out.Size, out.Time, out.f = w, st.Size(), st.ModTime().UTC(), f
	return out, nil
}
