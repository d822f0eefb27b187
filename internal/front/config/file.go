package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A parseError is a mistake in the syntax of a file.
type parseError struct {
	file         string
	line, column int
	err          error
}

func (e *parseError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %v", e.file, e.line, e.column, e.err)
}

// position returns a line of a file as people read it.
func position(file string, line int) string { return Origin{Where: file, Line: line}.String() }

// byteOrderMark begins a text of some editors on Windows. TOML knows none.
const byteOrderMark = "\ufeff"

// A section is a top-level key of a file with everything in it: a value, or tables.
// Each section is decoded alone, so that a mistake in one does not lose the others.
type section struct {
	key       string
	line, end int    // of the key, and the line after the section
	text      []byte // a TOML document that begins in that line
}

// parse returns the sections of a file in their order.
func parse(file string, text []byte) (sections []*section, err error) {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	if err := toml.Unmarshal(text, new(map[string]any)); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return nil, &parseError{file, line, column, err}
		}
		return nil, fmt.Errorf("%s: %v", file, err)
	}

	byKey := make(map[string]*section)
	var s *section
	var p unstable.Parser
	p.Reset(text)
	table := ""
	line, begin := 1, 0 // of the lines that are not in a section yet
	for p.NextExpression() {
		e := p.Expression()
		keys := e.Key()
		keys.Next()
		key := string(keys.Node().Data)
		if e.Kind != unstable.KeyValue {
			table = key
		} else if table != "" {
			key = table
		}
		start := 1 + bytes.LastIndexByte(text[:keys.Node().Raw.Offset], '\n')
		line = s.take(text[begin:start], line)
		begin = start
		if s = byKey[key]; s == nil {
			s = &section{key: key, line: line, end: line}
			byKey[key] = s
			sections = append(sections, s)
		}
	}
	s.take(text[begin:], line)
	return sections, nil
}

// take adds lines to the section. It gets the number of the first one and returns the
// number of the line after them. Lines of other sections in between become empty.
func (s *section) take(lines []byte, line int) (next int) {
	next = line + bytes.Count(lines, []byte{'\n'})
	if s != nil {
		s.text = append(append(s.text, bytes.Repeat([]byte{'\n'}, line-s.end)...), lines...)
		s.end = next
	}
	return next
}

// readRepository returns the repository's file, and its text if it exists. The
// file comes from strangers: it is opened below its directory, never through a
// symbolic link, and never waited for.
func readRepository(dir string) (file string, text []byte, err error) {
	return readIn(Root(dir), repositoryFile)
}

// readIn returns the text of a file directly in a folder.
func readIn(top, name string) (file string, text []byte, err error) {
	file = filepath.Join(top, name)
	root, err := os.OpenRoot(top)
	if err != nil {
		return file, nil, nil // the engine will say what is wrong with the folder
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if errors.Is(err, os.ErrNotExist) {
		return file, nil, nil
	}
	if err != nil {
		return file, nil, errors.New("cannot be read")
	}
	if !info.Mode().IsRegular() {
		return file, nil, errors.New("is not a regular file")
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return file, nil, errors.New("cannot be read")
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return file, nil, errors.New("changed while it was opened")
	}
	text, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return file, nil, errors.New("cannot be read")
	}
	if len(text) > maxFile {
		return file, nil, errTooLong
	}
	return file, text, nil
}

// Root returns the nearest directory upwards that holds a .git, or dir itself.
func Root(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	for d := abs; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return abs
		}
	}
}

// WriteSample writes [Sample] to a user's file that does not exist yet. The error is
// an fs.ErrExist if it does.
func WriteSample(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", file, fs.ErrExist)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(Sample())
	return errors.Join(err, f.Close())
}
