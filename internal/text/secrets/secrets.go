// Package secrets takes secrets out of text before it leaves: keys with a
// provider's prefix, private keys, passwords in URLs, values of .env files.
//
// It replaces the secret alone and keeps the file, since what surrounds a key
// is often what a task is about:
//
//	token := "[secret:github-token sha256:ab12cd34]"
//
// The start of the hash tells two secrets apart without telling either; short
// secrets, which could be guessed from it, get none. Start with [Redact].
//
// It does not guess from randomness alone: in code, most long random words are
// checksums and test vectors, and a detector that cries wolf gets switched off. A
// secret without a known form is found if the name that it is assigned to says so,
// too. Placeholders (your-key-here, xxxx, EXAMPLE, ${VAR}) are not secrets.
//
// Redact keeps no state and may be called at the same time.
package secrets

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// A Finding says that a secret was taken out.
type Finding struct {
	Kind string // such as "github-token"
	Line int    // 1-based
}

// A span is a part of a text that holds a secret, or a part of one.
type span struct {
	start, end int
	kind       string
	// rest marks all but the first part of a secret that takes several lines.
	// It is taken out and nothing put in its place.
	rest bool
}

// maxRounds bounds how often a text is searched again. A secret right beside
// another can become visible when the other is gone; three in a row have not
// been seen.
const maxRounds = 8

// minSpread is how long a secret must be so that its other occurrences in the
// text are taken out too. A short one, such as a password "admin", would take
// words with it.
const minSpread = 16

// Redact returns text with every secret that it finds replaced by a mark, and
// what it found, by line. The path may name a kind of file that holds secrets
// by its nature (.env, id_rsa, .netrc and others); there every value goes.
//
// The number of lines stays as it is, and so does all that is not part of a
// secret. If nothing is found, Redact returns text itself; it never changes
// the bytes of text. Redacting a second time finds nothing.
func Redact(path string, text []byte) (clean []byte, found []Finding) {
	if rest, ok := bytes.CutPrefix(text, byteOrderMark); ok {
		if clean, found = Redact(path, rest); len(found) == 0 {
			return text, nil
		}
		return slices.Concat(byteOrderMark, clean), found
	}
	file, published := fileKind(path), isPublished(path)
	find := func(text []byte) []span {
		spans := scan(text, nil)
		if file != nil {
			spans = file(text, spans)
		}
		if published {
			spans = slices.DeleteFunc(spans, func(s span) bool { return s.kind == credential })
		}
		return spans
	}
	for range maxRounds {
		spans := settle(text, uncover(text, find))
		if len(spans) == 0 {
			break
		}
		var more []Finding
		text, more = replace(text, spans)
		found = append(found, more...)
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return a.Line - b.Line })
	return text, found
}

// isPublished reports whether a path names a page of documentation. What follows
// "password =" there is an example; keys of a known form go in spite of that.
func isPublished(path string) bool {
	ext := path[strings.LastIndexByte(path, '.')+1:]
	return (ext == "md" || ext == "rst" || ext == "adoc") &&
		(strings.HasPrefix(path, "docs/") || strings.HasPrefix(path, "doc/") || strings.Contains(path, "/docs/") || strings.Contains(path, "/doc/"))
}

// settle sorts spans, drops those inside marks, merges those that overlap and
// adds the other occurrences of what was found.
func settle(text []byte, spans []span) []span {
	spans = slices.DeleteFunc(spans, func(s span) bool { return s.start >= s.end || inMark(text, s.start, s.end) })
	if len(spans) == 0 {
		return nil
	}
	spans = spread(text, spans)
	slices.SortStableFunc(spans, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	out := spans[:1]
	for _, s := range spans[1:] {
		last := &out[len(out)-1]
		if s.start < last.end {
			last.end = max(last.end, s.end)
			last.rest = last.rest && s.rest
			if last.kind == credential { // a known form says more
				last.kind = s.kind
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// spread appends the other occurrences of secrets of minSpread bytes or more:
// where no rule looks, such as the log line that prints what is assigned above.
func spread(text []byte, spans []span) []span {
	// Secrets by their last bytes, so that a file full of keys takes one pass.
	// The first bytes of many keys are the same.
	type key [minSpread]byte
	by := make(map[key][]span)
	var last [256]bool
	const most = 32 // secrets with the same end that are looked for
	for _, s := range spans {
		secret := text[s.start:s.end]
		if len(secret) < minSpread || bytes.IndexByte(secret, '\n') >= 0 {
			continue
		}
		k := key(secret[len(secret)-minSpread:])
		if len(by[k]) < most && !slices.ContainsFunc(by[k], func(o span) bool { return bytes.Equal(text[o.start:o.end], secret) }) {
			by[k] = append(by[k], s)
			last[k[minSpread-1]] = true
		}
	}
	if len(by) == 0 {
		return spans
	}
	// match notes that s stands at another place too, if it does.
	match := func(at int, s span) {
		n := s.end - s.start
		if at < 0 || at+n > len(text) || !bytes.Equal(text[at:at+n], text[s.start:s.end]) {
			return
		}
		if at != s.start && !inMark(text, at, at+n) {
			spans = append(spans, span{at, at + n, s.kind, s.rest})
		}
	}
	if len(by) <= 4 {
		for _, list := range by {
			for _, s := range list {
				for at := 0; ; at += s.end - s.start {
					i := bytes.Index(text[at:], text[s.start:s.end])
					if i < 0 {
						break
					}
					at += i
					match(at, s)
				}
			}
		}
		return spans
	}
	for end := minSpread; end <= len(text); end++ {
		if !last[text[end-1]] {
			continue
		}
		for _, s := range by[key(text[end-minSpread:end])] {
			match(end-(s.end-s.start), s)
		}
	}
	return spans
}

// replace puts marks in the place of spans, which are sorted and apart.
func replace(text []byte, spans []span) (clean []byte, found []Finding) {
	clean = make([]byte, 0, len(text)+len(spans)*16)
	at, line := 0, 1
	for _, s := range spans {
		clean = append(clean, text[at:s.start]...)
		line += bytes.Count(text[at:s.start], newline)
		if !s.rest {
			clean = append(clean, mark(s.kind, text[s.start:s.end])...)
			found = append(found, Finding{Kind: s.kind, Line: line})
		}
		// Rules do not cross lines, but merged spans might.
		n := bytes.Count(text[s.start:s.end], newline)
		for range n {
			clean = append(clean, '\n')
		}
		line += n
		at = s.end
	}
	return append(clean, text[at:]...), found
}

var newline = []byte{'\n'}

// byteOrderMark may stand before the first line of a file, and is no part of it.
var byteOrderMark = []byte("\ufeff")

const (
	markStart = "[secret:"
	markHash  = " sha256:"
	hashChars = 8
)

// mark returns what stands in the place of a secret. A short one might be
// guessed from its hash, so it gets none.
func mark(kind string, secret []byte) string {
	if len(secret) < minSpread {
		return markStart + kind + "]"
	}
	sum := sha256.Sum256(secret)
	return markStart + kind + markHash + hex.EncodeToString(sum[:])[:hashChars] + "]"
}

// maxMark is the length of the longest mark.
const maxMark = len(markStart) + 32 + len(markHash) + hashChars + 1

// inMark reports whether a span lies in, holds or cuts a mark.
func inMark(text []byte, start, end int) bool {
	from := max(0, start-maxMark)
	to := min(len(text), end+maxMark)
	for at := from; ; {
		i := bytes.Index(text[at:to], []byte(markStart))
		if i < 0 {
			return false
		}
		at += i
		if at >= end {
			return false
		}
		if n := markLen(text[at:]); n > 0 && at+n > start {
			return true
		}
		at += len(markStart)
	}
}

// markLen returns the length of the mark that text starts with, or 0.
func markLen(text []byte) int {
	if !bytes.HasPrefix(text, []byte(markStart)) {
		return 0
	}
	n := len(markStart)
	for n < len(text) && n < len(markStart)+32 && (isLower(text[n]) || isDigit(text[n]) || text[n] == '-') {
		n++
	}
	if n < len(text) && text[n] == ']' && n > len(markStart) {
		return n + 1
	}
	if !bytes.HasPrefix(text[n:], []byte(markHash)) {
		return 0
	}
	n += len(markHash)
	for range hashChars {
		if n >= len(text) || !hexChars[text[n]] {
			return 0
		}
		n++
	}
	if n >= len(text) || text[n] != ']' {
		return 0
	}
	return n + 1
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isWord(c byte) bool  { return wordChars[c] }
