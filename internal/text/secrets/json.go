package secrets

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/jsontext"
)

// RedactJSON is [RedactTurn] for JSON: one value or one on each line, such as the
// files in which agents record their sessions. It looks at each string as the
// program that reads it would, without escapes, and at JSON inside of strings;
// what is around a string with a secret stays as it was, to the byte. Valid
// JSON stays valid. Lines that are no JSON are redacted as text.
//
// Strings that only a program reads, such as signatures, are left alone, and so
// are the names of members.
func RedactJSON(text []byte) (clean []byte, found []Finding) { return redactJSON(text, 0) }

// maxNested is how deep JSON in strings is looked at.
const maxNested = 3

// opaque are the members whose strings are for the provider alone: base64 that
// it signed or encrypted. A change would make a session useless.
var opaque = map[string]bool{
	"signature": true, "thinkingSignature": true, "textSignature": true, "thoughtSignature": true, "thought_signature": true,
	"encrypted_content": true, "encryptedContent": true, "reasoning_opaque": true, "reasoningOpaque": true, "data": true,
}

func redactJSON(text []byte, depth int) (clean []byte, found []Finding) {
	var out bytes.Buffer
	var whole, asked bool // text is one value on several lines
	copied, line := 0, 1
	for start := 0; start < len(text); line++ {
		end := len(text)
		if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n + 1
		}
		raw := text[start:end]
		replacement, more := redactStrings(raw, depth)
		if !json.Valid(raw) {
			if !asked {
				whole, asked = json.Valid(text), true
			}
			if !whole {
				var rest []Finding
				replacement, rest = RedactTurn(replacement)
				more = append(more, rest...)
			}
		}
		if len(more) > 0 {
			out.Write(text[copied:start])
			out.Write(replacement)
			copied = end
			for _, f := range more {
				found = append(found, Finding{Kind: f.Kind, Line: line})
			}
		}
		start = end
	}
	if copied == 0 {
		return text, nil
	}
	out.Write(text[copied:])
	return out.Bytes(), found
}

// redactStrings redacts the strings of a line of JSON, up to one that does not
// end.
func redactStrings(text []byte, depth int) (clean []byte, found []Finding) {
	var out []byte
	copied := 0
	var key []byte // of the member that is read
	for i := 0; i < len(text); {
		if text[i] != '"' {
			if text[i] == '}' || text[i] == ',' {
				key = nil
			}
			i++
			continue
		}
		end := jsontext.StringEnd(text, i)
		if end < 0 {
			break
		}
		body := text[i+1 : end-1]
		rest := bytes.TrimLeft(text[end:], " \t\r\n")
		if len(rest) > 0 && rest[0] == ':' {
			key, i = body, end
			continue
		}
		if len(body) >= shortest && !(opaque[string(key)] && base64Only(body)) {
			escaped := bytes.IndexByte(body, '\\') >= 0
			if value, more := redactString(key, text[i:end], body, escaped, depth); len(more) > 0 {
				out = append(append(out, text[copied:i]...), value...)
				copied = end
				found = append(found, more...)
			}
		}
		i = end
	}
	if len(found) == 0 {
		return text, nil
	}
	return append(out, text[copied:]...), found
}

// shortest is the length of the shortest string that may hold a secret.
const shortest = 6

// redactString redacts one string. Its name is context: the rules look at it as
// they do in a file of settings.
func redactString(key, quoted, body []byte, escaped bool, depth int) (clean []byte, found []Finding) {
	value := body
	if escaped {
		var s string
		if json.Unmarshal(quoted, &s) != nil {
			return quoted, nil
		}
		value = []byte(s)
	}
	if depth < maxNested && len(value) > 2 && (value[0] == '{' || value[0] == '[') && json.Valid(value) {
		value, found = redactJSON(value, depth+1)
	}
	value, more := RedactTurn(value)
	found = append(found, more...)
	if len(found) == 0 && len(key) > 0 && len(value) >= minSpread && bytes.IndexByte(value, '\n') < 0 {
		before := string(key) + `": "`
		if named, more := Redact("", append([]byte(before), value...)); len(more) > 0 && strings.HasPrefix(string(named), before) {
			value, found = named[len(before):], more
		}
	}
	if len(found) == 0 {
		return quoted, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(string(value)) != nil {
		return quoted, nil
	}
	return bytes.TrimRight(b.Bytes(), "\n"), found
}

// base64Only reports whether a string holds what base64 does, and nothing else.
func base64Only(s []byte) bool { return run(s, anyBase64Chars, len(s)) == len(s) }
