package llm

import (
	"context"
	"errors"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// errCut says that the answer was longer than MaxTokens, and ends somewhere.
var errCut = errors.New("the answer was cut off")

// Complete returns the model's answer to a prompt: text that is not empty. The
// error is errCut if it is longer than the endpoint's MaxTokens, or one of
// [Client.Ask].
func (c *Client) Complete(ctx context.Context, system, prompt string) (string, error) {
	a, err := c.Ask(ctx, &Call{System: system, Messages: []transcript.Message{{
		Role: transcript.User, Kind: transcript.Prompt, Sent: true,
		Blocks: []transcript.Block{{Type: transcript.Text, Text: prompt}},
	}}}, nil)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range a.Message.Blocks {
		if x := &a.Message.Blocks[i]; x.Type == transcript.Text {
			b.WriteString(x.Text)
		}
	}
	switch {
	case a.Stop == StopLength:
		return "", errCut
	case a.Stop == StopRefusal:
		return "", malformed("the model declines")
	case isBlank(b.String()):
		return "", malformed("no text")
	}
	return b.String(), nil
}
