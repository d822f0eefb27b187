package recordings

import "github.com/satchel-dev/satchel/internal/text/secrets"

// withoutSecrets takes the secrets out of a text that a session holds, and counts
// them. All else stays as it is, since who asks may want it raw.
func withoutSecrets(text string) (redacted string, found int) {
	b, list := secrets.RedactTurn([]byte(text))
	return string(b), len(list)
}

func redact(text string) string {
	redacted, _ := withoutSecrets(text)
	return redacted
}
