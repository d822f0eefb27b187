package provider

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// Recent tells which files were changed last: in a repository those that are not
// committed, newest first, and then those of the newest commits; in a plain folder
// those that were written last.
type Recent struct {
	Place *Place
	Files int // how many files it tells; zero means 10
}

// What a recent file is worth without a query, after the reference design.
const (
	recentWorth = 0.6
	recentFades = 0.98
	recentLog   = 50 // commits that are looked at
)

// Name implements Provider.
func (r *Recent) Name() string { return "recent" }

// Description says what the provider is for.
func (r *Recent) Description() string { return "the files that were changed last" }

// Budget implements Provider.
func (r *Recent) Budget() int { return 300 }

// Gather implements Provider.
func (r *Recent) Gather(ctx context.Context, req Request) ([]satchel.Item, []satchel.Diagnostic, error) {
	most := r.Files
	if most <= 0 {
		most = 10
	}
	if r.Place.Dir() == "" {
		return nil, nil, nil
	}
	files, _, err := r.Place.list(ctx)
	if err != nil {
		return nil, nil, err
	}
	byPath := make(map[string]*git.WorkFile, len(files))
	for i := range files {
		if f := &files[i]; f.Mode.IsRegular() && tells(f.Path) {
			byPath[f.Path] = f
		}
	}
	var items []satchel.Item
	add := func(f *git.WorkFile, text string) {
		it := item(satchel.KindRecent, f.Path, 0, 0, text+"\n")
		it.Lang = outline.Language(f.Path, nil)
		items = append(items, it)
		delete(byPath, f.Path)
	}
	newest := func(list []*git.WorkFile, what string) {
		slices.SortFunc(list, func(a, b *git.WorkFile) int {
			return cmp.Or(cmp.Compare(b.ModTime, a.ModTime), strings.Compare(a.Path, b.Path))
		})
		for _, f := range list[:min(len(list), most-len(items))] {
			when := time.Unix(0, f.ModTime).UTC()
			add(f, what+when.Format("2006-01-02 15:04")+" UTC")
		}
	}
	if r.Place.repo == nil {
		var all []*git.WorkFile
		for _, f := range byPath {
			all = append(all, f)
		}
		newest(all, "modified ")
	} else {
		set, err := r.Place.diff(ctx)
		if err != nil {
			return nil, nil, err
		}
		var dirty []*git.WorkFile
		for i := range set.Files {
			if f := byPath[set.Files[i].Path]; f != nil && set.Files[i].Status != change.Deleted {
				dirty = append(dirty, f)
			}
		}
		newest(dirty, "uncommitted, modified ")
		enough := errors.New("enough")
		err = r.Place.repo.LogFrom(ctx, "HEAD", recentLog, func(c git.Commit) error {
			for _, name := range c.Files {
				if len(items) >= most {
					return enough
				}
				if f := byPath[name]; f != nil {
					when := time.Unix(c.Time, 0).UTC()
					subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
					add(f, "changed "+when.Format(time.DateOnly)+" in "+c.ID[:min(len(c.ID), shortID)]+" "+oneLine(subject))
				}
			}
			return nil
		})
		var unknown *git.UnknownRevisionError
		if err != nil && !errors.Is(err, enough) && !errors.As(err, &unknown) {
			return nil, nil, err
		}
	}
	weigh(req.Query, items, func(i int) float64 {
		w := recentWorth
		for range i {
			w *= recentFades
		}
		return w
	})
	return items, nil, nil
}

// skipped are folders whose files nobody of the project writes.
var skipped = map[string]bool{
	"node_modules": true, "bower_components": true, "vendor": true, "third_party": true, "site-packages": true,
	"__pycache__": true, "venv": true, ".venv": true, ".tox": true, ".git": true, ".hg": true, ".svn": true,
}

// tells reports whether a file may be worth a word: not one below a folder of
// other people's code, and not a hidden one.
func tells(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if skipped[part] || part[0] == '.' && part != ".github" {
			return false
		}
	}
	return true
}
