package llm

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// leastKey is how long a key is that cannot be a word, in bytes: local servers take
// any, such as "ollama".
const leastKey = 12

const (
	keyMark   = "[key]"
	notKept   = "[the answer repeats the key: it is not kept]"
	dataField = "data:" // of an event
)

// mute takes a key out of a text: as it is, and as JSON, URLs, base64 and hexadecimal
// numbers write it.
func mute(key, text string) string {
	if key == "" {
		return text
	}
	text = strings.ReplaceAll(text, key, keyMark)
	quoted := string(quote(key))
	forms := []string{quoted[1 : len(quoted)-1], url.QueryEscape(key), url.PathEscape(key), hex.EncodeToString([]byte(key))}
	for before := range 3 { // bytes in its group of three: the first and last characters depend on what is around
		for _, code := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			b := code.EncodeToString([]byte("..."[:before] + key))
			forms = append(forms, b[(before*8+5)/6:(before+len(key))*8/6])
		}
	}
	for _, f := range forms {
		if len(f) >= leastKey {
			text = strings.ReplaceAll(text, f, keyMark)
		}
	}
	return text
}

// mute takes the key out of a server's words.
func (c *Client) mute(s string) string { return mute(c.endpoint.Key, s) }

// muteBlock takes the key out of a block of an answer.
func (c *Client) muteBlock(b *transcript.Block) {
	if len(c.endpoint.Key) < leastKey {
		return
	}
	b.Text, b.ID, b.Name = c.mute(b.Text), c.mute(b.ID), c.mute(b.Name)
	for _, raw := range []*json.RawMessage{&b.Input, &b.Raw} {
		plain := *raw
		var v any
		dec := json.NewDecoder(bytes.NewReader(plain))
		if dec.UseNumber(); bytes.IndexByte(plain, '\\') >= 0 && dec.Decode(&v) == nil {
			plain = encode(v) // without escapes that hide it
		}
		if said := c.mute(string(plain)); said != string(plain) {
			*raw = json.RawMessage(said)
		}
	}
}

// mute takes a key out of what a server said. An answer that repeats it over several
// events, or behind escapes, is not kept.
func (t *Trip) mute(key string) {
	if len(key) < leastKey {
		return
	}
	t.Type, t.After, t.Err = mute(key, t.Type), mute(key, t.After), mute(key, t.Err)
	answer := string(t.Answer())
	said := mute(key, answer)
	if spoken := spokenIn(said); mute(key, spoken) != spoken {
		said = notKept
	}
	if said != answer {
		t.Secret += max(1, strings.Count(said, keyMark))
		t.Chunks = []Chunk{{Bytes: []byte(said)}}
	}
}

// spokenIn returns the strings of an answer as a reader puts them together: those of
// one name one after the other, over all events.
func spokenIn(answer string) string {
	var values strings.Builder
	values.Grow(len(answer))
	for line := range strings.Lines(answer) {
		if body, ok := strings.CutPrefix(line, dataField); ok || !strings.Contains(answer, dataField) {
			values.WriteString(body)
		}
	}
	parts := map[string]*strings.Builder{}
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case string:
			if parts[name] == nil {
				parts[name] = new(strings.Builder)
			}
			parts[name].WriteString(v)
		case []any:
			for _, e := range v {
				walk(name, e)
			}
		case map[string]any:
			for name, e := range v {
				walk(name, e)
			}
		}
	}
	for dec := json.NewDecoder(strings.NewReader(values.String())); ; {
		var v any
		if dec.Decode(&v) != nil { // [DONE] ends it, and what is not JSON
			break
		}
		walk("", v)
	}
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(p.String() + "\n")
	}
	return all.String()
}
