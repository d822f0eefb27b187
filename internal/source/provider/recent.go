package provider

import (
	"cmp"
	"context"
	"errors"
	"maps"
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
	if r.Place.Dir() == "" {
		return nil, nil, nil
	}
	files, _, err := r.Place.list(ctx)
	if err != nil {
		return nil, nil, err
	}
	g := &recentFiles{Recent: r, most: cmp.Or(max(r.Files, 0), 10), byPath: make(map[string]*git.WorkFile, len(files))}
	for i := range files {
		if f := &files[i]; f.Mode.IsRegular() && tells(f.Path) {
			g.byPath[f.Path] = f
		}
	}
	if r.Place.repo == nil {
		g.newest(slices.Collect(maps.Values(g.byPath)), "modified ")
	} else {
		if err := g.uncommitted(ctx); err != nil {
			return nil, nil, err
		}
		if err := g.committed(ctx); err != nil {
			return nil, nil, err
		}
	}
	weigh(req.Query, g.items, func(i int) float64 { return faded(recentWorth, recentFades, i) })
	return g.items, nil, nil
}

// recentFiles gathers the files that changed last, each once.
type recentFiles struct {
	*Recent
	most   int
	byPath map[string]*git.WorkFile // those not yet told of
	items  []satchel.Item
}

func (g *recentFiles) add(f *git.WorkFile, text string) {
	it := item(satchel.KindRecent, f.Path, 0, 0, text+"\n")
	it.Lang = outline.Language(f.Path, nil)
	g.items = append(g.items, it)
	delete(g.byPath, f.Path)
}

// newest adds those of a list that were modified last.
func (g *recentFiles) newest(list []*git.WorkFile, what string) {
	slices.SortFunc(list, func(a, b *git.WorkFile) int {
		return cmp.Or(cmp.Compare(b.ModTime, a.ModTime), strings.Compare(a.Path, b.Path))
	})
	for _, f := range list[:min(len(list), g.most-len(g.items))] {
		when := time.Unix(0, f.ModTime).UTC()
		g.add(f, what+when.Format("2006-01-02 15:04")+" UTC")
	}
}

// uncommitted adds what differs from HEAD.
func (g *recentFiles) uncommitted(ctx context.Context) error {
	set, err := g.Place.diff(ctx)
	if err != nil {
		return err
	}
	var dirty []*git.WorkFile
	for i := range set.Files {
		if f := g.byPath[set.Files[i].Path]; f != nil && set.Files[i].Status != change.Deleted {
			dirty = append(dirty, f)
		}
	}
	g.newest(dirty, "uncommitted, modified ")
	return nil
}

// committed adds what the newest commits changed.
func (g *recentFiles) committed(ctx context.Context) error {
	enough := errors.New("enough")
	err := g.Place.repo.LogFrom(ctx, "HEAD", recentLog, func(c git.Commit) error {
		for _, name := range c.Files {
			if len(g.items) >= g.most {
				return enough
			}
			if f := g.byPath[name]; f != nil {
				when := time.Unix(c.Time, 0).UTC()
				subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
				g.add(f, "changed "+when.Format(time.DateOnly)+" in "+c.ID[:min(len(c.ID), shortID)]+" "+oneLine(subject))
			}
		}
		return nil
	})
	if errors.Is(err, enough) || errors.Is(err, git.ErrUnborn) {
		return nil
	}
	return err
}

// skipped are folders whose files nobody of the project writes.
var skipped = map[string]bool{
	"node_modules": true, "bower_components": true, "vendor": true, "third_party": true, "site-packages": true,
	"__pycache__": true, "venv": true, ".venv": true, ".tox": true, ".git": true, ".hg": true, ".svn": true,
}

// tells reports whether a file may be worth a word: not one below a folder of
// other people's code, and not a hidden one.
func tells(p string) bool {
	return !slices.ContainsFunc(strings.Split(p, "/"), func(part string) bool {
		return skipped[part] || part[0] == '.' && part != ".github"
	})
}
