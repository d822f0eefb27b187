package secrets

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Secrets without a known form are found by three marks together: the name that they
// are assigned to says so, the value is random enough, and it is not an expression, a
// placeholder or a word.

// credential is the kind of a secret without a known form.
const credential = "credential"

// named returns a matcher for values that are assigned to a name with a word in it,
// which begins offset bytes before its anchor.
func named(word string, offset int) matcher {
	return func(text []byte, i int, spans []span) []span {
		i -= offset
		if i < 0 || !foldPrefix(text[i:], word) || word == "key" && (i == 0 || !dotChars[text[i-1]]) {
			return spans
		}
		name, at := operand(text, i, i+len(word))
		if at < 0 || at >= len(text) || text[at] <= ' ' {
			return spans
		}
		from, end, quoted := literal(text, at)
		if n := run(text[at:], alnumChars, 8); word == "auth" && at+n < len(text) && text[at+n] == ' ' {
			from, end, _ = literal(text, at+n+1) // Authorization: token VALUE
		}
		value := text[from:end]
		if len(value) < leastPassword || !bytes.ContainsAny(value, "0123456789") && !(quoted && manySymbols(value)) {
			return spans // before the name, since most code ends here
		}
		if pairPassword(value) != nil {
			return base64Pair(text, from, spans)
		}
		if password := isPassword(name); (password || isKey(name)) &&
			(password && passwordValue(value, quoted) || keyValue(value) || quoted && manySymbols(value)) {
			spans = append(spans, span{start: from, end: end, kind: credential})
		}
		return spans
	}
}

// notSecret follow a word such as token in names of something else: token_url.
var notSecret = strings.Fields(`id url uri path file name type len size field label ref polic expir exp ttl life timeout age max min reset form input prompt hint env var
header prefix suffix regex pattern provider manager class endpoint host store count limit hash digest alg valid check verif enc gen factory handler parser service
server serial deserial version format err message msg text title placeholder require enable method scope mode stat index pos offset kind loc desc help column attr param audience
issuer arn alias rot usage page info set list map template example test word board code frame pair press ring select signature down up left right space stone`)

// isPassword reports whether a name ends in a word for a password, which a person
// may have chosen.
func isPassword(name []byte) bool {
	plain := plainName(name)
	for _, w := range []string{"password", "passwd", "passphrase", "pwd"} {
		if i := bytes.LastIndex(plain, []byte(w)); i >= 0 {
			return saysSecret(plain[i+len(w):])
		}
	}
	return string(plain) == "pass" || bytes.HasSuffix(bytes.ToLower(name), []byte("_pass"))
}

// isKey reports whether a name ends in a word for a key that a program made.
func isKey(name []byte) bool {
	plain := plainName(name)
	if bytes.HasSuffix(plain, []byte("auth")) || bytes.HasSuffix(plain, []byte("authorization")) {
		return true
	}
	for _, w := range []string{"secret", "token", "credential", "creds"} {
		i := bytes.LastIndex(plain, []byte(w))
		if i < 0 || !saysSecret(plain[i+len(w):]) {
			continue
		}
		return !endsInAny(plain[:i], notTokens)
	}
	i := bytes.LastIndex(plain, []byte("key"))
	return i >= 0 && saysSecret(plain[i+len("key"):]) && endsInAny(plain[:i], keyOf)
}

// keyOf are before key in the names of keys that are secret. Most others are of tables.
var keyOf = strings.Fields("api access secret private encryption signing sign auth account master storage service shared app session client jwt hmac aes consumer admin deploy license")

// notTokens are before token in names of what is not secret.
var notTokens = strings.Fields("csrf xsrf next page continuation cancel sync public idempotency")

// saysSecret reports whether a name is for a secret still with what follows its word.
func saysSecret(rest []byte) bool {
	single := bytes.TrimPrefix(rest, []byte("s"))
	return !slices.ContainsFunc(notSecret, func(s string) bool { return bytes.HasPrefix(rest, []byte(s)) || bytes.HasPrefix(single, []byte(s)) })
}

// literal returns the value that is at a place: up to its closing quote on the line, or
// up to a blank or a mark. It is empty if the value goes on as an expression does.
func literal(text []byte, at int) (from, end int, quoted bool) {
	const longest = 512
	limit := min(len(text), at+longest)
	if q := text[at-1]; at > 0 && (q == '"' || q == '\'' || q == '`') {
		for end = at; end < limit && text[end] != q && text[end] != '\n'; end++ {
			if text[end] == '\\' {
				return at, end, true // of a string in a string
			}
		}
		if end == limit || text[end] != q {
			return at, at, true
		}
		return at, end, true
	}
	end = at
	for end < limit && text[end] > ' ' && bytes.IndexByte([]byte("\"'`,;<>()[]{}&|\\"), text[end]) < 0 {
		end++
	}
	if end < len(text) && bytes.IndexByte([]byte("([{`"), text[end]) >= 0 {
		return at, at, false
	}
	return at, end, false
}

// leastPassword is the length of the shortest password that is found by its name.
const leastPassword = 8

// passwordValue reports whether a value may be a password that a person chose.
func passwordValue(value []byte, quoted bool) bool {
	if !isLiteral(value) || !passwordLike(nil, value) || entropy(value) < 2.5 || usual(value) {
		return false
	}
	letterDigit, _ := jumps(value)
	symbols := bytes.ContainsAny(value, "!@#$%^&*?+")
	if quoted {
		return letterDigit >= 2 || symbols
	}
	return letterDigit >= 3 || letterDigit > 0 && symbols
}

// usualPasswords are in passwords of examples and tests.
var usualPasswords = []string{"passw", "secret", "chang", "admin", "test", "letmein", "qwert", "hunter"}

// manySymbols reports whether a value has so many different marks that it is neither
// an expression nor a word. Regular expressions have many too.
func manySymbols(value []byte) bool {
	if bytes.ContainsAny(value, " \t\\^*|") {
		return false
	}
	kinds := 0
	for _, c := range []byte("!#$%&()+<>?@[]{}~;") {
		if bytes.IndexByte(value, c) >= 0 {
			kinds++
		}
	}
	const least = 6
	return kinds >= least && len(value) >= minSpread
}

// keyValue reports whether a value may be a key that a program made.
func keyValue(value []byte) bool {
	const least = 12
	if len(value) < least || !isLiteral(value) || run(value, keyChars, len(value)) < len(value) || !keyLike(value) || !bytes.ContainsAny(value, "0123456789") {
		return false
	}
	letterDigit, camel := jumps(value)
	if len(value) < minSpread {
		return mixed(value) > 0 && 2*letterDigit+camel >= 6 && letterDigit >= 2
	}
	return 2*letterDigit+camel >= max(8, len(value)/5)
}

var keyChars = chars("A-Za-z0-9+/=_.~:!@#$%^&*-")

// isLiteral reports whether a value is text, rather than a variable, a template, a
// path, an address or a chain of names.
func isLiteral(value []byte) bool {
	if hasAny(value, []string{"${", "{{", "$(", "#{", "%(", "<", "://", "./", "arn:", "process.env", "::", "%s", "%v", "%d"}) {
		return false
	}
	return value[0] != '/' && value[0] != '$' && value[0] != '@' && value[0] != '%' && !bytes.ContainsAny(value, " \t") && utf8.Valid(value)
}

// jumps counts the changes between letters and digits in a value, and those from small
// letters to capitals. Random values have many, names and words few.
func jumps(value []byte) (letterDigit, camel int) {
	for i := 1; i < len(value); i++ {
		a, b := value[i-1], value[i]
		switch {
		case !alnumChars[a] || !alnumChars[b]:
		case isDigit(a) != isDigit(b):
			letterDigit++
		case isLower(a) && isUpper(b):
			camel++
		}
	}
	return letterDigit, camel
}

// usual reports whether a password is one of examples and tests, with digits and marks
// for letters too: p@ssw0rd.
func usual(value []byte) bool {
	plain := bytes.Map(func(r rune) rune {
		if i := strings.IndexRune("0134578@$", r); i >= 0 {
			return rune("oleastbas"[i])
		}
		return r
	}, bytes.ToLower(value))
	return slices.ContainsFunc(usualPasswords, func(w string) bool { return bytes.Contains(plain, []byte(w)) })
}

// basicAuth finds the user and password of HTTP in base64: Basic dXNlcjpwYXNz.
func basicAuth(text []byte, i int, spans []span) []span {
	const word = "basic "
	if !foldPrefix(text[i:], word) || !boundary(text, i) {
		return spans
	}
	return base64Pair(text, i+len(word), spans)
}

// base64Pair appends the base64 at a place, if it is of a user and a password.
func base64Pair(text []byte, from int, spans []span) []span {
	end := from + run(text[from:], base64Chars, 512)
	if password := pairPassword(text[from:end]); len(password) >= minPassword && !placeholder(password) && !wordy(password) && !usual(password) {
		spans = append(spans, span{start: from, end: end, kind: credential})
	}
	return spans
}

// pairPassword returns the password of user:password in base64, or nil.
func pairPassword(value []byte) []byte {
	pair, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(value, "=")))
	user, password, ok := bytes.Cut(pair, []byte(":"))
	if err != nil || !ok || len(user) == 0 || len(password) == 0 || !utf8.Valid(pair) || bytes.ContainsFunc(pair, unicode.IsControl) {
		return nil
	}
	return password
}

// bearerAuth finds the token after Bearer.
func bearerAuth(text []byte, i int, spans []span) []span {
	const word = "bearer "
	if !foldPrefix(text[i:], word) || !boundary(text, i) {
		return spans
	}
	from, end, _ := literal(text, i+len(word))
	if end-from < 20 || !keyValue(text[from:end]) {
		return spans
	}
	return append(spans, span{start: from, end: end, kind: credential})
}

// cookies finds the values of a header: Cookie: a=VALUE; b=VALUE.
func cookies(text []byte, i int, spans []span) []span {
	i--
	const word = "cookie"
	if i < 0 || !foldPrefix(text[i:], word) || i+len(word) >= len(text) || text[i+len(word)] != ':' {
		return spans
	}
	at := i + len(word) + 1
	_, end := line(text, at)
	for at < end {
		n := bytes.IndexAny(text[at:end], "=;\"'\\")
		if n < 0 || text[at+n] != '=' && text[at+n] != ';' {
			return spans
		}
		at += n + 1
		if text[at-1] == ';' {
			continue
		}
		from, to, _ := literal(text, at)
		to = min(to, end)
		if from < to && keyValue(bytes.ReplaceAll(text[from:to], []byte("%"), nil)) {
			spans = append(spans, span{start: from, end: to, kind: credential})
		}
		at = max(at, to)
	}
	return spans
}

// userFlag finds the password of curl's -u USER:PASSWORD.
func userFlag(text []byte, i int, spans []span) []span {
	for _, flag := range []string{" -u ", " -u", "-user ", "-user="} {
		if !bytes.HasPrefix(text[i:], []byte(flag)) {
			continue
		}
		start, _ := line(text, i)
		if !bytes.Contains(text[start:i], []byte("curl")) {
			return spans
		}
		from, end, _ := literal(text, i+len(flag)+run(text[i+len(flag):], quoteChars, 1))
		user, password, ok := bytes.Cut(text[from:end], []byte(":"))
		if !ok || len(password) < minPassword || !isLiteral(text[from:end]) || !passwordLike(user, password) {
			return spans
		}
		return append(spans, span{start: end - len(password), end: end, kind: credential})
	}
	return spans
}

var quoteChars = chars("\"'")
