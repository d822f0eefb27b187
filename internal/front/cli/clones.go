package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// clonesResult is the JSON form of the list of clones.
type clonesResult struct {
	Version int          `json:"version"`
	Clones  []knownClone `json:"clones"`
}

// A knownClone is a clone in the cache folder.
type knownClone struct {
	URL     string    `json:"url"` // "" if it was never fetched whole
	Folder  string    `json:"folder"`
	Bytes   int64     `json:"bytes"`
	Fetched time.Time `json:"fetched,omitzero"`

	clone clone
}

func (a *app) clonesCommand() *cobra.Command {
	var remove, all bool
	cmd := &cobra.Command{
		Use:   "clones [URL]...",
		Short: "List and remove the clones of repositories that were packed by their URL",
		Long: `List the clones that satchel pack URL keeps in your cache folder: when each was
fetched last, its size, its URL and its folder, which -C takes. --remove removes
those of the URLs, or all with --all; the next satchel pack URL clones anew.`,
		Example: `  satchel clones
  satchel clones --remove --all`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case all && !remove:
				return usagef("--all is for --remove")
			case remove && all == (len(args) > 0):
				return &usageError{errors.New("--remove takes the URLs of clones, or --all"), "satchel clones lists them"}
			}
			return a.clones(cmd.Context(), args, remove)
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&remove, "remove", false, "remove the clones of these URLs")
	fs.BoolVar(&all, "all", false, "with --remove: all clones")
	fs.BoolVar(&a.json, "json", false, "write one JSON document: those listed, or removed")
	return cmd
}

func (a *app) clones(ctx context.Context, urls []string, remove bool) error {
	list, err := a.knownClones(ctx)
	if err != nil {
		return err
	}
	if len(urls) > 0 {
		if list, err = ofURLs(list, urls); err != nil {
			return err
		}
	}
	if remove {
		for i := range list {
			if err := list[i].clone.remove(); err != nil {
				return err
			}
		}
	}
	if a.json {
		return a.writeJSON(&clonesResult{1, append([]knownClone{}, list...)})
	}
	for i := range list {
		c := &list[i]
		when, what := "never", "(not whole)"
		if !c.Fetched.IsZero() {
			when, what = c.Fetched.UTC().Format("2006-01-02 15:04"), c.URL
		}
		if remove {
			fmt.Fprintf(a.out, "removed %s\n", clean.Inline(what))
			continue
		}
		fmt.Fprintf(a.out, "%-16s  %10s  %s\n    %s\n", when, bytesText(c.Bytes), clean.Inline(what), clean.Inline(a.tilde(c.Folder)))
	}
	if len(list) == 0 {
		a.remark("there are no clones")
	}
	return nil
}

// ofURLs returns the clones of the URLs.
func ofURLs(list []knownClone, urls []string) (of []knownClone, err error) {
	for _, text := range urls {
		u := withoutUser(text)
		if r, err := git.ParseRemote(text); err == nil {
			u = r.URL
		}
		i := slices.IndexFunc(list, func(c knownClone) bool { return c.URL == u })
		if i < 0 {
			return nil, &hintError{fmt.Errorf("%s: there is no clone of it", u), "satchel clones lists them"}
		}
		of = append(of, list[i])
	}
	return of, nil
}

// knownClones lists the clones, sorted by URL.
func (a *app) knownClones(ctx context.Context) (list []knownClone, err error) {
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
		c := knownClone{clone: clone{filepath.Join(dir, e.Name())}}
		c.Folder, c.Fetched = c.clone.work(), c.clone.fetchedAt()
		if text, err := index.ReadFile(c.clone.dir, cloneName, 1<<16); err == nil {
			c.URL = strings.TrimSpace(string(text))
		}
		c.Bytes = treeBytes(c.clone.dir)
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b knownClone) int { return strings.Compare(a.URL+"\x00"+a.Folder, b.URL+"\x00"+b.Folder) })
	return list, nil
}

// treeBytes returns the size of a file, or of the files below a folder.
func treeBytes(path string) (n int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if fi, err := d.Info(); err == nil {
				n += fi.Size()
			}
		}
		return nil // what cannot be read counts nothing
	})
	return n
}

// remove deletes a clone, unless another process fetches it.
func (c clone) remove() error {
	unlock, free, err := index.Lock(c.dir)
	if err != nil {
		return err
	}
	if !free {
		return fmt.Errorf("%s: another process fetches it", c.dir)
	}
	defer unlock()
	return fsx.RemoveAll(c.dir)
}
