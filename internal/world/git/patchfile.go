package git

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

// A section is what the lines before the first hunk of a file say.
type section struct {
	from, to         string // as in the text
	renameFrom       string // of a rename or copy, without prefixes
	renameTo         string
	status           change.Status
	similarity       int
	oldMode, newMode uint32
	oldBlob, newBlob string
	binary           bool
}

// maxHeader bounds the lines before the first hunk.
const maxHeader = 1 << 20

// file reads a patch of git, whose first line is in p.buf.
func (p *patchReader) file(s *section) (f change.File, err error) {
	p.text = true
	if p.part {
		return f, p.fail("", "line longer than %d bytes in a header", patchBuffer)
	}
	first := strings.TrimSuffix(string(p.buf[len("diff --git "):]), "\n")
	s.from, s.to, _ = headerNames(first)
	start := p.lines
	for {
		known, err := p.headerLine(s)
		if err != nil {
			return f, err
		}
		if !known {
			break
		}
	}
	if f, err = s.file(); err != nil {
		return f, &PatchError{Line: start, Why: err.Error()}
	}
	return f, p.contents(&f)
}

// headerLine reads the next line if it belongs to the header, and reports
// whether it does.
func (p *patchReader) headerLine(s *section) (known bool, err error) {
	ahead := p.ahead(len("dissimilarity index "))
	for _, h := range headerLines {
		if !hasPrefix(ahead, h.prefix) {
			continue
		}
		value, err := p.keepLine()
		if err != nil {
			return false, err
		}
		value = strings.TrimSuffix(value[len(h.prefix):], "\r")
		if why := h.read(s, value); why != "" {
			return false, p.fail("", "%s", why)
		}
		if s.binary {
			return false, nil // it is all there is
		}
		if h.prefix == "--- " {
			if !p.at("+++ ") {
				return false, p.fail("", "want a line with +++ and the new name after this one")
			}
			if value, err = p.keepLine(); err != nil {
				return false, err
			}
			if s.to, known = sideName(value[len("+++ "):]); !known {
				return false, p.fail("", "malformed name")
			}
			return false, nil // hunks follow
		}
		return true, nil
	}
	return false, nil
}

// keepLine reads a line, keeps it and returns it without its end.
func (p *patchReader) keepLine() (string, error) {
	line, err := p.line()
	if err != nil {
		return "", err
	}
	if p.part || len(p.buf) > maxHeader {
		return "", p.fail("", "header too long")
	}
	p.buf = append(p.buf, line...)
	return strings.TrimSuffix(string(line), "\n"), nil
}

// headerLines are the lines that may follow "diff --git". read says what is
// wrong with a value, or "".
var headerLines = []struct {
	prefix string
	read   func(s *section, value string) (why string)
}{
	{"index ", func(s *section, v string) string {
		ids, mode, _ := strings.Cut(v, " ")
		from, to, ok := strings.Cut(ids, "..")
		if !ok {
			return "malformed index line"
		}
		s.oldBlob, s.newBlob = wholeID(from), wholeID(to)
		if mode == "" {
			return ""
		}
		why := readMode(&s.newMode, mode)
		s.oldMode = s.newMode
		return why
	}},
	{"--- ", func(s *section, v string) (why string) {
		var ok bool
		if s.from, ok = sideName(v); !ok {
			return "malformed name"
		}
		return ""
	}},
	{"new file mode ", func(s *section, v string) string {
		s.status = change.Added
		return readMode(&s.newMode, v)
	}},
	{"deleted file mode ", func(s *section, v string) string {
		s.status = change.Deleted
		return readMode(&s.oldMode, v)
	}},
	{"old mode ", func(s *section, v string) string { return readMode(&s.oldMode, v) }},
	{"new mode ", func(s *section, v string) string { return readMode(&s.newMode, v) }},
	{"similarity index ", func(s *section, v string) string {
		n, err := strconv.ParseUint(strings.TrimSuffix(v, "%"), 10, 7)
		if err != nil || n > 100 {
			return "malformed similarity"
		}
		s.similarity = int(n)
		return ""
	}},
	{"dissimilarity index ", func(*section, string) string { return "" }},
	{"rename from ", func(s *section, v string) string { return s.moved(change.Renamed, &s.renameFrom, v) }},
	{"rename to ", func(s *section, v string) string { return s.moved(change.Renamed, &s.renameTo, v) }},
	{"rename old ", func(s *section, v string) string { return s.moved(change.Renamed, &s.renameFrom, v) }},
	{"rename new ", func(s *section, v string) string { return s.moved(change.Renamed, &s.renameTo, v) }},
	{"copy from ", func(s *section, v string) string { return s.moved(change.Copied, &s.renameFrom, v) }},
	{"copy to ", func(s *section, v string) string { return s.moved(change.Copied, &s.renameTo, v) }},
	{"Binary files ", func(s *section, _ string) string { s.binary = true; return "" }},
}

func (s *section) moved(how change.Status, name *string, v string) string {
	if u, rest, ok := unquoteName(v); ok && rest == "" {
		v = u
	}
	if v == "" {
		return "malformed name"
	}
	s.status, *name = how, v
	return ""
}

func readMode(to *uint32, v string) string {
	m, err := strconv.ParseUint(v, 8, 32)
	if err != nil {
		return "malformed mode"
	}
	*to = uint32(m)
	return ""
}

// wholeID returns id if it is a whole object id of a file that exists.
func wholeID(id string) string {
	if (SHA1.validID(id) || SHA256.validID(id)) && strings.Trim(id, "0") != "" {
		return id
	}
	return ""
}

// A headerError says that a header does not make sense.
type headerError string

func (e headerError) Error() string { return string(e) }

// file makes a File of what the header said.
func (s *section) file() (change.File, error) {
	f := change.File{Status: s.status, Similarity: s.similarity, OldMode: s.oldMode, NewMode: s.newMode,
		OldBlob: s.oldBlob, NewBlob: s.newBlob, Binary: s.binary}
	from, to := stripPrefixes(s.from, s.to)
	switch {
	case s.renameFrom != "" && s.renameTo != "":
		f.OldPath, f.Path = s.renameFrom, s.renameTo
		return f, nil
	case s.renameFrom != "" || s.renameTo != "":
		return f, headerError("rename or copy with one name only")
	case from == "" || to == "":
		return f, headerError("ambiguous file names")
	case from == devNull && to == devNull:
		return f, headerError("both sides are " + devNull)
	case from == devNull:
		f.Status, f.Path, f.OldMode = change.Added, to, 0
	case to == devNull:
		f.Status, f.Path, f.NewMode = change.Deleted, from, 0
	case f.Status == "":
		f.Status, f.Path = change.Modified, to
		if strings.HasPrefix(to, from) { // as in "--- x.go", "+++ x.go.new"
			f.Path = from
		}
	default:
		f.Path = to
	}
	return f, nil
}

// plain reads a patch without "diff --git", whose first line is in p.buf. If no
// hunk follows, it was just text.
func (p *patchReader) plain() (f change.File, found bool, err error) {
	s := section{}
	from, okFrom := sideName(strings.TrimSuffix(string(p.buf[len("--- "):]), "\n"))
	line, err := p.keepLine()
	if err != nil {
		return f, false, err
	}
	to, okTo := sideName(line[len("+++ "):])
	if !okFrom || !okTo || !p.at("@@ -") {
		return f, false, nil
	}
	p.text = true
	s.from, s.to = from, to
	if f, err = s.file(); err != nil {
		return f, false, p.fail("", "%s", err)
	}
	return f, true, p.contents(&f)
}

// plainBinary reads the line of diff -r for binary files that differ.
func plainBinary(line []byte) (change.File, bool) {
	text, ok := strings.CutSuffix(strings.TrimRight(string(line[len("Binary files "):]), "\r\n"), " differ")
	if !ok || len(text) > maxGuess {
		return change.File{}, false
	}
	for i := 0; i < len(text); i++ {
		if !strings.HasPrefix(text[i:], " and ") {
			continue
		}
		s := section{from: text[:i], to: text[i+len(" and "):], binary: true}
		from, to := stripPrefixes(s.from, s.to)
		if from != to && (s.from != devNull) == (s.to != devNull) {
			continue
		}
		if f, err := s.file(); err == nil {
			f.Header = string(line)
			return f, true
		}
	}
	return change.File{}, false
}

func (p *patchReader) unmerged(line []byte) (change.File, error) {
	name := strings.TrimRight(string(line[len("* Unmerged path "):]), "\r\n")
	if u, _, ok := unquoteName(name); ok {
		name = u
	}
	if p.part || name == "" {
		return change.File{}, p.fail("", "malformed name")
	}
	p.text = true
	return change.File{Path: name, Status: change.Unmerged, Unread: change.InConflict}, nil
}

// combined reads the patch of a merge, whose first line is in p.buf, and counts
// its lines.
func (p *patchReader) combined() (change.File, error) {
	p.text = true
	if p.part {
		return change.File{}, p.fail("", "line longer than %d bytes in a header", patchBuffer)
	}
	_, name, _ := strings.Cut(strings.TrimRight(string(p.buf), "\r\n")[len("diff --c"):], " ")
	if u, _, ok := unquoteName(name); ok {
		name = u
	}
	if name == "" {
		return change.File{}, p.fail("", "malformed name")
	}
	f := change.File{Path: name, Status: change.Modified}
	for {
		ahead := p.ahead(len("Binary files "))
		i := 0
		for i < len(combinedLines) && !hasPrefix(ahead, combinedLines[i]) {
			i++
		}
		if i == len(combinedLines) {
			break
		}
		if combinedLines[i] == "Binary files " {
			f.Binary = true
		}
		if _, err := p.keepLine(); err != nil {
			return f, err
		}
	}
	f.Header = string(p.buf)
	for p.at("@@@") {
		if err := p.combinedHunk(&f); err != nil {
			return f, err
		}
	}
	p.diags = append(p.diags, satchel.Diagnostic{Path: f.Path, Text: "a merge (diff --cc): its lines are counted, not shown"})
	return f, nil
}

// combinedLines are the lines of the header of a merge's patch.
var combinedLines = []string{"index ", "mode ", "new file mode", "deleted file", "--- ", "+++ ", "Binary files "}

// combinedHunk counts a hunk with one column of marks for each parent: '-' for a
// line that the parent has and the result has not, '+' for the reverse.
func (p *patchReader) combinedHunk(f *change.File) error {
	line, err := p.line()
	if err != nil {
		return err
	}
	f.Elided += int64(len(line))
	n := len(line) - len(bytes.TrimLeft(line, "@")) - 1 // parents
	ranges := strings.Fields(string(line[n+1:]))
	if p.part || n < 2 || len(ranges) < n+1 {
		return p.fail(f.Path, "malformed heading of a hunk")
	}
	left := make([]int, n+1) // lines of each parent and of the result
	for i := range left {
		mark := "-"
		if i == n {
			mark = "+"
		}
		text, ok := strings.CutPrefix(ranges[i], mark)
		if !ok {
			return p.fail(f.Path, "malformed heading of a hunk")
		}
		if _, left[i], ok = parseRange([]byte(text)); !ok {
			return p.fail(f.Path, "malformed heading of a hunk")
		}
	}
	for more(left) {
		line, err := p.line()
		if err == io.EOF {
			return p.fail(f.Path, "ends inside a hunk")
		}
		if err != nil {
			return err
		}
		f.Elided += int64(len(line))
		if hasPrefix(line, "\\") {
			continue
		}
		if len(line) < n {
			return p.fail(f.Path, "malformed line in a hunk of a merge")
		}
		marks := string(line[:n])
		lost := strings.Contains(marks, "-")
		for i := range marks {
			if marks[i] == '-' || marks[i] == ' ' && !lost {
				left[i]--
			}
		}
		switch {
		case lost:
			f.Removed++
		default:
			left[n]--
			if strings.Contains(marks, "+") {
				f.Added++
			}
		}
		rest, err := p.skipRest(nil)
		if err != nil {
			return err
		}
		f.Elided += rest
	}
	for p.at("\\ ") {
		line, err := p.line()
		if err != nil {
			return err
		}
		f.Elided += int64(len(line))
	}
	return nil
}

func more(left []int) bool {
	return slices.ContainsFunc(left, func(n int) bool { return n > 0 })
}
