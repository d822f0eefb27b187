package git

import (
	"bytes"
	"io"
	"strconv"

	"github.com/satchel-dev/satchel/change"
)

// contents reads the hunks of f, whose header is in p.buf, and fills in the
// texts.
func (p *patchReader) contents(f *change.File) error {
	header := len(p.buf)
	keep := p.want == nil || p.want(f)
	binary := p.at("GIT binary patch")
	if binary {
		f.Binary = true
		if err := p.binary(f, header, &keep); err != nil {
			return err
		}
	}
	for !f.Binary && p.at("@@ -") {
		if err := p.hunk(f, header, &keep); err != nil {
			return err
		}
	}
	if held := int64(len(p.buf)); keep && held > p.left && held > int64(header) {
		f.Elided, keep = held-int64(header), false
		p.over++
	}
	if !keep {
		p.buf, p.hunks = p.buf[:header], p.hunks[:0]
	}
	p.left -= int64(len(p.buf))
	// One string for each file: all texts are parts of it.
	text := string(p.buf)
	f.Header = text[:header]
	if binary {
		f.Header = text
	}
	if len(p.hunks) > 0 {
		f.Hunks = make([]change.Hunk, len(p.hunks))
	}
	for i, h := range p.hunks {
		h.Section, h.Body = text[h.section:h.heading], text[h.from:h.to]
		f.Hunks[i] = h.Hunk
	}
	return nil
}

// add keeps text, or counts it if the patch is not wanted or has become too
// large.
func (p *patchReader) add(f *change.File, header int, keep *bool, text []byte) {
	if *keep && int64(len(p.buf)+len(text)) > p.max {
		f.Elided += int64(len(p.buf) - header)
		p.buf, p.hunks, *keep = p.buf[:header], p.hunks[:0], false
	}
	if *keep {
		p.buf = append(p.buf, text...)
	} else {
		f.Elided += int64(len(text))
	}
}

// hunk reads a hunk. Its heading says how many lines it has, so that no line of
// its contents can end it.
func (p *patchReader) hunk(f *change.File, header int, keep *bool) error {
	line, err := p.line()
	if err != nil {
		return err
	}
	h, ok := parseHeading(line)
	if !ok || p.part {
		return p.fail(f.Path, "malformed heading of a hunk")
	}
	start := len(p.buf)
	p.add(f, header, keep, line)
	h.section, h.heading, h.from = start+h.section, start+h.heading, start+len(line)
	more := func(text []byte) { p.add(f, header, keep, text) }
	for first := p.lines; h.oldLeft > 0 || h.newLeft > 0; {
		line, err := p.line()
		if err == io.EOF {
			return p.fail(f.Path, "ends inside a hunk, after %d of its lines: %d old and %d new lines are missing",
				p.lines-first, h.oldLeft, h.newLeft)
		}
		if err != nil {
			return err
		}
		switch line[0] {
		case ' ', '\n', '\r': // some mail programs cut the space of an empty line
			h.oldLeft--
			h.newLeft--
		case '+':
			h.newLeft--
			h.Added++
		case '-':
			h.oldLeft--
			h.Removed++
		case '\\':
		default:
			return p.fail(f.Path, "want a line of the hunk, which starts with a space, +, - or \\; %d old and %d new lines are missing",
				h.oldLeft, h.newLeft)
		}
		if h.oldLeft < 0 || h.newLeft < 0 {
			return p.fail(f.Path, "the hunk has more lines than its heading")
		}
		p.add(f, header, keep, line)
		if p.part {
			if _, err := p.skipRest(more); err != nil {
				return err
			}
		}
	}
	for p.at("\\ ") { // "No newline at end of file"
		line, err := p.line()
		if err != nil {
			return err
		}
		p.add(f, header, keep, line)
		if _, err := p.skipRest(more); err != nil {
			return err
		}
	}
	f.Added += h.Added
	f.Removed += h.Removed
	if *keep {
		h.to = len(p.buf)
		p.hunks = append(p.hunks, h)
	}
	return nil
}

// binary reads the contents of a binary file: one or two blocks of lines, each
// with its kind and size before it and an empty line after it.
func (p *patchReader) binary(f *change.File, header int, keep *bool) error {
	line, err := p.line()
	if err != nil {
		return err
	}
	p.add(f, header, keep, line)
	blocks := 0
	for ; p.at("literal ") || p.at("delta "); blocks++ {
		for {
			line, err := p.line()
			if err == io.EOF {
				return p.fail(f.Path, "ends inside a binary patch")
			}
			if err != nil {
				return err
			}
			if p.part {
				return p.fail(f.Path, "malformed line in a binary patch")
			}
			p.add(f, header, keep, line)
			if len(bytes.TrimRight(line, "\r\n")) == 0 {
				break
			}
		}
	}
	if blocks == 0 {
		return p.fail(f.Path, "binary patch without contents")
	}
	return nil
}

// A hunkAt is a hunk whose texts are in the reader's buffer: the section at
// section:heading, the body at from:to.
type hunkAt struct {
	change.Hunk
	section, heading, from, to int
	oldLeft, newLeft           int // lines that are still to come
}

// parseHeading reads a line like "@@ -1,2 +1,3 @@ func main()".
func parseHeading(line []byte) (h hunkAt, ok bool) {
	text := bytes.TrimRight(line, "\r\n")
	rest, ok := bytes.CutPrefix(text, []byte("@@ -"))
	if !ok {
		return h, false
	}
	from, rest, ok1 := bytes.Cut(rest, []byte(" +"))
	to, rest, ok2 := bytes.Cut(rest, []byte(" @@"))
	if !ok1 || !ok2 {
		return h, false
	}
	h.OldFrom, h.OldLines, ok1 = parseRange(from)
	h.NewFrom, h.NewLines, ok2 = parseRange(to)
	h.oldLeft, h.newLeft = h.OldLines, h.NewLines
	h.section, h.heading = len(text), len(text)
	if len(rest) > 0 && rest[0] == ' ' {
		h.section -= len(rest) - 1
	}
	return h, ok1 && ok2
}

// parseRange reads "from,lines" or "from", which is one line.
func parseRange(text []byte) (from, lines int, ok bool) {
	first, count, more := bytes.Cut(text, []byte(","))
	from, ok = parseCount(first)
	if !more {
		return from, 1, ok
	}
	lines, ok2 := parseCount(count)
	return from, lines, ok && ok2
}

// parseCount reads a number of digits alone, of at most 31 bits.
func parseCount(text []byte) (int, bool) {
	if len(text) == 0 || len(text) > maxDigits || text[0] < '0' || text[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text), 10, 31)
	return int(n), err == nil
}
