package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/config"
	"github.com/satchel-dev/satchel/render"
)

// Where a command works: in the folder that the user stands in, unless nobody can
// have meant that, or in another one that the user names.

// noProject says why a folder is nothing that anybody can have meant to be read as
// a whole: no repository, and the home folder, a dot-folder there, the root of the
// file system, or a folder of the system. It is "" of any other.
func (a *app) noProject() string {
	if a.removed() != nil {
		return "a folder that was removed"
	}
	root := filepath.Clean(config.Root(a.dir))
	if _, err := os.Lstat(filepath.Join(root, ".git")); err == nil {
		return ""
	}
	home := a.getenv("HOME")
	up := filepath.Dir(root)
	switch {
	case root == up, systemFolder(root):
		return render.Clean(root) + ", which is no project"
	case home != "" && sameFolder(root, home):
		return render.Clean(root) + ", which is your home folder and no project"
	case home != "" && strings.HasPrefix(filepath.Base(root), ".") && sameFolder(up, home):
		return render.Clean(root) + ", which keeps settings and no project"
	}
	return ""
}

// systemFolder reports whether a folder is one of the system's. Below most of them
// a project may lie.
func systemFolder(dir string) bool {
	for _, whole := range []string{"/proc", "/sys", "/dev"} {
		if dir == whole || strings.HasPrefix(dir, whole+"/") {
			return true
		}
	}
	return slices.Contains([]string{"/bin", "/boot", "/etc", "/home", "/lib", "/lib64", "/media", "/mnt", "/opt", "/private", "/private/tmp", "/root", "/run", "/sbin", "/srv",
		"/tmp", "/usr", "/usr/local", "/var", "/var/tmp", "/Applications", "/Library", "/System", "/Users", "/Volumes"}, dir)
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// forceFlag adds the flag that openProject heeds.
func (a *app) forceFlag(fs *pflag.FlagSet) {
	fs.BoolVar(&a.force, "force", false, "read a folder that is no project, such as the home folder, all the same")
}

// openProject is open for a command that reads all of a folder: one that is no
// project is refused, or read without what is private there.
func (a *app) openProject(ctx context.Context, p *progress) (*engine.Engine, error) {
	why := a.noProject()
	switch {
	case why == "" || a.removed() != nil:
	case !a.force:
		return nil, &hintError{fmt.Errorf("this is %s", why), "go to a project, or name one with -C FOLDER; --force reads this folder, without dot-folders, key files and shell histories"}
	default:
		a.leaveOut(private)
	}
	return a.open(ctx, p)
}

// private are patterns of what is nobody's project: dot-folders, where programs
// keep settings, caches and tokens, key files, shell histories, and what the
// kernel shows as files.
var private = []string{
	".*/", "/proc/", "/sys/", "/dev/", "/run/",
	".*_history", ".*history", ".zsh_history*", ".histfile", ".*hst", ".viminfo", ".wget-hsts", ".*sh_sessions",
	".netrc", "_netrc", ".pgpass", ".my.cnf", ".git-credentials", ".npmrc", ".pypirc", ".vault-token", ".htpasswd", ".s3cfg", ".boto", ".Xauthority", ".ICEauthority",
	"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.p12", "*.pfx", "*.p8", "*.ppk", "*.jks", "*.keystore", "*.kdb", "*.kdbx", "*.gpg", "*.ovpn",
	"credentials", "credentials.json", "shadow", "shadow-", "gshadow", "gshadow-",
}

// leaveOut adds exclusions that --force brings with it.
func (a *app) leaveOut(patterns []string) {
	s := a.settings
	s.Exclude = slices.Concat(s.Exclude, patterns)
	if s.Patterns == nil {
		s.Patterns = make(map[string]config.Origin)
	}
	for _, p := range patterns {
		s.Patterns["exclude "+p] = config.Origin{Source: config.Flag, Where: "--force"}
	}
}

// workIn makes the command work in another folder, with the settings that count
// there.
func (a *app) workIn(dir string) error {
	s, err := loadSettings(config.Sources{Dir: dir, Environ: a.env.Environ, Flags: a.given})
	if err != nil {
		return err
	}
	said := a.settings.Notes
	a.dir, a.settings = dir, s
	a.notes(slices.DeleteFunc(slices.Clone(s.Notes), func(n satchel.Note) bool { return slices.Contains(said, n) }))
	return nil
}
