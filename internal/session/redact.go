package session

import (
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/transcript"
)

// WithoutSecrets returns a block of a session without secrets. It is a Mask for
// [trim.Options].
func WithoutSecrets(b transcript.Block) transcript.Block {
	b, _ = redactBlock(b)
	return b
}

// RedactHead takes the secrets out of what a session says of itself.
func RedactHead(s *transcript.Session) {
	for _, text := range []*string{&s.ID, &s.Dir, &s.Branch, &s.Title, &s.Version, &s.Model} {
		clean, _ := secrets.RedactTurn([]byte(*text))
		*text = string(clean)
	}
	for i := range s.Diagnostics {
		clean, _ := secrets.RedactTurn([]byte(s.Diagnostics[i].Text))
		s.Diagnostics[i].Text = string(clean)
	}
}

// RedactSession returns the bytes of a session file without its secrets, and how
// many it took out. Everything else stays as it was, to the byte.
func RedactSession(file []byte) (clean []byte, found int) {
	clean, f := secrets.RedactJSON(file)
	return clean, len(f)
}

// redactBlock returns a block without secrets, and how many it took out.
func redactBlock(b transcript.Block) (transcript.Block, int) {
	text, found := secrets.RedactTurn([]byte(b.Text))
	if len(found) > 0 {
		b.Text = string(text)
	}
	n := len(found)
	if name, found := secrets.RedactTurn([]byte(b.Name)); len(found) > 0 {
		b.Name = string(name)
		n += len(found)
	}
	if b.Input != nil {
		b.Input, found = secrets.RedactJSON(b.Input)
		n += len(found)
	}
	if b.Raw != nil {
		b.Raw, found = secrets.RedactJSON(b.Raw)
		if n == 0 {
			n = len(found)
		}
	}
	return b, n
}
