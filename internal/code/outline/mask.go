package outline

import (
	"bytes"
	"unicode/utf8"
)

// A syntax says how a language writes comments and strings, which is all that
// is needed to find its braces.
type syntax struct {
	line   []string // what begins a comment to the end of the line
	open   string   // what begins a block comment
	close  string
	nested bool   // block comments nest
	quotes string // what delimits strings that end with the line
	long   string // what delimits strings that do not, one byte each
	triple bool   // """ delimits strings
	char   bool   // ' delimits single characters only
	hash   bool   // # at the beginning of a line is the preprocessor
	raw    bool   // r"…" and r#"…"# have no escapes
	parens bool   // R"x(…)x" has no escapes and may hold line ends
	regex  bool   // / may begin a regular expression
	verb   bool   // @"…", $"…{…}…" and """…""" of C#
	name   bool   // `…` is a name
	hole   string // what begins a hole with an expression in a string: ${
	tags   bool   // text stands outside of <?php and ?>, and <<<X begins a string that X ends
}

// mask returns src with comments, strings and preprocessor lines blanked, byte
// for byte, and reports the span of each comment and, unless quoted is nil, of
// each string with its quotes.
func (y syntax) mask(src []byte, found, quoted func(start, end int)) []byte {
	out := bytes.Clone(src)
	blank := func(a, b int) {
		for i := a; i < b && i < len(out); i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	literal := func(a, b int) {
		blank(a+1, b-1)
		if quoted != nil {
			quoted(a, min(b, len(src)))
		}
	}
	eol := -1 // the end of the line last asked for; i only grows
	lineEnd := func(i int) int {
		if i > eol {
			if j := bytes.IndexByte(src[i:], '\n'); j >= 0 {
				eol = i + j
			} else {
				eol = len(src)
			}
		}
		return eol
	}
	lineStart := true
	holed := 0 // until here, strings are taken to have no holes
	i := 0
	if y.tags {
		i = nextTag(src, 0)
		blank(0, i)
	}
	for i < len(src) {
		c := src[i]
		switch {
		case c == '\n':
			lineStart = true
			i++
			continue
		case c == '?' && y.tags && bytes.HasPrefix(src[i:], []byte("?>")):
			end := nextTag(src, i)
			blank(i, end)
			if i < len(out) {
				out[i] = ';'
			}
			i = end
			continue
		case c <= ' ':
			i++
			continue
		case y.hash && c == '#' && lineStart:
			end := lineEnd(i)
			for end < len(src) && end > 0 && (src[end-1] == '\\' || src[end-1] == '\r' && end > 1 && src[end-2] == '\\') {
				end = lineEnd(end + 1)
			}
			blank(i, end)
			i = end
			continue
		}
		if y.open != "" && c == y.open[0] && bytes.HasPrefix(src[i:], []byte(y.open)) {
			end := y.blockEnd(src, i)
			found(i, end)
			blank(i, end)
			i = end
			lineStart = lineStart && bytes.IndexByte(src[i:min(i+1, len(src))], '\n') >= 0
			continue
		}
		if y.isLine(src, i) {
			end := lineEnd(i)
			if y.tags {
				if k := bytes.Index(src[i:end], []byte("?>")); k >= 0 {
					end = i + k
				}
			}
			found(i, end)
			blank(i, end)
			i = end
			continue
		}
		lineStart = false
		if end := y.special(src, i); end > i {
			literal(i, end)
			if c == '/' { // so that it looks like a string
				out[i], out[end-1] = '"', '"'
			}
			i = end
			continue
		}
		switch {
		case y.triple && i+2 < len(src) && (c == '"' || c == '\'') && src[i+1] == c && src[i+2] == c:
			end := y.holes(src, i, 3)
			if end == 0 {
				end = len(src)
			}
			for end < len(src) && src[end] == c { // """a""""
				end++
			}
			literal(i, end)
			i = end
		case bytes.IndexByte([]byte(y.long), c) >= 0:
			end := 0
			if c == '`' && i >= holed {
				if end = y.holes(src, i, 1); end == 0 {
					holed = len(src)
				}
			}
			if end == 0 {
				end = stringEnd(src, i, len(src))
			}
			literal(i, end)
			i = end
		case bytes.IndexByte([]byte(y.quotes), c) >= 0:
			end := 0
			if c == '"' && y.hole != "" && y.char && i >= holed {
				if end = y.holes(src, i, 1); end == 0 {
					holed = i + maxHole
				}
			}
			if end == 0 {
				end = stringEnd(src, i, lineEnd(i))
			}
			literal(i, end)
			i = end
		case c == '`' && y.name:
			j := bytes.IndexByte(src[i+1:lineEnd(i)], '`')
			i += max(1, j+2)
		case y.char && c == '\'':
			// 'a' or '\n', but not the lifetime 'a.
			if i+2 < len(src) && src[i+1] == '\\' {
				end := stringEnd(src, i, lineEnd(i))
				literal(i, end)
				i = end
			} else if _, n := utf8.DecodeRune(src[i+1:]); i+1+n < len(src) && src[i+1+n] == '\'' {
				literal(i, i+n+2)
				i += n + 2
			} else {
				i++
			}
		default:
			i++
		}
	}
	return out
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
