// Package llm asks a model over HTTP: a system text and a prompt go out and a
// text comes back, or texts go out and vectors come back.
//
// It is the only code of the program that calls another machine. It speaks to one
// endpoint, which the user's own configuration names, in one of three protocols:
// Anthropic's Messages, OpenAI's Chat Completions and OpenAI's Embeddings, the
// latter two of which most servers understand. It
// follows no redirect, keeps no cookie, and reads neither files nor variables
// other than those of a proxy (HTTPS_PROXY, NO_PROXY).
//
// What goes wrong for a moment (429, 500, 529 and the like, a connection that
// breaks) is tried again within the time that the endpoint has. Everything else
// is an error that says what, without the key and with little of what the
// server said. Start with [New], [Client.Complete] and [Client.Embed]; a Client is safe for
// concurrent use.
package llm

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Kind is a protocol.
type Kind string

const (
	anthropic Kind = "anthropic" // POST /v1/messages
	openAI    Kind = "openai"    // POST /v1/chat/completions

	Embeddings Kind = "embeddings" // POST /v1/embeddings, as OpenAI and Ollama have it
)

// Bounds of what an endpoint may be told to do.
const (
	defaultTimeout   = 60 * time.Second
	defaultMaxTokens = 1024

	maxTimeout   = 10 * time.Minute
	maxMaxTokens = 32_000
)

// An Endpoint is where a model answers.
type Endpoint struct {
	// URL is the server's address, with or without the path of the protocol:
	// https://api.example.com, …/v1 and …/v1/messages are the same. It is https,
	// or http of this machine.
	URL string

	Model string
	Kind  Kind

	// Key is sent as the protocol wants it. Empty means that none is.
	Key string

	Timeout   time.Duration // of one question with all its tries; zero means DefaultTimeout
	MaxTokens int           // of an answer; zero means DefaultMaxTokens
}

// Check says what is wrong with an endpoint; nil if nothing.
func (e *Endpoint) Check() error {
	_, err := e.address()
	switch {
	case err != nil:
		return err
	case e.Model == "":
		return fmt.Errorf("model is missing")
	case strings.ContainsFunc(e.Key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return fmt.Errorf("the key holds characters that no key has") // which of them is nobody's business
	case e.Timeout < 0 || e.Timeout > maxTimeout:
		return fmt.Errorf("timeout %v: want up to %v", e.Timeout, maxTimeout)
	case e.MaxTokens < 0 || e.MaxTokens > maxMaxTokens:
		return fmt.Errorf("max-tokens %d: want up to %d", e.MaxTokens, maxMaxTokens)
	}
	return nil
}

// Address is the URL that a question goes to, as a person may see it; "" if the
// endpoint is not sound.
func (e *Endpoint) Address() string {
	u, err := e.address()
	if err != nil {
		return ""
	}
	return u.Redacted()
}

func (e *Endpoint) address() (*url.URL, error) {
	path, ok := map[Kind]string{anthropic: "/messages", openAI: "/chat/completions", Embeddings: "/embeddings"}[e.Kind]
	if !ok {
		return nil, fmt.Errorf("kind %q: want anthropic or openai", e.Kind)
	}
	if e.URL == "" {
		return nil, fmt.Errorf("url is missing")
	}
	u, err := url.Parse(e.URL)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return nil, fmt.Errorf("url is none: want https://HOST")
	case u.User != nil:
		return nil, fmt.Errorf("url holds a password: a key comes from the variable that key-env names")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("url of %s: want one without ? and #", u.Host)
	case u.Scheme == "http" && !local(u.Hostname()):
		return nil, fmt.Errorf("url %s: what is sent goes to another machine by https only", u)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("url %s: want https, or http of this machine", u)
	}
	base := strings.TrimRight(u.Path, "/")
	switch {
	case strings.HasSuffix(base, path):
		u.Path = base
	case strings.HasSuffix(base, "/v1"):
		u.Path = base + path
	default:
		u.Path = base + "/v1" + path
	}
	u.RawPath = ""
	return u, nil
}

// local reports whether a host is this machine.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// A Client asks one endpoint.
type Client struct {
	endpoint Endpoint
	url      string
	http     *http.Client
	pause    func(n int) time.Duration // before the n-th new try
}

// New returns a client of an endpoint that is sound; see [Endpoint.Check].
func New(e Endpoint) (*Client, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	if e.Timeout == 0 {
		e.Timeout = defaultTimeout
	}
	if e.MaxTokens == 0 {
		e.MaxTokens = defaultMaxTokens
	}
	u, err := e.address()
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2:      true,
		DisableKeepAlives:      e.Kind != Embeddings, // one question, and nothing stays open
	}
	c := &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Client{endpoint: e, url: u.String(), http: c, pause: backoff}, nil
}

// Close closes the connections that wait for another question.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// backoff waits half a second, then one, then two. One process that asks one
// question needs no randomness.
func backoff(n int) time.Duration { return time.Second << n / 2 }
