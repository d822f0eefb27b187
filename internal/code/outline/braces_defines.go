package outline

import (
	"bytes"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// macros adds what #define defines, except include guards.
func (l *lines) macros() {
	var around []int // the symbols that enclose the line, the innermost last
	next, found := 0, l.Len()
	for row := 0; row < len(l.starts); row++ {
		s, e := l.line(row)
		text := bytes.TrimLeft(l.src[s:e], " \t")
		if len(text) == 0 || text[0] != '#' {
			continue
		}
		text = bytes.TrimLeft(text[1:], " \t")
		rest, ok := bytes.CutPrefix(text, []byte("define"))
		if !ok || len(rest) == 0 || rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		rest = bytes.TrimLeft(rest, " \t")
		n := 0
		for n < len(rest) && isWord(rest[n]) {
			n++
		}
		name := string(rest[:n])
		value := bytes.TrimSpace(rest[n:])
		if len(value) == 0 && isGuard(name) {
			continue
		}
		last := row
		for last+1 < len(l.starts) {
			_, end := l.line(last)
			if !bytes.HasSuffix(bytes.TrimRight(l.src[s:end], "\r"), []byte("\\")) {
				break
			}
			last++
		}
		_, end := l.line(last)
		at := e - len(rest)
		for ; next < found && l.At(next).From <= row+1; next++ {
			around = append(around, next)
		}
		for len(around) > 0 && (l.At(around[len(around)-1]).To < row+1 || !macroHolders[l.At(around[len(around)-1]).Kind]) {
			around = around[:len(around)-1]
		}
		up, path := -1, ""
		if n := len(around); n > 0 {
			up, path = around[n-1], symbols.Join(l.At(around[n-1]).Parent, l.At(around[n-1]).Name)
		}
		sig := e
		if last > row { // its value is not shown
			sig = at + n
			if n < len(rest) && rest[n] == '(' {
				if k := bytes.IndexByte(rest[n:], ')'); k > 0 {
					sig += k + 1
				}
			}
		}
		l.define("macro", name, path, s, sig, end, at, up)
		row = last
	}
}

// macroHolders are the definitions that macros are named by when they stand in them.
var macroHolders = setOf("func method struct union enum class namespace")

// isGuard reports whether a macro looks like an include guard.
func isGuard(name string) bool {
	name = strings.TrimRight(strings.ToUpper(name), "_")
	ends := []string{"_H", "_HPP", "_HH", "_HXX", "_INC", "_INCLUDED", "_GUARD", "_INL"}
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
}
