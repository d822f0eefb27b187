package mcp

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// over serves a server by HTTP until the test ends, and returns its address.
func over(t *testing.T, s *Server, token string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	l, err := Listen(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.ServeHTTP(ctx, l, token) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Errorf("ServeHTTP: %v", err)
		}
	})
	return l.Addr().String()
}

const testToken = "0123456789-abcdefghij"

// A bearer adds the token, as clients are configured to.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestHTTP(t *testing.T) {
	address := over(t, serve(t, fixture(t)), testToken)
	for _, era := range eras {
		c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&sdk.StreamableClientTransport{Endpoint: "http://" + address + Endpoint, HTTPClient: &http.Client{Transport: bearer(testToken)}, MaxRetries: -1},
			&sdk.ClientSessionOptions{ProtocolVersion: era})
		if err != nil {
			t.Fatalf("connect with %s: %v", era, err)
		}
		if got := c.InitializeResult().ProtocolVersion; got != era {
			t.Errorf("asked for %s, got %s", era, got)
		}
		if text, failed := call(t, c, "search", obj{"query": "retry with backoff"}); failed || !strings.Contains(text, "internal/proxy/proxy.go") {
			t.Errorf("%s: search = %s", era, text)
		}
		if text, failed := call(t, c, "read", obj{"path": "../secret.txt"}); !failed || unclean(text) != "" {
			t.Errorf("%s: read = %s", era, text)
		}
		if err := c.Close(); err != nil {
			t.Errorf("%s: close: %v", era, err)
		}
	}
}

func TestHTTPRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	address := over(t, New(Options{Version: "test"}), testToken)
	_, port, _ := net.SplitHostPort(address)
	const good = "Bearer " + testToken
	for _, x := range []struct {
		what, method, path, host, origin, auth, body string
		want                                         int
	}{
		{what: "a client", want: 200, auth: good},
		{what: "a client by name", host: "localhost:" + port, want: 200, auth: good},
		{what: "a client by IPv6", host: "[::1]:" + port, want: 200, auth: good},
		{what: "a page of this machine", origin: "http://localhost:3000", want: 200, auth: good},
		{what: "a foreign host", host: "evil.example:" + port, want: 403, auth: good},
		{what: "a host that looks like ours", host: "127.0.0.1.evil.example", want: 403, auth: good},
		{what: "a host that begins like ours", host: "localhost.evil.example:" + port, want: 403, auth: good},
		{what: "a number that is no address", host: "2130706433:" + port, want: 403, auth: good},
		{what: "a foreign origin", origin: "http://evil.example", want: 403, auth: good},
		{what: "an origin with our port", origin: "http://evil.example:" + port, want: 403, auth: good},
		{what: "no origin to speak of", origin: "null", want: 403, auth: good},
		{what: "an origin that is a file", origin: "file://localhost", want: 403, auth: good},
		{what: "an origin with a name in front", origin: "http://localhost@evil.example", want: 403, auth: good},
		{what: "a foreign host and no token", host: "evil.example", want: 403},
		{what: "no token", want: 401},
		{what: "the wrong token", want: 401, auth: "Bearer " + testToken + "x"},
		{what: "the beginning of the token", want: 401, auth: "Bearer " + testToken[:10]},
		{what: "an empty token", want: 401, auth: "Bearer "},
		{what: "another scheme", want: 401, auth: "Basic " + testToken},
		{what: "another path", path: "/", want: 404, auth: good},
		{what: "a path around ours", path: "/mcp/../mcp/x", want: 404, auth: good},
		{what: "a stream", method: "GET", want: 405, auth: good},
		{what: "an end of a session", method: "DELETE", want: 405, auth: good},
		{what: "a body that is too long", body: strings.Repeat("x", mostLine+1), want: 413, auth: good},
		{what: "a body that is no message", body: "garbage", want: 400, auth: good},
		{what: "a header that is too long", auth: "Bearer " + strings.Repeat("x", 2*mostHeader), want: 431},
	} {
		if x.body == "" {
			x.body = ping
		}
		r, err := http.NewRequestWithContext(t.Context(), or(x.method, "POST"), "http://"+address+or(x.path, Endpoint), strings.NewReader(x.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = x.host
		for k, v := range map[string]string{"Origin": x.origin, "Authorization": x.auth, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"} {
			if v != "" {
				r.Header.Set(k, v)
			}
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", x.what, err)
			continue
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != x.want {
			t.Errorf("%s: %s %.200s, want %d", x.what, resp.Status, body, x.want)
		}
		if x.want != 200 && strings.Contains(string(body), testToken) {
			t.Errorf("%s: the answer has the token: %s", x.what, body)
		}
	}
	two := func(name string, values ...string) int {
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+address+Endpoint, strings.NewReader(ping))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {good}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		r.Header[name] = values
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if got := two("Authorization", "Bearer x", good); got != 401 {
		t.Errorf("two tokens: %d, want 401", got)
	}
	if got := two("Origin", "http://localhost", "http://evil.example"); got != 403 {
		t.Errorf("two origins: %d, want 403", got)
	}
	if got := two("Sec-Fetch-Site", "cross-site"); got != 403 {
		t.Errorf("a page of another site: %d, want 403", got)
	}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func TestListen(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.com:80", "127.0.0.1", "", "127.0.0.1:http:0", "[::1%lo]:0"} {
		if l, err := Listen(t.Context(), address); err == nil {
			t.Errorf("Listen(%q) listens on %s", address, l.Addr())
			l.Close()
		} else if !strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("Listen(%q): %v, which does not say what would do", address, err)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "127.1.2.3:0"} {
		l, err := Listen(t.Context(), address)
		if err != nil {
			t.Errorf("Listen(%q): %v", address, err)
			continue
		}
		if a := l.Addr().(*net.TCPAddr); !a.IP.IsLoopback() {
			t.Errorf("Listen(%q) = %s", address, a)
		}
		l.Close()
	}
}

// A call whose client has gone is given up.
func TestHTTPClientGoesAway(t *testing.T) {
	s, opening, open := slow(t)
	defer open()
	address := over(t, s, testToken)
	ctx, leave := context.WithCancel(t.Context())
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"x"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequestWithContext(ctx, "POST", "http://"+address+Endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"Authorization": "Bearer " + testToken, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Method": "tools/call", "Mcp-Name": "search", "Mcp-Protocol-Version": "2026-07-28"} {
		r.Header.Set(k, v)
	}
	gone := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		gone <- err
	}()
	<-opening
	leave()
	if err := <-gone; err == nil {
		t.Error("the request has an answer")
	}
	for range 600 { // until the slot is free again
		if len(s.slot) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("the call goes on without its client")
}

func TestToken(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "token")
	token, made, err := Token(name)
	if err != nil || !made || !tokenForm().MatchString(token) {
		t.Fatalf("Token = %q, %v, %v", token, made, err)
	}
	fi, err := os.Stat(name)
	if err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Errorf("token file: %v, %v", fi.Mode(), err)
	}
	if again, made, err := Token(name); err != nil || made || again != token {
		t.Errorf("Token again = %q, %v, %v, want %q", again, made, err, token)
	}
	other := filepath.Join(dir, "other")
	if b, _, err := Token(other); err != nil || b == token {
		t.Errorf("two tokens are %q, %v", b, err)
	}
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Token(name); runtime.GOOS == "windows" {
		t.Log("a mode says nothing about others here")
	} else if err == nil || !strings.Contains(err.Error(), "others may use it") || strings.Contains(err.Error(), token) {
		t.Errorf("a token for others: %v", err)
	}
	for text, why := range map[string]string{"": "does not hold", "short\n": "does not hold", strings.Repeat("x", 2000): "does not hold", "one two three four five six\n": "does not hold"} {
		if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Token(other); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("a file with %.20q: %v", text, err)
		}
	}
	for _, bad := range []string{dir, filepath.Join(dir, "no", "folder")} {
		if _, _, err := Token(bad); err == nil || strings.Count(err.Error(), bad) != 1 {
			t.Errorf("Token(%s): %v", bad, err)
		}
	}
}
