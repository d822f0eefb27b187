package mcp

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A client that asks faster than it is answered is not read any more until there is
// room: by number, and by bytes.
func TestFlood(t *testing.T) {
	for _, test := range []struct {
		name     string
		padding  int
		messages int // that are read before any has an answer
	}{
		{"number", 0, mostPending},
		{"bytes", 1 << 20, mostPendingBytes >> 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &pipe{out: new(strings.Builder), lines: make(chan line), closed: make(chan struct{}), less: make(chan struct{}, 1)}
			sent := make(chan int)
			stop := make(chan struct{})
			defer close(stop)
			go func() {
				for i := 0; ; i++ {
					text := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"x":"%s"}}`, i, strings.Repeat("x", test.padding))
					select {
					case p.lines <- line{text: text}:
					case <-stop:
						return
					}
					select {
					case sent <- i:
					case <-stop:
						return
					}
				}
			}()
			take := func() jsonrpc.Message {
				got := make(chan jsonrpc.Message, 1)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				go func() {
					m, err := p.Read(ctx)
					if err != nil {
						t.Error(err)
					}
					got <- m
				}()
				<-sent
				return <-got
			}
			var first jsonrpc.Message
			for i := range test.messages {
				if m := take(); i == 0 {
					first = m
				}
			}
			// The queue is full: a read ends with its context and takes nothing.
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { _, err := p.Read(ctx); done <- err }()
			cancel()
			if err := <-done; err == nil {
				t.Fatal("one more message was read")
			}
			select {
			case i := <-sent:
				t.Fatalf("message %d was taken", i)
			default:
			}
			// One answer makes room for one message.
			id := first.(*jsonrpc.Request).ID
			if err := p.Write(t.Context(), &jsonrpc.Response{ID: id, Result: []byte("{}")}); err != nil {
				t.Fatal(err)
			}
			take()
			if n, full := p.waiting(); n != test.messages || !full {
				t.Errorf("%d requests wait, full is %v", n, full)
			}
		})
	}
}
