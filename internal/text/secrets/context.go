package secrets

import (
	"bytes"
	"cmp"
	"strings"
)

// awsSecret finds the 40 characters of an AWS secret access key, which have no
// prefix, where they are assigned to something of that name.
func awsSecret(text []byte, i int, spans []span) []span {
	if !foldPrefix(text[i:], "secret") {
		return spans
	}
	name, from, end, ok := assigned(text, i, i+len("secret"))
	if !ok || end-from != 40 || run(text[from:end], base64Chars, 41) != 40 || !keyLike(text[from:end]) || mixed(text[from:end]) == 0 {
		return spans
	}
	plain := plainName(name)
	if !bytes.Contains(plain, []byte("secretaccesskey")) && !bytes.Contains(plain, []byte("secretkey")) && !bytes.Contains(plain, []byte("aws")) && !lineHas(text, i, "aws") {
		return spans
	}
	return append(spans, span{start: from, end: end, kind: "aws-secret-key"})
}

// A provider issues keys that have no form of their own. They are found where
// they are assigned to something whose name has the provider's in it, and says
// that it is a key.
type provider struct {
	name  string // in small letters
	kind  string
	class *class
	sizes []int // lengths of its keys
	form  func(value []byte) bool
}

var providers = []provider{
	{name: "heroku", kind: "heroku-key", form: uuid},
	{name: "cloudflare", kind: "cloudflare-key", class: urlChars, sizes: []int{37, 40}},
	{name: "cf_api", kind: "cloudflare-key", class: urlChars, sizes: []int{37, 40}},
	{name: "twilio", kind: "twilio-key", class: anyHexChars, sizes: []int{32}, form: twilio},
	{name: "datadog", kind: "datadog-key", class: hexChars, sizes: []int{32, 40}},
	{name: "dd_api", kind: "datadog-key", class: hexChars, sizes: []int{32}},
	{name: "dd_app", kind: "datadog-key", class: hexChars, sizes: []int{40}},
	{name: "discord", kind: "discord-token", form: discord},
	{name: "mailgun", kind: "mailgun-key", form: mailgun},
	{name: "algolia", kind: "algolia-key", class: hexChars, sizes: []int{32}},
	{name: "fastly", kind: "fastly-key", class: urlChars, sizes: []int{32}},
	{name: "okta", kind: "okta-token", class: urlChars, sizes: []int{42}},
	{name: "asana", kind: "asana-token", class: alnumChars, sizes: []int{32}},
	{name: "bitbucket", kind: "bitbucket-key", class: urlChars, sizes: []int{32, 64}},
	{name: "dropbox", kind: "dropbox-key", class: lowerChars, sizes: []int{15}},
	{name: "facebook", kind: "facebook-secret", class: hexChars, sizes: []int{32}},
	{name: "twitter", kind: "twitter-key", class: urlChars, sizes: []int{35, 40, 45, 50}},
	{name: "linkedin", kind: "linkedin-secret", class: alnumChars, sizes: []int{16}},
	{name: "spotify", kind: "spotify-secret", class: hexChars, sizes: []int{32}},
	{name: "github", kind: "github-token", class: hexChars, sizes: []int{40}},
	{name: "travis", kind: "travis-token", class: alnumChars, sizes: []int{22}},
	{name: "circle", kind: "circleci-token", class: hexChars, sizes: []int{40}},
	{name: "codecov", kind: "codecov-token", form: uuid},
	{name: "snyk", kind: "snyk-token", form: uuid},
	{name: "sonar", kind: "sonar-token", class: hexChars, sizes: []int{40}},
	{name: "zendesk", kind: "zendesk-key", class: alnumChars, sizes: []int{40}},
	{name: "intercom", kind: "intercom-key", class: alnumChars, sizes: []int{60}},
	{name: "mixpanel", kind: "mixpanel-secret", class: hexChars, sizes: []int{32}},
	{name: "amplitude", kind: "amplitude-key", class: hexChars, sizes: []int{32}},
	{name: "pagerduty", kind: "pagerduty-key", class: chars("A-Za-z0-9+_-"), sizes: []int{20, 32}},
	{name: "rollbar", kind: "rollbar-token", class: hexChars, sizes: []int{32}},
	{name: "bugsnag", kind: "bugsnag-key", class: hexChars, sizes: []int{32}},
	{name: "openweather", kind: "openweather-key", class: hexChars, sizes: []int{32}},
	{name: "coinbase", kind: "coinbase-key", class: urlChars, sizes: []int{64}},
	{name: "binance", kind: "binance-key", class: alnumChars, sizes: []int{64}},
	{name: "plaid", kind: "plaid-secret", class: hexChars, sizes: []int{30}},
	{name: "mistral", kind: "mistral-key", class: alnumChars, sizes: []int{32}},
	{name: "cohere", kind: "cohere-key", class: alnumChars, sizes: []int{40}},
	{name: "deepseek", kind: "deepseek-key", class: alnumChars, sizes: []int{32, 48}},
	{name: "azure", kind: "azure-key", class: alnumChars, sizes: []int{32, 84}},
	{name: "confluent", kind: "confluent-secret", class: base64Chars, sizes: []int{64}},
	{name: "launchdarkly", kind: "launchdarkly-key", form: uuid},
	{name: "pusher", kind: "pusher-secret", class: hexChars, sizes: []int{20}},
	{name: "privatekey", kind: "wireguard-key", form: wireGuard},
	{name: "presharedkey", kind: "wireguard-key", form: wireGuard},
	{name: "jfrog", kind: "artifactory-token", class: alnumChars, sizes: []int{64, 73}},
}

// keyWords are what the name of a key has in it.
var keyWords = []string{"key", "token", "secret", "password", "passwd", "auth", "pat", "credential", "webhook", "appid"}

func (p *provider) match(text []byte, i int, spans []span) []span {
	if !foldPrefix(text[i:], p.name) {
		return spans
	}
	name, from, end, ok := assigned(text, i, i+len(p.name))
	if !ok {
		return spans
	}
	value := text[from:end]
	fits := p.form != nil && p.form(value)
	for _, n := range p.sizes {
		fits = fits || len(value) == n && run(value, p.class, n+1) == n
	}
	if !fits || !keyLike(value) || !bytes.ContainsAny(value, "0123456789") {
		return spans
	}
	if hasAny(plainName(name), keyWords) {
		spans = append(spans, span{start: from, end: end, kind: p.kind})
	}
	return spans
}

// keyLike reports whether a value without a form of its own is random enough.
func keyLike(value []byte) bool { return !placeholder(value) && entropy(value) >= 3 }

// assigned finds the value that is assigned to the name around start, and its place.
func assigned(text []byte, start, i int) (name []byte, from, end int, ok bool) {
	name, from = operand(text, start, i)
	if from < 0 {
		return nil, 0, 0, false
	}
	n := run(text[from:], valueChars, 256)
	for n > 0 && text[from+n-1] == '.' {
		n--
	}
	return name, from, from + n, n > 0
}

// operand finds where the value starts that is assigned to the name around start, or
// returns -1: name = "value", name: value, "name" => 'value', name := value,
// setenv("name", "value"), <name>value</name>.
func operand(text []byte, start, i int) (name []byte, from int) {
	for start > 0 && dotChars[text[start-1]] {
		if i-start > 64 {
			break
		}
		start--
	}
	j := i
	for j < len(text) && j-i < 64 && dotChars[text[j]] {
		j++
	}
	name = text[start:j]
	// name: NAME, value: VALUE, on one line or two
	if n := run(text[j:], betweenChars, 40); n > 0 && foldPrefix(text[j+n:], "value") {
		j += n + len("value")
	}
	// Up to eight marks between, an operator among them, as they are or escaped.
	operator := false
	for k := 0; j < len(text) && k < 8; k++ {
		c := text[j]
		if c == '\\' || c == '%' || c == 0x1b {
			if e, n := escapeAt(text[j:]); n > 0 && (e == 0 || strings.IndexByte("=:,>( \t\"'`)][", e) >= 0) {
				c, j = cmp.Or(e, ' '), j+n-1
			}
		}
		switch c {
		case '=', ':', ',', '>', '(':
			operator = true
		case ' ', '\t', '"', '\'', '`', ')', ']', '[':
		case '\\': // a quote in a quoted string
			if j+1 >= len(text) || text[j+1] != '"' && text[j+1] != '\'' {
				return nil, -1
			}
		default:
			k = 8
			j--
		}
		j++
	}
	if !operator {
		return nil, -1
	}
	return name, j
}

var betweenChars = chars("\"', \t\r\n")

var valueChars = chars("A-Za-z0-9+/=_.~-")

// plainName returns a name in small letters without hyphens and the like.
func plainName(name []byte) []byte {
	out := make([]byte, 0, len(name))
	for _, c := range name {
		if alnumChars[c] {
			out = append(out, c|0x20)
		}
	}
	return out
}

func lineHas(text []byte, i int, word string) bool {
	start, end := line(text, i)
	return bytes.Contains(bytes.ToLower(text[start:end]), []byte(word))
}

// foldPrefix reports whether text starts with a word in small letters, in
// whichever case.
func foldPrefix(text []byte, word string) bool {
	return len(text) >= len(word) && bytes.EqualFold(text[:len(word)], []byte(word))
}

func uuid(v []byte) bool {
	if len(v) != 36 {
		return false
	}
	for i, c := range v {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		if hyphen && c != '-' || !hyphen && !anyHexChars[c] {
			return false
		}
	}
	return true
}

// twilio accepts the ids of keys and accounts, beside bare tokens.
func twilio(v []byte) bool {
	return len(v) == 34 && (string(v[:2]) == "SK" || string(v[:2]) == "AC") && run(v[2:], anyHexChars, 33) == 32
}

// discord accepts the three parts of a bot's token.
func discord(v []byte) bool {
	parts := bytes.Split(v, []byte("."))
	return len(parts) == 3 && len(parts[0]) >= 23 && len(parts[0]) <= 28 && len(parts[1]) == 6 && len(parts[2]) >= 27 && len(parts[2]) <= 45
}

// mailgun accepts keys of the form that is issued now: hex of 32, 8 and 8.
func mailgun(v []byte) bool {
	return len(v) == 50 && v[32] == '-' && v[41] == '-' && run(v, hexChars, 33) == 32 && run(v[33:], hexChars, 9) == 8 && run(v[42:], hexChars, 9) == 8
}
