package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Valid reports what a provider would reject in messages, nil if nothing:
//
//   - the first message is the user's, and no message is empty;
//   - text holds more than white space;
//   - calls and thinking are the assistant's, results the user's;
//   - every call has an id of its own and valid JSON for its input, and its
//     result is in the next message, where results come before anything else;
//   - every result has its call in the message before.
//
// Several messages of one role in a row are one turn to the providers.
func Valid(messages []Message) error {
	if len(messages) == 0 {
		return fmt.Errorf("no messages")
	}
	if messages[0].Role != User {
		return fmt.Errorf("message 0 is the %s's, want the user's", messages[0].Role)
	}
	ids := map[string]bool{}
	var open map[string]bool // calls of the message before
	for i := range messages {
		m := &messages[i]
		if len(m.Blocks) == 0 {
			return fmt.Errorf("message %d is empty", i)
		}
		if (m.Role == Assistant) != (m.Kind == Answer) || m.Role != Assistant && m.Role != User {
			return fmt.Errorf("message %d is the %s's, but of kind %q", i, m.Role, m.Kind)
		}
		calls := map[string]bool{}
		results := true // nothing but results yet
		for j := range m.Blocks {
			b := &m.Blocks[j]
			if err := validBlock(m, b); err != nil {
				return fmt.Errorf("message %d, block %d: %w", i, j, err)
			}
			switch b.Type {
			case Call:
				if b.ID == "" || ids[b.ID] {
					return fmt.Errorf("message %d: call id %q is not its own", i, b.ID)
				}
				ids[b.ID], calls[b.ID] = true, true
			case Result:
				if !results {
					return fmt.Errorf("message %d: result of %q does not come first", i, b.ID)
				}
				if !open[b.ID] {
					return fmt.Errorf("message %d: result of %q has no call in the message before", i, b.ID)
				}
				delete(open, b.ID)
			default:
				results = false
			}
		}
		if err := answered(messages, i-1, open); err != nil {
			return err
		}
		open = calls
	}
	return answered(messages, len(messages)-1, open)
}

// answered reports the first of message i's calls that is still open.
func answered(messages []Message, i int, open map[string]bool) error {
	if len(open) == 0 {
		return nil
	}
	for j := range messages[i].Blocks {
		if b := &messages[i].Blocks[j]; b.Type == Call && open[b.ID] {
			return fmt.Errorf("message %d: call %q has no result in the next message", i, b.ID)
		}
	}
	return nil
}

func validBlock(m *Message, b *Block) error {
	switch b.Type {
	case Text:
		if strings.TrimSpace(b.Text) == "" {
			return fmt.Errorf("empty text")
		}
	case Call:
		if m.Role != Assistant {
			return fmt.Errorf("a call by the user")
		}
		if !json.Valid(b.Input) {
			return fmt.Errorf("input of call %q is not JSON", b.ID)
		}
	case Thinking:
		if m.Role != Assistant {
			return fmt.Errorf("thinking by the user")
		}
	case Result:
		if m.Role != User {
			return fmt.Errorf("a result by the assistant")
		}
	case Image, Other:
	default:
		return fmt.Errorf("unknown type %q", b.Type)
	}
	return nil
}
