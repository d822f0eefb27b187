package readonly

import (
	_ "embed"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/store/index"
)

// Some file systems take names for one that are not the same bytes: macOS and
// Windows do not see case, HFS+ and APFS do not see how an accent is encoded, and
// with ext4's casefold they also pass over characters that show nothing. [fold]
// makes such names equal. It makes a few more equal than any of them does, which
// errs on the safe side.

// fold returns a path so that two that some file system takes for one are equal.
func fold(p string) string {
	p = plainLetters(p)
	if runtime.GOOS == "windows" {
		p = foldWindows(p)
	}
	return p
}

// foldWindows takes away what Windows does not see in names: dots and spaces at
// their end, and the name of a stream.
func foldWindows(p string) string {
	parts := strings.Split(p, "/")
	for i, s := range parts {
		if k := strings.IndexByte(s, ':'); k > 1 {
			s = s[:k]
		}
		parts[i] = strings.TrimRight(s, ". ")
	}
	return strings.Join(parts, "/")
}

// plainLetters takes letters apart, leaves out what shows nothing, and maps each
// letter to the least of those that differ from it in case only.
func plainLetters(s string) string {
	return foldCase(strings.Map(visible, longFolds.Replace(decompose(s))))
}

func visible(r rune) rune {
	if r >= utf8.RuneSelf && r != utf8.RuneError && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
		return -1
	}
	return r
}

func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}

// longFolds are the letters that fold to more than one (status F in Unicode's
// CaseFolding.txt), as far as they are not taken apart anyway.
var longFolds = strings.NewReplacer("ß", "ss", "ẞ", "ss", "ŉ", "ʼn", "ẚ", "aʾ", "ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st",
	"և", "եւ", "ﬓ", "մն", "ﬔ", "մե", "ﬕ", "մի", "ﬖ", "վն", "ﬗ", "մխ")

// decompositions are the canonical decompositions of Unicode 15 (field 5 of
// UnicodeData.txt, in full) but those of Hangul: a line for each letter, which it
// begins with. Unicode promises never to change one.
//
//go:embed decompositions.txt
var decompositions string

type letters struct {
	parts map[rune]string // of a letter
	whole map[string]rune // the least letter of parts, their marks sorted
}

var canonical = sync.OnceValue(func() letters {
	l := letters{map[rune]string{}, map[string]rune{}}
	for line := range strings.SplitSeq(strings.TrimSuffix(decompositions, "\n"), "\n") {
		r, n := utf8.DecodeRuneInString(line)
		l.parts[r] = line[n:]
		key := sortMarks(line[n:])
		if have, ok := l.whole[key]; (!ok || r < have) && utf8.RuneCountInString(key) > 1 {
			l.whole[key] = r
		}
	}
	return l
})

// mostParts is how many characters a letter is taken apart into at most.
const mostParts = 4

// Hangul syllables are computed; see section 3.12 of the Unicode standard.
const (
	hangulS, hangulL, hangulV, hangulT = 0xAC00, 0x1100, 0x1161, 0x11A7
	hangulLs, hangulVs, hangulTs       = 19, 21, 28
)

// decompose takes each letter apart into a base and marks, which are sorted: more
// than canonical decomposition, which keeps the order of some.
func decompose(s string) string {
	if isASCII(s) {
		return s
	}
	parts := canonical().parts
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		k := int(r) - hangulS
		switch p, ok := parts[r]; {
		case ok:
			b.WriteString(p)
		case k >= 0 && k < hangulLs*hangulVs*hangulTs:
			b.WriteRune(rune(hangulL + k/hangulTs/hangulVs))
			b.WriteRune(rune(hangulV + k/hangulTs%hangulVs))
			if t := k % hangulTs; t > 0 {
				b.WriteRune(rune(hangulT + t))
			}
		default:
			b.WriteString(s[i : i+n]) // also a byte that is no UTF-8
		}
		i += n
	}
	return sortMarks(b.String())
}

// sortMarks sorts the marks behind each letter.
func sortMarks(s string) string {
	if !strings.ContainsFunc(s, unicode.IsMark) {
		return s
	}
	var b strings.Builder
	var marks []rune
	flush := func() {
		slices.Sort(marks)
		for _, r := range marks {
			b.WriteRune(r)
		}
		marks = marks[:0]
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsMark(r) {
			marks = append(marks, r)
		} else {
			flush()
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	flush()
	return b.String()
}

// compose takes letters apart and puts them together again, so that each is as few
// characters as can be.
func compose(s string) string {
	s = decompose(s)
	if isASCII(s) {
		return s
	}
	whole := canonical().whole
	var b strings.Builder
	for len(s) > 0 {
		var ends []int // of the first characters
		for i := 0; i < len(s) && len(ends) < mostParts; {
			_, n := utf8.DecodeRuneInString(s[i:])
			i += n
			ends = append(ends, i)
		}
		if r, n := syllable(s); n > 0 {
			b.WriteRune(r)
			s = s[n:]
			continue
		}
		n := ends[0]
		for _, end := range slices.Backward(ends[1:]) {
			if r, ok := whole[s[:end]]; ok {
				b.WriteRune(r)
				n = 0
				s = s[end:]
				break
			}
		}
		b.WriteString(s[:n])
		s = s[n:]
	}
	return b.String()
}

// syllable reads the Hangul syllable that a text begins with, taken apart; n is 0
// if it begins with none.
func syllable(s string) (r rune, n int) {
	l, a := utf8.DecodeRuneInString(s)
	v, b := utf8.DecodeRuneInString(s[a:])
	if l < hangulL || l >= hangulL+hangulLs || v < hangulV || v >= hangulV+hangulVs {
		return 0, 0
	}
	r, n = hangulS+((l-hangulL)*hangulVs+v-hangulV)*hangulTs, a+b
	if t, c := utf8.DecodeRuneInString(s[n:]); t > hangulT && t < hangulT+hangulTs {
		r, n = r+t-hangulT, n+c
	}
	return r, n
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// spelt are the ways in which a pattern and a name are compared: as they are, with
// each letter one character, so that ? and classes mean it, with letters taken
// apart, and plain.
var spelt = [...]func(string) string{func(s string) string { return s }, compose, decompose, plainLetters}

// A speltPattern is a pattern in each of these ways; nil where it is none.
type speltPattern [len(spelt)]*index.Pattern

// spellPattern returns a pattern in each way. A pattern that cannot be read at all
// is an error.
func spellPattern(pattern string) (out speltPattern, err error) {
	for i, spell := range spelt {
		p, e := index.ParsePattern(spell(pattern))
		if i == 0 {
			err = e
		}
		out[i] = p
	}
	return out, err
}

// match reports whether the pattern matches, in some way, a name in each.
func (p *speltPattern) match(name *[len(spelt)]string) bool {
	for i := range p {
		if p[i] != nil && p[i].MatchFold(name[i]) {
			return true
		}
	}
	return false
}

func spellName(name string) (out [len(spelt)]string) {
	for i, spell := range spelt {
		out[i] = spell(name)
	}
	return out
}
