package change

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
)

// Sides are both sides of a changed file, outlined; either may be nil.
type Sides struct{ Old, New *Side }

// Describe fills what the lines of every file, and its sides where they are
// known, say about it: Edits, Parsed, Comments, Spaces and Lines. Class and Lang
// must be there. sides belong to the files of the same index; there may be fewer.
func Describe(files []Scored, sides []Sides) {
	pairs := make([]Pair, 0, len(sides))
	var at []int
	for i := range files {
		f := &files[i]
		if i >= len(sides) || sides[i] == (Sides{}) {
			f.describe(Sides{})
			f.Edits, f.Parsed = lineEdits(&f.File, f.Lang), false
			if !f.Comments && !f.Spaces {
				f.Edits = fallback(&f.File, f.Lang, f.Edits)
			}
			continue
		}
		pairs = append(pairs, Pair{Path: f.Path, OldPath: f.OldPath, Lang: f.Lang, Old: sides[i].Old, New: sides[i].New})
		at = append(at, i)
		f.describe(sides[i])
	}
	for k, edits := range Compare(pairs) {
		f := &files[at[k]]
		if !f.Comments && !f.Spaces {
			edits = fallback(&f.File, f.Lang, edits)
		}
		f.Edits, f.Parsed = edits, true
	}
}

// describe fills what needs no comparison of definitions.
func (s *Scored) describe(sides Sides) {
	for _, side := range []*Side{sides.Old, sides.New} {
		if side != nil {
			s.Lines = max(s.Lines, countLines(string(side.Text)))
		}
	}
	s.Comments = s.onlyComments(sides)
	s.Spaces = onlySpaces(&s.File, s.Lang)
}

// onlyComments reports whether every changed line is blank or a comment, and
// one is not blank.
func (s *Scored) onlyComments(sides Sides) bool {
	told := false
	for i := range s.Hunks {
		h := &s.Hunks[i]
		oldLine, newLine := h.OldFrom, h.NewFrom
		for line := range strings.Lines(h.Body) {
			text := strings.TrimSpace(line[1:])
			comment := commentLine(s.Lang, text)
			switch line[0] {
			case '+':
				if sides.New != nil {
					comment = within(sides.New.Comments, newLine)
				}
				newLine++
			case '-':
				if sides.Old != nil {
					comment = within(sides.Old.Comments, oldLine)
				}
				oldLine++
			case ' ':
				oldLine++
				newLine++
				continue
			default:
				continue
			}
			if text == "" {
				continue
			}
			if !comment {
				return false
			}
			told = true
		}
	}
	return told && s.Elided == 0
}

func within(ranges []satchel.Range, line int) bool {
	_, ok := slices.BinarySearchFunc(ranges, line, func(r satchel.Range, line int) int {
		switch {
		case r.To < line:
			return -1
		case r.From > line:
			return 1
		}
		return 0
	})
	return ok
}

// onlySpaces reports whether the hunks say the same on both sides but for white
// space. Where indentation has a meaning, that at the ends of lines counts alone.
func onlySpaces(f *File, lang string) bool {
	if f.Added+f.Removed == 0 || len(f.Hunks) == 0 || f.Elided > 0 {
		return false
	}
	exact := indented[lang]
	for i := range f.Hunks {
		old, now := uint64(hashSeed), uint64(hashSeed) // of the run of changed lines
		for line := range strings.Lines(f.Hunks[i].Body) {
			side := &old
			switch line[0] {
			case '+':
				side = &now
			case '-':
			case ' ':
				if old != now {
					return false
				}
				continue
			default:
				continue
			}
			text := strings.TrimRight(line[1:], " \t\r\n")
			for k := range len(text) {
				switch c := text[k]; {
				case !exact && (c == ' ' || c == '\t'):
				default:
					*side = (*side ^ uint64(c)) * hashPrime
				}
			}
			if exact && text != "" {
				*side = (*side ^ '\n') * hashPrime
			}
		}
		if old != now {
			return false
		}
	}
	return true
}

// indented are the languages in which indentation has a meaning.
var indented = words("python cython starlark yaml haskell make nim fsharp coffeescript pug haml sass markdown text rst")

// countLines counts lines, one without its newline too.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
