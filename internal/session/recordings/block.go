package recordings

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// A Block is a part of a session that a trim left out, as it was recorded; it is
// the JSON form of satchel session fetch.
type Block struct {
	Version  int    `json:"version"`
	Handle   string `json:"handle"`
	Path     string `json:"path"`  // of the session that holds it
	Spans    []span `json:"spans"` // of the records that hold it
	Type     string `json:"type"`
	Tool     string `json:"tool,omitempty"`
	Redacted int    `json:"redacted,omitempty"` // secrets that the text does not show
	Text     string `json:"text"`
}

// A span is where a record stands in the file, in bytes.
type span struct {
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
}

// An AmbiguousError says that several blocks of a session have the handle.
type AmbiguousError struct {
	Path, Handle string
	Blocks       int
	Longer       []string // handles that tell them apart, at most 8
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s blocks of %s have the handle %s", render.Thousands(e.Blocks), e.Path, e.Handle)
}

// Find returns the block of a session that a handle names, or nil. The session is
// read to its end, since another text may have the same short handle: the error is
// then an [*AmbiguousError]. Secrets are not redacted; see [Block.Redact].
func Find(ctx context.Context, path, handle string) (*Block, error) {
	f, err := sessions.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var found *Block
	var long []string // handles of the texts that were found
	if _, err = transcript.Scan(f, f.Size, func(m *transcript.Message) error {
		for i := range m.Blocks {
			b := &m.Blocks[i]
			text, longest, ok := trim.Named(b, handle)
			if !ok || slices.Contains(long, longest) {
				continue
			}
			if long = append(long, longest); found != nil {
				continue
			}
			found = &Block{Version: 1, Handle: handle, Path: path, Spans: []span{}, Type: string(b.Type), Tool: b.Name, Text: text}
			for _, s := range m.Spans {
				found.Spans = append(found.Spans, span{s.Offset, s.Length})
			}
		}
		return ctx.Err()
	}); err != nil {
		return nil, err
	}
	if len(long) > 1 {
		return nil, &AmbiguousError{path, handle, len(long), long[:min(len(long), 8)]}
	}
	return found, nil
}

// Redact takes the secrets out of the text, and counts them.
func (b *Block) Redact() {
	text, found := withoutSecrets(b.Text)
	b.Text, b.Tool, b.Redacted = text, redact(b.Tool), b.Redacted+found
}

// Title is one line: which block it is, and of what.
func (b *Block) Title() string {
	return strings.TrimSpace(fmt.Sprintf("%s, %s %s", b.Handle, b.Type, clean.Inline(b.Tool)))
}
