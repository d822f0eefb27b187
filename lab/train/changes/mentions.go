package main

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// mentions is what a commit message may name: a file or a definition.
type mentions struct {
	words []string
	names map[string]bool
}

// parseMentions reads a message.
//
// A file is named by what precedes the first dot of its name, if its words stand
// in the message one after the other, in any case: "user store" names
// UserStore.java. A definition is named as it is written, as a whole word that
// looks like a name: with an underscore, a digit, or a capital letter behind a
// small one, or followed by "()", or capitalised where no sentence begins.
func parseMentions(text string) *mentions {
	m := &mentions{words: proseWords(text), names: map[string]bool{}}
	title, rest, _ := strings.Cut(text, "\n")
	m.addNames(title)
	for s := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == '\n' || r == '!' || r == '?' || r == ';' }) {
		for s := range strings.SplitSeq(s, ". ") {
			m.addNames(s)
		}
	}
	return m
}

// addNames adds the words of a sentence that look like names.
func (m *mentions) addNames(sentence string) {
	first := true
	for w := range strings.FieldsFuncSeq(sentence, func(r rune) bool {
		return r != '_' && r != '(' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		word, _, call := strings.Cut(w, "(")
		if len(word) >= minMention && (call || compound(word) || !first && unicode.IsUpper(rune(word[0]))) {
			m.names[word] = true
		}
		first = false
	}
}

// File reports whether a file is named, by its path.
func (m *mentions) File(name string) bool {
	base := path.Base(name)
	if i := strings.IndexByte(base[1:], '.'); i >= 0 {
		base = base[:i+1]
	}
	return len(base) >= minMention && contains(m.words, proseWords(base))
}

// Any reports whether one of the definitions is named.
func (m *mentions) Any(symbols []string) bool {
	return slices.ContainsFunc(symbols, func(s string) bool { return m.names[s] })
}

// minMention is how many letters a name must have to be one.
const minMention = 3

// compound reports whether a word looks like a name in code.
func compound(w string) bool {
	for i := 1; i < len(w); i++ {
		if w[i] == '_' || '0' <= w[i] && w[i] <= '9' || unicode.IsUpper(rune(w[i])) && unicode.IsLower(rune(w[i-1])) {
			return true
		}
	}
	return false
}

// proseWords cuts a text into words, in lower case: at what is no letter or digit,
// and where a capital follows a small letter.
func proseWords(s string) []string {
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
		if slices.Equal(s[i:i+len(words)], words) {
			return true
		}
	}
	return false
}
