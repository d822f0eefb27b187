package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// maxAnswer is how much of a server's answer is read: an answer of the largest
// MaxTokens, escaped, has less.
const maxAnswer = 1 << 20

// errCut says that the answer was longer than MaxTokens, and ends somewhere.
var errCut = errors.New("the answer was cut off")

// Complete returns the model's answer to a prompt: text that is not empty. The
// error is errCut if it is longer than the endpoint's MaxTokens, a
// [*StatusError] if the server refuses, ctx's if that ends, or says what was
// wrong with connection or answer.
func (c *Client) Complete(ctx context.Context, system, prompt string) (text string, err error) {
	q := exchange{
		body: c.request(system, prompt, false),
		most: maxAnswer,
		parse: func(answer []byte) (err error) {
			text, err = c.parse(answer)
			return err
		},
	}
	q.reword = func(e *statusError) []byte {
		if e.Code == http.StatusBadRequest && strings.Contains(e.Text, newName) {
			// OpenAI's own newer models know the limit by another name only.
			return c.request(system, prompt, true)
		}
		return nil
	}
	err = c.ask(ctx, &q)
	return text, err
}

// newName is what newer models of OpenAI call max_tokens.
const newName = "max_completion_tokens"

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// request encodes a question.
func (c *Client) request(system, prompt string, renamed bool) []byte {
	r := struct {
		Model     string    `json:"model"`
		System    string    `json:"system,omitempty"`
		Messages  []message `json:"messages"`
		MaxTokens int       `json:"max_tokens,omitempty"`
		Most      int       `json:"max_completion_tokens,omitempty"`
	}{Model: c.endpoint.Model}
	if c.endpoint.Kind == anthropic {
		r.System = system
	} else if system != "" {
		r.Messages = append(r.Messages, message{"system", system})
	}
	r.Messages = append(r.Messages, message{"user", prompt})
	if renamed {
		r.Most = c.endpoint.MaxTokens
	} else {
		r.MaxTokens = c.endpoint.MaxTokens
	}
	body, err := json.Marshal(&r)
	if err != nil {
		panic(err) // strings and numbers
	}
	return body
}

// parse takes the text out of an answer.
func (c *Client) parse(answer []byte) (string, error) {
	var text, stop string
	var err error
	if c.endpoint.Kind == anthropic {
		text, stop, err = anthropicText(answer)
	} else {
		text, stop, err = openAIText(answer)
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %v", errAnswer, err)
	case stop == "max_tokens" || stop == "length":
		return "", fmt.Errorf("%w at %d tokens", errCut, c.endpoint.MaxTokens)
	case stop == "refusal" || stop == "content_filter":
		return "", fmt.Errorf("%w: the model declines", errAnswer)
	case strings.TrimSpace(text) == "":
		return "", fmt.Errorf("%w: no text", errAnswer)
	}
	return strings.ToValidUTF8(text, "\uFFFD"), nil
}

func anthropicText(answer []byte) (text, stop string, err error) {
	var r struct {
		Type    string `json:"type"`
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		Stop string `json:"stop_reason"`
	}
	if err := json.Unmarshal(answer, &r); err != nil {
		return "", "", errors.New("no JSON of a message")
	}
	if r.Type != "message" {
		return "", "", fmt.Errorf("type is %.20q: want a message", r.Type)
	}
	var b strings.Builder
	for _, c := range r.Content {
		if c.Type == "text" {
			b.WriteString(c.Text)
		}
	}
	return b.String(), r.Stop, nil
}

func openAIText(answer []byte) (text, stop string, err error) {
	var r struct {
		Choices []struct {
			Message struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
			Stop string `json:"finish_reason"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(answer, &r); err != nil {
		return "", "", errors.New("no JSON of a completion")
	}
	if len(r.Choices) == 0 {
		return "", "", errors.New("no choices")
	}
	first := r.Choices[0]
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	switch {
	case len(first.Message.Content) == 0 || string(first.Message.Content) == "null":
	case json.Unmarshal(first.Message.Content, &text) == nil:
	case json.Unmarshal(first.Message.Content, &parts) == nil:
		for _, p := range parts {
			if p.Type == "text" {
				text += p.Text
			}
		}
	default:
		return "", "", errors.New("content is no text")
	}
	return text, first.Stop, nil
}
