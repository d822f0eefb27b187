// Package llm asks a model over HTTP: a conversation goes out and an answer comes
// back while it is written, or texts go out and vectors come back.
//
// It is the only code of the program that calls another machine. It speaks to one
// endpoint, which the user's own configuration names, in one of three protocols:
// Anthropic's Messages, OpenAI's Chat Completions and OpenAI's Embeddings, the
// latter two of which most servers understand. It follows no redirect, keeps no
// cookie, takes nothing that is compressed, and reads neither files nor variables
// other than those of a proxy (HTTPS_PROXY, NO_PROXY).
//
// What goes wrong for a moment (429, 500, 529 and the like, a connection that
// breaks, silence) is tried again within the time that the endpoint has; see
// [Client.Ask]. Everything else is an [*Error] that says what, without the key and
// with little of what the server said.
//
// Start with [New], [Client.Ask] and [Client.Embed]. A Client is safe for
// concurrent use, and all that use it share its limits. What records, replays or
// refuses to send is a [Wire].
package llm

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Kind is a protocol.
type Kind string

// The protocols.
const (
	Anthropic Kind = "anthropic" // POST /v1/messages
	OpenAI    Kind = "openai"    // POST /v1/chat/completions

	Embeddings Kind = "embeddings" // POST /v1/embeddings, as OpenAI and Ollama have it
)

// Bounds of what an endpoint may be told to do.
const (
	defaultTimeout     = 10 * time.Minute
	defaultIdle        = 5 * time.Minute // models that think are silent
	defaultEmbedding   = 60 * time.Second
	defaultMaxTokens   = 8192
	defaultConcurrency = 4

	maxTimeout     = time.Hour
	maxMaxTokens   = 200_000
	maxConcurrency = 64
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

	Timeout     time.Duration // of one question with all its tries; zero means ten minutes, of embeddings one
	IdleTimeout time.Duration // without a byte of an answer; zero means five minutes
	MaxTokens   int           // of an answer; zero means 8,192

	Concurrency int // questions at once; zero means four
	RPM, TPM    int // requests and tokens sent in a minute; zero means no limit
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
		return fmt.Errorf("the key contains invalid characters") // not which: the key is private
	case e.Timeout < 0 || e.Timeout > maxTimeout:
		return fmt.Errorf("timeout %v: want up to %v", e.Timeout, maxTimeout)
	case e.IdleTimeout < 0 || e.IdleTimeout > maxTimeout:
		return fmt.Errorf("idle-timeout %v: want up to %v", e.IdleTimeout, maxTimeout)
	case e.MaxTokens < 0 || e.MaxTokens > maxMaxTokens:
		return fmt.Errorf("max-tokens %d: want up to %d", e.MaxTokens, maxMaxTokens)
	case e.Concurrency < 0 || e.Concurrency > maxConcurrency:
		return fmt.Errorf("concurrency %d: want up to %d", e.Concurrency, maxConcurrency)
	case e.RPM < 0 || e.TPM < 0:
		return fmt.Errorf("rpm %d, tpm %d: want positive numbers", e.RPM, e.TPM)
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
	path, ok := map[Kind]string{Anthropic: "/messages", OpenAI: "/chat/completions", Embeddings: "/embeddings"}[e.Kind]
	if !ok {
		return nil, fmt.Errorf("kind %q: want anthropic or openai", e.Kind)
	}
	if e.URL == "" {
		return nil, fmt.Errorf("url is missing")
	}
	u, err := url.Parse(e.URL)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return nil, fmt.Errorf("invalid url: want https://HOST")
	case u.User != nil:
		return nil, fmt.Errorf("url holds a password: a key comes from the variable that key-env names")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("url of %s: want no ? or #", u.Host)
	case u.Scheme == "http" && !local(u.Hostname()):
		return nil, fmt.Errorf("url %s: another machine needs https", u)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("url %s: want https, or http of this machine", u)
	}
	base := strings.TrimRight(u.Path, "/")
	switch {
	case strings.HasSuffix(base, path):
		u.Path = base
	case strings.HasSuffix(base, "/v1"), e.Kind == OpenAI && strings.HasSuffix(base, "/v1beta/openai"): // Gemini's
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

// Options change how a Client works. The zero value is what users get.
type Options struct {
	// Wire carries requests. Nil means the network. One that never calls
	// another machine makes a Client that does not either.
	Wire Wire

	// Pause waits before a new try, or until a limit has room. Nil means that it
	// waits as long as it is told to. The error is ctx's.
	Pause Pause
}

// A Client asks one endpoint.
type Client struct {
	endpoint Endpoint
	url      string
	host     string // of url
	http     *http.Client
	pause    Pause
	limits   *limits
	form     learned
}

// New returns a client of an endpoint that is sound; see [Endpoint.Check]. Nil
// means default options.
func New(e Endpoint, o *Options) (*Client, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	u, err := e.address()
	if err != nil {
		return nil, err
	}
	o = cmp.Or(o, &Options{})
	usual := defaultTimeout
	if e.Kind == Embeddings {
		usual = defaultEmbedding
	}
	e.Timeout = cmp.Or(e.Timeout, usual)
	e.IdleTimeout = cmp.Or(e.IdleTimeout, defaultIdle)
	e.MaxTokens = cmp.Or(e.MaxTokens, defaultMaxTokens)
	e.Concurrency = cmp.Or(e.Concurrency, defaultConcurrency)
	wire, pause := o.Wire, o.Pause
	if wire == nil {
		wire = Network()
	}
	if pause == nil {
		pause = sleep
	}
	c := &http.Client{Transport: wire, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Client{endpoint: e, url: u.String(), host: u.Host, http: c, pause: pause, limits: newLimits(&e)}, nil
}

// Network returns the wire that leads to other machines.
func Network() Wire {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // what unpacks to more than it is cannot be bounded
		MaxIdleConnsPerHost:    defaultConcurrency,
		IdleConnTimeout:        30 * time.Second,
	}
}

// Endpoint returns what the client asks, with what was left to it, and without
// the key.
func (c *Client) Endpoint() Endpoint {
	e := c.endpoint
	e.Key = ""
	return e
}

// Close closes the connections that wait for another question.
func (c *Client) Close() { c.http.CloseIdleConnections() }
