package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// conversions describes what git does to files on their way from the disk into an
// object, apart from running programs. The rules are those of git's convert.c.
type conversions struct {
	attrs    map[string]map[string]string // path → attribute → value
	written  written
	filtered map[string]int // filter that was not run → files
	lfs      int            // files whose pointer was made here
	encoded  map[string]int // encoding that is not known here → files
}

// conversions asks for the attributes of the files.
func (d *differ) conversions(ctx context.Context, files []unreadFile) (*conversions, error) {
	paths := make([]string, 0, len(files))
	for _, p := range files {
		paths = append(paths, p.path)
	}
	attrs, err := d.attributes(ctx, paths, converting...)
	if errors.Is(err, ErrNotRegular) {
		d.diagnose("", "attributes not used: "+err.Error())
	} else if err != nil {
		return nil, err
	}
	return newConversions(attrs, d.written), nil
}

// converting are the attributes that say what is converted.
var converting = []string{"text", "crlf", "eol", "ident", "filter", "working-tree-encoding"}

func newConversions(attrs map[string]map[string]string, w written) *conversions {
	return &conversions{attrs: attrs, written: w, filtered: map[string]int{}, encoded: map[string]int{}}
}

// filter is the filter that git would run for a file, or "".
func (c *conversions) filter(path string) string {
	if f := c.attrs[path]["filter"]; f != "unset" && f != "set" {
		return f
	}
	return ""
}

// toGit converts the bytes of a file. index reads what the index has of it, or
// nothing.
func (c *conversions) toGit(path string, data []byte, index func() ([]byte, error)) []byte {
	attrs := c.attrs[path]
	if f := c.filter(path); f != "" {
		c.filtered[f]++
	}
	if enc := attrs["working-tree-encoding"]; enc != "" && enc != "unset" && enc != "set" && !strings.EqualFold(enc, "utf-8") {
		if text, ok := decodeNamed(data, enc); ok {
			data = text
		} else {
			c.encoded[enc]++
		}
	}
	data = toLF(data, crlfAction(attrs, c.written), index)
	if attrs["ident"] == "set" {
		data = identPattern().ReplaceAll(data, []byte("$$Id$$"))
	}
	return data
}

var identPattern = lazy.Regexp(`\$Id:[^$\n]*\$`)

// diagnose says what was not done.
func (c *conversions) diagnose(d *differ) {
	for _, f := range slices.Sorted(maps.Keys(c.filtered)) {
		d.diagnose("", fmt.Sprintf("filter %s was not run: %d files are compared unfiltered", clean(f), c.filtered[f]))
	}
	for _, e := range slices.Sorted(maps.Keys(c.encoded)) {
		d.diagnose("", fmt.Sprintf("unknown encoding %s: %d files are compared without conversion", clean(e), c.encoded[e]))
	}
	if c.lfs > 0 {
		d.diagnose("", fmt.Sprintf("Git LFS: for %d files, only the pointers are compared", c.lfs))
	}
}

// An action is what git does with the line ends of a file.
type action int

const (
	keepEnds action = iota
	textEnds        // CR LF becomes LF
	autoEnds        // likewise, if the file looks like text and the index has no CR LF
)

// crlfAction decides as git's convert_attrs does.
func crlfAction(attrs map[string]string, w written) action {
	text := attrs["text"]
	if text == "" || text != "set" && text != "unset" && text != "auto" && text != "input" {
		text = attrs["crlf"]
	}
	eol := attrs["eol"]
	switch text {
	case "unset":
		return keepEnds
	case "set", "input":
		return textEnds
	case "auto":
		return autoEnds
	}
	switch {
	case eol == "lf" || eol == "crlf":
		return textEnds
	case w.autoCRLF == "true" || w.autoCRLF == "input":
		return autoEnds
	}
	return keepEnds
}

// toLF converts line ends.
func toLF(data []byte, a action, index func() ([]byte, error)) []byte {
	if a == keepEnds || !bytes.Contains(data, []byte("\r\n")) {
		return data
	}
	if a == autoEnds {
		if looksBinary(data) {
			return data
		}
		if old, err := index(); err != nil || bytes.Contains(old, []byte("\r\n")) && !looksBinary(old) {
			return data
		}
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

// looksBinary is git's convert_is_binary: a NUL, a CR alone, or more than one in
// 128 characters that cannot be printed.
func looksBinary(data []byte) bool {
	printable, other := 0, 0
	for i, c := range data {
		switch {
		case c == 0:
			return true
		case c == '\r':
			if i+1 == len(data) || data[i+1] != '\n' {
				return true
			}
		case c == '\n':
		case c == 127, c < 32 && c != '\b' && c != '\t' && c != '\f' && c != 0o33:
			other++
		default:
			printable++
		}
	}
	if n := len(data); n > 0 && data[n-1] == 0o32 {
		other-- // the end of a file in CP/M
	}
	return printable>>7 < other
}

// Decode returns text with a byte order mark (UTF-8, UTF-16 or UTF-32) as UTF-8 without
// it, and all other bytes as they are.
func Decode(data []byte) []byte {
	if text, ok := decodeMarked(data); ok {
		return text
	}
	return data
}

// decodeMarked converts text with a byte order mark. ok is false without a mark or
// if the text behind it is invalid.
func decodeMarked(data []byte) (text []byte, ok bool) {
	if rest, ok := bytes.CutPrefix(data, []byte("\ufeff")); ok {
		return rest, true
	}
	for _, size := range []int{4, 2} { // UTF-32LE begins with the mark of UTF-16LE
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			if mark, _ := decode(data[:min(size, len(data))], size, order); string(mark) != "\ufeff" {
				continue
			}
			if text, ok = decode(data[size:], size, order); ok {
				return text, true
			}
		}
	}
	return nil, false
}

// decodeNamed converts the encodings that Windows programs use for files.
func decodeNamed(data []byte, name string) ([]byte, bool) {
	switch strings.ReplaceAll(strings.ToUpper(strings.ReplaceAll(name, "_", "-")), "UTF-", "UTF") {
	case "UTF16", "UTF16LE-BOM", "UTF32":
		return decodeMarked(data) // git refuses text without a mark
	case "UTF16LE":
		return decode(data, 2, binary.LittleEndian)
	case "UTF16BE":
		return decode(data, 2, binary.BigEndian)
	case "UTF32LE":
		return decode(data, 4, binary.LittleEndian)
	case "UTF32BE":
		return decode(data, 4, binary.BigEndian)
	}
	return nil, false
}

// decode converts UTF-16 or UTF-32, whose units have 2 or 4 bytes. ok is false if it is
// invalid.
func decode(data []byte, size int, order binary.ByteOrder) (text []byte, ok bool) {
	if len(data)%size != 0 {
		return nil, false
	}
	text = make([]byte, 0, len(data))
	for ; len(data) > 0; data = data[size:] {
		var r rune
		if size == 4 {
			r = rune(order.Uint32(data))
		} else if r = rune(order.Uint16(data)); utf16.IsSurrogate(r) && len(data) > 2 {
			data = data[2:]
			if r = utf16.DecodeRune(r, rune(order.Uint16(data))); r == utf8.RuneError {
				return nil, false
			}
		}
		if !utf8.ValidRune(r) {
			return nil, false
		}
		text = utf8.AppendRune(text, r)
	}
	return text, true
}

const (
	// lfsHead is how the pointer that Git LFS stores begins.
	lfsHead = "version https://git-lfs.github.com/spec/v1\n"

	// maxLFS is the largest file whose pointer is made, which takes reading it
	// all.
	maxLFS = 1 << 30

	// maxPointer is the largest file that can be a pointer itself.
	maxPointer = 1024
)

func (c *conversions) isLFS(path string) bool { return c.attrs[path]["filter"] == "lfs" }

// pointer makes what git-lfs clean would make of a file: a few lines with the
// hash of its contents.
func (c *conversions) pointer(ctx context.Context, d *differ, f WorkFile) ([]byte, string) {
	if f.Size > maxLFS {
		return nil, tooLarge(f.Size)
	}
	c.lfs++
	if f.Size <= maxPointer {
		data, why := whyUnread(d.folder.ReadFile(f.Path, maxPointer))
		if why != "" || len(data) == 0 || bytes.HasPrefix(data, []byte(lfsHead)) {
			return data, why
		}
	}
	file, _, err := d.folder.open(f.Path, maxLFS)
	if err != nil {
		return whyUnread(nil, err)
	}
	defer file.Close()
	h := sha256.New()
	size, err := io.Copy(h, io.LimitReader(contextReader{ctx, file}, maxLFS))
	if err != nil {
		return nil, satchel.WhyUnread + ": " + err.Error()
	}
	return fmt.Appendf(nil, "%soid sha256:%s\nsize %d\n", lfsHead, hex.EncodeToString(h.Sum(nil)), size), ""
}

// A contextReader stops when its context ends.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}
