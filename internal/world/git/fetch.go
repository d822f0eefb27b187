package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/proctree"
)

// Fetching is the second way to start git, and the only one that may reach another
// machine. It happens only for a URL on the user's command line, into a repository of
// our own without a work tree or hooks, with our settings. The configuration of the
// user and the administrator counts, because a connection needs it: a credential
// helper, a proxy, insteadOf. The configuration of the current repository does not.
// git has no terminal for questions.

// fetching are the settings that override the user's own in a fetch.
var fetching = []string{
	"core.hooksPath=/dev/null", // reference-transaction
	"core.fsmonitor=false",
	"core.askPass=false",
	"core.pager=cat",
	"core.alternateRefsCommand=",
	"gc.auto=0",
	"maintenance.auto=false",
	"fetch.writeCommitGraph=false",
	"fetch.recurseSubmodules=false",
	"submodule.recurse=false",
	"fetch.unpackLimit=1", // one pack, whose size is watched
	"fetch.uriProtocols=", // no packs from elsewhere
	"fetch.bundleURI=",
	"transfer.bundleURI=false",
	"fetch.fsckObjects=true",
	"fetch.fsck.zeroPaddedFilemode=warn", // made by old programs, and no harm
	"fetch.fsck.badTimezone=warn",
	"fetch.fsck.badTimezoneOverflow=warn",
	"fetch.fsck.missingEmail=warn",
	"fetch.fsck.missingNameBeforeEmail=warn",
	"fetch.fsck.missingSpaceBeforeDate=warn",
	"fetch.fsck.missingSpaceBeforeEmail=warn",
	"fetch.fsck.badEmail=warn",
	"fetch.fsck.badDate=warn",
	"fetch.fsck.zeroPaddedDate=warn",
	"fetch.fsck.multipleAuthors=warn",
	"http.lowSpeedLimit=1000",
	"http.lowSpeedTime=60",
	"core.longPaths=true",
	"core.bigFileThreshold=8m",
	"pack.threads=2",
}

// FetchLimits bound a fetch. Zero values mean the defaults.
type FetchLimits struct {
	Bytes int64         // of all packs of the clone; 1 GiB
	Time  time.Duration // of the fetch; ten minutes
}

// A FetchError says why a remote could not be fetched.
type FetchError struct {
	URL  string
	Why  string // what git said, without anything private
	Kind fetchFailure
}

func (e *FetchError) Error() string { return fmt.Sprintf("fetch %s: %s", clean(e.URL), e.Why) }

// A fetchFailure is what went wrong with a fetch.
type fetchFailure int

const (
	fetchFailed   fetchFailure = iota
	FetchNoRev                 // the remote has no such branch or tag
	FetchNoAccess              // no such repository, or it takes a credential that git does not have
	FetchHostKey               // ssh does not know the host
	FetchTooLarge
	FetchTooSlow
)

// fetched is the branch of a clone that its HEAD names.
const fetched = "refs/heads/satchel-fetched"

// Fetch brings one commit of a remote, without its history, into the clone dir, and
// makes dir if necessary. rev is a branch, a tag or a full commit id; "" means the
// remote's HEAD. [Options.Open] opens the clone as a bare repository, where rev has
// the same name as at the remote.
//
// The caller makes sure that no other process fetches into the same folder. A new
// clone appears whole or not at all.
func (o *Options) Fetch(ctx context.Context, dir string, r *Remote, rev string, limits FetchLimits) error {
	run, err := o.fetcher(dir)
	if err != nil {
		return err
	}
	if err := run.checkVersion(ctx); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		if err := sweep(dir); err != nil {
			return err
		}
		return run.fetch(ctx, dir, r, rev, limits)
	}
	for _, format := range []Format{SHA1, SHA256} {
		if err = run.newClone(ctx, dir, r, rev, limits, format); !mismatched(err) {
			break
		}
	}
	return err
}

// mismatched reports whether the remote has another object format.
func mismatched(err error) bool {
	e, ok := errors.AsType[*FetchError](err)
	return ok && strings.Contains(e.Why, "mismatched algorithms")
}

// A fetcher starts git for fetches.
type fetcher struct {
	runner
}

// fetcher finds git and makes its environment: the user's, since a credential
// helper or ssh may need any of it, but of git's own variables only those that say
// how to connect and where the user's configuration is.
func (o *Options) fetcher(dir string) (*fetcher, error) {
	opt := o.withDefaults()
	here, err := os.Getwd() // where a repository may have programs
	if err != nil {
		here = dir
	}
	env := environ(opt.Env)
	search, _ := env.lookup("PATH")
	program := opt.Git
	if program == "" {
		if program, err = findGit(search, here); err != nil {
			return nil, err
		}
	}
	var keep []string
	for _, kv := range opt.Env {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case name == "PATH", name == "LC_ALL", name == "LANGUAGE", strings.HasPrefix(name, "SSH_ASKPASS"):
		case strings.HasPrefix(name, "GIT_") && !slices.Contains(connects, name):
		default:
			keep = append(keep, kv)
		}
	}
	keep = append(keep,
		"PATH="+absolutePath(search, here),
		"LC_ALL=C",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ASKPASS=",
		"SSH_ASKPASS_REQUIRE=never",
		"GIT_PAGER=cat",
		"GIT_EDITOR=false",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		allocLimit,
	)
	keep = append(keep, opt.extraEnv...)
	return &fetcher{runner{git: program, env: keep, timeout: opt.Timeout}}, nil
}

// connects are git's own variables that a fetch takes over.
var connects = []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_PROXY_SSL_CAINFO"}

// absolutePath returns PATH without folders that may hold programs of a repository:
// relative folders, and folders around the current one.
func absolutePath(search, here string) string {
	var list []string
	roots := rootsAround(here)
	for _, p := range filepath.SplitList(search) {
		if trusted(p, roots) {
			list = append(list, p)
		}
	}
	return strings.Join(list, string(filepath.ListSeparator))
}

// newClone makes a clone beside its place, and moves it there when it is whole.
func (run *fetcher) newClone(ctx context.Context, dir string, r *Remote, rev string, limits FetchLimits, format Format) (err error) {
	made := dir + ".new"
	if err := fsx.RemoveAll(made); err != nil {
		return err
	}
	defer func() { _ = fsx.RemoveAll(made) }()
	if err := os.MkdirAll(made, 0o700); err != nil {
		return err
	}
	skeleton, err := emptyRepository(format, true)
	if err != nil {
		return err
	}
	defer func() { _ = fsx.RemoveAll(skeleton) }()
	if err := os.CopyFS(filepath.Join(made, ".git"), os.DirFS(skeleton)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(made, ".git", "HEAD"), []byte("ref: "+fetched+"\n"), 0o600); err != nil {
		return err
	}
	if err := run.fetch(ctx, made, r, rev, limits); err != nil {
		return err
	}
	return fsx.Rename(filepath.Dir(dir), filepath.Base(made), filepath.Base(dir))
}

// sweep removes what an interrupted fetch left.
func sweep(dir string) error {
	pack := filepath.Join(dir, ".git", "objects", "pack")
	list, err := os.ReadDir(pack)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range list {
		if strings.HasPrefix(e.Name(), "tmp_") {
			if err := os.Remove(filepath.Join(pack, e.Name())); err != nil {
				return err
			}
		}
	}
	for _, name := range []string{"shallow.lock", "HEAD.lock", "packed-refs.lock"} {
		os.Remove(filepath.Join(dir, ".git", name))
	}
	return nil
}

// refName matches the names of branches and tags that are asked for; git's own
// rules allow more.
var refName = lazy.Regexp(`^[\pL\pN_][\pL\pN_.+@=#/-]*$`)

// refspec says what to fetch and how to call it here, or "" if rev is nothing that
// a remote can be asked for.
func refspec(rev string) string {
	switch {
	case rev == "" || rev == "HEAD":
		return "+HEAD:" + fetched
	case SHA1.validID(rev) || SHA256.validID(rev):
		return "+" + rev + ":refs/commits/" + rev
	case len(rev) > 200 || !refName().MatchString(rev) || strings.Contains(rev, "..") || strings.Contains(rev, "//") || strings.Contains(rev, "/.") || strings.Contains(rev, "@{") ||
		strings.HasSuffix(rev, "/") || strings.HasSuffix(rev, ".") || strings.Contains(rev+"/", ".lock/") || strings.HasPrefix(rev, "-"):
		return ""
	case strings.HasPrefix(rev, "refs/"):
		return "+" + rev + ":" + rev
	}
	return "+" + rev + ":refs/tags/" + rev
}

// fetch runs git in a clone that is there.
func (run *fetcher) fetch(ctx context.Context, dir string, r *Remote, rev string, limits FetchLimits) error {
	spec := refspec(rev)
	if spec == "" {
		return &FetchError{URL: r.URL, Why: fmt.Sprintf("%q is not a branch, a tag or a full commit id", clean(rev)), Kind: FetchNoRev}
	}
	limits.Bytes = cmp.Or(limits.Bytes, 1<<30)
	limits.Time = cmp.Or(limits.Time, 10*time.Minute)
	redirects := "initial"
	credentials := r.credentials()
	if credentials != nil {
		redirects = "false" // what the URL holds is for its host alone
	}
	args := []string{"--no-pager"}
	for _, c := range append(fetching, "http.followRedirects="+redirects) {
		args = append(args, "-c", c)
	}
	args = append(args, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-prune", "--no-recurse-submodules", "--no-write-fetch-head", "--update-head-ok", "--refmap=", "--", r.URL, spec)

	own, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timed, done := context.WithTimeoutCause(own, limits.Time, errTooSlow)
	defer done()
	cmd := exec.CommandContext(timed, run.git, args...)
	cmd.Dir = filepath.Join(dir, ".git")
	cmd.Env = append(slices.Clone(run.env), "GIT_DIR="+cmd.Dir, "GIT_ALLOW_PROTOCOL="+r.protocols())
	if r.loopback {
		cmd.Env = append(cmd.Env, "NO_PROXY=*", "no_proxy=*")
	}
	cmd.Env = append(cmd.Env, credentials...)
	cmd.WaitDelay = waitDelay
	// A session of its own has no terminal to ask on, and is a tree that can be
	// ended as a whole: git's children would go on receiving.
	tree := proctree.NewSession(cmd)
	defer tree.Close()
	cmd.Cancel = func() error { tree.Kill(); return nil }
	stderr := capped{limit: maxStderr}
	cmd.Stderr = &stderr
	if err := tree.Started(start(cmd, fetchMemory)); err != nil {
		return commandError("fetch", "", err)
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watch(timed, filepath.Join(cmd.Dir, "objects", "pack"), limits.Bytes, cancel)
	}()
	err := cmd.Wait()
	cancel(nil)
	<-watched
	switch cause := context.Cause(timed); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(cause, errTooMuch), err == nil && folderBytes(filepath.Join(cmd.Dir, "objects", "pack")) > limits.Bytes:
		return &FetchError{URL: r.URL, Why: fmt.Sprintf("more than %d bytes", limits.Bytes), Kind: FetchTooLarge}
	case errors.Is(cause, errTooSlow):
		return &FetchError{URL: r.URL, Why: fmt.Sprintf("not done within %v", limits.Time), Kind: FetchTooSlow}
	case err != nil:
		why := cmp.Or(r.hide(explain(stderr.buf.String())), err.Error())
		return &FetchError{URL: r.URL, Why: why, Kind: failureOf(why)}
	}
	return nil
}

var (
	errTooMuch = errors.New("too much")
	errTooSlow = errors.New("too slow")
)

// failureOf classifies failures by the messages of git and ssh in the C locale.
func failureOf(why string) fetchFailure {
	has := func(texts ...string) bool {
		return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(why, s) })
	}
	switch {
	case has("couldn't find remote ref", "not our ref", "no such remote ref"):
		return FetchNoRev
	case has("Host key verification failed"):
		return FetchHostKey
	case has("could not read Username", "could not read Password", "Authentication failed", "Permission denied", "not found", "does not exist", "does not appear to be a git repository", "error: 403", "error: 401"):
		return FetchNoAccess
	}
	return fetchFailed
}

// watch ends the fetch when the packs hold too much.
func watch(ctx context.Context, dir string, limit int64, end context.CancelCauseFunc) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if folderBytes(dir) > limit {
			end(errTooMuch)
			return
		}
	}
}

// folderBytes returns how many bytes the files directly in a folder have.
func folderBytes(dir string) (n int64) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, e := range list {
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() {
			n += fi.Size()
		}
	}
	return n
}
