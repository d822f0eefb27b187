package outline

import "bytes"

// A shell quotes within quotes: "$(f "$x")". So its text is masked with a stack
// of what is open, one byte each, and every byte is looked at once.

// What a shellMask has open.
const (
	inQuotes  = '"' // "…"
	inCommand = '(' // $(…) and brackets within it
	inSum     = '+' // $((…)), ((…)) and brackets within them
	inName    = '{' // ${…}
	inCase    = 'c' // case … esac within $(…), where ) ends a pattern
)

// shell outlines a script by line rules.
func (l *lines) shell() {
	l.masked = maskShell(l.src, l.noteComment)
	l.indented(shellRules())
}

// filled stands for a byte of a string: part of a word, no letter and no mark.
const filled = 1

type shellMask struct {
	src, out []byte
	open     []byte
	here     []hereDocument // that begin after this line
	comment  func(start, end int)
}

// A hereDocument is text up to a line that is its end.
type hereDocument struct {
	end  []byte
	tabs bool // the line may be indented by tabs
}

// maskShell returns src with comments and here documents blank, and with strings,
// commands within words and sums filled, line ends included.
func maskShell(src []byte, comment func(start, end int)) []byte {
	m := &shellMask{src: src, out: bytes.Clone(src), comment: comment}
	for i := 0; i < len(src); {
		i = m.step(i)
	}
	return m.out
}

func (m *shellMask) top() byte {
	if len(m.open) == 0 {
		return 0
	}
	return m.open[len(m.open)-1]
}

func (m *shellMask) push(b byte) { m.open = append(m.open, b) }
func (m *shellMask) pop()        { m.open = m.open[:len(m.open)-1] }

// fill marks bytes as those of a word.
func (m *shellMask) fill(from, to int) int {
	for i := from; i < min(to, len(m.out)); i++ {
		m.out[i] = filled
	}
	return to
}

func (m *shellMask) blank(from, to int) {
	for i := from; i < min(to, len(m.out)); i++ {
		if m.out[i] != '\n' {
			m.out[i] = ' '
		}
	}
}

// step reads what is at i and returns where to go on.
func (m *shellMask) step(i int) int {
	c, top := m.src[i], m.top()
	switch {
	case c == '\\':
		if top == 0 && i+1 < len(m.src) && m.src[i+1] == '\n' {
			m.out[i], m.out[i+1] = ' ', ' ' // the line goes on
			return i + 2
		}
		return m.fill(i, i+2)
	case c == '"':
		if top == inQuotes {
			m.pop()
		} else {
			m.push(inQuotes)
		}
		return m.fill(i, i+1)
	case c == '$' || c == '`':
		return m.dollar(i)
	case top == inQuotes:
		return m.fill(i, i+1)
	case c == '\'' && !(top == inName && len(m.open) > 1 && m.open[len(m.open)-2] == inQuotes):
		end := len(m.src)
		if j := bytes.IndexByte(m.src[i+1:], '\''); j >= 0 {
			end = i + 1 + j + 1
		}
		return m.fill(i, end)
	case top == inName:
		if c == '}' {
			m.pop()
		}
		return m.fill(i, i+1)
	case c == '#' && top != inSum && m.beginsWord(i):
		end := len(m.src)
		if j := bytes.IndexByte(m.src[i:], '\n'); j >= 0 {
			end = i + j
		}
		m.comment(i, end)
		m.blank(i, end)
		return end
	case c == '\n' && len(m.here) > 0:
		if top != 0 {
			m.fill(i, i+1)
		}
		return m.hereDocuments(i + 1)
	case c == '<' && top != inSum && bytes.HasPrefix(m.src[i:], []byte("<<")):
		return m.hereBegins(i)
	case c == '(' && top == 0 && bytes.HasPrefix(m.src[i:], []byte("((")) && m.beginsWord(i):
		m.push(inSum)
		m.push(inSum)
		return m.fill(i, i+2)
	}
	if top != 0 {
		return m.within(i, c, top)
	}
	return i + 1
}

// within reads a byte of a command or a sum that is part of a word.
func (m *shellMask) within(i int, c, top byte) int {
	switch {
	case c == '(' && top != inCase:
		m.push(top)
	case c == ')' && top != inCase:
		m.pop()
	case top != inSum && isWord(c) && m.beginsWord(i):
		end := wordEnd(m.src, i)
		switch string(m.src[i:end]) {
		case "case":
			m.push(inCase)
		case "esac":
			if top == inCase {
				m.pop()
			}
		}
		return m.fill(i, end)
	}
	return m.fill(i, i+1)
}

// dollar reads what begins with $ or `.
func (m *shellMask) dollar(i int) int {
	rest := m.src[i:]
	switch {
	case rest[0] == '`':
		return m.fill(i, escapedEnd(m.src, i+1, '`'))
	case bytes.HasPrefix(rest, []byte("$((")):
		m.push(inSum)
		m.push(inSum)
		return m.fill(i, i+3)
	case bytes.HasPrefix(rest, []byte("$(")):
		m.push(inCommand)
		return m.fill(i, i+2)
	case bytes.HasPrefix(rest, []byte("${")):
		m.push(inName)
		return m.fill(i, min(i+3, len(m.src))) // ${#x} has no comment, ${"…} no string
	case bytes.HasPrefix(rest, []byte("$'")) && m.top() != inQuotes:
		return m.fill(i, escapedEnd(m.src, i+2, '\''))
	case len(rest) > 1 && rest[1] != '"' && rest[1] > ' ' && rest[1] != ')':
		return m.fill(i, i+2) // $#
	}
	return m.fill(i, i+1)
}

// escapedEnd returns the index after the first quote from at that no backslash
// stands before.
func escapedEnd(src []byte, at int, quote byte) int {
	for ; at < len(src); at++ {
		switch src[at] {
		case '\\':
			at++
		case quote:
			return at + 1
		}
	}
	return len(src)
}

func (m *shellMask) beginsWord(i int) bool {
	return i == 0 || bytes.IndexByte([]byte(" \t\n;&|()`"), m.src[i-1]) >= 0
}

// hereBegins reads <<END, <<-"END" and <<<word.
func (m *shellMask) hereBegins(i int) int {
	at := i + 2
	if at < len(m.src) && m.src[at] == '<' {
		return at + 1
	}
	var h hereDocument
	if at < len(m.src) && m.src[at] == '-' {
		h.tabs = true
		at++
	}
	for at < len(m.src) && (m.src[at] == ' ' || m.src[at] == '\t') {
		at++
	}
	from := at
	for at < len(m.src) && bytes.IndexByte([]byte(" \t\n;&|()<>"), m.src[at]) < 0 {
		if c := m.src[at]; c != '"' && c != '\'' && c != '\\' {
			h.end = append(h.end, c)
		}
		at++
	}
	if len(h.end) > 0 {
		m.here = append(m.here, h)
		m.fill(from, at)
	}
	return at
}

// hereDocuments blanks the documents that begin at the line at.
func (m *shellMask) hereDocuments(at int) int {
	from := at
	for at < len(m.src) && len(m.here) > 0 {
		end := len(m.src)
		if j := bytes.IndexByte(m.src[at:], '\n'); j >= 0 {
			end = at + j
		}
		line := bytes.TrimSuffix(m.src[at:end], []byte("\r"))
		if m.here[0].tabs {
			line = bytes.TrimLeft(line, "\t")
		}
		if bytes.Equal(line, m.here[0].end) {
			m.here = m.here[1:]
			if len(m.here) == 0 {
				m.passed(from, end)
				return end
			}
		}
		at = end + 1
	}
	m.here = nil
	m.passed(from, at)
	return at
}

// passed hides here documents, within a word as part of it.
func (m *shellMask) passed(from, to int) {
	if m.top() != 0 {
		m.fill(from, to)
		return
	}
	m.blank(from, to)
}
