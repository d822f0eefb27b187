package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/terms"
)

// leastFacts is how many facts a message has that is measured.
const leastFacts = 3

var (
	trailer  = regexp.MustCompile(`(?m)^(?i:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|change-id|git-svn-id|pr-url|refs?|fixes|closes|cc|see|issue): .*$`)
	address  = regexp.MustCompile(`\S+@\S+|https?://\S+|#\d+|GH-\d+`)
	hash     = regexp.MustCompile(`^[0-9a-f]{7,40}$`)
	flagWord = regexp.MustCompile(`^--?[A-Za-z][\w-]*[\w]$`)
	fileWord = regexp.MustCompile(`^[\w./@-]*\w\.[A-Za-z]\w{0,5}$|^[\w.@-]+(/[\w.@-]+)+$`)
	callWord = regexp.MustCompile(`^[\w.:$>-]+\(\)$`)
	number   = regexp.MustCompile(`^\d[\d.]*\d$`)
	quoted   = regexp.MustCompile("`([^`\\s]{2,})`")
)

// factsOf returns the facts of a message that a change has: the words of changed are
// its changed lines and its paths.
func factsOf(message, changed string) (facts []string) {
	message = address.ReplaceAllString(trailer.ReplaceAllString(message, ""), " ")
	add := func(w string) {
		if w = strings.TrimSuffix(w, "()"); len(w) >= 2 && !slices.Contains(facts, w) && hasWord(changed, w) {
			facts = append(facts, w)
		}
	}
	for _, m := range quoted.FindAllStringSubmatch(message, -1) {
		add(m[1])
	}
	for w := range strings.FieldsSeq(message) {
		w = strings.Trim(w, "`'\"()[]{}<>,;:!?*")
		w = strings.TrimRight(w, ".")
		if strings.Count(w, "(") > strings.Count(w, ")") {
			w += ")"
		}
		if codeLike(w) {
			add(w)
		}
	}
	return facts
}

// codeLike reports whether a word of a message is one of code.
func codeLike(w string) bool {
	switch {
	case hash.MatchString(w):
		return false
	case number.MatchString(w), flagWord.MatchString(w), callWord.MatchString(w), fileWord.MatchString(w):
		return true
	case strings.Contains(strings.Trim(w, ":"), "::"):
		return true
	}
	return !strings.ContainsAny(w, " /=") && terms.Compound(w)
}

// hasWord reports whether a text has a word that is not a part of a longer one.
func hasWord(text, w string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], w)
		if i < 0 {
			return false
		}
		i += from
		to := i + len(w)
		if (i == 0 || !joins(text[i-1], w[0])) && (to == len(text) || !joins(text[to], w[len(w)-1])) {
			return true
		}
		from = i + 1
	}
}

// joins reports whether a byte beside an end of a word makes it a longer one.
func joins(beside, end byte) bool { return letter(beside) && letter(end) }

func letter(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
