package assist

import (
	"context"
	"errors"
	"sync"

	"github.com/satchel-dev/satchel/internal/world/llm"
)

// ErrDry ends a dry run: nothing is sent.
var ErrDry = errors.New("dry run")

// A Dry is a Model that answers nothing, and keeps what would have been sent first.
type Dry struct {
	Client *llm.Client

	mu   sync.Mutex
	call *llm.Call
	body []byte
}

// Endpoint returns what would be asked.
func (d *Dry) Endpoint() llm.Endpoint { return d.Client.Endpoint() }

// Ask keeps the first call. The error is ErrDry, or why it has no form.
func (d *Dry) Ask(_ context.Context, call *llm.Call, _ func(llm.Delta)) (*llm.Answer, error) {
	body, err := d.Client.Body(call)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.call == nil {
		d.call, d.body = call, body
	}
	return nil, ErrDry
}

// First returns the first call and the bytes of its request; nil if there was none.
func (d *Dry) First() (*llm.Call, []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.call, d.body
}
