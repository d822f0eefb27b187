package secrets

import (
	"bytes"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// RedactExcerpt is [Redact] for text that was cut out of a file, such as a hunk
// of a patch: the line that says what follows may stand above the cut. So lines
// that look like the inside of a private key are taken out where they stand at
// the very beginning, with nothing before them, or right above the end of a key.
// A certificate cut so is taken for a key; in an excerpt nothing tells them
// apart.
func RedactExcerpt(path string, text []byte) (clean []byte, found []Finding) {
	spans := settle(text, uncover(text, func(text []byte) []span {
		return cutKey(text, func(_ []span, top, _ bool) bool { return top })
	}))
	if len(spans) > 0 {
		text, found = replace(text, spans)
	}
	clean, more := Redact(path, text)
	return clean, append(found, more...)
}

// RedactTurn is [Redact] for a text of a session, such as what a tool printed: the
// lines of a key without the one that begins it are taken out wherever they stand,
// numbered or not. One such line alone at the beginning may be anything; three in a
// row, or all that there is, are a key, unless a line above says what else.
func RedactTurn(text []byte) (clean []byte, found []Finding) {
	clean, found = Redact("", text)
	spans := settle(clean, uncover(clean, func(text []byte) []span {
		return cutKey(text, func(lines []span, top, labelled bool) bool {
			return len(lines) >= leastTop && top || len(lines) >= leastAnywhere && !labelled
		})
	}))
	if len(spans) > 0 {
		var more []Finding
		clean, more = replace(clean, spans)
		found = append(found, more...)
	}
	return clean, found
}

// How many lines of a key, without its beginning and end, are taken for one in a
// session: judgement.
const (
	leastTop      = 2
	leastAnywhere = 3
)

var (
	// cutKeyLine is a line of the inside of a PEM block, perhaps quoted in a
	// program: 64 characters in keys, up to 76 in what other tools write. The
	// last line may be shorter. Few processes need these large programs.
	cutKeyLine = lazy.Regexp("^[ \\t]*(?:\\d{1,6}[ \\t]*[\\t:|→][ \\t]*)?[\"'`+]*[ \\t]*[\"'`]?([A-Za-z0-9+/]{60,76}={0,2})(?:\\\\n)*[\"'`]?[ \\t+,;\\\\]*\\r?\\n?$")
	cutKeyLast = lazy.Regexp("^[ \\t]*(?:\\d{1,6}[ \\t]*[\\t:|→][ \\t]*)?[\"'`+]*[ \\t]*[\"'`]?([A-Za-z0-9+/]{4,76}={0,2})(?:\\\\n)*[\"'`]?[ \\t+,;\\\\]*\\r?\\n?$")
	cutKeyEnd  = lazy.Regexp(`-----END [A-Z ]*PRIVATE KEY`)
)

// longestCut is more than a line of a key takes, quoted, indented and numbered.
const longestCut = 200

// cutKey returns the lines that may be the inside of a key whose first line is
// not in the text: those above the end of a key, and others of which isKey says so.
// top are lines with nothing before them; labelled are those below the beginning of
// a block, which says itself what it holds.
func cutKey(text []byte, isKey func(lines []span, top, labelled bool) bool) []span {
	var spans []span
	start := 0
	var run []span // key lines without another line between them
	top := true    // nothing but key lines so far
	labelled := false
	settle := func(sure bool) {
		if len(run) > 0 && (sure || isKey(run, top, labelled)) {
			for i := range run {
				run[i].rest = i > 0
			}
			spans = append(spans, run...)
		}
		run = run[:0]
	}
	for raw := range bytes.Lines(text) {
		var m []int
		if len(raw) >= 60 && len(raw) < longestCut { // most lines are not looked at twice
			m = cutKeyLine().FindSubmatchIndex(raw)
		}
		if m == nil && len(run) > 0 {
			m = cutKeyLast().FindSubmatchIndex(raw)
		}
		switch {
		case m != nil && looksRandom(raw[m[2]:m[3]]):
			run = append(run, span{start: start + m[2], end: start + m[3], kind: "private-key"})
		default:
			settle(bytes.Contains(raw, []byte("-----END ")) && cutKeyEnd().Match(raw))
			top, labelled = false, bytes.Contains(raw, []byte("-----BEGIN "))
		}
		start += len(raw)
	}
	settle(false)
	return spans
}

// looksRandom reports whether a word holds letters of both cases and digits, as 60
// characters of base64 do and a rule or a row of a table does not.
func looksRandom(word []byte) bool {
	if len(word) < 60 {
		return true // the end of a block, judged by the lines before it
	}
	var upper, lower, digit bool
	for _, c := range word {
		upper = upper || c >= 'A' && c <= 'Z'
		lower = lower || c >= 'a' && c <= 'z'
		digit = digit || c >= '0' && c <= '9'
	}
	return upper && lower && digit
}
