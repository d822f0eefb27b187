package secrets

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strconv"
)

// Keys of files that hold secrets by their nature, where they stand elsewhere: in a
// log, a script, a session.

// puttyKey finds the private lines of a PuTTY key, wherever it stands.
func puttyKey(text []byte, i int, spans []span) []span {
	const label = "Private-Lines:"
	if !bytes.HasPrefix(text[i:], []byte(label)) || !boundary(text, i) || withinKey(spans, i) {
		return spans
	}
	at := i + len(label)
	at += run(text[at:], blankChars, 4)
	digits := run(text[at:], digitChars, 4)
	lines, err := strconv.Atoi(string(text[at : at+digits]))
	if err != nil {
		return spans
	}
	at += digits
	const longest = 80 // PuTTY writes 64 to a line
	first := len(spans)
	for range min(lines, mostKeyLines) {
		// To the next line, which may be escaped, quoted or numbered.
		for k := 0; at < len(text) && k < 40 && (!base64Chars[text[at]] || run(text[at:], base64Chars, 16) < 4); k++ {
			at++
		}
		if at > 0 && at < len(text) && text[at-1] == '\\' && (text[at] == 'n' || text[at] == 'r') {
			at++ // the n of \n
		}
		n := run(text[min(at, len(text)):], base64Chars, longest+1)
		if n < 4 || n > longest || bytes.HasPrefix(text[at:], []byte("Private")) {
			break
		}
		if !inMark(text, at, at+n) {
			spans = append(spans, span{start: at, end: at + n, kind: "private-key", rest: len(spans) > first})
		}
		at += n
	}
	return spans
}

var blankChars = chars(" \t")

// mostKeyLines is how many lines of a key are taken: real ones have a few dozen.
const mostKeyLines = 1000

// withinKey reports whether position i stands before the end of a key that was found
// lately. What looks like another key in there would be taken out again, and a text
// that is full of such would take the square of its length.
func withinKey(spans []span, i int) bool {
	return slices.ContainsFunc(spans[max(0, len(spans)-mostKeyLines):], func(s span) bool { return s.kind == "private-key" && s.end > i })
}

// pemInBase64 finds a private key in PEM that was encoded once more, as kubeconfig's
// client-key-data and secrets of Kubernetes are.
func pemInBase64(text []byte, i int, spans []span) []span {
	const begin = "LS0tLS1CRUdJTi" // -----BEGIN
	if !bytes.HasPrefix(text[i:], []byte(begin)) || !boundary(text, i) {
		return spans
	}
	const label = 64 // characters that hold the first line
	if run(text[i:], base64Chars, 2*label) < 2*label || withinKey(spans, i) {
		return spans
	}
	head, err := base64.StdEncoding.DecodeString(string(text[i : i+label]))
	if err != nil || !bytes.Contains(head, []byte("PRIVATE KEY")) {
		return spans
	}
	return append(spans, span{start: i, end: i + run(text[i:], base64Chars, 64<<10), kind: "private-key"})
}

// npmAuth finds what npm's settings hold for a registry: //HOST/:_authToken=VALUE.
func npmAuth(text []byte, i int, spans []span) []span {
	for _, name := range []string{":_authToken", ":_password", ":_auth"} {
		rest := text[i:]
		if !bytes.HasPrefix(rest, []byte(name)) {
			continue
		}
		_, from, end, ok := assigned(text, i+1, i+len(name))
		if !ok || end-from < minPassword || placeholder(text[from:end]) {
			return spans
		}
		return append(spans, span{start: from, end: end, kind: "npm-token"})
	}
	return spans
}

// urlToken finds a token that is the user of a URL: https://TOKEN@host/, or with a
// password that only says what the user is.
func urlToken(user, password, host []byte) bool {
	switch string(password) {
	case "", "x-oauth-basic", "x-token-auth", "x", "X", "api_token":
	default:
		return false
	}
	const least = 20 // the shortest tokens that are used so
	return len(user) >= least && run(user, urlChars, len(user)) == len(user) && withDigits(user) > 0 && keyLike(user) &&
		!testHost(host) && !publicUser(host)
}

// publicUser reports whether the users in URLs of a host are no secrets: those of
// Sentry's DSNs stand in web pages.
func publicUser(host []byte) bool {
	n := run(host, dotChars, 100)
	return bytes.Contains(bytes.ToLower(host[:n]), []byte("sentry"))
}

// wireGuard accepts the 32 bytes of a key, in base64.
func wireGuard(v []byte) bool {
	return len(v) == 44 && v[43] == '=' && run(v, base64Chars, 44) == 44 && bytes.IndexByte(v, '=') == 43 && mixed(v) > 0
}
