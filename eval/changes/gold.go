package main

import (
	"path"
	"strings"
	"unicode"
)

// named reports whether the name of a file, or of a definition in it, stands in
// a subject.
//
// The name of a file is what precedes its first dot; it stands there if its
// words do, one after the other, in any case: "user store" names UserStore.java.
// The name of a definition stands there as it is written, as a whole word, if it
// looks like one: with an underscore, a digit, or a capital letter behind a small
// one, or capitalised behind the first word of the subject, or followed by "()".
func named(subject, name string, symbols []string) bool {
	base := path.Base(name)
	if i := strings.IndexByte(base[1:], '.'); i >= 0 {
		base = base[:i+1]
	}
	if len(base) >= minName && contains(wordsOf(subject), wordsOf(base)) {
		return true
	}
	var idents []string
	first := true
	for w := range strings.FieldsFuncSeq(subject, func(r rune) bool {
		return r != '_' && r != '(' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		word, _, call := strings.Cut(w, "(")
		if len(word) >= minName && (call || compound(word) || !first && unicode.IsUpper(rune(word[0]))) {
			idents = append(idents, word)
		}
		first = false
	}
	if len(idents) == 0 {
		return false
	}
	have := map[string]bool{}
	for _, s := range symbols {
		have[s] = true
	}
	for _, w := range idents {
		if have[w] {
			return true
		}
	}
	return false
}

// minName is how many letters a name must have to be one.
const minName = 3

// compound reports whether a word looks like a name in code.
func compound(w string) bool {
	for i := 1; i < len(w); i++ {
		if w[i] == '_' || '0' <= w[i] && w[i] <= '9' || unicode.IsUpper(rune(w[i])) && unicode.IsLower(rune(w[i-1])) {
			return true
		}
	}
	return false
}

// wordsOf cuts a text into words, in lower case: at what is no letter or digit,
// and where a capital follows a small letter.
func wordsOf(s string) []string {
	var out []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	small := false
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			small = false
			continue
		}
		if unicode.IsUpper(r) && small {
			flush()
		}
		small = unicode.IsLower(r)
		word.WriteRune(unicode.ToLower(r))
	}
	flush()
	return out
}

// contains reports whether words stand in s one after the other.
func contains(s, words []string) bool {
	if len(words) == 0 {
		return false
	}
	for i := 0; i+len(words) <= len(s); i++ {
		same := true
		for k, w := range words {
			if s[i+k] != w {
				same = false
				break
			}
		}
		if same {
			return true
		}
	}
	return false
}
