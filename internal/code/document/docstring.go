package document

import (
	"bytes"
	"cmp"
)

// maxDocstring is how many lines at the top of a file are searched for the
// documentation of its package.
const maxDocstring = 400

// PackageDoc returns the lines of the documentation of a package, module or crate
// that a source file holds: the comment above Go's package clause, the string at
// the top of a Python module, Rust's //! lines. ok is false if there is none, or
// only a line of it.
func PackageDoc(lang string, text []byte) (from, to int, ok bool) {
	lines := split(text[:min(len(text), maxDocstring*200)])
	lines = lines[:min(len(lines), maxDocstring)]
	switch lang {
	case "go":
		from, to = goDoc(lines)
	case "python":
		from, to = pythonDoc(lines)
	case "rust":
		from, to = prefixed(lines, "//!")
	}
	return from, to, from > 0 && to > from
}

func goDoc(lines [][]byte) (from, to int) {
	for i, l := range lines {
		if !bytes.HasPrefix(l, []byte("package ")) {
			continue
		}
		to = i // the line before the clause
		for from = i; from > 0 && bytes.HasPrefix(lines[from-1], []byte("//")); from-- {
		}
		if from == i && i > 0 && bytes.HasSuffix(bytes.TrimSpace(lines[i-1]), []byte("*/")) {
			for from = i - 1; from > 0 && !bytes.HasPrefix(lines[from], []byte("/*")); from-- {
			}
		}
		if from == i {
			return 0, 0
		}
		return from + 1, to
	}
	return 0, 0
}

func pythonDoc(lines [][]byte) (from, to int) {
	for i, l := range lines {
		t := bytes.TrimLeft(bytes.TrimSpace(l), "rRuU")
		if len(t) == 0 || t[0] == '#' {
			continue
		}
		for _, quote := range [...]string{`"""`, `'''`} {
			rest, ok := bytes.CutPrefix(t, []byte(quote))
			if !ok {
				continue
			}
			if bytes.Contains(rest, []byte(quote)) {
				return i + 1, i + 1
			}
			for j := i + 1; j < len(lines); j++ {
				if bytes.Contains(lines[j], []byte(quote)) {
					return i + 1, j + 1
				}
			}
		}
		return 0, 0
	}
	return 0, 0
}

func prefixed(lines [][]byte, mark string) (from, to int) {
	for i, l := range lines {
		t := bytes.TrimSpace(l)
		switch {
		case bytes.HasPrefix(t, []byte(mark)):
			from = cmp.Or(from, i+1)
			to = i + 1
		case from > 0:
			return from, to
		case len(t) > 0 && !bytes.HasPrefix(t, []byte("//")):
			return 0, 0
		}
	}
	return from, to
}
