package git

import (
	"context"
	"net/url"
	"slices"
	"strings"
)

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
