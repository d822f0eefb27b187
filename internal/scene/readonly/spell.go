package readonly

import (
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

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
// letter to the least of those that differ from it in case only. A letter may
// become a mark by that, which is put in its place among the others.
func plainLetters(s string) string {
	return decompose(foldCase(strings.Map(visible, longFolds.Replace(decompose(s)))))
}

func visible(r rune) rune {
	if r >= utf8.RuneSelf && r != utf8.RuneError && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
		return -1
	}
	return r
}

// foldCase is not golang.org/x/text/cases, whose v0.42.0 maps both cases of a
// Cherokee letter to the other one.
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

// decompose takes each letter apart into a base and marks.
func decompose(s string) string { return normal(norm.NFD, s) }

// compose puts letters and their marks together.
func compose(s string) string { return normal(norm.NFC, s) }

// normal returns a text in a normal form of Unicode. Every 30 marks norm puts a
// joiner that is not in the text: a name does not need it.
func normal(form norm.Form, s string) string {
	const joiner = "\u034f"
	if isASCII(s) {
		return s
	}
	return strings.ReplaceAll(form.String(s), joiner, "")
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// spelt are the ways to compare a pattern and a name: unchanged, with each letter as
// one character, so that ? and classes match it, with decomposed letters, and plain.
var spelt = [...]func(string) string{func(s string) string { return s }, compose, decompose, plainLetters}

// A speltPattern is a pattern in each of these ways; nil where it is invalid.
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
