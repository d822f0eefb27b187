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
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
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

// A Call is one question to a model: all that it is sent, but for what the
// endpoint says. Equal calls to one endpoint are equal bytes.
type Call struct {
	Label string // names the call in records; see [LabelOf]. It is not sent.

	System   string
	Tools    []Tool               // in the order in which they are sent
	Messages []transcript.Message // see [transcript.Valid]

	// Tool is the name of the tool that the model has to call. Empty means that
	// it may call any, or none.
	Tool string

	// Submit is the name of the tool whose input is the answer; empty means Tool.
	// A model that knows no tools is asked for that input as JSON, and its answer
	// looks as if it had called the tool.
	Submit string

	MaxTokens int // of the answer; zero means the endpoint's
}

// A Tool is something that a model may call.
type Tool struct {
	Name, Use string
	Schema    json.RawMessage // of its input: a JSON schema of an object
}

// An Answer is what a model said.
type Answer struct {
	// Message is the assistant's, as it goes back in the next call. Blocks that
	// only the provider understands are kept in their Raw. The ids of calls are
	// unique in the conversation. The Input of a call is an object, or a JSON
	// string of what the model wrote if that is none, as when it was cut. An
	// answer that is empty has no blocks: it cannot go back.
	Message transcript.Message

	Stop  Stop
	Usage *transcript.Usage // as the server reports it, nil if it does not
	Tries []Try             // the last one gave the answer

	// Dropped says that the server reports far less than it was sent: it did
	// not read all of it. A Diagnostic says how much.
	Dropped bool

	Diagnostics []satchel.Diagnostic // such as events that nobody knows
}

// Text is what the model said, calls and thinking aside.
func (a *Answer) Text() string {
	var b strings.Builder
	for i := range a.Message.Blocks {
		if x := &a.Message.Blocks[i]; x.Type == transcript.Text {
			b.WriteString(x.Text)
		}
	}
	return b.String()
}

// A Stop says why an answer ended.
type Stop string

// The reasons that count for us.
const (
	StopEnd     Stop = "end"     // it was complete
	StopCall    Stop = "call"    // it waits for results of calls
	StopLength  Stop = "length"  // it is longer than MaxTokens, and was cut
	StopRefusal Stop = "refusal" // the model declines
)

// A Try is one exchange with the server.
type Try struct {
	Status int               `json:"status,omitempty"` // of HTTP; 0 if there was no answer
	Err    string            `json:"error,omitempty"`  // what went wrong; empty for the last try of an answer
	Usage  *transcript.Usage `json:"usage,omitempty"`  // what it cost all the same
	Began  bool              `json:"began,omitempty"`  // something of an answer came, so that it did cost something
	Wait   time.Duration     `json:"-"`                // before it
}

// A Delta is what came since the last one, for those who watch.
type Delta struct {
	Text  string        // of the answer, or of a tool's input
	Bytes int           // that came so far
	Quiet time.Duration // since anything came; set when nothing does
}

// A Wire carries one request to the server, and the answer back: every try is
// one trip. What records and replays calls is a Wire.
type Wire = http.RoundTripper

type labelKey struct{}

// LabelOf returns the Label of the call that a request belongs to, from the
// request's context.
func LabelOf(ctx context.Context) string {
	s, _ := ctx.Value(labelKey{}).(string)
	return s
}
