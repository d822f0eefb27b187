package secrets

import (
	"bytes"
	"strings"
)

// A filer appends the spans of a file that holds secrets by its nature.
type filer func(text []byte, spans []span) []span

// fileKind returns how to treat a path, or nil if it is an ordinary file.
func fileKind(path string) filer {
	slash := strings.LastIndexByte(path, '/') + 1
	dir, base := strings.ToLower(path[:slash]), strings.ToLower(path[slash:])
	if strings.HasSuffix(base, ".pub") {
		return nil
	}
	switch base {
	case ".npmrc", ".yarnrc", ".pypirc", ".my.cnf", ".s3cfg", ".boto", ".dockercfg", ".dockerconfigjson", "credentials.toml", ".terraformrc", ".gem_credentials":
		return assignments(secretName)
	case ".netrc", "_netrc":
		return netrc
	case ".pgpass", "pgpass.conf":
		return fields(4)
	case ".htpasswd", "shadow":
		return fields(1)
	case ".git-credentials":
		return gitCredentials
	case "credentials":
		return assignments(anyName)
	case "config.json":
		if strings.HasSuffix(dir, ".docker/") {
			return assignments(secretName)
		}
	case "config":
		if strings.HasSuffix(dir, ".kube/") {
			return assignments(secretName)
		}
	case "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "id_xmss", "identity.age", "keys.txt.age":
		return keyFile
	}
	switch ext := base[strings.LastIndexByte(base, '.')+1:]; {
	case strings.HasPrefix(base, ".env") && (len(base) == 4 || base[4] == '.' || base[4] == '-' || base[4] == '_'), base == ".envrc", ext == "env":
		for _, s := range exampleWords {
			if strings.Contains(base, s) {
				// These show which variables there are; a value that looks
				// like a secret in spite of that goes.
				return assignments(exampleName)
			}
		}
		return assignments(envName)
	case ext == "pem" || ext == "ppk" || ext == "p8" || ext == "p12" || ext == "pfx" || ext == "jks" || ext == "keystore" || ext == "kdbx" || ext == "key":
		if strings.Contains(base, ".") {
			return keyFile
		}
	}
	return nil
}

// assignments returns a filer that takes the values of name=value and
// name: value lines, those that have names and values that want says. A quoted
// value may take several lines.
func assignments(want func(name, value []byte) bool) filer {
	return func(text []byte, spans []span) []span {
		for at := 0; at < len(text); {
			end := lineEnd(text, at)
			start := at
			at = end + 1
			name, from, ok := assignment(text, start, end)
			if !ok {
				continue
			}
			to := end
			quote := text[from]
			if quote == '"' || quote == '\'' || quote == '`' {
				// Up to the closing quote, a few lines on if need be.
				from++
				const longest = 16 << 10
				limit := min(len(text), from+longest)
				j := from
				for j < limit && text[j] != quote {
					if text[j] == '\\' && quote == '"' {
						j++
					}
					j++
				}
				j = min(j, limit)
				if j < len(text) && text[j] == quote {
					to = j
				}
				if e := lineEnd(text, to); to > end {
					at = e + 1
				}
			} else if i := bytes.Index(text[from:to], []byte(" #")); i >= 0 {
				to = from + i
			}
			value := text[from:to]
			if !want(name, value) {
				continue
			}
			spans = appendLines(text, from, to, "value", spans)
		}
		return spans
	}
}

// appendLines appends a span for each line of text[from:to].
func appendLines(text []byte, from, to int, kind string, spans []span) []span {
	first := true
	for from < to {
		end := min(lineEnd(text, from), to)
		s, e := from, end
		for e > s && (text[e-1] == '\r' || text[e-1] == ' ' || text[e-1] == '\t' || text[e-1] == ',') {
			e--
		}
		for s < e && (text[s] == ' ' || text[s] == '\t') {
			s++
		}
		if s < e && !inMark(text, s, e) {
			spans = append(spans, span{start: s, end: e, kind: kind, rest: !first})
			first = false
		}
		from = end + 1
	}
	return spans
}

func lineEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

// assignment splits a line of a settings file. The value starts at from, which
// lies before end.
func assignment(text []byte, start, end int) (name []byte, from int, ok bool) {
	i := start
	skip := func(set string) {
		for i < end && strings.IndexByte(set, text[i]) >= 0 {
			i++
		}
	}
	skip(" \t#;") // a value behind a comment mark is a secret still
	for _, word := range []string{"export ", "set ", "setenv "} {
		if bytes.HasPrefix(text[i:end], []byte(word)) {
			i += len(word)
			skip(" \t")
		}
	}
	skip(`"'`)
	n := run(text[i:end], nameChars, 200)
	if n == 0 {
		return nil, 0, false
	}
	name = text[i : i+n]
	// npm's names hold a colon: //registry.npmjs.org/:_authToken
	i += n
	skip(`"' ` + "\t")
	if i >= end || text[i] != '=' && text[i] != ':' {
		return nil, 0, false
	}
	skip("=:")
	skip(" \t")
	if i >= end || text[i] == '\r' {
		return nil, 0, false
	}
	return name, i, true
}

var nameChars = chars("A-Za-z0-9_./:@$-")

// anyName takes every value but a reference to another variable.
func anyName(name, value []byte) bool {
	v := bytes.TrimSpace(value)
	if len(v) == 0 || markLen(v) == len(v) {
		return false
	}
	return !(v[0] == '$' && (run(v[1:], wordChars, len(v)) == len(v)-1 || v[len(v)-1] == '}' && bytes.IndexByte(v, '}') == len(v)-1 && len(v) > 2 && v[1] == '{'))
}

// envName takes the values of an environment: all but plain words (development, true)
// of names that do not say that they are secret.
func envName(name, value []byte) bool {
	return anyName(name, value) && !(plainWord(bytes.TrimSpace(value)) && !privateName(name))
}

// plainWord reports whether a value is one word of at most longestWord letters, as
// people write it, or one digit.
func plainWord(v []byte) bool {
	if len(v) == 1 {
		return alnumChars[v[0]]
	}
	const longestWord = 12
	if len(v) == 0 || len(v) > longestWord {
		return false
	}
	for _, c := range []*class{lettersLower, lettersUpper} {
		if run(v[1:], c, len(v)) == len(v)-1 {
			return c[v[0]] || isUpper(v[0])
		}
	}
	return false
}

var (
	lettersLower = chars("a-z")
	lettersUpper = chars("A-Z")
)

// privateName reports whether a name says that even a word is a secret.
func privateName(name []byte) bool {
	plain := plainName(name)
	for _, w := range []string{"auth", "pass", "pwd", "pw", "pin", "phrase", "token", "secret", "key", "cred", "private", "salt"} {
		if bytes.Contains(plain, []byte(w)) {
			return true
		}
	}
	return false
}

// secretName takes the values of names that say password, token or the like.
func secretName(name, value []byte) bool {
	plain := plainName(name[bytes.LastIndexByte(name, ':')+1:])
	for _, w := range []string{"auth", "password", "passwd", "token", "secret", "key", "credential", "clientkeydata"} {
		if bytes.Contains(plain, []byte(w)) {
			return anyName(name, value) && string(bytes.TrimSpace(value)) != "true" && string(bytes.TrimSpace(value)) != "false" && !bytes.HasPrefix(bytes.TrimSpace(value), []byte("{"))
		}
	}
	return false
}

// exampleName takes the values that look random.
func exampleName(name, value []byte) bool {
	v := bytes.TrimSpace(value)
	return secretName(name, v) && len(v) >= 16 && keyLike(v) && run(v, valueChars, len(v)) == len(v)
}

// netrc takes the word after "password" or "account".
func netrc(text []byte, spans []span) []span {
	secret := false
	for i := 0; i < len(text); {
		if text[i] <= ' ' {
			i++
			continue
		}
		n := 0
		for i+n < len(text) && text[i+n] > ' ' {
			n++
		}
		word := text[i : i+n]
		if secret {
			spans = append(spans, span{start: i, end: i + n, kind: "value"})
		}
		secret = !secret && (string(word) == "password" || string(word) == "account")
		i += n
	}
	return spans
}

// fields returns a filer that takes what follows the nth colon of each line.
func fields(n int) filer {
	return func(text []byte, spans []span) []span {
		for at := 0; at < len(text); {
			end := lineEnd(text, at)
			colons := 0
			for i := at; i < end && text[at] != '#'; i++ {
				if text[i] == ':' && (i == 0 || text[i-1] != '\\') {
					if colons++; colons == n {
						spans = appendLines(text, i+1, end, "value", spans)
						break
					}
				}
			}
			at = end + 1
		}
		return spans
	}
}

// gitCredentials takes every password of a URL.
func gitCredentials(text []byte, spans []span) []span {
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		l := text[at:end]
		if i := bytes.Index(l, []byte("://")); i >= 0 {
			colon := bytes.IndexByte(l[i+3:], ':')
			host := bytes.LastIndexByte(l, '@')
			if from := i + 3 + colon + 1; colon >= 0 && host > from {
				spans = append(spans, span{start: at + from, end: at + host, kind: "value"})
			}
		}
		at = end + 1
	}
	return spans
}

// keyFile takes the body of every block that is not public by its label, and,
// if the file has no block, every line.
func keyFile(text []byte, spans []span) []span {
	const begin = "-----BEGIN "
	if !bytes.Contains(text, []byte(begin)) {
		for at := 0; at < len(text); {
			end := lineEnd(text, at)
			l := bytes.TrimSpace(text[at:end])
			if len(l) >= minKeyRun && l[0] != '#' && markLen(l) != len(l) && bytes.IndexByte(l, ' ') < 0 {
				spans = appendLines(text, at, end, "private-key", spans)
			}
			at = end + 1
		}
		return spans
	}
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(begin))
		if i < 0 {
			return spans
		}
		at += i + len(begin)
		n := run(text[at:], labelChars, 60)
		label := string(text[at : at+n])
		at += n
		switch {
		case strings.Contains(label, "CERTIFICATE"), strings.Contains(label, "PUBLIC"), strings.Contains(label, "PARAMETERS"), strings.Contains(label, "CRL"):
			continue
		}
		spans = keyBody(text, at, "private-key", spans)
	}
}

// ByPath reports whether a path names a kind of file of which [Redact] takes more
// than it knows by form. What is kept by contents alone, without a path, must not
// keep texts of these.
func ByPath(path string) bool { return fileKind(path) != nil }

// Sealed reports whether a path names a file that holds secrets by its nature,
// such as .env or id_rsa: nobody but its owner should ask for it. Examples of such
// files (.env.example) are for everybody.
func Sealed(path string) bool {
	if fileKind(path) == nil {
		return false
	}
	base := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	for _, s := range exampleWords {
		if strings.Contains(base, s) {
			return false
		}
	}
	return true
}

// exampleWords are in the names of files that show which settings there are.
var exampleWords = []string{"example", "sample", "template", "tmpl", "dist", "schema", "defaults"}
