package change

import (
	"strings"

	"github.com/satchel-dev/satchel"
)

// statements are words that stand before a parenthesis without defining
// anything.
var statements = words("if else for while switch catch return throw new await yield do case using lock fixed foreach sizeof typeof delete goto assert with function super this not and or in is")

// typedFunction finds the name of a function as C and its kin declare it: a
// type, a name, parameters.
func typedFunction(line string) (name string, ok bool) {
	trimmed := strings.TrimSpace(line)
	open := strings.IndexByte(trimmed, '(')
	if open <= 0 || strings.ContainsAny(trimmed[:open], "=\"'.!?+|;{}/") || strings.HasSuffix(trimmed, ";") && !startsWith(trimmed, []string{"public ", "protected ", "private ", "abstract "}) {
		return "", false
	}
	head := strings.TrimRight(trimmed[:open], " ")
	at := len(head)
	for at > 0 && (wordByte(head[at-1]) || head[at-1] == ':' || head[at-1] == '~') {
		at--
	}
	name = strings.Trim(head[at:], ":")
	before := strings.TrimRight(head[:at], " *&")
	if name == "" || before == "" || statements[name] || name[0] >= '0' && name[0] <= '9' {
		return "", false
	}
	first, _ := firstWord(before)
	if statements[first] || strings.HasSuffix(before, ",") || strings.HasSuffix(before, "(") {
		return "", false
	}
	return name, true
}

// scriptMethod finds the name of a method in the body of a class or an object.
func scriptMethod(line string) (name string, ok bool) {
	trimmed := strings.TrimSpace(line)
	if trimmed == "" || trimmed[0] == line[0] || !strings.HasSuffix(trimmed, "{") {
		return "", false
	}
	rest := trimmed
	for {
		word, after := firstWord(rest)
		switch word {
		case "public", "private", "protected", "static", "async", "get", "set", "readonly", "override", "abstract", "declare", "*":
			if strings.TrimSpace(after) != "" && strings.TrimSpace(after)[0] != '(' {
				rest = strings.TrimLeft(after, " ")
				continue
			}
		}
		break
	}
	name = leadingName(strings.TrimPrefix(rest, "*"))
	tail := strings.TrimPrefix(rest, "*")[len(name):]
	if name == "" || statements[name] {
		return "", false
	}
	if strings.HasPrefix(tail, "<") {
		if i := strings.IndexByte(tail, '('); i > 0 {
			tail = tail[i:]
		}
	}
	if strings.HasPrefix(tail, " = (") && strings.Contains(tail, "=>") || strings.HasPrefix(tail, " = async (") {
		return name, true
	}
	// A call that is passed a function ends the same way: describe("x", () => {
	return name, strings.HasPrefix(tail, "(") && !strings.Contains(tail, "=>") && !strings.Contains(tail, "function") && balanced(tail)
}

// balanced reports whether the parentheses that a line opens are closed.
func balanced(s string) bool {
	return strings.Count(s, "(") == strings.Count(s, ")")
}

// shellFunction finds the name in "name() {".
func shellFunction(line string) (name string, ok bool) {
	trimmed := strings.TrimSpace(line)
	name = leadingName(trimmed)
	rest := strings.ReplaceAll(trimmed[len(name):], " ", "")
	return name, name != "" && strings.HasPrefix(rest, "()")
}

// implSymbol is what implName needs to know of a line that begins an impl.
func implSymbol(line string) *satchel.Symbol {
	return &satchel.Symbol{Kind: "impl", Signature: strings.TrimSpace(strings.TrimSuffix(line, "{"))}
}

// exported judges a definition by its line.
func (d *lineDefinition) exported(lang, name string) bool {
	p := &Pair{Path: name, Lang: lang}
	n := node{Symbol: &satchel.Symbol{Kind: d.kind, Name: d.name, Parent: d.parent, Signature: d.line}, group: groupOf(d.kind), name: d.name, pair: p, lines: &lines{}}
	if d.indented {
		switch lang {
		case "javascript", "typescript", "tsx", "vue", "svelte":
			return !has(d.line, "private") && !strings.HasPrefix(d.name, "_") && !strings.HasPrefix(d.name, "#")
		}
	}
	return n.visible()
}
