package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// A repository elsewhere is packed from a clone in the user's cache folder: the
// newest commit alone, kept and refreshed when the URL is given again. Only a
// person's command line comes here: not the MCP server, not a hook, not a setting.

// remote returns the repository that the arguments name, and the other arguments. A
// URL counts if it is the only argument.
func (a *app) remote(args []string) (*git.Remote, []string, error) {
	switch {
	case len(args) == 0 || !isURL(args[0]) || a.there(args[0]) != "":
		return nil, args, nil
	case len(args) > 1:
		if gitHost(args[0]) {
			a.remark("note: the URL is read as part of the task; to pack that repository, use --task for the task")
		}
		return nil, args, nil
	}
	if !gitHost(args[0]) {
		return nil, nil, &usageError{
			fmt.Errorf("%s may be a repository or a task", withoutUser(args[0])),
			"to pack the repository, add .git to the URL; for a task, use --task",
		}
	}
	r, err := parseRemote(args[0])
	return r, nil, err
}

var (
	anyScheme  = lazy.Regexp(`^[A-Za-z][A-Za-z0-9+.-]*://\S+$`)
	userAtHost = lazy.Regexp(`^[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[^\s:]+$`)
)

// isURL reports whether a word is a URL, or git's short form of one.
func isURL(word string) bool { return anyScheme().MatchString(word) || userAtHost().MatchString(word) }

// gitHost reports whether a URL can be of nothing but a repository, or is at a host
// that keeps them.
func gitHost(text string) bool {
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

// urlHint returns a hint for a URL among the arguments of a command that works in a
// local repository, or "".
func urlHint(cmd *cobra.Command) string {
	if cmd == nil || cmd.Name() == "pack" {
		return ""
	}
	for _, arg := range cmd.Flags().Args() {
		if isURL(arg) && gitHost(arg) {
			if !cmd.HasParent() {
				return "satchel pack " + shellWord(withoutUser(arg)) + " packs that repository"
			}
			return "satchel pack " + shellWord(withoutUser(arg)) + " fetches that repository and prints the -C folder for " + cmd.CommandPath()
		}
	}
	return ""
}

// withoutUser returns a URL for a message, without the part before @, which may be a
// token.
func withoutUser(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	return scheme + "://" + rest
}

// parseRemote reads a URL, and sends away what leads to a page of a host instead of
// a repository.
func parseRemote(text string) (*git.Remote, error) {
	if u, err := url.Parse(text); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		if err := pageOf(u); err != nil {
			return nil, err
		}
		if strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.") == "github.com" {
			u.Fragment, u.RawQuery = "", "" // #readme, ?tab=readme
			text = u.String()
		}
	}
	r, err := git.ParseRemote(text)
	if err != nil {
		return nil, &usageError{fmt.Errorf("%s: %w", withoutUser(text), err), "use an https, ssh or git URL; for a task that is a URL, use --task"}
	}
	return r, nil
}

// pageOf returns an error with a hint if a URL is the address of an issue, a file or
// another page.
func pageOf(u *url.URL) error {
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	at := 2 // the first part after the repository
	switch host {
	case "github.com", "codeberg.org", "bitbucket.org":
	case "raw.githubusercontent.com":
		parts = append(parts[:min(2, len(parts)):min(2, len(parts))], append([]string{"blob"}, parts[min(2, len(parts)):]...)...)
		host = "github.com"
	default:
		at = -1
		for i, p := range parts {
			if p == "-" { // as GitLab writes it
				at = i
			}
		}
		if at < 0 {
			return nil
		}
	}
	if len(parts) < 2 || parts[1] == "" {
		return &usageError{fmt.Errorf("%s is not the URL of a repository", withoutUser(u.String())), "want https://" + host + "/OWNER/NAME; for a task that is a URL, use --task"}
	}
	if len(parts) <= at {
		return nil
	}
	repo := "https://" + host + "/" + strings.Join(parts[:at], "/")
	page := parts[at:]
	if page[0] == "-" || host == "codeberg.org" && page[0] == "src" && len(page) > 2 {
		page = page[1:] // src/branch/NAME
	}
	if len(page) == 0 {
		return nil
	}
	wrong := func(what, hint string) error {
		return &usageError{fmt.Errorf("%s is the URL of %s, not of a repository", withoutUser(u.String()), what), hint}
	}
	rev, rest := "", ""
	if len(page) > 1 {
		rev, rest = page[1], strings.Join(page[2:], "/")
	}
	switch page[0] {
	case "issues", "issue", "pull", "pulls", "pull-requests", "merge_requests", "discussions", "work_items":
		return wrong("an issue or a change", "use its text as the task: satchel pack "+shellWord(repo)+" --task-file FILE")
	case "blob", "tree", "src", "raw", "blame", "edit", "branch", "tag":
		hint := "satchel pack " + shellWord(repo)
		if rev != "" && rev != "HEAD" {
			hint += " --rev " + shellWord(rev)
		}
		if rest != "" {
			hint += " --path " + shellWord(rest)
		}
		return wrong("a file or folder", hint)
	case "commit", "commits":
		hint := "satchel pack " + shellWord(repo)
		if rev != "" {
			hint += " --rev " + shellWord(rev)
		}
		return wrong("a commit", hint)
	}
	return wrong("a page", "satchel pack "+shellWord(repo)+" packs the repository; for a task that is a URL, use --task")
}

// clone fetches a repository, and goes there.
func (a *app) clone(ctx context.Context, f *packFlags, r *git.Remote) error {
	switch {
	case f.diff != "":
		return &usageError{errors.New("--diff needs history, but only one commit of a remote repository is fetched"), "git clone the repository, and name its folder with -C"}
	case len(a.given["snapshot"]) > 0 && a.settings.Snapshot:
		return &usageError{errors.New("--snapshot cannot keep a pack in a cached clone, because clones expire"), "git clone the repository, and name its folder with -C"}
	}
	c, err := a.cloneOf(r.URL)
	if err != nil {
		return err
	}
	unlock, free, err := index.Lock(c.dir)
	if err != nil {
		return fmt.Errorf("clone: %w", err)
	}
	if !free {
		return &hintError{fmt.Errorf("another process is fetching %s", r.URL), "try again when it has finished"}
	}
	defer unlock()
	known := c.fetchedAt()
	if known.IsZero() {
		a.remark("note: cloning one commit of %s into your cache folder, for 30 days", clean.Inline(r.URL))
	}
	o := &git.Options{Env: a.env.Environ}
	err = a.fetch(ctx, o, c, r, f.rev)
	var failed *git.FetchError
	switch {
	case err == nil:
		if err := c.note(r.URL, a.env.now()); err != nil {
			return err
		}
		a.removeOldClones(ctx)
	case errors.As(err, &failed) && failed.Kind != git.FetchNoRev && !known.IsZero() && ctx.Err() == nil:
		a.say("note: %s; using the clone fetched on %s", clean.Inline(failed.Error()), known.UTC().Format("2006-01-02 15:04 UTC"))
	default:
		if known.IsZero() {
			_ = fsx.RemoveAll(c.dir) // nothing but the lock
			_ = os.Remove(filepath.Dir(c.dir))
		}
		return err
	}
	if err := a.workIn(c.work()); err != nil {
		return err
	}
	a.settings.Snapshot = false // see above
	folder := shellWord(c.work())
	if folder == c.work() {
		folder = a.tilde(folder)
	}
	a.remark("note: to read more of it, use satchel -C %s show PATH, or search", folder)
	return nil
}

// fetch fetches a revision, or HEAD if the remote has none of that name: it may be
// one that the clone knows how to read, such as the start of an id.
func (a *app) fetch(ctx context.Context, o *git.Options, c clone, r *git.Remote, rev string) error {
	err := o.Fetch(ctx, c.work(), r, rev, git.FetchLimits{})
	var failed *git.FetchError
	if !errors.As(err, &failed) || failed.Kind != git.FetchNoRev || rev == "" || rev == "HEAD" {
		return err
	}
	if err := o.Fetch(ctx, c.work(), r, "", git.FetchLimits{}); err != nil {
		return err
	}
	repo, openErr := o.Open(ctx, c.work())
	if openErr != nil {
		return openErr
	}
	defer repo.Close()
	if _, _, unknown := repo.Resolve(ctx, rev); unknown != nil {
		return err
	}
	return nil
}

// fetchHint says what can be done about a fetch that failed.
func fetchHint(e *git.FetchError) string {
	switch e.Kind {
	case git.FetchNoRev:
		return "for a remote repository, --rev takes a branch, a tag or a full commit id"
	case git.FetchNoAccess:
		return "check the URL and your credential helper or ssh key with git ls-remote URL; satchel never asks for a password"
	case git.FetchHostKey:
		return "connect to the host once with ssh to accept its key"
	case git.FetchTooLarge, git.FetchTooSlow:
		return "git clone the repository yourself, and name its folder with -C"
	}
	return "check the connection with git ls-remote URL"
}

// A clone is the place of a fetched repository in the user's cache folder.
type clone struct{ dir string }

// cloneName is the file that says which repository a clone is of; when it was
// fetched last is the file's time.
const cloneName = "url"

// clonesDir returns the folder that holds all clones.
func (a *app) clonesDir() (string, error) {
	cache, err := project.UserCache(a.env.Environ)
	if err != nil {
		return "", &hintError{fmt.Errorf("no cache folder for clones: %w", err), "set that variable to an absolute path"}
	}
	return filepath.Join(cache, "satchel", "clones"), nil
}

// cloneOf returns the clone of the repository at u, a URL without credentials.
func (a *app) cloneOf(u string) (clone, error) {
	dir, err := a.clonesDir()
	if err != nil {
		return clone{}, err
	}
	sum := sha256.Sum256([]byte(u))
	return clone{filepath.Join(dir, hex.EncodeToString(sum[:16]))}, nil
}

// work is the folder to work in, a bare repository in its .git.
func (c clone) work() string { return filepath.Join(c.dir, "clone") }

// fetchedAt returns the time of the last fetch, or zero.
func (c clone) fetchedAt() time.Time {
	fi, err := os.Stat(filepath.Join(c.dir, cloneName))
	_, gitErr := os.Stat(filepath.Join(c.work(), ".git", "HEAD"))
	if cmp.Or(err, gitErr) != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

// note remembers which repository the clone is of, and when it was fetched.
func (c clone) note(u string, now time.Time) error {
	name := filepath.Join(c.dir, cloneName)
	if err := os.WriteFile(name, []byte(u+"\n"), 0o600); err != nil {
		return err
	}
	return os.Chtimes(name, now, now)
}
