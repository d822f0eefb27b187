package change

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
)

// LineEdits says what the changed lines of a file do, by the look of each line
// alone: which definitions begin on an added or a removed line, and whether an
// import does. It is what remains if the definitions of both sides are not
// known. A definition that begins on both an added and a removed line has
// another signature, or stands elsewhere; changes inside one are not seen.
func LineEdits(f *File, lang string) []Edit {
	return fallback(f, lang, lineEdits(f, lang))
}

func lineEdits(f *File, lang string) []Edit {
	rule := lineRules[lang]
	if rule == nil {
		return nil
	}
	var edits []Edit
	imports := Edit{Action: Imports}
	added, removed := map[lineKey]int{}, map[lineKey]int{} // indices of edits, plus one
	for i := range f.Hunks {
		h := &f.Hunks[i]
		oldLine, newLine := h.OldFrom, h.NewFrom
		inImports := rule.importBlock(h.Section)
		for line := range strings.Lines(h.Body) {
			mark, text := line[0], strings.TrimRight(line[1:], "\r\n")
			at := satchel.Range{From: newLine, To: newLine}
			switch mark {
			case '+':
				newLine++
			case '-':
				at = satchel.Range{From: oldLine, To: oldLine}
				oldLine++
			case ' ':
				newLine++
				oldLine++
			default:
				continue
			}
			trimmed := strings.TrimSpace(text)
			isImport := rule.imports(trimmed) || inImports && rule.listed(trimmed)
			switch {
			case rule.importBlock(trimmed):
				inImports = true
			case strings.HasPrefix(trimmed, ")"):
				inImports = false
			}
			if mark == ' ' || trimmed == "" || commentLine(lang, trimmed) {
				continue
			}
			if isImport {
				note(&imports, mark, trimmed)
			}
			d, ok := rule.define(text)
			if !ok {
				continue
			}
			key := lineKey{groupOf(d.kind), d.parent, d.name}
			e := Edit{Action: Adds, Kind: d.kind, Name: d.name, Parent: d.parent, Exported: d.exported(lang, f.Path),
				Lines: at, OldSide: mark == '-', Signature: strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(trimmed, "{")), ":")}
			into := added
			switch {
			case mark == '-':
				e.Action, into = Removes, removed
			case d.kind == "impl":
				e.Action = Impl
			}
			if into[key] == 0 {
				edits = append(edits, e)
				into[key] = len(edits)
			}
		}
	}
	edits = onBothSides(edits, added, removed)
	if len(imports.Added)+len(imports.Removed) > 0 && f.Status != Added && f.Status != Deleted {
		edits = append(edits, imports)
	}
	slices.SortStableFunc(edits, compareEdits)
	return edits
}

// A lineKey is what makes a definition the same on both sides.
type lineKey struct {
	group        group
	parent, name string
}

// onBothSides makes one edit of what is both added and removed.
func onBothSides(edits []Edit, added, removed map[lineKey]int) []Edit {
	gone := make([]bool, len(edits))
	for key, r := range removed {
		a := added[key]
		if a == 0 {
			continue
		}
		now, was := &edits[a-1], &edits[r-1]
		gone[r-1] = true
		now.Exported = now.Exported || was.Exported
		switch {
		case sameWords(now.Signature, was.Signature):
			now.Action = Moves
		case key.group == groupCall:
			now.Action, now.OldSignature = Signature, was.Signature
		case key.group == groupType, key.group == groupImpl:
			now.Action, now.OldSignature = Type, was.Signature
		default:
			now.Action, now.OldSignature = Body, was.Signature
		}
	}
	kept := edits[:0]
	for i, e := range edits {
		if !gone[i] {
			kept = append(kept, e)
		}
	}
	return kept
}

// note remembers an imported line, unless the other side has it too.
func note(e *Edit, mark byte, line string) {
	to, other := &e.Added, &e.Removed
	if mark == '-' {
		to, other = other, to
	}
	if i := slices.Index(*other, line); i >= 0 {
		*other = slices.Delete(*other, i, i+1)
		return
	}
	if !slices.Contains(*to, line) && len(*to) < maxImportLines {
		*to = append(*to, line)
	}
}

// maxImportLines is how many lines of imports an edit names.
const maxImportLines = 100

// fallback names a change of code of which nothing else is known.
func fallback(f *File, lang string, edits []Edit) []Edit {
	if len(edits) > 0 || lineRules[lang] == nil || f.Removed == 0 {
		return edits
	}
	if f.Added > 0 {
		return append(edits, Edit{Action: refactors})
	}
	return append(edits, Edit{Action: cuts})
}

// commentLine reports whether a line, without the white space around it, looks
// like a comment of the language.
func commentLine(lang, line string) bool {
	switch lang {
	case "python", "ruby", "bash", "yaml", "toml", "perl", "r", "elixir", "make", "dockerfile", "cmake", "julia", "nix", "starlark", "cython", "fish", "powershell", "tcl", "just":
		return strings.HasPrefix(line, "#")
	case "lua", "sql", "haskell", "elm", "ada", "vhdl":
		return strings.HasPrefix(line, "--")
	case "lisp", "clojure", "scheme", "ini", "emacs-lisp":
		return strings.HasPrefix(line, ";")
	case "html", "xml", "markdown":
		return strings.HasPrefix(line, "<!--")
	case "erlang", "tex", "matlab":
		return strings.HasPrefix(line, "%")
	case "php":
		if strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "#[") {
			return true
		}
	}
	return strings.HasPrefix(line, "//") || strings.HasPrefix(line, "/*") || strings.HasPrefix(line, "*/") || line == "*" || strings.HasPrefix(line, "* ")
}
