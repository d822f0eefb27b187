package outline

import (
	"bytes"
	"cmp"
	"unicode/utf8"
)

// A syntax says how a language writes comments and strings, which is all that
// is needed to find its braces.
type syntax struct {
	line     []string // what begins a comment to the end of the line
	open     string   // what begins a block comment
	close    string
	nested   bool   // block comments nest
	quotes   string // what delimits strings that end with the line
	long     string // what delimits strings that do not, one byte each
	triple   bool   // """ delimits strings
	char     bool   // ' delimits single characters only
	hash     bool   // # at the beginning of a line is the preprocessor
	raw      bool   // r"…" and r#"…"# have no escapes
	parens   bool   // R"x(…)x" has no escapes and may hold line ends
	regex    bool   // / may begin a regular expression
	verb     bool   // @"…", $"…{…}…" and """…""" of C#
	name     bool   // `…` is a name
	hole     string // what begins a hole with an expression in a string: ${
	brackets bool   // [[…]] and [=[…]=] are strings, or comments after the mark of one
	tags     bool   // text is outside of <?php and ?>, and <<<X begins a string that X ends
}

// mask returns src with comments, strings and preprocessor lines blanked, byte
// for byte, and reports the span of each comment and, unless quoted is nil, of
// each string with its quotes.
func (y syntax) mask(src []byte, found, quoted func(start, end int)) []byte {
	m := &masker{syntax: y, src: src, out: bytes.Clone(src), found: found, quoted: quoted, eol: -1, lineStart: true}
	i := 0
	if y.tags {
		i = nextTag(src, 0)
		m.blank(0, i)
	}
	for i < len(src) {
		i = m.next(i)
	}
	return m.out
}

// A masker masks one text from its beginning to its end.
type masker struct {
	syntax
	src, out      []byte
	found, quoted func(start, end int)

	lineStart bool // nothing but blanks stands before on the line
	eol       int  // the end of the line last asked for
	holed     int  // until here, strings are taken to have no holes
}

// next masks what begins at i and returns its end.
func (m *masker) next(i int) int {
	c := m.src[i]
	switch {
	case c == '\n':
		m.lineStart = true
		return i + 1
	case c == '?' && m.tags && bytes.HasPrefix(m.src[i:], []byte("?>")):
		end := nextTag(m.src, i)
		m.blank(i, end)
		m.out[i] = ';'
		return end
	case c <= ' ':
		return i + 1
	case m.hash && c == '#' && m.lineStart:
		end := m.directiveEnd(i)
		m.blank(i, end)
		return end
	}

	if end := m.comment(i); end > i {
		return end
	}
	m.lineStart = false
	if end := m.special(m.src, i); end > i {
		m.literal(i, end)
		switch c {
		case '/': // so that it looks like a string
			m.out[i], m.out[end-1] = '"', '"'
		case '[': // line ends as well, so that no line begins in it
			for k := i; k < end; k++ {
				m.out[k] = '"'
			}
		}
		return end
	}
	return m.text(i)
}

func (m *masker) blank(a, b int) {
	for i := a; i < b && i < len(m.out); i++ {
		if m.out[i] != '\n' {
			m.out[i] = ' '
		}
	}
}

// literal blanks a string between its quotes.
func (m *masker) literal(a, b int) {
	m.blank(a+1, b-1)
	if m.quoted != nil {
		m.quoted(a, min(b, len(m.src)))
	}
}

// lineEnd returns the end of the line that i stands on; i only grows.
func (m *masker) lineEnd(i int) int {
	if i > m.eol {
		if j := bytes.IndexByte(m.src[i:], '\n'); j >= 0 {
			m.eol = i + j
		} else {
			m.eol = len(m.src)
		}
	}
	return m.eol
}

// directiveEnd returns the end of the preprocessor's line that begins at i, with the
// lines that backslashes add to it.
func (m *masker) directiveEnd(i int) int {
	end := m.lineEnd(i)
	for end < len(m.src) && end > 0 && (m.src[end-1] == '\\' || m.src[end-1] == '\r' && end > 1 && m.src[end-2] == '\\') {
		end = m.lineEnd(end + 1)
	}
	return end
}

// comment masks the comment that begins at i and returns its end, or 0.
func (m *masker) comment(i int) int {
	if m.open != "" && m.src[i] == m.open[0] && bytes.HasPrefix(m.src[i:], []byte(m.open)) {
		end := m.blockEnd(m.src, i)
		m.found(i, end)
		m.blank(i, end)
		m.lineStart = m.lineStart && end < len(m.src) && m.src[end] == '\n'
		return end
	}
	if !m.isLine(m.src, i) {
		return 0
	}
	end := m.lineEnd(i)
	if m.brackets {
		end = max(end, bracketsEnd(m.src, i+2))
	}
	if m.tags {
		if k := bytes.Index(m.src[i:end], []byte("?>")); k >= 0 {
			end = i + k
		}
	}
	m.found(i, end)
	m.blank(i, end)
	return end
}

// text masks the string that begins at i, or passes a byte of code, and returns where
// it ends.
func (m *masker) text(i int) int {
	src, c := m.src, m.src[i]
	end := i + 1
	switch {
	case m.triple && i+2 < len(src) && (c == '"' || c == '\'') && src[i+1] == c && src[i+2] == c:
		end = cmp.Or(m.holes(src, i, 3), len(src))
		for end < len(src) && src[end] == c { // """a""""
			end++
		}
	case bytes.IndexByte([]byte(m.long), c) >= 0:
		end = m.withHoles(i, c == '`', len(src), len(src))
	case c == '\'' && m.regex && m.apostrophe(i):
		return end
	case bytes.IndexByte([]byte(m.quotes), c) >= 0:
		end = m.withHoles(i, c == '"' && m.hole != "" && m.char, i+maxHole, m.lineEnd(i))
	case c == '`' && m.name:
		return i + max(1, bytes.IndexByte(src[i+1:m.lineEnd(i)], '`')+2)
	case m.char && c == '\'': // 'a' or '\n', but not the lifetime 'a.
		if end = m.character(i); end == 0 {
			return i + 1
		}
	default:
		return end
	}
	m.literal(i, end)
	return end
}

// apostrophe reports whether the quote at i stands in the text of JSX: behind a word that
// no string follows.
func (m *masker) apostrophe(i int) bool {
	from := i
	for from > 0 && i-from < maxKeyword && isWord(m.src[from-1]) {
		from--
	}
	return from < i && !quotable[string(m.src[from:i])]
}

// quotable are the words that a string may follow without a blank.
var quotable = setOf("case return typeof in of from import export default else do void delete throw new await yield instanceof as extends")

// maxKeyword is longer than any of them, in bytes.
const maxKeyword = 12

// withHoles returns the end of the string that begins at i: with holes, if it may have
// some and they end, else at its quote or at the limit. Where holes do not end, none
// are looked for up to until.
func (m *masker) withHoles(i int, may bool, until, limit int) int {
	if may && i >= m.holed {
		if end := m.holes(m.src, i, 1); end > 0 {
			return end
		}
		m.holed = until
	}
	return stringEnd(m.src, i, limit)
}

// character returns the end of the character in quotes that begins at i, or 0.
func (m *masker) character(i int) int {
	if i+2 < len(m.src) && m.src[i+1] == '\\' {
		return stringEnd(m.src, i, m.lineEnd(i))
	}
	if _, n := utf8.DecodeRune(m.src[i+1:]); i+1+n < len(m.src) && m.src[i+1+n] == '\'' {
		return i + n + 2
	}
	return 0
}

// nextTag returns the index behind the next tag of PHP that opens, or the end.
func nextTag(src []byte, i int) int {
	k := bytes.Index(src[i:], []byte("<?"))
	if k < 0 {
		return len(src)
	}
	for i += k + 2; i < len(src) && (isWord(src[i]) || src[i] == '='); i++ {
	}
	return i
}

// hereTextEnd returns the end of the string <<<X … X that begins at i, or 0.
func hereTextEnd(src []byte, i int) int {
	rest, ok := bytes.CutPrefix(src[i:], []byte("<<<"))
	if !ok {
		return 0
	}
	line, _, _ := bytes.Cut(rest[:min(len(rest), maxLiteral)], []byte("\n"))
	name := bytes.Trim(bytes.TrimSpace(line), `"'`)
	if len(name) == 0 || wordEnd(name, 0) != len(name) {
		return 0
	}
	for j := i + 3 + len(line) + 1; j < len(src); {
		end := len(src)
		if k := bytes.IndexByte(src[j:], '\n'); k >= 0 {
			end = j + k
		}
		text := bytes.TrimLeft(src[j:end], " \t")
		if bytes.HasPrefix(text, name) && (len(text) == len(name) || !isWord(text[len(name)])) {
			return end - len(text) + len(name)
		}
		j = end + 1
	}
	return len(src)
}

// bracketsEnd returns the end of the [[…]] or [=[…]=] that begins at i, or 0.
func bracketsEnd(src []byte, i int) int {
	rest, ok := bytes.CutPrefix(src[min(i, len(src)):], []byte("["))
	level := len(rest) - len(bytes.TrimLeft(rest, "="))
	if !ok || level == len(rest) || rest[level] != '[' {
		return 0
	}
	closing := "]" + string(rest[:level]) + "]"
	if k := bytes.Index(rest, []byte(closing)); k >= 0 {
		return i + 1 + k + len(closing)
	}
	return len(src)
}

// maxLiteral bounds a regular expression, in bytes: so that a line of slashes
// is not read again for each of them.
const maxLiteral = 1000

// special returns the end of a raw string or regular expression that begins at
// i, or 0.
func (y syntax) special(src []byte, i int) int {
	c := src[i]
	switch {
	case y.raw && c == 'r' && i+1 < len(src) && (src[i+1] == '"' || src[i+1] == '#') && (i == 0 || !isWord(src[i-1]) || src[i-1] == 'b'):
		j := i + 1
		for j < len(src) && src[j] == '#' {
			j++
		}
		if j == len(src) || src[j] != '"' {
			return 0
		}
		closing := append([]byte{'"'}, src[i+1:j]...)
		if k := bytes.Index(src[j+1:], closing); k >= 0 {
			return j + 1 + k + len(closing)
		}
		return len(src)
	case y.parens && c == '"' && i > 0 && src[i-1] == 'R': // C++: R"x(…)x"
		open := bytes.IndexByte(src[i:min(i+20, len(src))], '(')
		if open < 0 {
			return 0
		}
		closing := append(append([]byte{')'}, src[i+1:i+open]...), '"')
		if k := bytes.Index(src[i+open:], closing); k >= 0 {
			return i + open + k + len(closing)
		}
		return len(src)
	case c == '`' && y.raw: // Go
		if k := bytes.IndexByte(src[i+1:], '`'); k >= 0 {
			return i + 1 + k + 1
		}
		return len(src)
	case y.brackets && c == '[':
		return bracketsEnd(src, i)
	case y.tags && c == '<':
		return hereTextEnd(src, i)
	case y.verb && (c == '@' || c == '$'):
		return verbatimEnd(src, i)
	case y.verb && c == '"' && bytes.HasPrefix(src[i:], []byte(`"""`)):
		return verbatimEnd(src, i)
	case y.regex && c == '/' && (i+1 == len(src) || src[i+1] != '>'):
		before := bytes.TrimRight(src[max(0, i-80):i], " \t\n\r")
		if n := len(before); n > 0 && bytes.IndexByte([]byte("(,=:[!&|?{};+"), before[n-1]) < 0 && !bytes.HasSuffix(before, []byte("return")) {
			return 0
		}
		class := false
		for j := i + 1; j < min(len(src), i+maxLiteral) && src[j] != '\n'; j++ {
			switch src[j] {
			case '\\':
				j++
			case '[':
				class = true
			case ']':
				class = false
			case '/':
				if !class {
					return j + 1
				}
			}
		}
	}
	return 0
}

func (y syntax) isLine(src []byte, i int) bool {
	for _, m := range y.line {
		if src[i] != m[0] || len(src)-i < len(m) || string(src[i:i+len(m)]) != m {
			continue
		}
		if m == "#" && i+1 < len(src) && src[i+1] == '[' && len(y.line) > 1 { // PHP's attributes
			return false
		}
		if m == "#" && i > 0 && (src[i-1] == '$' || src[i-1] == '{' || src[i-1] == '&') { // $#, ${#x}
			return false
		}
		if m == "//" && i > 0 && src[i-1] == ':' { // a URL in an unquoted value
			return false
		}
		return true
	}
	return false
}

// blockEnd returns the end of the block comment that begins at i.
func (y syntax) blockEnd(src []byte, i int) int {
	depth := 1
	for j := i + len(y.open); j < len(src); {
		switch {
		case src[j] == y.close[0] && bytes.HasPrefix(src[j:], []byte(y.close)):
			j += len(y.close)
			if depth--; depth == 0 {
				return j
			}
		case y.nested && src[j] == y.open[0] && bytes.HasPrefix(src[j:], []byte(y.open)):
			j += len(y.open)
			depth++
		default:
			j++
		}
	}
	return len(src)
}

// stringEnd returns the index after the string that begins at i, or limit.
func stringEnd(src []byte, i, limit int) int {
	q := src[i]
	for j := i + 1; j < limit; j++ {
		switch src[j] {
		case '\\':
			j++
		case q:
			return j + 1
		}
	}
	return limit
}
