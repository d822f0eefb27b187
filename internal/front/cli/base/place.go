package base

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/render"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// A command works in the current folder, unless it cannot be a project, or in a
// folder that the user names.

// NoProject says why a folder must not be read as a whole: it is not a repository, and is
// the home folder, a dot-folder there, the root of the file system or a system folder. It
// returns "" for every other folder.
func (a *App) NoProject() string {
	if a.Removed() != nil {
		return "a folder that was removed"
	}
	root := filepath.Clean(config.Root(a.Dir))
	if _, err := os.Lstat(filepath.Join(root, ".git")); err == nil {
		return ""
	}
	home := a.Getenv("HOME")
	up := filepath.Dir(root)
	switch {
	case root == up, systemFolder(root):
		return clean.Inline(root) + ", not a project"
	case home != "" && SameFolder(root, home):
		return clean.Inline(root) + ", your home folder, not a project"
	case home != "" && strings.HasPrefix(filepath.Base(root), ".") && SameFolder(up, home):
		return clean.Inline(root) + ", a folder of settings, not a project"
	}
	return ""
}

// systemFolder reports whether dir belongs to the system. A project may be inside most
// system folders, and inside /dev/shm, where checkouts are put to be fast.
func systemFolder(dir string) bool {
	if strings.HasPrefix(dir, "/dev/shm/") {
		return false
	}
	for _, whole := range []string{"/proc", "/sys", "/dev"} {
		if dir == whole || strings.HasPrefix(dir, whole+"/") {
			return true
		}
	}
	return slices.Contains([]string{"/bin", "/boot", "/etc", "/home", "/lib", "/lib64", "/media", "/mnt", "/opt", "/private", "/private/tmp", "/root", "/run", "/sbin", "/srv",
		"/tmp", "/usr", "/usr/local", "/var", "/var/tmp", "/Applications", "/Library", "/System", "/Users", "/Volumes"}, dir)
}

func SameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// OpenProject is Open for a command that reads a whole folder. It refuses a folder that
// is not a project; with any-folder, it leaves out private files.
func (a *App) OpenProject(ctx context.Context) (*engine.Engine, error) {
	why := a.NoProject()
	switch {
	case why == "" || a.Removed() != nil:
	case !a.Settings.AnyFolder:
		return nil, Hint(fmt.Errorf("this is %s", why), "change to a project, or name one with -C FOLDER; to read this folder, use --set any-folder")
	default:
		a.leaveOut(private)
	}
	return a.Open(ctx)
}

// private are patterns of files that do not belong to a project: dot-folders with settings,
// caches and tokens, key files, shell histories, and files of the kernel.
var private = []string{
	".*/", "/proc/", "/sys/", "/dev/", "/run/",
	".*_history", ".*history", ".zsh_history*", ".histfile", ".*hst", ".viminfo", ".wget-hsts", ".*sh_sessions",
	".netrc", "_netrc", ".pgpass", ".my.cnf", ".git-credentials", ".npmrc", ".pypirc", ".vault-token", ".htpasswd", ".s3cfg", ".boto", ".Xauthority", ".ICEauthority",
	"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.p12", "*.pfx", "*.p8", "*.ppk", "*.jks", "*.keystore", "*.kdb", "*.kdbx", "*.gpg", "*.ovpn",
	"credentials", "credentials.json", "shadow", "shadow-", "gshadow", "gshadow-",
}

// leaveOut adds the exclusions of any-folder.
func (a *App) leaveOut(patterns []string) {
	s := a.Settings
	s.Exclude = slices.Concat(s.Exclude, patterns)
	if s.Patterns == nil {
		s.Patterns = make(map[string]config.Origin)
	}
	for _, p := range patterns {
		s.Patterns["exclude "+p] = config.Origin{Source: config.Flag, Where: "any-folder"}
	}
}

// WorkIn makes the command work in another folder, with the settings that count
// there.
func (a *App) WorkIn(dir string) error {
	s, err := loadSettings(config.Sources{Dir: dir, Environ: a.Env.Environ, Flags: a.Given, Written: a.Written})
	if err != nil {
		return err
	}
	said := a.Settings.Diagnostics
	a.Dir, a.Settings = dir, s
	a.Diagnostics(slices.DeleteFunc(slices.Clone(s.Diagnostics), func(n satchel.Diagnostic) bool { return slices.Contains(said, n) }))
	return nil
}

// nothingAt says why a pack of a path is empty.
func (a *App) nothingAt(name string) error {
	list, err := os.ReadDir(filepath.Join(config.Root(a.Dir), filepath.FromSlash(name)))
	if err == nil && len(list) == 0 {
		return fmt.Errorf("--path %s: empty folder", name)
	}
	return Hint(fmt.Errorf("--path %s: only ignored files and empty folders", name), "--pin PATH shows an ignored file")
}

// NamePlace explains the contents of a pack whose root is not a git repository, or whose
// paths are repositories inside of it.
func (a *App) NamePlace(p *satchel.Pack, req *satchel.Request) {
	root := config.Root(a.Dir)
	if p.Rev == "" && len(p.Entries)+len(p.Omitted) > 0 {
		if repo, err := a.repo(context.Background()); err == nil {
			repo.Close()
		} else {
			a.Remark("note: %s is not a git repository: no history, and .gitignore files have no effect", clean.Inline(root))
		}
	}
	for _, o := range p.Omitted {
		asked := slices.ContainsFunc(req.Paths, func(name string) bool {
			return name == o.Ref.Path || strings.HasPrefix(name, o.Ref.Path+"/")
		})
		switch _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(o.Ref.Path), ".git")); {
		case !asked:
		case o.Why == satchel.WhyNested:
			a.Remark("note: %s is another repository, not a submodule: pack it with -C %s", clean.Inline(o.Ref.Path), clean.Inline(ShellWord(o.Ref.Path)))
		case o.Why == satchel.WhySubmodule && err != nil:
			a.Remark("note: the submodule %s is not checked out: run git submodule update --init %s", clean.Inline(o.Ref.Path), clean.Inline(ShellWord(o.Ref.Path)))
		case o.Why == satchel.WhySubmodule:
			a.Remark("note: %s is a submodule: include it with --set submodules", clean.Inline(o.Ref.Path))
		}
	}
}

// IndexStatus returns the state of the index on disk. It updates the index first, unless
// look is true.
func (a *App) IndexStatus(ctx context.Context, look, alone bool) (*engine.IndexStatus, error) {
	e, err := a.OpenProject(ctx)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	refresh := e.Index().Refresh
	switch {
	case look:
		return e.Index().Status(ctx)
	case alone:
		refresh = e.Index().RefreshAlone
	}

	s, err := refresh(ctx)
	if errors.Is(err, engine.ErrRefreshing) {
		return e.Index().Status(ctx)
	}
	if err != nil || s.Dir == "" {
		return s, err
	}
	found, err := a.IndexStatus(ctx, true, false)
	if err == nil {
		found.Diagnostics = s.Diagnostics
	}
	return found, err
}

// NotKept returns an error if an index is out of date right after an update.
func NotKept(s *engine.IndexStatus) error {
	if s.Fresh || s.Dir == "" {
		return nil
	}
	for _, n := range s.Diagnostics {
		if n.Path == s.Dir {
			return &storeError{s.Dir, n.Text}
		}
	}
	return &storeError{s.Dir, render.Plural(s.Stale, "document") + " missing: another process is writing the index, or files have changed"}
}
