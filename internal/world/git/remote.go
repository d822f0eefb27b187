package git

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// A Remote is a repository on another machine, as a user names it. What is private
// in its URL is never shown: it reaches git in its environment.
type Remote struct {
	URL string // without user and password, except the user of ssh

	user, password string // of https; the password may be empty
	loopback       bool   // it is this machine, which plain http may reach
}

// maxRemote bounds a URL.
const maxRemote = 2048

// scpLike is git's short form of ssh: user@host:path.
var scpLike = lazy.Regexp(`^([A-Za-z0-9_][A-Za-z0-9_.-]*)@([A-Za-z0-9][A-Za-z0-9.-]*):([^:-][^:]*)$`)

var hostName = lazy.Regexp(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$`)

// ParseRemote reads the URL of a repository: https, ssh (user@host:path too) or
// git, and plain http of this machine alone. An error does not repeat what may be
// private.
func ParseRemote(text string) (*Remote, error) {
	if len(text) > maxRemote {
		return nil, fmt.Errorf("the URL has %d bytes: want at most %d", len(text), maxRemote)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' || r == '\uFFFD' }) {
		return nil, errors.New("the URL holds white space, a backslash or a control character")
	}
	if scpLike().MatchString(text) && !strings.Contains(text, "://") {
		return &Remote{URL: text}, nil
	}
	u, err := url.Parse(text)
	if err == nil && strings.Contains(text, "://") && !slices.Contains([]string{"https", "http", "ssh", "git"}, u.Scheme) {
		return nil, fmt.Errorf("unsupported protocol %s: use https, ssh or git", u.Scheme)
	}
	if err != nil || u.Scheme == "" || u.Opaque != "" || u.Host == "" {
		return nil, errors.New("not a URL of a repository, such as https://host/owner/name or git@host:owner/name")
	}
	host := u.Hostname()
	addr, addrErr := netip.ParseAddr(host)
	r := &Remote{loopback: host == "localhost" || addrErr == nil && addr.IsLoopback()}
	switch {
	case addrErr != nil && !hostName().MatchString(host):
		return nil, errors.New("the URL has no host")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(text, "#"):
		return nil, errors.New("the URL of a repository must not contain ? or #")
	case path.Clean("/"+u.Path) == "/":
		return nil, fmt.Errorf("%s is a host, not a repository", host)
	case strings.ContainsFunc(u.Path, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return nil, errors.New("the URL holds a control character")
	}
	password, hasPassword := u.User.Password()
	switch u.Scheme {
	case "https", "http":
		if u.Scheme == "http" && !r.loopback {
			return nil, errors.New("http is not encrypted: use https")
		}
		r.user, r.password = u.User.Username(), password
		u.User = nil
	case "ssh":
		if hasPassword {
			return nil, errors.New("ssh does not accept a password in a URL: use a key")
		}
		if name := u.User.Username(); u.User != nil && !hostName().MatchString(name) {
			return nil, errors.New("the user name in the URL is not valid for ssh")
		}
	case "git":
		if u.User != nil {
			return nil, errors.New("the git protocol has no users: use https or ssh")
		}
	}
	u.Host = strings.ToLower(u.Host)
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	r.URL = u.String()
	return r, nil
}

// protocols are those that git may use for the remote, as GIT_ALLOW_PROTOCOL lists
// them. The user's own insteadOf may change one for another.
func (r *Remote) protocols() string {
	if strings.HasPrefix(r.URL, "http:") {
		return "http"
	}
	return "https:ssh:git"
}

// credentials are what the URL held, as settings of git that only its environment
// shows.
func (r *Remote) credentials() []string {
	if r.user == "" && r.password == "" {
		return nil
	}
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil
	}
	at := u.Scheme + "://" + u.Host
	if r.password == "" {
		return []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=credential." + at + ".username", "GIT_CONFIG_VALUE_0=" + r.user}
	}
	basic := base64.StdEncoding.EncodeToString([]byte(r.user + ":" + r.password))
	return []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http." + at + "/.extraHeader", "GIT_CONFIG_VALUE_0=Authorization: Basic " + basic}
}

// hide removes the parts of the URL from a message. It removes a short word only at
// the place of the URL, because the word may be part of others.
func (r *Remote) hide(text string) string {
	for _, s := range []string{r.password, r.user} {
		if s == "" {
			continue
		}
		for _, spelled := range []string{s, url.QueryEscape(s), url.PathEscape(s), url.User(s).String()} {
			if len(spelled) >= 8 {
				text = strings.ReplaceAll(text, spelled, "…")
			}
			text = strings.ReplaceAll(text, "//"+spelled+"@", "//…@")
		}
	}
	return text
}

// RemoteHosts returns the hosts of the remotes that the repository's own
// configuration names, in lower case, each once. What else a URL holds, such as a
// password, is not returned.
func (r *Repo) RemoteHosts(ctx context.Context) (hosts []string, err error) {
	out, err := r.run.run(ctx, nil, "config", "--null", "--get-regexp", `^remote\..*\.(url|pushurl)$`)
	if err != nil && exitCode(err) != 1 { // 1 means that no key matched
		return nil, err
	}
	for record := range strings.SplitSeq(string(out), "\x00") {
		_, value, _ := strings.Cut(record, "\n")
		if h := hostOfRemote(value); h != "" && !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return hosts, nil
}

// hostOfRemote returns the host of a URL of a remote; "" if it has none.
func hostOfRemote(text string) string {
	remote, err := ParseRemote(text)
	if err != nil {
		return ""
	}
	if m := scpLike().FindStringSubmatch(remote.URL); m != nil && !strings.Contains(remote.URL, "://") {
		return strings.ToLower(m[2])
	}
	u, err := url.Parse(remote.URL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
