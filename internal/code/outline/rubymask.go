package outline

import (
	"bytes"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// Ruby's strings hold code that holds strings. Its text is masked with a stack
// of what is open, and every byte is looked at once.

// A rubyOpen is a string, or the code of a #{…} within one.
type rubyOpen struct {
	close, nest byte // what ends it, and what opens another of the same within it
	depth       int  // of those
	code        bool
	fills       bool // holds #{…}
}

type rubyMask struct {
	src, out []byte
	open     []rubyOpen
	here     []hereDocument
	comment  func(start, end int)
}

// maskRuby returns src with comments and here documents blank, and with strings
// filled as in maskShell.
func maskRuby(src []byte, comment func(start, end int)) []byte {
	m := &rubyMask{src: src, out: bytes.Clone(src), comment: comment}
	for i := 0; i < len(src); {
		switch n := len(m.open); {
		case n > 0 && !m.open[n-1].code:
			i = m.inString(i)
		default:
			i = m.inCode(i)
		}
	}
	return m.out
}

func (m *rubyMask) fill(from, to int) int {
	for i := from; i < min(to, len(m.out)); i++ {
		m.out[i] = filled
	}
	return to
}

func (m *rubyMask) blank(from, to int) int {
	for i := from; i < min(to, len(m.out)); i++ {
		if m.out[i] != '\n' {
			m.out[i] = ' '
		}
	}
	return to
}

// inString reads a byte of the innermost string.
func (m *rubyMask) inString(i int) int {
	o := &m.open[len(m.open)-1]
	c := m.src[i]
	switch {
	case c == '\\':
		return m.fill(i, i+2)
	case c == '#' && o.fills && i+1 < len(m.src) && m.src[i+1] == '{':
		m.open = append(m.open, rubyOpen{close: '}', nest: '{', code: true})
		return m.fill(i, i+2)
	case c == o.close:
		if o.depth == 0 {
			m.open = m.open[:len(m.open)-1]
		} else {
			o.depth--
		}
	case c == o.nest:
		o.depth++
	}
	return m.fill(i, i+1)
}

// inCode reads what begins at i outside strings.
func (m *rubyMask) inCode(i int) int {
	c := m.src[i]
	lineStart := i == 0 || m.src[i-1] == '\n'
	switch {
	case c == '\n':
		return m.newline(i)
	case lineStart && c == '=' && bytes.HasPrefix(m.src[i:], []byte("=begin")):
		return m.remark(i, m.find(i, "\n=end"))
	case lineStart && bytes.HasPrefix(m.src[i:], []byte("__END__\n")):
		return m.blank(i, len(m.src))
	case c == '\\' && i+1 < len(m.src):
		m.out[i], m.out[i+1] = ' ', ' ' // the line goes on
		return i + 2
	case c == '#':
		return m.remark(i, m.find(i, "\n")-1)
	}
	if len(m.open) > 0 {
		return m.inFilled(i, c)
	}
	if end := m.literal(i, c); end > i {
		return m.fill(i, end)
	}
	return i + 1
}

// find returns the index after the line on which mark is next found.
func (m *rubyMask) find(i int, mark string) int {
	j := bytes.Index(m.src[i:], []byte(mark))
	if j < 0 {
		return len(m.src) + 1
	}
	i += j + 1
	if j = bytes.IndexByte(m.src[i:], '\n'); j < 0 || mark == "\n" {
		if mark == "\n" {
			return i
		}
		return len(m.src)
	}
	return i + j
}

func (m *rubyMask) remark(from, to int) int {
	to = min(to, len(m.src))
	if len(m.open) > 0 {
		return m.fill(from, to)
	}
	m.comment(from, to)
	return m.blank(from, to)
}

// inFilled reads code within a string.
func (m *rubyMask) inFilled(i int, c byte) int {
	o := &m.open[len(m.open)-1]
	if end := m.literal(i, c); end > i {
		return m.fill(i, end)
	}
	switch {
	case c == o.close && o.depth == 0:
		m.open = m.open[:len(m.open)-1]
	case c == o.close:
		o.depth--
	case c == o.nest:
		o.depth++
	}
	return m.fill(i, i+1)
}

// newline reads the end of a line, and the here documents that begin after it.
func (m *rubyMask) newline(i int) int {
	within := len(m.open) > 0
	if within {
		m.fill(i, i+1)
	}
	if len(m.here) == 0 {
		return i + 1
	}
	from := i + 1
	at := hereEnd(m.src, from, m.here)
	m.here = nil
	if within {
		return m.fill(from, at)
	}
	return m.blank(from, at)
}

// hereEnd returns where the last of here documents ends that begin at a line.
func hereEnd(src []byte, at int, here []hereDocument) int {
	for at < len(src) {
		end := len(src)
		if j := bytes.IndexByte(src[at:], '\n'); j >= 0 {
			end = at + j
		}
		line := bytes.TrimSuffix(src[at:end], []byte("\r"))
		if here[0].tabs {
			line = bytes.TrimLeft(line, " \t")
		}
		if bytes.Equal(line, here[0].end) {
			if here = here[1:]; len(here) == 0 {
				return end
			}
		}
		at = end + 1
	}
	return len(src)
}

// literal opens the string, symbol, regular expression or here document at i and
// returns the end of what is read; i if there is none.
func (m *rubyMask) literal(i int, c byte) int {
	next := byte(0)
	if i+1 < len(m.src) {
		next = m.src[i+1]
	}
	switch c {
	case '"', '\'', '`':
		if c == '`' && m.afterDef(i) {
			return i
		}
		m.open = append(m.open, rubyOpen{close: c, fills: c != '\''})
		return i + 1
	case '$':
		if next > ' ' && !isWord(next) {
			return i + 2 // $' and $"
		}
	case '?':
		if next > ' ' && (i == 0 || !isWord(m.src[i-1]) && m.src[i-1] != ')' && m.src[i-1] != ']') && (i+2 >= len(m.src) || !isWord(m.src[i+2])) {
			return i + 2 // ?a
		}
	case '%':
		return m.percent(i)
	case '/':
		if m.value(i) {
			return max(i, m.regex(i))
		}
	case '<':
		if next == '<' {
			return m.hereBegins(i)
		}
	}
	return i
}

func (m *rubyMask) afterDef(i int) bool {
	before := bytes.TrimRight(m.src[max(0, i-8):i], " ")
	return bytes.HasSuffix(before, []byte("def")) || bytes.HasSuffix(before, []byte("."))
}

// value reports whether a value may begin at i, rather than an operator stand there.
func (m *rubyMask) value(i int) bool {
	if m.afterDef(i) {
		return false
	}
	k := i
	for k > 0 && k > i-100 && (m.src[k-1] == ' ' || m.src[k-1] == '\t') {
		k--
	}
	if k == 0 {
		return true
	}
	c := m.src[k-1]
	if strings.IndexByte("\n(,=[{|&!;+*~<>-^", c) >= 0 || c == ':' && k < i || c == '?' && k < i {
		return true
	}
	if !isWord(c) {
		return false
	}
	from := k
	for from > 0 && from > k-20 && isWord(m.src[from-1]) {
		from--
	}
	if rubyBefore[string(m.src[from:k])] {
		return true
	}
	// A method's first argument: split /x/, puts %(a).
	return k < i && m.src[from] >= 'a' && i+1 < len(m.src) && m.src[i+1] != ' ' && m.src[i+1] != '='
}

// rubyBefore are the words that a value follows.
var rubyBefore = setOf("if unless while until when and or not return then elsif else do in case puts begin rescue")

// percent opens %w[…], %(…) and their like.
func (m *rubyMask) percent(i int) int {
	at := i + 1
	if at < len(m.src) && strings.IndexByte("wWiIqQrsx", m.src[at]) >= 0 {
		at++
	}
	if at >= len(m.src) || !m.value(i) && at == i+1 {
		return i
	}
	d := m.src[at]
	if d <= ' ' || isWord(d) || d == '=' && at == i+1 {
		return i
	}
	o := rubyOpen{close: d, fills: strings.IndexByte("wiqs", m.src[i+1]) < 0}
	if k := strings.IndexByte("([{<", d); k >= 0 {
		o.nest, o.close = d, ")]}>"[k]
	}
	m.open = append(m.open, o)
	return at + 1
}

// regex returns the end of a regular expression on one line, or 0.
func (m *rubyMask) regex(i int) int {
	class := false
	for j := i + 1; j < min(len(m.src), i+maxLiteral) && m.src[j] != '\n'; j++ {
		switch m.src[j] {
		case '\\':
			j++
		case '[':
			class = true
		case ']':
			class = false
		case '#':
			if j+1 < len(m.src) && m.src[j+1] == '{' {
				if k := bytes.IndexByte(m.src[j:min(len(m.src), i+maxLiteral)], '}'); k > 0 {
					j += k
				}
			}
		case '/':
			if !class {
				return j + 1
			}
		}
	}
	return 0
}

// hereBegins reads <<~END, <<-"END" and <<END.
func (m *rubyMask) hereBegins(i int) int {
	at := i + 2
	var h hereDocument
	if at < len(m.src) && (m.src[at] == '~' || m.src[at] == '-') {
		h.tabs = true
		at++
	}
	if at >= len(m.src) {
		return i
	}
	quote := m.src[at]
	switch {
	case quote == '"' || quote == '\'' || quote == '`':
		end := bytes.IndexByte(m.src[at+1:min(len(m.src), at+symbols.MaxName)], quote)
		if end < 0 {
			return i
		}
		h.end = m.src[at+1 : at+1+end]
		at += end + 2
	case isWord(quote) && (h.tabs || quote >= 'A' && quote <= 'Z' && (i == 0 || !isWord(m.src[i-1]))):
		end := wordEnd(m.src, at)
		h.end = m.src[at:end]
		at = end
	default:
		return i
	}
	if len(h.end) == 0 || bytes.IndexByte(h.end, '\n') >= 0 {
		return i
	}
	m.here = append(m.here, h)
	return at
}
