package pack_test

import (
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// serveGit serves the repositories of a script on this machine by git http-backend,
// at the address $HTTP: serve-git. A path that begins with /private takes the
// password of a user. ! serve-git ends it.
func serveGit(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) > 0 {
		ts.Fatalf("usage: serve-git")
	}
	if neg {
		server, _ := servers.Load(ts.Getenv("WORK"))
		server.(*httptest.Server).Close()
		return
	}
	h := &cgi.Handler{Path: httpBackend(), InheritEnv: []string{"GIT_PROTOCOL"}, Env: []string{
		"GIT_PROJECT_ROOT=" + ts.Getenv("WORK"), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "HOME=" + ts.Getenv("HOME"),
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, private := strings.CutPrefix(r.URL.Path, "/private"); private {
			if _, password, _ := r.BasicAuth(); password != "open-sesame" {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			r.URL.Path = rest
		}
		h.ServeHTTP(w, r)
	}))
	servers.Store(ts.Getenv("WORK"), server)
	ts.Setenv("HTTP", server.URL)
	ts.Setenv("HOST", strings.TrimPrefix(server.URL, "http://"))
	ts.Defer(server.Close)
}

// httpBackend is the program that serves repositories, or "" if it is not installed.
func httpBackend() string {
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return ""
	}
	name := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(name); err != nil {
		return ""
	}
	return name
}

// servers are the servers of scripts, by their work folders.
var servers sync.Map
