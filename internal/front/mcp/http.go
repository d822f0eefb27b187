package mcp

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of the HTTP server.
const (
	mostHeader  = 16 << 10
	headerTime  = 5 * time.Second
	bodyTime    = 30 * time.Second
	idleTime    = 2 * time.Minute
	closingTime = 3 * time.Second
)

// Endpoint is the path that is served.
const Endpoint = "/mcp"

// Listen opens a port of this machine that no other machine reaches. Anything but
// a loopback address is refused.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address %q: want HOST:PORT, such as 127.0.0.1:0", address)
	}
	if host == "localhost" {
		host = "127.0.0.1" // whatever a hosts file says
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsLoopback() || ip.Zone() != "" {
		return nil, fmt.Errorf("address %q: only 127.0.0.1, [::1] and localhost are served, since whoever reaches the port can read the repository", address)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return l, nil
}

// ServeHTTP serves the Streamable HTTP transport on l, which [Listen] opened, to
// clients that bear the token, until ctx ends. Every request stands alone; there
// are no sessions.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, token string) error {
	srv := &http.Server{
		Handler:           s.handler(token),
		ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, IdleTimeout: idleTime, WriteTimeout: mostTime + bodyTime,
		MaxHeaderBytes: mostHeader,
		BaseContext:    func(net.Listener) context.Context { return ctx },
		ErrorLog:       log.New(io.Discard, "", 0), // what a client does wrong is told to the client
	}
	stopped := make(chan error, 1)
	end := context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
		defer cancel()
		err := srv.Shutdown(late)
		if err != nil {
			err = srv.Close()
		}
		stopped <- err
	})
	err := srv.Serve(l)
	if !end() {
		return <-stopped
	}
	return err
}

// handler checks who asks, and passes on what is left.
func (s *Server) handler(token string) http.Handler {
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: mostLine, PropagateRequestCancellation: true,
	})
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		switch {
		case !loopbackHost(r.Host):
			refuse(w, http.StatusForbidden, "the Host header names another machine")
		case !loopbackOrigins(r.Header.Values("Origin")), r.Header.Get("Sec-Fetch-Site") == "cross-site":
			refuse(w, http.StatusForbidden, "the Origin header names another machine")
		case !bears(r.Header.Values("Authorization"), want):
			h.Set("WWW-Authenticate", `Bearer realm="satchel"`)
			refuse(w, http.StatusUnauthorized, "want the header Authorization: Bearer TOKEN")
		case r.URL.Path != Endpoint:
			refuse(w, http.StatusNotFound, "only "+Endpoint+" is served")
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

func refuse(w http.ResponseWriter, status int, why string) { http.Error(w, why, status) }

// loopbackHost reports whether a host, with or without a port, is this machine by
// a name that no DNS server gives out.
func loopbackHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// loopbackOrigins reports whether a request comes from no page, or from one of
// this machine. "null" is a page of which nothing is known.
func loopbackOrigins(origins []string) bool {
	for _, o := range origins {
		u, err := url.Parse(o)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !loopbackHost(u.Host) {
			return false
		}
	}
	return len(origins) <= 1
}

// bears reports whether the one Authorization header holds the token. How long it
// takes does not tell how much of a guess is right.
func bears(headers []string, want [sha256.Size]byte) bool {
	if len(headers) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	got := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}
