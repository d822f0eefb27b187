package secrets

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// words that people write where a secret would stand.
var placeholderWords = strings.Fields(`example xxxx your placeholder changeme change_me change-me redacted dummy sample insert replace
notreal not-real invalid testtest fakefake fake- -fake fake_ _fake foobar deadbeef secret password lorem .... **** ____ aaaaaa 000000 111111`)

// placeholder reports whether a value that has the form of a key is one that
// nobody was issued: it holds a word such as "example", counts up (abcdefgh,
// 12345678), repeats itself, or is made of few different characters.
func placeholder(value []byte) bool {
	low := bytes.ToLower(value)
	return hasAny(low, placeholderWords) || countsUp(low) || repeats(low) || len(value) >= 16 && entropy(value) < minEntropy || wordy(value)
}

// hasAny reports whether a text has one of some words in it.
func hasAny(text []byte, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(text, []byte(w)) })
}

// endsInAny reports whether a text ends in one of some words.
func endsInAny(text []byte, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return bytes.HasSuffix(text, []byte(w)) })
}

// minEntropy is the least entropy, in bits a byte, of a value of 16 bytes or
// more that may be a key. Random hex of that length has less than 2.5 once in
// some ten thousand times.
const minEntropy = 2.5

// longestCount is how far a random value may count up. Eight in a row happen
// to random letters once in 10^10 places.
const longestCount = 7

func countsUp(low []byte) bool {
	up, down := 1, 1
	for i := 1; i < len(low); i++ {
		up++
		if low[i] != low[i-1]+1 && !(low[i] == '0' && low[i-1] == '9') {
			up = 1
		}
		down++
		if low[i]+1 != low[i-1] {
			down = 1
		}
		if up > longestCount || down > longestCount {
			return true
		}
	}
	return false
}

// repeats reports whether a value of 12 bytes or more is the same few over and
// over.
func repeats(low []byte) bool {
	if len(low) < 12 {
		return false
	}
	for period := 1; period <= len(low)/3; period++ {
		if bytes.Equal(low[period:], low[:len(low)-period]) {
			return true
		}
	}
	return false
}

// wordy reports whether a value is small letters, with hyphens perhaps: words.
func wordy(value []byte) bool {
	upper := 0
	for _, c := range value {
		switch {
		case isDigit(c):
			return false
		case isUpper(c):
			upper++
		}
	}
	return upper < 3
}

// entropy returns the bits a byte of a value, by its own frequencies.
func entropy(value []byte) float64 {
	var counts [256]int
	for _, c := range value {
		counts[c]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(value))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
