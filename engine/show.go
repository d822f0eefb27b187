package engine

import (
	"context"
	"fmt"

	"github.com/satchel-dev/satchel/internal/source"
)

// A Text is lines of a file as they are, except for redacted secrets.
type Text struct {
	Path     string `json:"path"`
	Blob     string `json:"blob,omitempty"`
	Lang     string `json:"lang,omitempty"`
	From     int    `json:"from"`
	To       int    `json:"to"`
	Lines    int    `json:"lines"` // of the whole file
	Text     string `json:"text"`
	Redacted int    `json:"redacted,omitempty"` // secrets redacted in the file
}

// A RangeError reports lines that a file does not have.
type RangeError struct {
	Path            string
	From, To, Lines int
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("%s has %d lines, want lines %d-%d", e.Path, e.Lines, e.From, e.To)
}

// Show returns the lines from..to of a file, both included; from 0 means the
// whole file, to 0 its end. A path that a rule excludes is shown all the same:
// naming it is asking for it. If there is no file notes, that path shows the notes
// that are remembered, with their numbers for lines. The errors are *index.PathError, *[RangeError],
// *git.UnknownRevisionError, and why the file could not be read.
func (e *Engine) Show(ctx context.Context, path string, from, to int, rev string) (*Text, error) {
	c, err := e.index.ReadFile(ctx, e.tree, rev, path)
	if err != nil {
		if t, ok := e.showNotes(ctx, path, from, to); ok {
			return t, nil
		}
		return nil, err
	}
	part, lines, redacted := source.Lines(path, c.Text, from, to)
	if from == 0 {
		from = 1
	}
	if to == 0 {
		to = lines
	}
	if from > to && lines > 0 || to > lines {
		return nil, &RangeError{path, from, to, lines}
	}
	return &Text{Path: path, Blob: c.Blob, Lang: c.Lang, From: from, To: to, Lines: lines, Text: part, Redacted: redacted}, nil
}
