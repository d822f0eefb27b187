//go:build cgo && oracle

package oracle

import "strings"

// isName reports whether a word can be a name, unlike an operator's sign.
func isName(s string) bool {
	return s != "" && (s[0] == '_' || s[0] >= 0x80 || 'a' <= s[0]|0x20 && s[0]|0x20 <= 'z')
}

// isNamespace reports whether functions in such a definition are not methods.
func isNamespace(kind string) bool { return kind == "namespace" || kind == "module" }

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
