package secrets

import (
	"encoding/base64"
	"strings"
	"testing"
)

// Texts in which keys seem to begin everywhere are not taken out again from each
// beginning: a megabyte of them took gigabytes.
func TestKeysWithinKeys(t *testing.T) {
	label := base64.StdEncoding.EncodeToString([]byte("-----BEGIN PRIVATE KEY-----" + strings.Repeat(" ", 27)))
	for name, unit := range map[string]string{
		"PuTTY": "Xx/Private-Lines: 1000 Abcd/efgh\n",
		"PEM":   label + "////",
	} {
		text := []byte(strings.Repeat(unit, 2000))
		spans := scan(text, nil)
		if len(spans) == 0 {
			t.Errorf("%s: nothing is found", name)
		}
		taken := 0
		for _, s := range spans {
			taken += s.end - s.start
		}
		if taken > 2*len(text) {
			t.Errorf("%s: %d spans take %d bytes of %d", name, len(spans), taken, len(text))
		}
	}
}
