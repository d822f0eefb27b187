package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-dev/satchel/engine"
)

// A wire is a client that writes bytes.
type wire struct {
	t    *testing.T
	in   *os.File
	out  *bufio.Reader
	done chan error
}

func plug(t *testing.T, s *Server) *wire {
	t.Helper()
	toServer, fromClient := filePipe(t)
	toClient, fromServer := filePipe(t)
	w := &wire{t, fromClient, bufio.NewReader(toClient), make(chan error, 1)}
	go func() {
		w.done <- s.ServeStdio(context.Background(), toServer, fromServer)
		fromServer.Close()
	}()
	t.Cleanup(func() { fromClient.Close(); toClient.Close() })
	return w
}

func (w *wire) say(lines ...string) {
	w.t.Helper()
	for _, l := range lines {
		if _, err := w.in.WriteString(l + "\n"); err != nil {
			w.t.Fatal(err)
		}
	}
}

// hear returns the next line.
func (w *wire) hear() string {
	w.t.Helper()
	line, err := w.out.ReadString('\n')
	if err != nil {
		w.t.Fatalf("read an answer: %v", err)
	}
	if !json.Valid([]byte(line)) {
		w.t.Fatalf("the server wrote what is not JSON: %.200q", line)
	}
	return strings.TrimSuffix(line, "\n")
}

// rest ends the input, and returns all that is still to come.
func (w *wire) rest() []string {
	w.t.Helper()
	w.in.Close()
	text, err := io.ReadAll(w.out)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := <-w.done; err != nil {
		w.t.Errorf("ServeStdio: %v", err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

const (
	handshake = `{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	discover  = `{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	ping      = `{"jsonrpc":"2.0","id":"p","method":"ping"}`
)

// What is no message is answered, and the connection goes on.
func TestMalformed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	w := plug(t, serve(t, fixture(t)))
	w.say(handshake)
	w.hear()
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for _, x := range []struct{ line, want string }{
		{`garbage`, `-32700`},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"`, `-32700`},
		{`{"jsonrpc":"2.0","id":1}{"jsonrpc":"2.0","id":2}`, `-32700`},
		{"\xff\xfe", `-32700`},
		{deep, `-32600`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + deep + `}`, `-32600`},
		{`42`, `-32600`},
		{`null`, `-32600`},
		{`{}`, `-32600`},
		{`[]`, `-32600`},
		{`[` + strings.Repeat(ping+",", 100) + ping + `]`, `-32600`},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `-32600`},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `-32600`},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `-32600`},
		{`{"jsonrpc":"2.0","id":1e300,"method":"ping"}`, `-32600`},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, `-32600`},
		{`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", mostLine) + `"}`, `more than`},
		{`{"jsonrpc":"2.0","id":3,"method":"no/such/method"}`, `-32601`},
		{`{"jsonrpc":"2.0","id":3,"method":""}`, `-32601`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call"}`, `"code":-32`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[1]}`, `-32602`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":7}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"run","arguments":{}}}`, `unknown tool`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + strings.Repeat("x", 1<<20) + `"}}`, `unknown tool`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + strings.Repeat("x", 1<<20) + `","arguments":7,"_meta":8}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"pack","arguments":[]}}`, `want an object`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"pack","arguments":{"task":"` + strings.Repeat("x", 1<<20) + `"}}}`, `limit is`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search","arguments":{"query":"` + strings.Repeat("retry ", 100000) + `"}}}`, `proxy.go`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"AAAA"}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}`, `"code":-32`},
	} {
		w.say(x.line)
		if got := w.hear(); !strings.Contains(got, x.want) || len(got) > 40000 {
			t.Errorf("%.120s\n%d bytes: %.300s\nwant %s", x.line, len(got), got, x.want)
		}
	}
	// And what asks for no answer gets none.
	w.say("", "   ", "\r", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/nonsense"}`, `{"jsonrpc":"2.0","id":5,"result":{}}`, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"pack"}}`, ping+"\r")
	if got := w.hear(); !strings.Contains(got, `"id":"p"`) {
		t.Errorf("after notifications: %s", got)
	}
	// A batch of a client from the time of batches.
	w.say(`[` + ping + `,{"jsonrpc":"2.0","id":"x","method":"no/such"},7,{"jsonrpc":"2.0","method":"notifications/initialized"}]`)
	var batch []struct {
		ID    any
		Error *struct{ Code int }
	}
	if err := json.Unmarshal([]byte(w.hear()), &batch); err != nil || len(batch) != 3 {
		t.Errorf("answer to a batch: %v, %v", batch, err)
	}
	w.say(`[7]`, `[{"jsonrpc":"2.0","method":"notifications/initialized"}]`, ping)
	if got := w.hear(); !strings.HasPrefix(got, `[{"jsonrpc":"2.0","id":null`) {
		t.Errorf("answer to a batch of nothing: %s", got)
	}
	if got := w.rest(); len(got) != 1 || !strings.Contains(got[0], `"id":"p"`) {
		t.Errorf("the rest: %q", got)
	}
}

// Both eras on one pipe, in any order.
func TestErasOnOnePipe(t *testing.T) {
	newer := `{"jsonrpc":"2.0","id":"n","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	older := `{"jsonrpc":"2.0","id":"o","method":"tools/list"}`
	for _, order := range [][]string{{discover, handshake, older, newer}, {handshake, older, discover, newer, older}, {newer, handshake, older}, {discover, newer, ping}} {
		w := plug(t, New(Options{Version: "test"}))
		for _, line := range order {
			w.say(line)
			got := w.hear()
			if strings.Contains(got, `"error"`) || strings.Contains(line, "tools/list") && !strings.Contains(got, `"name":"pack"`) {
				t.Errorf("%.70s after %d: %.300s", line, len(order), got)
			}
		}
		w.rest()
	}
	// Without a word before it, a request of the older era is refused, and one of the newer is not.
	w := plug(t, New(Options{Version: "test"}))
	w.say(older)
	if got := w.hear(); !strings.Contains(got, `"error"`) {
		t.Errorf("tools/list before the handshake: %s", got)
	}
	w.rest()
}

// slow returns a server whose engine opens when it is told to.
func slow(t *testing.T) (s *Server, opening chan struct{}, open func()) {
	dir := fixture(t)
	opening, gate := make(chan struct{}, 100), make(chan struct{})
	s = serve(t, dir, func(o *Options) {
		inner := o.Open
		o.Open = func(ctx context.Context, progress func(string, int, int)) (*engine.Engine, error) {
			opening <- struct{}{}
			for i := 1; ; i++ {
				progress("indexing", i, 1000)
				select {
				case <-gate:
					return inner(ctx, progress)
				case <-ctx.Done():
					return nil, ctx.Err()
				case <-time.After(10 * time.Millisecond):
				}
			}
		}
	})
	s.warm.Do(func() {}) // nothing opens it but calls
	return s, opening, sync.OnceFunc(func() { close(gate) })
}

func TestCancelledAndRepeated(t *testing.T) {
	s, opening, open := slow(t)
	w := plug(t, s)
	w.say(handshake)
	w.hear()
	search := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"search","arguments":{"query":"retry"}}}`
	}
	w.say(search("1"))
	<-opening
	w.say(search("1")) // while it is at work
	if got := w.hear(); !strings.Contains(got, `"id":null`) || !strings.Contains(got, "already in use") {
		t.Errorf("a repeated id: %s", got)
	}
	w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}`)
	if got := w.hear(); !strings.Contains(got, `"id":1,"error"`) {
		t.Errorf("a cancelled call: %s", got)
	}
	w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`) // it is finished
	open()
	w.say(search("1")) // the id is free again
	if got := w.hear(); !strings.Contains(got, "proxy.go") {
		t.Errorf("after a cancelled call: %s", got)
	}
	w.rest()
}

func TestProgress(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	s, opening, open := slow(t)
	w := plug(t, s)
	w.say(handshake)
	w.hear()
	w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"retry"},"_meta":{"progressToken":"T"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"retry"},"_meta":{"progressToken":{"a":1}}}}`)
	<-opening
	last := 0.0
	for range 2 {
		var n struct {
			Method string
			Params struct {
				ProgressToken, Message string
				Progress, Total        float64
			}
		}
		if err := json.Unmarshal([]byte(w.hear()), &n); err != nil {
			t.Fatal(err)
		}
		if n.Method != "notifications/progress" || n.Params.ProgressToken != "T" || n.Params.Message != "indexing" || n.Params.Progress <= last {
			t.Errorf("progress after %v: %+v", last, n)
		}
		last = n.Params.Progress
	}
	open()
	answered := map[bool]int{}
	for _, line := range w.rest() {
		answered[strings.Contains(line, `"id":`)]++
		if answered[true] == 2 && !strings.Contains(line, `"id":`) && answered[true] > 2 {
			t.Errorf("progress after the answer: %s", line)
		}
	}
	if answered[true] != 2 {
		t.Errorf("%d answers, want 2", answered[true])
	}
}

// A client that goes away in the middle of an answer, or of its own message, ends
// its connection and nothing else.
func TestClientGoesAway(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	dir := fixture(t)
	s := serve(t, dir)
	for _, how := range []string{"output", "both", "half a message"} {
		toServer, fromClient := filePipe(t)
		toClient, fromServer := filePipe(t)
		served := make(chan error, 1)
		go func() { served <- s.ServeStdio(context.Background(), toServer, fromServer) }()
		fmt.Fprintln(fromClient, handshake)
		if _, err := bufio.NewReader(toClient).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			fmt.Fprintf(fromClient, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read","arguments":{"path":"long.txt","budget":20000}}}`+"\n", i)
		}
		if how == "half a message" {
			fmt.Fprint(fromClient, `{"jsonrpc":"2.0","id":9,"method":"tools/ca`)
		} else {
			toClient.Close()
		}
		if how != "output" {
			fromClient.Close()
		}
		if how == "half a message" {
			go func() { _, _ = io.Copy(io.Discard, toClient) }()
		}
		if how == "output" {
			// Whether it notices by itself depends on the time; the end of its input ends it.
			time.AfterFunc(time.Second, func() { fromClient.Close() })
		}
		select {
		case <-served: // with or without an error
		case <-time.After(time.Minute):
			t.Fatalf("%s closed: the server goes on", how)
		}
		fromServer.Close()
	}
	if text, failed := call(t, dial(t, s, eras[0]), "read", obj{"path": "README.md"}); failed {
		t.Errorf("the next client gets %s", text)
	}
}

// Ten clients at once, on one server and on servers of their own.
func TestTenClients(t *testing.T) {
	dir := fixture(t)
	one := serve(t, dir)
	var wg sync.WaitGroup
	answers := make([]string, 10)
	for i := range answers {
		s := one
		if i%2 == 1 {
			s = serve(t, dir)
		}
		c := dial(t, s, eras[i%len(eras)])
		wg.Go(func() {
			for _, q := range []obj{{"query": "retry with backoff"}, {"query": "flush the buffer", "budget": 300}, {"query": "evil"}} {
				r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "search", Arguments: q})
				if err != nil {
					answers[i] += err.Error()
					continue
				}
				answers[i] += r.Content[0].(*sdk.TextContent).Text
			}
		})
	}
	wg.Wait()
	for i, a := range answers {
		if a != answers[0] {
			t.Errorf("client %d hears\n%s\nclient 0\n%s", i, a, answers[0])
		}
	}
	if !strings.Contains(answers[0], "internal/proxy/proxy.go") {
		t.Errorf("answers: %s", answers[0])
	}
}

// A crash is an error of the request that crashed, and an engine that does not open
// is tried again.
func TestCrash(t *testing.T) {
	dir := fixture(t)
	tries := 0
	s := serve(t, dir, func(o *Options) {
		inner := o.Open
		o.Open = func(ctx context.Context, progress func(string, int, int)) (*engine.Engine, error) {
			if tries++; tries == 1 {
				panic("a crash")
			}
			if tries == 2 {
				return nil, fmt.Errorf("open %s: not now", dir)
			}
			return inner(ctx, progress)
		}
	})
	s.warm.Do(func() {})
	c := dial(t, s, eras[0])
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "read", Arguments: obj{"path": "README.md"}}); err == nil || !strings.Contains(err.Error(), "a crash") {
		t.Errorf("a crash: %v", err)
	}
	if text, failed := call(t, c, "read", obj{"path": "README.md"}); !failed || !strings.Contains(text, "not now") {
		t.Errorf("an engine that does not open: %s", text)
	}
	if text, failed := call(t, c, "read", obj{"path": "README.md"}); failed {
		t.Errorf("after that: %s", text)
	}
}

// Every line is a message, a refusal or too long, whatever is in it.
func FuzzLines(f *testing.F) {
	f.Add([]byte(handshake + "\n" + ping + "\n"))
	f.Add([]byte("[" + ping + "," + discover + ",3]\nx\n\n[[]]\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":-0,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":"\ud800","method":"ping","id":2}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		p := &pipe{in: io.NopCloser(bytes.NewReader(in)), out: &out, lines: make(chan line), closed: make(chan struct{}), less: make(chan struct{}, 1)}
		if _, err := p.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		for range bytes.Count(in, []byte("\n"))*mostBatch + mostBatch {
			m, err := p.Read(t.Context())
			if err != nil {
				break
			}
			answer(t, p, m)
		}
		for l := range bytes.Lines(out.Bytes()) {
			if !json.Valid(l) {
				t.Fatalf("%q is answered with %q", in, l)
			}
		}
		if n, _ := p.waiting(); n != 0 {
			t.Errorf("%q: %d requests without an answer", in, n)
		}
	})
}

// answer answers a message as the library would.
func answer(t *testing.T, p *pipe, m jsonrpc.Message) {
	t.Helper()
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		if err := p.Write(t.Context(), &jsonrpc.Response{ID: r.ID, Result: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
		}
	}
}
