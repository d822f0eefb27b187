package outline

import (
	"bytes"
	"strings"
)

// macros adds what #define defines, except include guards.
func (l *lines) macros() {
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
		l.define("macro", name, "", s, e, end, at, -1)
		row = last
	}
}

// isGuard reports whether a macro looks like an include guard.
func isGuard(name string) bool {
	name = strings.TrimRight(strings.ToUpper(name), "_")
	for _, end := range [...]string{"_H", "_HPP", "_HH", "_HXX", "_INC", "_INCLUDED", "_GUARD", "_INL"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}
