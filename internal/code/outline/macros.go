package outline

import "bytes"

// WithoutMacros blanks the macros that decorate C and C++ definitions, which
// the grammars take for types or names:
//
//	class EXPORT Shape {                  class        Shape {
//	JQ_API int jq_next(jq_state *);              int jq_next(jq_state *);
//	simdjson_inline std::string get()                     std::string get()
//
// Only lines are looked at that begin with words and then ( [ = ; or a comma:
// of three or more words that each could be a type or a name, all but the last
// two are macros. Bytes keep their places.
func WithoutMacros(src []byte) []byte {
	var out []byte
	blank := func(from, to int) {
		if out == nil {
			out = bytes.Clone(src)
		}
		for i := from; i < to; i++ {
			out[i] = ' '
		}
	}
	for at := 0; at < len(src); {
		end := bytes.IndexByte(src[at:], '\n')
		if end < 0 {
			end = len(src)
		} else {
			end += at
		}
		decorations(src[at:end], at, blank)
		at = end + 1
	}
	if out == nil {
		return src
	}
	return out
}

// A unit is a type or a name at the beginning of a line: a word, qualified or
// not, or several that make one type, such as unsigned long.
type unit struct {
	from, to int
	plain    bool // one unqualified word that is no keyword
}

var (
	cModifiers = setOf("static extern inline virtual const constexpr consteval constinit typedef friend explicit volatile register mutable typename restrict __restrict __inline __inline__ __extension__ noexcept thread_local _Thread_local")
	cTypes     = setOf("void char short int long float double signed unsigned bool _Bool auto wchar_t size_t")
	cTags      = setOf("class struct union enum")
)

// decorations calls blank for the macros of one line, which begins at byte at.
func decorations(line []byte, at int, blank func(from, to int)) {
	var units [6]unit
	n := 0
	tag := false  // after class or struct
	typed := -1   // the unit of the built-in type that words may still join
	var stop byte // what ended the words
scan:
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == ' ' || c == '\t' || c == '*' || c == '&' || c == '\r':
			i++
			continue
		case !isWord(c):
			stop = c
			if c == '(' && n > 0 && units[n-1].plain && isCapitals(line[units[n-1].from:units[n-1].to]) {
				// EXPORT(x) int f(…): the brackets are the macro's
				if end := bytes.IndexByte(line[i:], ')'); end > 0 && bytes.IndexByte(line[i+1:i+end], '(') < 0 && i+end+2 < len(line) && line[i+end+1] == ' ' && isWord(line[i+end+2]) {
					units[n-1].to = i + end + 1
					i += end + 1
					continue
				}
			}
			break scan
		case c >= '0' && c <= '9':
			return
		}
		j := wordEnd(line, i)
		w := string(line[i:j])
		switch {
		case control[w] || w == "using" || w == "namespace" || w == "template" || w == "operator" || w == "public" || w == "private" || w == "protected" || w == "default" || w == "define":
			return
		case cModifiers[w]:
			i = j
			continue
		case cTags[w]:
			tag = true
			i = j
			continue
		}
		if n == len(units) {
			return
		}
		u := unit{from: i, plain: !cTypes[w]}
		for { // ::name and <arguments>
			if j+2 < len(line) && line[j] == ':' && line[j+1] == ':' && isWord(line[j+2]) {
				j = wordEnd(line, j+2)
				u.plain = false
				continue
			}
			if j < len(line) && line[j] == '<' {
				end := angleEnd(line, j)
				if end < 0 {
					return
				}
				j, u.plain = end, false
				continue
			}
			break
		}
		u.to = j
		i = j
		if !u.plain && cTypes[w] {
			if typed >= 0 && typed == n-1 {
				units[n-1].to = j
				continue
			}
			typed = n
		}
		units[n] = u
		n++
	}
	switch {
	case tag && n >= 2 && (stop == '{' || stop == ':' || stop == 0):
		// struct s f, struct s *f: only capitals are surely macros here.
		for _, u := range units[:n-1] {
			if u.plain && isCapitals(line[u.from:u.to]) {
				blank(at+u.from, at+u.to)
			}
		}
	case stop == '(' || stop == '[' || stop == '=' || stop == ';' || stop == ',':
		for k := 0; n-k > 2; k++ {
			if !units[k].plain {
				break
			}
			blank(at+units[k].from, at+units[k].to)
		}
	}
}

func wordEnd(line []byte, i int) int {
	for i < len(line) && isWord(line[i]) {
		i++
	}
	return i
}

// angleEnd returns the index after the > that closes the < at i, or -1.
func angleEnd(line []byte, i int) int {
	depth := 0
	for ; i < len(line); i++ {
		switch line[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return i + 1
			}
		case ';', '{', '(':
			return -1
		}
	}
	return -1
}

// isCapitals reports whether a word is written as macros are.
func isCapitals(w []byte) bool {
	letters := 0
	for i, c := range w {
		switch {
		case c >= 'A' && c <= 'Z':
			letters++
		case c == '_' || c >= '0' && c <= '9':
		case c == '(' && i > 0:
			return letters > 2
		default:
			return false
		}
	}
	return letters > 2
}
