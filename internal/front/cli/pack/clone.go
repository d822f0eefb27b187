package pack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
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
	case len(args) == 0 || !base.IsURL(args[0]) || a.There(args[0]) != "":
		return nil, args, nil
	case len(args) > 1:
		if base.GitHost(args[0]) {
			a.Remark("note: the URL is read as part of the task; to pack that repository, use --task for the task")
		}
		return nil, args, nil
	}
	if !base.GitHost(args[0]) {
		return nil, nil, base.Usage(fmt.Errorf("%s may be a repository or a task", base.WithoutUser(args[0])),
			"to pack the repository, add .git to the URL; for a task, use --task")
	}
	r, err := parseRemote(args[0])
	return r, nil, err
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
		return nil, base.Usage(fmt.Errorf("%s: %w", base.WithoutUser(text), err), "use an https, ssh or git URL; for a task that is a URL, use --task")
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
		return base.Usage(fmt.Errorf("%s is not the URL of a repository", base.WithoutUser(u.String())), "want https://"+host+"/OWNER/NAME; for a task that is a URL, use --task")
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
		return base.Usage(fmt.Errorf("%s is the URL of %s, not of a repository", base.WithoutUser(u.String()), what), hint)
	}
	rev, rest := "", ""
	if len(page) > 1 {
		rev, rest = page[1], strings.Join(page[2:], "/")
	}
	switch page[0] {
	case "issues", "issue", "pull", "pulls", "pull-requests", "merge_requests", "discussions", "work_items":
		return wrong("an issue or a change", "use its text as the task: satchel pack "+base.ShellWord(repo)+" --task-file FILE")
	case "blob", "tree", "src", "raw", "blame", "edit", "branch", "tag":
		hint := "satchel pack " + base.ShellWord(repo)
		if rev != "" && rev != "HEAD" {
			hint += " --rev " + base.ShellWord(rev)
		}
		if rest != "" {
			hint += " --path " + base.ShellWord(rest)
		}
		return wrong("a file or folder", hint)
	case "commit", "commits":
		hint := "satchel pack " + base.ShellWord(repo)
		if rev != "" {
			hint += " --rev " + base.ShellWord(rev)
		}
		return wrong("a commit", hint)
	}
	return wrong("a page", "satchel pack "+base.ShellWord(repo)+" packs the repository; for a task that is a URL, use --task")
}

// fetch fetches a revision, or HEAD if the remote has none of that name: it may be
// one that the clone knows how to read, such as the start of an id.
func (a *app) fetch(ctx context.Context, o *git.Options, c base.Clone, r *git.Remote, rev string) error {
	err := o.Fetch(ctx, c.Work(), r, rev, git.FetchLimits{})
	var failed *git.FetchError
	if !errors.As(err, &failed) || failed.Kind != git.FetchNoRev || rev == "" || rev == "HEAD" {
		return err
	}
	if err := o.Fetch(ctx, c.Work(), r, "", git.FetchLimits{}); err != nil {
		return err
	}
	repo, openErr := o.Open(ctx, c.Work())
	if openErr != nil {
		return openErr
	}
	defer repo.Close()
	if _, _, unknown := repo.Resolve(ctx, rev); unknown != nil {
		return err
	}
	return nil
}

// clone fetches a repository, and goes there.
func (a *app) clone(ctx context.Context, f *packFlags, r *git.Remote) error {
	switch {
	case f.diff != "":
		return base.Usage(errors.New("--diff needs history, but only one commit of a remote repository is fetched"), "git clone the repository, and name its folder with -C")
	case len(a.Given["snapshot"]) > 0 && a.Settings.Snapshot:
		return base.Usage(errors.New("--snapshot cannot keep a pack in a cached clone, because clones expire"), "git clone the repository, and name its folder with -C")
	}
	c, err := a.CloneOf(r.URL)
	if err != nil {
		return err
	}
	unlock, free, err := index.Lock(c.Dir)
	if err != nil {
		return fmt.Errorf("clone: %w", err)
	}
	if !free {
		return base.Hint(fmt.Errorf("another process is fetching %s", r.URL), "try again when it has finished")
	}
	defer unlock()
	known := c.FetchedAt()
	if known.IsZero() {
		a.Remark("note: cloning one commit of %s into your cache folder, for 30 days", clean.Inline(r.URL))
	}
	o := &git.Options{Env: a.Env.Environ}
	err = a.fetch(ctx, o, c, r, f.rev)
	var failed *git.FetchError
	switch {
	case err == nil:
		if err := c.Note(r.URL, a.Now()); err != nil {
			return err
		}
		a.removeOldClones(ctx)
	case errors.As(err, &failed) && failed.Kind != git.FetchNoRev && !known.IsZero() && ctx.Err() == nil:
		a.Say("note: %s; using the clone fetched on %s", clean.Inline(failed.Error()), known.UTC().Format("2006-01-02 15:04 UTC"))
	default:
		if known.IsZero() {
			_ = fsx.RemoveAll(c.Dir) // nothing but the lock
			_ = os.Remove(filepath.Dir(c.Dir))
		}
		return err
	}
	if err := a.WorkIn(c.Work()); err != nil {
		return err
	}
	a.Settings.Snapshot = false // see above
	folder := base.ShellWord(c.Work())
	if folder == c.Work() {
		folder = a.Tilde(folder)
	}
	a.Remark("note: to read more of it, use satchel -C %s show PATH, or search", folder)
	return nil
}

// removeOldClones removes the clones that are older than MaxCloneAge and hold only the
// repository. If it cannot remove one, it tries again next time.
func (a *app) removeOldClones(ctx context.Context) {
	list, _ := a.KnownClones(ctx)
	for i := range list {
		c := &list[i]
		notes, snapshots, other := c.Holds()
		if c.Fetched.IsZero() || a.Now().Sub(c.Fetched) <= base.MaxCloneAge || notes || snapshots || other {
			continue
		}
		if c.Remove() == nil {
			a.Remark("note: removed the clone of %s, last fetched more than 30 days ago", clean.Inline(c.URL))
		}
	}
}
