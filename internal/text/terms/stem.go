package terms

import (
	"bytes"
	"strings"
)

// stem folds the commonest English endings, in place: Harman's S-stemmer, then
// one derivational suffix if at least four letters remain, then a final e. It
// is deliberately light: code vocabulary suffers from a full Porter stemmer
// ("generic" and "general" must stay apart).
func stem(w []byte) []byte {
	n := len(w)
	if n <= 3 {
		return w
	}
	switch {
	case has(w, "sses"):
		w = w[:n-2]
	case has(w, "ies") && n > 4:
		w = append(w[:n-3], 'y')
	case has(w, "xes") || has(w, "ches") || has(w, "shes"):
		w = w[:n-2]
	case w[n-1] == 's' && !has(w, "ss") && !has(w, "us") && !has(w, "is"):
		w = w[:n-1]
	}
	n = len(w)
	for _, suffix := range suffixes {
		if n-len(suffix) < 4 || !has(w, suffix) {
			continue
		}
		w = w[:n-len(suffix)]
		n = len(w)
		if n > 4 && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' {
			w = w[:n-1]
		}
		break
	}
	if n = len(w); n > 4 && w[n-1] == 'e' {
		w = w[:n-1]
	}
	return w
}

func has(w []byte, suffix string) bool { return bytes.HasSuffix(w, []byte(suffix)) }

// suffixes are tried in this order; the first that leaves four letters is cut.
var suffixes = [...]string{
	"ization", "ation", "izing", "ized", "izer", "ize", "ing", "ed", "ion", "er", "or",
	"ment", "able", "ible", "al", "ive", "ly",
}

// stop holds words that say nothing about what a text is about: English
// function words, and the courtesies of issue reports.
var stop = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		a an the and or of to in is it its this that these those for on with as be
		are was were by at from not no but if then else when while do does did done
		can could should would will may might must have has had having i you he she
		we they them our your my me us what which who whom how why where there here
		so such than too very just also only into out up down over under again more
		most some any all each other own same s t don now get got use used using see
		please like want need make made one two new would because after before about
		between through during both few nor via etc e g ie eg hi hello thanks thank`) {
		m[w] = true
	}
	return m
}()
