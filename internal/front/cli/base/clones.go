package base

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// cloneName is the file with the URL of a clone. Its time is that of the last fetch.
const cloneName = "url"

// clonesDir returns the folder that holds all clones.
func (a *App) clonesDir() (string, error) {
	cache, err := project.UserCache(a.Env.Environ)
	if err != nil {
		return "", Hint(fmt.Errorf("no cache folder for clones: %w", err), "set that variable to an absolute path")
	}
	return filepath.Join(cache, "satchel", "clones"), nil
}

// CloneOf returns the clone for a URL without credentials.
func (a *App) CloneOf(u string) (Clone, error) {
	dir, err := a.clonesDir()
	if err != nil {
		return Clone{}, err
	}
	sum := sha256.Sum256([]byte(u))
	return Clone{filepath.Join(dir, hex.EncodeToString(sum[:16]))}, nil
}

// Work is the folder to work in, a bare repository in its .git.
func (c Clone) Work() string { return filepath.Join(c.Dir, "clone") }

// FetchedAt returns the time of the last fetch, or zero.
func (c Clone) FetchedAt() time.Time {
	fi, err := os.Stat(filepath.Join(c.Dir, cloneName))
	_, gitErr := os.Stat(filepath.Join(c.Work(), ".git", "HEAD"))
	if cmp.Or(err, gitErr) != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

// Note records the URL of the clone and the time of its fetch.
func (c Clone) Note(u string, now time.Time) error {
	name := filepath.Join(c.Dir, cloneName)
	if err := os.WriteFile(name, []byte(u+"\n"), 0o600); err != nil {
		return err
	}
	return os.Chtimes(name, now, now)
}

// A KnownClone is a clone in the cache folder.
type KnownClone struct {
	URL     string // "" if it was never fetched completely
	Fetched time.Time
	Clone
}

// Holds reports what a clone has in addition to the repository's files: notes or
// dismissals, snapshots, and files of others. It reports what it cannot read as
// present.
func (c *KnownClone) Holds() (notes, snapshots, other bool) {
	kept, err := os.ReadDir(filepath.Join(c.Work(), ".git", "satchel"))
	notes = unreadable(err)
	for _, e := range kept {
		notes = notes || KeptNotesNames().MatchString(e.Name())
	}
	packed, err := os.ReadFile(filepath.Join(c.Work(), ".git", "packed-refs"))
	_, loose := os.Lstat(filepath.Join(c.Work(), ".git", "refs", "satchel"))
	snapshots = unreadable(err) || strings.Contains(string(packed), " refs/satchel/") || loose == nil || unreadable(loose)
	entries, err := os.ReadDir(c.Work())
	return notes, snapshots, len(entries) > 1 || unreadable(err)
}

func unreadable(err error) bool { return err != nil && !errors.Is(err, fs.ErrNotExist) }

// MaxCloneAge is how long a clone is kept after its last fetch.
const MaxCloneAge = 30 * 24 * time.Hour

// KnownClones lists the clones, sorted by URL.
func (a *App) KnownClones(ctx context.Context) (list []KnownClone, err error) {
	dir, err := a.clonesDir()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if b, err := hex.DecodeString(e.Name()); err != nil || len(b) != 16 || !e.IsDir() {
			continue // not ours
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := KnownClone{Clone: Clone{filepath.Join(dir, e.Name())}}
		c.Fetched = c.FetchedAt()
		if text, err := index.ReadFile(c.Dir, cloneName, 1<<16); err == nil {
			c.URL = strings.TrimSpace(string(text))
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b KnownClone) int { return strings.Compare(a.URL+"\x00"+a.Dir, b.URL+"\x00"+b.Dir) })
	return list, nil
}

// TreeBytes returns the size of a file, or of the files below a folder.
func TreeBytes(path string) (n int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if fi, err := d.Info(); err == nil {
				n += fi.Size()
			}
		}
		return nil // unreadable files count as empty
	})
	return n
}

// Remove deletes a clone, unless another process fetches it.
func (c Clone) Remove() error {
	unlock, free, err := index.Lock(c.Dir)
	if err != nil {
		return err
	}
	if !free {
		return fmt.Errorf("%s: another process is fetching it", c.Dir)
	}
	defer unlock()
	return fsx.RemoveAll(c.Dir)
}

// KeptNotesNames matches the files of notes, context files and dismissals.
var KeptNotesNames = lazy.Regexp(`^(state\.db(-wal|-shm|-journal)?|review\.json|feedback)$`)

// A Clone is the place of a fetched repository in the user's cache folder.
type Clone struct{ Dir string }

var (
	anyScheme  = lazy.Regexp(`^[A-Za-z][A-Za-z0-9+.-]*://\S+$`)
	userAtHost = lazy.Regexp(`^[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[^\s:]+$`)
)

// IsURL reports whether a word is a URL, or git's short form of one.
func IsURL(word string) bool { return anyScheme().MatchString(word) || userAtHost().MatchString(word) }

// GitHost reports whether a URL can only be a repository, or is at a host of repositories.
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
