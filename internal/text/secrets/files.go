package secrets

import (
	"bytes"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/jsontext"
)

// A filer appends the spans of a file that holds secrets by its nature.
type filer func(text []byte, spans []span) []span

// A fileRule says how to treat files of some names.
type fileRule struct {
	// names are patterns with at most one *, in small letters. A name with a slash
	// also names the folders.
	names string
	take  filer
	// example treats examples of such files; nil treats them as take does.
	example filer
	// open files are mostly not secret. Anyone may ask for them and sees them
	// redacted.
	open bool
}

// fileRules are the files that hold secrets by their nature. The first rule that
// matches wins.
var fileRules = []fileRule{
	{names: ".npmrc .yarnrc .pypirc .my.cnf .s3cfg .boto .dockercfg .dockerconfigjson credentials.toml .terraformrc auth.json",
		take: settings(secretName)},
	{names: ".docker/config.json .kube/config .config/gh/hosts.yml", take: settings(secretName)},
	{names: "*.tfstate", take: settings(stateName)},
	{names: ".netrc _netrc", take: netrc},
	{names: ".pgpass pgpass.conf", take: fields(4)},
	{names: ".htpasswd shadow", take: fields(1)},
	{names: ".git-credentials", take: gitCredentials},
	{names: "credentials .gem_credentials", take: assignments(anyName)},
	{names: "id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk id_xmss identity.age keys.txt.age .vault-token", take: keyFile},
	{names: "*.pem *.ppk *.p8 *.p12 *.pfx *.jks *.keystore *.kdbx *.key", take: keyFile},
	{names: ".env .env.* .env-* .env_* .envrc *.env .flaskenv .dev.vars .dev.vars.* secrets.yml secrets.yaml secrets.toml", take: assignments(envName), example: assignments(exampleName)},
	{names: "env.prod env.production env.staging env.stage env.dev env.development env.test env.local env.live", take: assignments(envName), example: assignments(exampleName)},
	{names: ".yarnrc.yml", take: settings(secretName), open: true},
	{names: "*.tfvars *.tfvars.json settings.xml settings-security.xml nuget.config", take: settings(openName), open: true},
	{names: "application.properties application-*.properties", take: settings(openName), open: true},
}

// A filePattern is a pattern of fileRules: what is before and after its *.
type filePattern struct {
	before, after string
	rule          *fileRule
}

// fileNames are the rules of exact names, filePatterns those with a * in their name.
var fileNames, filePatterns = func() (map[string]*fileRule, []filePattern) {
	exact := make(map[string]*fileRule)
	var patterns []filePattern
	for i := range fileRules {
		for _, name := range strings.Fields(fileRules[i].names) {
			if before, after, ok := strings.Cut(name, "*"); ok {
				patterns = append(patterns, filePattern{before, after, &fileRules[i]})
			} else {
				exact[name] = &fileRules[i]
			}
		}
	}
	return exact, patterns
}()

// backups end the names of copies that editors and people leave.
var backups = []string{"~", ".bak", ".backup", ".old", ".orig", ".save", ".swp", ".copy"}

// ruleOf returns the rule for a path, or nil if it is an ordinary file.
func ruleOf(path string) *fileRule {
	path = strings.ToLower(path)
	for _, suffix := range backups {
		path = strings.TrimSuffix(path, suffix)
	}
	base := path[strings.LastIndexByte(path, '/')+1:]
	if strings.HasSuffix(base, ".pub") {
		return nil
	}
	if r := fileNames[base]; r != nil {
		return r
	}
	if base == "config" || base == "config.json" || base == "hosts.yml" {
		for name, r := range fileNames {
			if path == name || strings.HasSuffix(path, "/"+name) {
				return r
			}
		}
	}
	for _, p := range filePatterns {
		if len(base) >= len(p.before)+len(p.after) && strings.HasPrefix(base, p.before) && strings.HasSuffix(base, p.after) {
			return p.rule
		}
	}
	return nil
}

// fileKind returns how to treat a path, or nil if it is an ordinary file.
func fileKind(path string) filer {
	r := ruleOf(path)
	switch {
	case r == nil:
		return nil
	case r.example != nil && isExample(path):
		// Examples show which variables there are; a value that looks like a
		// secret in spite of that goes.
		return r.example
	}
	return r.take
}

// settings returns a filer for settings in lines, JSON or XML.
func settings(want func(name, value []byte) bool) filer {
	lines := assignments(want)
	return func(text []byte, spans []span) []span {
		return elements(text, members(text, 0, lines(text, spans), func(_, name, value []byte) bool { return want(name, value) }), want)
	}
}

// members appends the strings of JSON after from that want accepts. It passes the name of the
// member, and of the member around it.
func members(text []byte, from int, spans []span, want func(parent, name, value []byte) bool) []span {
	var parents [][]byte
	var name []byte
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '{':
			parents, name = append(parents, name), nil
		case '}':
			parents, name = parents[:max(0, len(parents)-1)], nil
		case ',':
			name = nil
		case '"':
			end := jsontext.StringEnd(text, i)
			if end < 0 {
				return spans
			}
			body, rest := text[i+1:end-1], bytes.TrimLeft(text[end:], " \t\r\n")
			var parent []byte
			if len(parents) > 0 {
				parent = parents[len(parents)-1]
			}
			switch {
			case bytes.IndexByte(body, '\n') >= 0: // not a string of JSON
				end = lineEnd(text, i) + 1
			case len(rest) > 0 && rest[0] == ':':
				name = body
			case string(name) == "value" && want(nil, parent, body), name != nil && want(parent, name, body):
				spans = append(spans, span{start: i + 1, end: end - 1, kind: "value"})
			}
			i = end - 1
		}
	}
	return spans
}

// elements appends the texts of XML elements that want accepts, and of attributes:
// <password>VALUE</password>, <password><![CDATA[VALUE]]></password>, <add key="password" value="VALUE" />.
func elements(text []byte, spans []span, want func(name, value []byte) bool) []span {
	const longestTag = 1 << 10
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '<')
		if i < 0 {
			return spans
		}
		at += i + 1
		end := at + max(0, bytes.IndexAny(text[at:min(len(text), at+longestTag)], "<>"))
		tag := text[at:end]
		name := tag[:run(tag, nameChars, 200)]
		from := min(end+1, len(text))
		to := from + max(0, bytes.IndexByte(text[from:], '<'))
		if cdata := "<![CDATA["; bytes.HasPrefix(text[from:], []byte(cdata)) {
			from += len(cdata)
			to = from + max(0, bytes.Index(text[from:], []byte("]]>")))
		}
		if v := bytes.Index(tag, []byte(` value="`)); v >= 0 {
			for _, attribute := range []string{` key="`, ` name="`} {
				if n := bytes.Index(tag, []byte(attribute)); n >= 0 {
					name = tag[n+len(attribute):]
					name = name[:run(name, nameChars, 200)]
				}
			}
			from = at + v + len(` value="`)
			to = from + max(0, bytes.IndexByte(text[from:end], '"'))
		}
		if from < to && len(name) > 0 && want(name, text[from:to]) {
			spans = appendLines(text, from, to, "value", spans)
		}
	}
}

// assignments returns a filer that takes the values of name=value and
// name: value lines, those that have names and values that want accepts. A quoted
// value may take several lines, and so may a block of YAML.
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
			if isBlockStart(text[from:to]) {
				from, to = end+1, blockEnd(text, start, end)
				at = max(at, to)
			}
			if from >= to || !want(name, text[from:to]) {
				continue
			}
			spans = appendLines(text, from, to, "value", spans)
		}
		return spans
	}
}

// isBlockStart reports whether a value announces lines of text, as | and > do in
// YAML.
func isBlockStart(value []byte) bool {
	value = bytes.TrimSpace(value)
	return len(value) > 0 && len(value) <= 3 && (value[0] == '|' || value[0] == '>') && len(bytes.Trim(value[1:], "+-0123456789")) == 0
}

// blockEnd returns the end of the lines below a line that are indented more than it.
func blockEnd(text []byte, start, end int) int {
	indent := run(text[start:end], blankChars, end)
	at := min(end+1, len(text))
	for at < len(text) {
		e := lineEnd(text, at)
		l := text[at:e]
		if n := run(l, blankChars, len(l)); n <= indent && len(bytes.TrimSpace(l)) > 0 {
			break
		}
		at = min(e+1, len(text))
	}
	return at
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
	if bytes.HasPrefix(text[i:end], []byte("- ")) { // an item of a list
		i++
		skip(" \t")
	}
	skip(`"':`) // names of Ruby begin with a colon
	n := run(text[i:end], nameChars, 200)
	// A colon ends a name, except in npm's: //registry.npmjs.org/:_authToken
	if colon := bytes.IndexByte(text[i:i+n], ':'); colon >= 0 && text[i] != '/' && text[i] != '@' {
		n = colon
	}
	if n == 0 {
		return nil, 0, false
	}
	name = text[i : i+n]
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
	return hasAny(plainName(name), []string{"auth", "pass", "pwd", "pw", "pin", "phrase", "token", "secret", "key", "cred", "private", "salt"})
}

// secretName takes the values of names that say password, token or the like.
func secretName(name, value []byte) bool {
	plain := plainName(name[bytes.LastIndexByte(name, ':')+1:])
	for _, w := range []string{"public", "authority", "author"} {
		plain = bytes.ReplaceAll(plain, []byte(w), nil)
	}
	return hasAny(plain, []string{"auth", "pass", "pwd", "phrase", "token", "secret", "key", "cred", "master"}) && anyName(name, value) && !isSwitch(value)
}

// openName takes the values of names that end in password, token or the like.
func openName(name, value []byte) bool {
	return (isPassword(name) || isKey(name)) && anyName(name, value) && !isSwitch(value)
}

// stateName is openName for Terraform's state, where random_password has a result.
func stateName(name, value []byte) bool {
	return openName(name, value) || string(name) == "result" && anyName(name, value)
}

// isSwitch reports whether a value is true, false, or the beginning of others.
func isSwitch(value []byte) bool {
	v := bytes.TrimSpace(value)
	return string(v) == "true" || string(v) == "false" || bytes.HasPrefix(v, []byte("{")) || string(v) == "["
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
func ByPath(path string) bool { return ruleOf(path) != nil }

// Sealed reports whether a path names a file that holds secrets by its nature,
// such as .env or id_rsa: nobody but its owner should ask for it. Examples of such
// files (.env.example) are for everybody.
func Sealed(path string) bool {
	r := ruleOf(path)
	return r != nil && !r.open && !isExample(path)
}

// isExample reports whether a path names a file that shows which settings there are.
func isExample(path string) bool {
	base := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	return slices.ContainsFunc(exampleWords, func(s string) bool { return strings.Contains(base, s) })
}

// exampleWords are in the names of files that show which settings there are.
var exampleWords = []string{"example", "sample", "template", "tmpl", "dist", "schema", "defaults"}
