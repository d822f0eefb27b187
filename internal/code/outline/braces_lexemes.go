package outline

import "strings"

// A lexeme of a header: a word or a mark.
type lexeme struct {
	text  string
	at    int
	depth int // of brackets, before it
	pair  int // of < and >: how far off the other is; 0 if there is none
}

// lexemes splits a header. Template arguments count as brackets.
func lexemes(h []byte) []lexeme {
	var out []lexeme
	depth := 0
	for i := 0; i < len(h); {
		c := h[i]
		switch {
		case c <= ' ':
			i++
			continue
		case isWord(c):
			j := i + 1
			for j < len(h) && isWord(h[j]) {
				j++
			}
			out = append(out, lexeme{text: string(h[i:j]), at: i, depth: depth})
			i = j
			continue
		case c == ':' && i+1 < len(h) && h[i+1] == ':':
			out = append(out, lexeme{text: "::", at: i, depth: depth})
			i += 2
			continue
		}
		out = append(out, lexeme{text: string(h[i : i+1]), at: i, depth: depth})
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
			out[len(out)-1].depth = depth
		}
		i++
	}
	deepen(out)
	return out
}

// deepen counts the < and > that pair up as brackets.
func deepen(toks []lexeme) {
	var open []int
	for i, t := range toks {
		switch t.text {
		case "<":
			if i > 0 && (toks[i-1].text == "operator" || toks[i-1].text == "<" && i > 1 && toks[i-2].text == "operator") {
				continue
			}
			open = append(open, i)
		case ">":
			if i > 0 && (toks[i-1].text == "-" || toks[i-1].text == "=" || toks[i-1].text == "operator") {
				continue
			}
			for len(open) > 0 && toks[open[len(open)-1]].depth > t.depth {
				open = open[:len(open)-1]
			}
			if n := len(open); n > 0 && toks[open[n-1]].depth == t.depth {
				toks[open[n-1]].pair = i - open[n-1]
				toks[i].pair = i - open[n-1]
				for j := open[n-1] + 1; j < i; j++ {
					toks[j].depth++
				}
				open = open[:n-1]
			}
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isName(s string) bool {
	return s != "" && isWord(s[0]) && (s[0] < '0' || s[0] > '9')
}

// operatorAt returns the index of the operator keyword whose parameter list
// opens at i, or -1. What follows it are a few marks, or a type.
func operatorAt(toks []lexeme, i int) int {
	for j, n := i-1, 0; j >= 0 && n < maxOperator; j-- {
		switch {
		case toks[j].text == "operator":
			if i == j+1 { // operator()(…): the first brackets are the name
				return -1
			}
			return j
		case toks[j].text == ">" && toks[j].pair > 0:
			j -= toks[j].pair
		case toks[j].text == "::":
			j--
		default:
			n++
		}
	}
	return -1
}

// maxOperator is how many words or marks name an operator: new[], std::vector<T> &.
const maxOperator = 4

// isMacro reports whether a name is all upper case, as macros are.
func isMacro(s string) bool {
	return len(s) > 2 && s == strings.ToUpper(s) && strings.ContainsAny(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// skipTemplate drops template<…> and annotations at the beginning.
func skipTemplate(toks []lexeme) []lexeme {
	for len(toks) > 0 {
		switch {
		case toks[0].text == "template" && len(toks) > 1 && toks[1].text == "<":
			angle, i := 0, 1
			for ; i < len(toks); i++ {
				if toks[i].text == "<" && toks[i].depth == 0 {
					angle++
				}
				if toks[i].text == ">" && toks[i].depth == 0 {
					if angle--; angle == 0 {
						break
					}
				}
			}
			toks = toks[min(i+1, len(toks)):]
		case toks[0].text == "@" && len(toks) > 1 && toks[1].text != "interface":
			i := 2
			for i+1 < len(toks) && toks[i].text == "." {
				i += 2
			}
			if i < len(toks) && toks[i].text == "(" {
				for i < len(toks) && !(toks[i].text == ")" && toks[i].depth == 0) {
					i++
				}
				i++
			}
			toks = toks[min(i, len(toks)):]
		case toks[0].text == "[": // an attribute in brackets
			i := 0
			for i < len(toks) && !(toks[i].text == "]" && toks[i].depth == 0) {
				i++
			}
			toks = toks[min(i+1, len(toks)):]
		case toks[0].text == "#" && len(toks) > 1 && (toks[1].text == "[" || toks[1].text == "!"):
			i := 1
			for i < len(toks) && !(toks[i].text == "]" && toks[i].depth == 0) {
				i++
			}
			toks = toks[min(i+1, len(toks)):]
		default:
			return toks
		}
	}
	return toks
}
