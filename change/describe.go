package change

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/text/clip"
)

// Sides are both sides of a changed file, outlined; either may be nil.
type Sides struct{ Old, New *Side }

// Describe fills what the lines of every file, and its sides where they are
// known, say about it: Edits, Parsed, Comments, Spaces and Lines. Class and Lang
// must be there. sides belong to the files of the same index; there may be fewer.
//
// Of a file without sides, what its patch has of them is outlined, hunk by hunk. A
// definition that begins outside of the patch is told by the heading of its hunk at
// most.
func Describe(files []Scored, sides []Sides) {
	pairs := make([]Pair, 0, len(files))
	patched := make([]struct{ old, now *patchSide }, len(files))
	var at []int
	for i := range files {
		f := &files[i]
		p := Pair{Path: f.Path, OldPath: f.OldPath, Lang: f.Lang}
		if i < len(sides) && sides[i] != (Sides{}) {
			p.Old, p.New = sides[i].Old, sides[i].New
			f.describe(sides[i])
			f.Parsed = true
		} else {
			f.describe(Sides{})
			f.Edits, f.Parsed = nil, false
			if !outline.IsCode(f.Lang) {
				continue
			}
			q := &patched[i]
			q.old, q.now = sidesOfPatch(&f.File, f.Lang)
			if q.old != nil {
				p.Old = &q.old.Side
			}
			if q.now != nil {
				p.New = &q.now.Side
			}
		}
		pairs, at = append(pairs, p), append(at, i)
	}
	for k, edits := range Compare(pairs) {
		f := &files[at[k]]
		if !f.Parsed {
			edits = editsOfPatch(edits, patched[at[k]].old, patched[at[k]].now)
		}
		if !f.Comments && !f.Spaces {
			edits = fallback(&f.File, f.Lang, edits)
		}
		f.Edits = edits
	}
}

// fallback names a change of code of which nothing else is known.
func fallback(f *File, lang string, edits []Edit) []Edit {
	if len(edits) > 0 || !outline.IsCode(lang) || f.Removed == 0 {
		return edits
	}
	if f.Added > 0 {
		return append(edits, Edit{Action: refactors})
	}
	return append(edits, Edit{Action: cuts})
}

// describe fills what needs no comparison of definitions.
func (s *Scored) describe(sides Sides) {
	for _, side := range []*Side{sides.Old, sides.New} {
		if side != nil {
			s.Lines = max(s.Lines, clip.Lines(string(side.Text)))
		}
	}
	s.Comments = s.onlyComments(sides)
	s.Spaces = onlySpaces(&s.File, s.Lang)
}

// onlyComments reports whether every changed line is blank or a comment, and
// one is not blank.
func (s *Scored) onlyComments(sides Sides) bool {
	told := false
	for line := range s.changedLines() {
		comment := line.comment
		if side := sides.of(line.mark); side != nil {
			comment = within(side.Comments, line.number)
		}
		if strings.TrimSpace(line.text) == "" {
			continue
		}
		if !comment {
			return false
		}
		told = true
	}
	return told && s.Elided == 0
}

// of returns the side that has the lines with a mark.
func (s Sides) of(mark byte) *Side {
	if mark == '-' {
		return s.Old
	}
	return s.New
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
var indented = setOf("python cython starlark yaml haskell make nim fsharp coffeescript pug haml sass markdown text rst")

// setOf returns the words of a list.
func setOf(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
