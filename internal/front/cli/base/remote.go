package base

import (
	"net/url"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

var (
	anyScheme  = lazy.Regexp(`^[A-Za-z][A-Za-z0-9+.-]*://\S+$`)
	userAtHost = lazy.Regexp(`^[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[^\s:]+$`)
)

// IsURL reports whether a word is a URL, or git's short form of one.
func IsURL(word string) bool { return anyScheme().MatchString(word) || userAtHost().MatchString(word) }

// GitHost reports whether a URL can be of nothing but a repository, or is at a host
// that keeps them.
func GitHost(text string) bool {
	if userAtHost().MatchString(text) || strings.HasSuffix(strings.TrimRight(text, "/"), ".git") {
		return true
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return true // ssh and git; ParseRemote refuses the others
	}
	host := strings.ToLower(u.Hostname())
	switch strings.TrimPrefix(host, "www.") {
	case "github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "git.sr.ht", "gitee.com", "huggingface.co", "gist.github.com", "raw.githubusercontent.com":
		return true
	}
	first, _, _ := strings.Cut(host, ".")
	return first == "git" || first == "github" || first == "gitlab" || first == "gitea" || first == "forgejo"
}

// WithoutUser returns a URL for a message, without the part before @, which may be a
// token.
func WithoutUser(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	return scheme + "://" + rest
}
