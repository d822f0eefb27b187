package git

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// serve serves the folders of the sandbox by git http-backend on this machine. Wrap,
// if it is not nil, stands in front of it.
func (s *sandbox) serve(wrap func(http.Handler) http.Handler) string {
	s.t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		s.t.Fatal(err)
	}
	backend := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		s.t.Skip("git http-backend is not installed")
	}
	env := append(s.env(), "GIT_PROJECT_ROOT="+s.dir, "GIT_HTTP_EXPORT_ALL=1")
	var h http.Handler = &cgi.Handler{Path: backend, Env: env, InheritEnv: []string{"GIT_PROTOCOL"}}
	if wrap != nil {
		h = wrap(h)
	}
	server := httptest.NewServer(h)
	s.t.Cleanup(server.Close)
	return server.URL
}

func mustParse(t *testing.T, text string) *Remote {
	t.Helper()
	r, err := ParseRemote(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// upstream makes a repository to fetch: two commits, a tag on the first, a branch.
func (s *sandbox) upstream(flags ...string) (first, second string) {
	s.init("up", flags...)
	s.write("up/a.txt", "one\n")
	first = s.commit("up", "first")
	s.git("up", "tag", "-a", "-m", "t", "v1")
	s.git("up", "branch", "side/old")
	s.write("up/a.txt", "two\n")
	return first, s.commit("up", "second")
}

func TestFetch(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Parallel()
	for _, format := range []Format{SHA1, SHA256} {
		t.Run(string(format), func(t *testing.T) {
			s := newSandbox(t)
			first, second := s.upstream("--object-format=" + string(format))
			r := mustParse(t, s.serve(nil)+"/up/.git")
			ctx, o, dir := t.Context(), s.options(), s.path("clones/x")
			has := func(rev, commit string) {
				t.Helper()
				repo, err := o.Open(ctx, dir)
				if err != nil {
					t.Fatal(err)
				}
				defer repo.Close()
				if got, _, err := repo.Resolve(ctx, rev); got != commit || err != nil {
					t.Errorf("%s is %q, %v, want %q", rev, got, err, commit)
				}
				if repo.Dir() != "" || repo.Format() != format {
					t.Errorf("the clone has a work tree %q, format %s", repo.Dir(), repo.Format())
				}
			}
			fetch := func(rev string) error { return o.Fetch(ctx, dir, r, rev, FetchLimits{}) }
			if err := fetch(""); err != nil {
				t.Fatal(err)
			}
			has("HEAD", second)
			repo, err := o.Open(ctx, dir)
			if err != nil {
				t.Fatal(err)
			}
			if list, err := repo.RevList(ctx, "HEAD", 0); len(list) != 1 || err != nil {
				t.Errorf("history %v, %v, want one commit", list, err)
			}
			repo.Close()
			for rev, commit := range map[string]string{"v1": first, "side/old": first, first: first, "refs/heads/side/old": first, "main": second} {
				if err := fetch(rev); err != nil {
					t.Errorf("%s: %v", rev, err)
				}
				has(rev, commit)
			}
			for _, rev := range []string{"nothing", "HEAD~1", "-x", "--upload-pack=x", "a..b", "a b", "refs/../x", "+main", ":x", "*", "x:y", "^main", "a\nb", "\x1b"} {
				failed, ok := errors.AsType[*FetchError](fetch(rev))
				if !ok || failed.Kind != FetchNoRev || strings.ContainsAny(failed.Error(), "\x1b\n") {
					t.Errorf("fetch %q: %v", rev, failed)
				}
			}
			// It is refreshed, also where history was rewritten.
			s.write("up/a.txt", "three\n")
			s.git("up", "commit", "-q", "-a", "--amend", "-m", "third")
			s.git("up", "tag", "-f", "v1")
			third := s.git("up", "rev-parse", "HEAD")
			for _, rev := range []string{"", "v1"} {
				if err := fetch(rev); err != nil {
					t.Fatal(err)
				}
			}
			has("HEAD", third)
			has("v1", third)
		})
	}
}

// TestFetchNothing: a remote that is empty, is not there, or talks nonsense is an
// error, and leaves nothing behind.
func TestFetchNothing(t *testing.T) {
	s := newSandbox(t)
	s.init("empty")
	s.upstream()
	base := s.serve(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasPrefix(r.URL.Path, "/page"):
				w.Write([]byte("<html>\x1b[31m"))
			case strings.HasPrefix(r.URL.Path, "/away"):
				http.Redirect(w, r, "file://"+s.path("up/.git")+strings.TrimPrefix(r.URL.RequestURI(), "/away"), http.StatusFound)
			case strings.HasPrefix(r.URL.Path, "/ext"):
				w.Header().Set("Location", "ext::touch% "+s.path("ran"))
				w.WriteHeader(http.StatusFound)
			case strings.HasPrefix(r.URL.Path, "/denied"):
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
			default:
				h.ServeHTTP(w, r)
			}
		})
	})
	for name, kind := range map[string]fetchFailure{
		"/empty/.git": FetchNoRev, "/gone": FetchNoAccess, "/page": fetchFailed, "/away/.git": fetchFailed, "/ext": fetchFailed, "/denied": FetchNoAccess,
	} {
		dir := s.path("clones/x")
		err := s.options().Fetch(t.Context(), dir, mustParse(t, base+name), "", FetchLimits{})
		failed, ok := errors.AsType[*FetchError](err)
		if !ok || name != "/page" && failed.Kind != kind || strings.Contains(failed.Error(), "\x1b") {
			t.Errorf("%s: %v", name, err)
		}
		for _, left := range []string{"clones/x", "clones/x.new", "ran"} {
			if _, err := os.Stat(s.path(left)); err == nil {
				t.Errorf("%s: %s is there", name, left)
			}
		}
	}
}

// TestFetchLimits: a remote that sends without end, or nothing at all, is ended with
// all the processes that were started for it.
func TestFetchLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Parallel()
	s := newSandbox(t)
	s.init("up")
	noise := make([]byte, 4<<20)
	x := uint64(88172645463325252)
	for i := range noise {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		noise[i] = byte(x)
	}
	s.write("up/noise", string(noise))
	s.commit("up", "noise")
	base := s.serve(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/silent") {
				<-r.Context().Done()
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	for name, tt := range map[string]struct {
		limits FetchLimits
		kind   fetchFailure
	}{
		"/up/.git": {FetchLimits{Bytes: 1 << 20}, FetchTooLarge},
		"/silent":  {FetchLimits{Time: 300 * time.Millisecond}, FetchTooSlow},
	} {
		err := s.options().Fetch(t.Context(), s.path("x"), mustParse(t, base+name), "", tt.limits)
		if failed, ok := errors.AsType[*FetchError](err); !ok || failed.Kind != tt.kind {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(s.path("x")); err == nil {
			t.Errorf("%s: a clone is there", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if err := s.options().Fetch(ctx, s.path("x"), mustParse(t, base+"/silent"), "", FetchLimits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestFetchCredentials: what a URL holds reaches its host and nothing else; without
// it the user's own helper is asked, and never a terminal or the repository in which
// the user stands.
func TestFetchCredentials(t *testing.T) {
	s := newSandbox(t)
	_, second := s.upstream()
	base := s.serve(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user, password, ok := r.BasicAuth(); !ok || user != "me" || password != "s3cr3t+/tok" {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	host := strings.TrimPrefix(base, "http://")
	fetch := func(text string) error {
		os.RemoveAll(s.path("x"))
		return s.options().Fetch(t.Context(), s.path("x"), mustParse(t, text), "", FetchLimits{})
	}
	if err := fetch("http://me:s3cr3t+%2Ftok@" + host + "/up/.git"); err != nil {
		t.Fatal(err)
	}
	if got := s.git("x", "rev-parse", "HEAD"); got != second {
		t.Errorf("HEAD is %s, want %s", got, second)
	}
	if out, _ := exec.Command("grep", "-rl", "-e", "s3cr3t", "-e", "me@", s.path("x")).Output(); len(out) > 0 {
		t.Errorf("the password is in %s", out)
	}
	for _, wrong := range []string{"http://me:WRONGPASS@" + host + "/up/.git", "http://WRONGUSER@" + host + "/up/.git"} {
		failed, ok := errors.AsType[*FetchError](fetch(wrong))
		if !ok || failed.Kind != FetchNoAccess || strings.Contains(failed.Error(), "WRONG") {
			t.Errorf("%v", failed)
		}
	}
	if err := fetch(base + "/up/.git"); err == nil {
		t.Error("fetched without a credential")
	}
	s.write("home/.gitconfig", "[credential]\n\thelper = \"!f() { test $1 = get && echo username=me && echo 'password=s3cr3t+/tok'; }; f\"\n")
	if err := fetch(base + "/up/.git"); err != nil {
		t.Errorf("with a helper: %v", err)
	}
}

// TestFetchTraps: hooks, templates and settings that run programs do nothing in a
// fetch, nor does the repository in which the user stands.
func TestFetchTraps(t *testing.T) {
	s := newSandbox(t)
	s.upstream()
	s.write("up/.gitmodules", "[submodule \"m\"]\n\tpath = m\n\turl = ext::touch% "+s.path("ran")+"\n")
	s.commit("up", "modules")
	script := s.path("script")
	s.write("script", "#!/bin/sh\necho ran >>"+s.path("ran")+"\n")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"reference-transaction", "post-checkout", "post-merge", "pre-auto-gc", "post-index-change"} {
		s.copyScript(script, "hooks/"+hook)
		s.copyScript(script, "template/hooks/"+hook)
	}
	s.write("home/.gitconfig", "[core]\n\thooksPath = "+s.path("hooks")+"\n\tfsmonitor = "+script+"\n\taskPass = "+script+
		"\n[init]\n\ttemplateDir = "+s.path("template")+"\n[protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n[url \"ext::"+script+" %S\"]\n\tinsteadOf = https://rewritten.example/\n")
	s.init("here")
	for key, value := range map[string]string{
		"credential.helper": "!" + script, "core.sshCommand": script, "core.gitProxy": script, "url.ext::" + script + ".insteadOf": "http://", "http.proxy": "http://127.0.0.1:1", "remote.origin.uploadpack": script,
	} {
		s.git("here", "config", key, value)
	}
	t.Chdir(s.path("here"))
	s.write("here/bin/git-remote-https", "#!/bin/sh\necho ran >>"+s.path("ran")+"\n")
	o := s.options()
	o.Env = append(o.Env, "GIT_DIR="+s.path("here/.git"), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.sshCommand", "GIT_CONFIG_VALUE_0="+script, "GIT_ASKPASS="+script, "SSH_ASKPASS="+script,
		"GIT_EXTERNAL_DIFF="+script, "GIT_ALLOW_PROTOCOL=ext:file", "GIT_EXEC_PATH=", "GIT_TEMPLATE_DIR="+s.path("template"), "PATH=.:"+s.path("here/bin")+":"+os.Getenv("PATH"))
	if err := o.Fetch(t.Context(), s.path("x"), mustParse(t, s.serve(nil)+"/up/.git"), "", FetchLimits{}); err != nil {
		t.Error(err)
	}
	// A port that nobody listens on, and a URL that the user's setting makes a command.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for _, u := range []string{"http://" + l.Addr().String() + "/up", "https://rewritten.example/up"} {
		if err := o.Fetch(t.Context(), s.path("y"), mustParse(t, u), "", FetchLimits{}); err == nil {
			t.Errorf("fetched %s", u)
		}
	}
	if text, err := os.ReadFile(s.path("ran")); err == nil {
		t.Errorf("a program ran:\n%s", text)
	}
}

func TestParseRemote(t *testing.T) {
	for text, want := range map[string]string{
		"https://github.com/pallets/flask":            "https://github.com/pallets/flask",
		"https://GitHub.com/pallets/flask.git/":       "https://github.com/pallets/flask.git",
		"https://user:tok%2Fen@host.example:8443/x/y": "https://host.example:8443/x/y",
		"https://ghp_token@github.com/x/y":            "https://github.com/x/y",
		"git@github.com:pallets/flask.git":            "git@github.com:pallets/flask.git",
		"ssh://git@host.example:2222/~me/x":           "ssh://git@host.example:2222/~me/x",
		"git://host.example/x":                        "git://host.example/x",
		"http://127.0.0.1:8080/x":                     "http://127.0.0.1:8080/x",
		"http://[::1]:8080/x":                         "http://[::1]:8080/x",
		"http://localhost/x":                          "http://localhost/x",
	} {
		r, err := ParseRemote(text)
		if err != nil || r.URL != want {
			t.Errorf("ParseRemote(%q) = %v, %v, want %q", text, r, err, want)
		}
	}
	for _, text := range []string{
		"", "x", "/etc/passwd", "./x", "owner/repo", "https://github.com", "https://github.com/", "https:///x", "http://example.org/x", "http://127.0.0.1.example.org/x", "http://2130706433/x",
		"file:///etc", "ftp://h/x", "ext::sh -c x", "ext::sh", "fd::3", "https://h/x?y=1", "https://h/x#y", "https://-h/x", "ssh://-oProxyCommand=x/y", "ssh://-x@h/y", "-x@h:y", "git@-h:y", "git@h:-y",
		"ssh://u:SECRET@h/x", "git://u@h/x", "https://h/a b", "https://h/%0ax", "https://h/%00x", "https://h\x1b/x", "https://SECRET@h\\@evil/x", "git@h:a:b", "ssh://h%2f/x", "--upload-pack=x", "https://h/" + strings.Repeat("x", 3000),
	} {
		r, err := ParseRemote(text)
		if err == nil {
			t.Errorf("ParseRemote(%q) = %v, want an error", text, r)
		} else if strings.Contains(err.Error(), "SECRET") {
			t.Errorf("ParseRemote(%q): %v", text, err)
		}
	}
}

// FuzzParseRemote: a URL that is accepted begins with no dash, names one of the
// protocols, holds neither user nor password of https, and means the same again.
func FuzzParseRemote(f *testing.F) {
	for _, s := range []string{"https://u:p@h/x", "git@h:x", "ssh://u@h/x", "http://127.0.0.1/x", "https://h/../..", "https://[::1]:1/x", "ext::x", "https://a@b@c/x", "https://%41@h/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRemote(text)
		if err != nil {
			return
		}
		scheme, rest, ok := strings.Cut(r.URL, "://")
		if !ok {
			if !scpLike().MatchString(r.URL) {
				t.Errorf("%q became %q", text, r.URL)
			}
			return
		}
		host, _, _ := strings.Cut(rest, "/")
		switch {
		case scheme != "https" && scheme != "ssh" && scheme != "git" && (scheme != "http" || !r.loopback),
			scheme != "ssh" && strings.Contains(host, "@"), strings.HasPrefix(host, "-"), strings.ContainsAny(r.URL, " \x00\n\x1b"):
			t.Errorf("%q became %q", text, r.URL)
		}
		again, err := ParseRemote(r.URL)
		if err != nil || again.URL != r.URL || again.user+again.password != "" {
			t.Errorf("%q became %q, and that %v, %v", text, r.URL, again, err)
		}
	})
}
