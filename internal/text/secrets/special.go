package secrets

import (
	"bytes"
	"slices"
	"strings"
)

// special are the secrets that take more than a prefix to tell.
var special = []struct {
	anchor string
	match  matcher
}{
	{"eyJ", jwt},
	{"://", urlPassword},
	{"BEGIN"[:3], privateKey},
	{":AA", telegram},
	{".atlasv1."[:3], terraformCloud},
	{"secret"[:3], awsSecret},
	{"0Q~", azureSecret}, {"1Q~", azureSecret}, {"2Q~", azureSecret}, {"3Q~", azureSecret}, {"4Q~", azureSecret},
	{"5Q~", azureSecret}, {"6Q~", azureSecret}, {"7Q~", azureSecret}, {"8Q~", azureSecret}, {"9Q~", azureSecret},
	{"-us", mailchimp},
	{"sig=", signature},
	{"Private-Lines"[:3], puttyKey},
	{"LS0", pemInBase64},
	{":_auth"[:3], npmAuth}, {":_password"[:3], npmAuth},
	{"Secret"[:3], manifest},
	{"password"[2:5], named("password", 2)}, {"passwd"[2:5], named("passwd", 2)}, {"passphrase"[4:7], named("passphrase", 4)},
	{"pwd", named("pwd", 0)}, {"_pass"[:3], named("_pass", 0)}, {"secret"[1:4], named("secret", 1)}, {"token"[1:4], named("token", 1)},
	{"key", named("key", 0)}, {"creds"[2:5], named("creds", 2)}, {"credential"[2:5], named("credential", 2)},
	{"auth"[1:4], named("auth", 1)}, {"Basic"[:3], basicAuth}, {"Bearer"[:3], bearerAuth}, {"Cookie"[1:4], cookies}, {" -u", userFlag}, {"--user"[1:4], userFlag},
}

// jwt finds header.payload.signature, each in base64.
func jwt(text []byte, i int, spans []span) []span {
	if string(text[i:i+3]) != "eyJ" || !boundary(text, i) {
		return spans
	}
	end := i
	for part := range 3 {
		n := run(text[end:], urlChars, longestPart[part])
		if n < 16 || part < 2 && (end+n >= len(text) || text[end+n] != '.') || part == 1 && string(text[end:end+2]) != "ey" {
			return spans
		}
		end += n
		if part < 2 {
			end++
		}
	}
	// The token of the standard's introduction, for subject 1234567890, is in
	// every tutorial.
	if bytes.Contains(text[i:end], []byte("eyJzdWIiOiIxMjM0NTY3ODkw")) || placeholder(text[i:end]) {
		return spans
	}
	return append(spans, span{start: i, end: end, kind: "jwt"})
}

// longestPart bounds the parts of a JWT: a header names an algorithm and a key,
// a payload may be long.
var longestPart = [...]int{1 << 10, 1 << 14, 1 << 10}

// urlPassword finds the password in scheme://user:password@host.
func urlPassword(text []byte, i int, spans []span) []span {
	if text[i] != ':' || text[i+1] != '/' || text[i+2] != '/' || i == 0 || !alnumChars[text[i-1]] {
		return spans
	}
	const longest = 256
	from := i + 3
	colon, at := -1, -1
scan:
	for j := from; j < len(text) && j < from+longest; j++ {
		switch c := text[j]; {
		case c == '@':
			at = j // the last one before the host counts, but only the first is sure
			break scan
		case c == ':' && colon < 0:
			colon = j
		case c <= ' ' || c >= 0x7f || bytes.IndexByte([]byte("/\\\"'`<>?#()|,;"), c) >= 0:
			break scan
		}
	}
	if at < 0 {
		return spans
	}
	user, password := text[from:at], []byte(nil)
	if colon >= 0 {
		user, password = text[from:colon], text[colon+1:at]
	}
	if urlToken(user, password, text[at+1:]) {
		return append(spans, span{start: from, end: from + len(user), kind: "url-token"})
	}
	if len(password) == 0 {
		return spans
	}
	if !passwordLike(text[from:colon], password) || testHost(text[at+1:]) {
		return spans
	}
	return append(spans, span{start: colon + 1, end: at, kind: "url-password"})
}

// passwordLike reports whether what stands where a password would is one that
// somebody might use, and not a variable or an example.
func passwordLike(user, password []byte) bool {
	if len(password)-2*bytes.Count(password, []byte("%")) < minPassword || bytes.EqualFold(user, password) || bytes.ContainsAny(password, "${}<>[]*%") && !percentEncoded(password) {
		return false
	}
	low := bytes.ToLower(password)
	if hasAny(low, placeholderWords) || slices.ContainsFunc(examplePasswords, func(w string) bool { return bytes.HasPrefix(low, []byte(w)) || bytes.HasSuffix(low, []byte(w)) }) {
		return false
	}
	// One word of small letters is a name more often than a password.
	return !wordy(password) && !countsUp(low)
}

// examplePasswords begin or end the passwords of examples.
var examplePasswords = strings.Fields("pass pwd pswd token user admin root test guest postgres mysql mongo redis rabbit key creds foo bar hello docker abc 123 fake mypw")

// minPassword is the length, without escapes, of the shortest password in a URL
// that is taken for one. Shorter ones are in tests and examples.
const minPassword = 6

// percentEncoded reports whether every percent sign starts an escape.
func percentEncoded(s []byte) bool {
	if bytes.ContainsAny(s, "${}<>[]*") {
		return false
	}
	for i, c := range s {
		if c == '%' && (i+2 >= len(s) || !anyHexChars[s[i+1]] || !anyHexChars[s[i+2]]) {
			return false
		}
	}
	return true
}

// testHost reports whether an address is one that nobody can reach.
func testHost(host []byte) bool {
	n := run(host, dotChars, 100)
	host = bytes.ToLower(host[:n])
	return len(host) == 0 || slices.Contains([]string{"localhost", "127.0.0.1", "0.0.0.0", "host", "foo", "bar"}, string(host)) ||
		endsInAny(host, []string{"example.com", "example.org", "example.net", ".example", ".test", ".invalid", ".localhost", ".local"})
}

// telegram finds a bot's number, ":AA" and 33 more characters.
func telegram(text []byte, i int, spans []span) []span {
	if string(text[i:i+3]) != ":AA" {
		return spans
	}
	n := run(text[i+1:], urlChars, 36)
	if n != 35 || placeholder(text[i+1:i+1+n]) {
		return spans
	}
	for digits := 10; digits >= 8; digits-- {
		start := i - digits
		if start >= 0 && run(text[start:], digitChars, digits) == digits && (boundary(text, start) || bytes.HasSuffix(text[:start], []byte("bot"))) {
			return append(spans, span{start: start, end: i + 1 + n, kind: "telegram-token"})
		}
	}
	return spans
}

// terraformCloud finds 14 characters, ".atlasv1." and 60 or more.
func terraformCloud(text []byte, i int, spans []span) []span {
	const middle = ".atlasv1."
	if !bytes.HasPrefix(text[i:], []byte(middle)) {
		return spans
	}
	const first = 14
	start := i - first
	n := run(text[i+len(middle):], urlChars, 80)
	if start < 0 || run(text[start:], alnumChars, first) != first || !boundary(text, start) || n < 60 || placeholder(text[i+len(middle):i+len(middle)+n]) {
		return spans
	}
	return append(spans, span{start: start, end: i + len(middle) + n, kind: "terraform-token"})
}

// azureSecret finds the secrets of Azure AD applications: three characters, a
// digit, "Q~" and 31 to 34 more.
func azureSecret(text []byte, i int, spans []span) []span {
	class := azureChars
	if text[i+1] != 'Q' || i < 3 || run(text[i-3:], class, 3) != 3 {
		return spans
	}
	n := run(text[i+3:], class, 40)
	start := i - 3
	if n < 31 || n > 34 || start > 0 && class[text[start-1]] && !escapeEnds(text[:start]) || placeholder(text[i+3:i+3+n]) {
		return spans
	}
	return append(spans, span{start: start, end: i + 3 + n, kind: "azure-secret"})
}

var azureChars = chars("A-Za-z0-9_~.-")

// mailchimp finds 32 hex digits, "-us" and the number of a data center.
func mailchimp(text []byte, i int, spans []span) []span {
	if string(text[i:i+3]) != "-us" || i < 32 {
		return spans
	}
	start := i - 32
	n := run(text[i+3:], alnumChars, 3)
	if n < 1 || n > 2 || !isDigit(text[i+3]) || !isDigit(text[i+2+n]) || run(text[start:], hexChars, 33) != 32 || !boundary(text, start) || placeholder(text[start:i]) {
		return spans
	}
	return append(spans, span{start: start, end: i + 3 + n, kind: "mailchimp-key"})
}

// signature finds the signature of an address that grants access to Azure
// storage: sig= and 43 characters of base64 with an equals sign, escaped.
func signature(text []byte, i int, spans []span) []span {
	if !bytes.HasPrefix(text[i:], []byte("sig=")) || i == 0 || text[i-1] != '&' && text[i-1] != '?' {
		return spans
	}
	from := i + 4
	n := run(text[from:], signatureChars, 120)
	if n < 44 || !bytes.HasSuffix(text[from:from+n], []byte("%3D")) && text[from+n-1] != '=' || placeholder(text[from:from+n-3]) {
		return spans
	}
	return append(spans, span{start: from, end: from + n, kind: "azure-sas-signature"})
}

var signatureChars = chars("A-Za-z0-9%+/=")

// privateKey finds the body of a private key in PEM or OpenPGP armor.
func privateKey(text []byte, i int, spans []span) []span {
	const dashes = "-----"
	if i < len(dashes) || string(text[i-len(dashes):i]) != dashes || !bytes.HasPrefix(text[i:], []byte("BEGIN ")) {
		return spans
	}
	label := text[i+len("BEGIN "):]
	n := run(label, labelChars, 40)
	if !bytes.HasPrefix(label[n:], []byte(dashes)) {
		return spans
	}
	label = label[:n]
	if !bytes.HasSuffix(label, []byte("PRIVATE KEY")) && !bytes.HasSuffix(label, []byte("PRIVATE KEY BLOCK")) && !bytes.HasSuffix(label, []byte("SECRET KEY")) {
		return spans
	}
	from := i + len("BEGIN ") + n + len(dashes)
	return keyBody(text, from, "private-key", spans)
}

var labelChars = chars("A-Z0-9 ")

// keyBody appends the base64 of a key that starts at from: in lines, or on one
// line with \n between, or in the pieces of a concatenation.
func keyBody(text []byte, from int, kind string, spans []span) []span {
	const longest = 32 << 10
	to := min(len(text), from+longest)
	if next := bytes.Index(text[from:to], []byte("-----BEGIN")); next >= 0 {
		to = from + next
	}
	if end := bytes.Index(text[from:to], []byte("-----END")); end >= 0 {
		to = from + end
	} else {
		to = from + looseBody(text[from:to])
	}
	total := 0
	first := len(spans)
	for j := from; j < to; {
		if !base64Chars[text[j]] {
			j++
			continue
		}
		n := run(text[j:to], base64Chars, longest)
		start, end := j, j+n
		j = end
		if start > 0 && text[start-1] == '\\' {
			start++ // the n of \n
		}
		// The last line may be short, but words between are not the key.
		alone := wholeLine(text, start, end)
		if end-start < minKeyRun && !(alone && end-start >= 1 && total > 0) {
			continue
		}
		if inMark(text, start, end) {
			continue
		}
		total += end - start
		spans = append(spans, span{start: start, end: end, kind: kind, rest: len(spans) > first})
	}
	if total < minKey && len(spans) > first {
		return spans[:first]
	}
	var all []byte
	for _, s := range spans[first:] {
		all = append(all, text[s.start:s.end]...)
	}
	if len(all) < 2*minKey && placeholder(all) {
		return spans[:first]
	}
	return spans
}

// A key has at least minKey characters (Ed25519 in PKCS #8 has 64, a line cut
// short 40), in pieces of at least minKeyRun.
const (
	minKey    = 40
	minKeyRun = 16
)

// wholeLine reports whether nothing but space, quotes and escapes stands beside
// a span on its line.
func wholeLine(text []byte, start, end int) bool {
	for start > 0 && text[start-1] != '\n' {
		if c := text[start-1]; c != ' ' && c != '\t' && c != '"' && c != '\'' {
			return c == 'n' && start > 1 && text[start-2] == '\\' || c == '\\'
		}
		start--
	}
	return end >= len(text) || bytes.IndexByte([]byte("\r\n \t\"'\\"), text[end]) >= 0
}

// looseBody returns how much of text is a key without an end: lines of base64
// and of armor headers.
func looseBody(text []byte) int {
	n := 0
	for n < len(text) {
		end := bytes.IndexByte(text[n:], '\n')
		if end < 0 {
			end = len(text) - n
		} else {
			end++
		}
		l := bytes.TrimSpace(text[n : n+end])
		if len(l) > 0 && run(l, base64Chars, len(l)) < len(l) && !bytes.Contains(l, []byte(": ")) && n > 0 {
			break
		}
		n += end
	}
	return n
}
