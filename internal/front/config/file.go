package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A value is one key of a file.
type value struct {
	key   string
	value any
	line  int      // 0 if unknown
	lines [][]byte // of the file, each with its end
}

// A parseError is a mistake in the syntax of a file.
type parseError struct {
	file         string
	line, column int
	err          error
}

func (e *parseError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %v", e.file, e.line, e.column, e.err)
}

// at returns the position of the value in the file.
func (v value) at(file string) string { return Origin{Where: file, Line: v.line}.String() }

// maxBlamed bounds the bytes that are parsed in search of the line of one mistake.
const maxBlamed = 1 << 19

// blame is at for a value that set refuses, with the line of the mistake, as a table or
// a list may have many lines. It is the last line without which the lines before it do
// not have the same mistake: a heading, a part of a list, or a name in the error.
func (v value) blame(file string, set func(value any) error) string {
	text := set(v.value).Error()
	if strings.HasPrefix(text, quote(v.value)) {
		return v.at(file)
	}
	for i, left := len(v.lines), maxBlamed; i > v.line && left > 0; i-- {
		line := string(bytes.TrimSpace(v.lines[i-1]))
		name, _, member := strings.Cut(line, "=")
		name = strings.Trim(name[strings.LastIndexByte(name, '.')+1:], " \t\"'")
		if line == "" || line[0] == '#' || member && !strings.Contains(text, name) {
			continue
		}

		before := bytes.Join(v.lines[:i-1], nil)
		left -= len(before)
		for _, end := range []string{"", "]"} {
			var table map[string]any
			if toml.Unmarshal(append(before, end...), &table) != nil {
				continue
			}
			if err := set(table[v.key]); err == nil || err.Error() != text {
				v.line = i
				return v.at(file)
			}
		}
	}
	return v.at(file)
}

// byteOrderMark begins a text of some editors on Windows. TOML knows none.
const byteOrderMark = "\ufeff"

// parse returns the keys of a file in their order.
func parse(file string, text []byte) ([]value, error) {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	var table map[string]any
	if err := toml.Unmarshal(text, &table); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return nil, &parseError{file, line, column, err}
		}
		return nil, fmt.Errorf("%s: %v", file, err)
	}
	lines, split := keyLines(text), bytes.SplitAfter(text, []byte{'\n'})
	values := make([]value, 0, len(table))
	for name, v := range table {
		values = append(values, value{name, v, lines[name], split})
	}
	slices.SortFunc(values, func(a, b value) int {
		if a.line != b.line {
			return a.line - b.line
		}
		if a.key < b.key {
			return -1
		}
		return 1
	})
	return values, nil
}

// keyLines returns the line of the first occurrence of each top-level key. The
// decoder does not keep it, so this is a second pass over the syntax.
func keyLines(text []byte) map[string]int {
	lines := make(map[string]int)
	var p unstable.Parser
	p.Reset(text)
	table := ""           // the top-level name of the table that the expression is in
	line, counted := 1, 0 // newlines before the offset counted
	for p.NextExpression() {
		e := p.Expression()
		keys := e.Key()
		if !keys.Next() {
			continue
		}
		first := keys.Node()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = string(first.Data)
		case unstable.KeyValue:
			if table != "" {
				continue // its line is the table's
			}
		default:
			continue
		}
		at := int(first.Raw.Offset)
		line += bytes.Count(text[counted:at], []byte{'\n'})
		counted = at
		name := string(first.Data)
		if _, seen := lines[name]; !seen {
			lines[name] = line
		}
	}
	return lines
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
