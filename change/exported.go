package change

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/code/outline"
)

// exported reports whether a definition can be used from outside its package or
// module, by the convention of its language, and all that encloses it can.
func (n *node) exported() bool {
	for x := n; x != nil; x = x.outer {
		if x != n && x.group == groupCall {
			return false // local to a function
		}
		if !x.visible() {
			return false
		}
	}
	return true
}

// visible judges one definition alone, as its language does.
func (n *node) visible() bool {
	sig := n.Signature
	v := outline.TraitsOf(n.pair.Lang).Visibility
	switch v.By {
	case outline.Capital:
		parent := n.Parent[strings.LastIndexByte(n.Parent, '.')+1:]
		return upper(n.Name) && (parent == "" || upper(parent))
	case outline.Pub:
		switch {
		case n.group == groupImpl, n.outer != nil && n.outer.Kind == "trait", n.Kind == "macro":
			return true
		case n.outer != nil && strings.Contains(n.outer.name, " for "):
			return true // of a trait
		}
		return strings.HasPrefix(sig, "pub ")
	case outline.Dunder:
		return !strings.HasPrefix(n.Name, "_") || strings.HasPrefix(n.Name, "__") && strings.HasSuffix(n.Name, "__")
	case outline.Export:
		if n.outer != nil && n.outer.group != groupScope {
			return !has(sig, "private protected") && !strings.HasPrefix(n.Name, "#") && !strings.HasPrefix(n.Name, "_")
		}
		return has(sig, "export") || strings.HasPrefix(sig, "exports.") || strings.HasPrefix(sig, "module.exports") || n.exportedBelow()
	case outline.Public:
		if n.outer != nil && (n.outer.Kind == "interface" || n.outer.Kind == "annotation") {
			return !has(sig, "private")
		}
		return has(sig, "public protected") || n.Kind == "namespace"
	case outline.Linkage:
		return !has(sig, "static") || n.outer != nil || header(n.path())
	}
	if v.Needs == "" && v.Bars == "" {
		return !strings.HasPrefix(n.Name, "_")
	}
	return (v.Needs == "" || has(sig, v.Needs)) && !has(sig, v.Bars)
}

// hides reports whether the lines of a type say which of its fields can be seen
// from outside.
func (n *node) hides() bool {
	by := outline.TraitsOf(n.pair.Lang).Visibility.By
	return n.Kind == "struct" && (by == outline.Capital || by == outline.Pub)
}

// visibleOwn is the hash of a type's own lines without the fields that cannot be
// seen from outside.
func (n *node) visibleOwn() uint64 {
	h, by := uint64(hashSeed), outline.TraitsOf(n.pair.Lang).Visibility.By
	for i := max(n.From, 1) - 1; i < min(n.To, len(n.lines.hash)); i++ {
		if n.lines.owner[i] != n {
			continue
		}
		line := strings.TrimLeft(string(n.lines.line(i)), " \t*")
		seen := i+1 == n.NameLine
		if by == outline.Pub {
			seen = seen || strings.HasPrefix(line, "pub ")
		} else {
			seen = seen || upper(line)
		}
		if seen {
			h = mix(h, n.lines.hash[i])
		}
	}
	return h
}

func upper(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// has reports whether a signature has one of the words before its parameters.
func has(sig, words string) bool {
	if i := strings.IndexByte(sig, '('); i > 0 && sig[0] != '@' {
		sig = sig[:i]
	}
	wanted := strings.Fields(words)
	return slices.ContainsFunc(strings.Fields(sig), func(w string) bool { return slices.Contains(wanted, w) })
}

func header(name string) bool {
	switch path.Ext(name) {
	case ".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp":
		return true
	}
	return false
}

// exportedBelow reports whether a line of a script exports the name of a
// definition that it does not hold: export { a, b }, module.exports = a.
func (n *node) exportedBelow() bool {
	l := n.lines
	if l.exports == nil {
		l.exports = map[string]bool{}
		inList := false
		for i := range l.hash {
			line := strings.TrimSpace(string(l.line(i)[:min(len(l.line(i)), maxExportLine)]))
			starts := strings.HasPrefix(line, "export {") || strings.HasPrefix(line, "export default ") ||
				strings.HasPrefix(line, "module.exports") || strings.HasPrefix(line, "exports.")
			if starts || inList {
				eachWord([]byte(line), func(word, _ []byte) { l.exports[string(word)] = true })
				inList = (starts && strings.Contains(line, "{") || inList) && !strings.Contains(line, "}")
			}
		}
	}
	return l.exports[n.Name]
}

// maxExportLine is how much of a line is looked at for exported names.
const maxExportLine = 2000
