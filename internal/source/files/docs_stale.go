package files

import (
	"context"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/rank"
)

// staleVersion is the version of StaleResult's JSON form.
const staleVersion = 2

// A StaleResult holds the documents of a repository, those first of which the
// largest share is gone; change logs and the like come last.
type StaleResult struct {
	Version     int                  `json:"version"`
	Documents   []StaleDocument      `json:"documents"`
	Omitted     []satchel.Omission   `json:"omitted,omitempty"` // excluded paths
	Diagnostics []satchel.Diagnostic `json:"diagnostics,omitempty"`
}

// A StaleDocument is a document, with what it says that no longer holds.
type StaleDocument struct {
	Path    string    `json:"path"`
	Title   string    `json:"title"`
	Share   float64   `json:"share"`            // of what it mentions that is gone, in 0..1; see rank.Freshness
	Fresh   float64   `json:"fresh"`            // rank.Freshness.Weight: 1 if everything holds
	Known   int       `json:"known"`            // things it mentions that are known to be there or gone
	Changes int       `json:"changes"`          // commits since its last one that changed what it mentions
	Updated time.Time `json:"updated,omitzero"` // of its last commit; zero if the history does not tell
	Warned  bool      `json:"warned"`           // a pack warns of it
	Record  bool      `json:"record,omitempty"` // a change log or its like, which speaks of what is gone on purpose
	Gone    []gone    `json:"gone"`             // by line
}

// A gone is one thing that a document mentions and that is no more.
type gone = ranking.Gone

// StaleDocs judges documents by what they mention: which of the files and names
// exist, and how much changed since. rev "" means the work tree; paths are
// prefixes, and none means all. The errors are those of looking at a revision.
func (f Files) StaleDocs(ctx context.Context, rev string, paths []string) (*StaleResult, error) {
	v, err := f.project.Index.View(ctx, f.project.Tree, rev)
	if err != nil {
		return nil, err
	}
	scope, err := project.NewScope(paths, nil)
	if err != nil {
		return nil, err
	}
	sc := &scene.Scene{Scope: &scope, View: v}
	var all []int32
	for i := range v.Files() {
		if ranking.IsDocument(&v.Files()[i]) {
			all = append(all, int32(i))
		}
	}
	r := ranking.NewReader(v)
	list, err := r.StaleDocs(ctx, sc.Within(all))
	if err != nil {
		return nil, err
	}
	out := &StaleResult{Version: staleVersion, Documents: []StaleDocument{}, Omitted: v.Excluded(), Diagnostics: append(v.Diagnostics(), r.Diagnostics...)}
	for _, d := range list {
		x := StaleDocument{
			Path: d.Path, Title: d.Title, Share: rank.Round(d.Fresh.DeadShare()), Fresh: rank.Round(d.Weight),
			Known: d.Fresh.Known, Changes: d.Fresh.Changes, Updated: d.Fresh.Updated, Warned: d.Weight < rank.Doubtful && !d.Record, Record: d.Record, Gone: []gone{},
		}
		for _, g := range d.Fresh.Gone {
			g.Text = clean.New(d.Path, g.Text).String()
			x.Gone = append(x.Gone, g)
		}
		out.Documents = append(out.Documents, x)
	}
	return out, nil
}
