package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// Git tells the branch, what is not committed, and the newest commits.
type Git struct {
	Place   *Place
	Commits int // how many commits it tells; zero means 10
}

// What the parts are worth without a query, after the reference design: work that
// is under way first.
const (
	statusWorth = 0.9
	branchWorth = 0.8
	commitWorth = 0.7
	commitFades = 0.97 // for each newer commit
	lookedAt    = 5    // times as many commits are looked at as are told

	statusShare   = 2 // the part of the budget that the list of uncommitted files takes
	bytesPerToken = 3 // of a list of paths, about
)

// Labels of items that are no file.
const (
	branchPath = "branch"
	statusPath = "status"
	commitPath = "commits"
)

// Name implements Provider.
func (g *Git) Name() string { return "git" }

// Description says what the provider is for.
func (g *Git) Description() string { return "the branch, uncommitted changes and recent commits" }

// Budget implements Provider.
func (g *Git) Budget() int { return 500 }

// Gather implements Provider. Outside git there is nothing to say.
func (g *Git) Gather(ctx context.Context, req Request) ([]satchel.Item, []satchel.Diagnostic, error) {
	repo := g.Place.repo
	if repo == nil {
		return nil, nil, nil
	}
	var items []satchel.Item
	var diags []satchel.Diagnostic
	branch, err := repo.Branch(ctx)
	if err != nil {
		return nil, nil, err
	}
	head, err := repo.Head(ctx)
	unborn := errors.Is(err, git.ErrUnborn)
	if err != nil && !unborn {
		return nil, nil, err
	}
	items = append(items, item(satchel.KindGit, branchPath, 0, 0, branchText(branch, head)))
	if repo.Dir() != "" {
		set, err := g.Place.diff(ctx)
		if err != nil {
			diags = append(diags, satchel.Diagnostic{Text: "git: " + err.Error()})
		} else {
			items = append(items, item(satchel.KindGit, statusPath, 0, 0, statusText(req.Query, set.Files, req.Budget/statusShare)))
		}
	}
	if !unborn {
		commits, err := g.commits(ctx, req.Query)
		if err != nil {
			diags = append(diags, satchel.Diagnostic{Text: "git: " + err.Error()})
		}
		items = append(items, commits...)
	}
	weigh(req.Query, items, func(i int) float64 {
		switch it := &items[i]; it.Ref.Path {
		case branchPath:
			return branchWorth
		case statusPath:
			return statusWorth
		default:
			return commitWorth * math.Pow(commitFades, float64(it.Ref.From-1))
		}
	})
	return items, diags, nil
}

func branchText(branch, head string) string {
	at := "without a commit yet"
	if head != "" {
		at = "at " + head[:min(len(head), shortID)]
	}
	if branch == "" {
		return "no branch, " + at + "\n"
	}
	return "on " + branch + ", " + at + "\n"
}

const shortID = 12

// statusText lists what is not committed, in about so many tokens (0 is no limit);
// what has to do with the query first.
func statusText(query string, files []change.File, budget int) string {
	if len(files) == 0 {
		return "no uncommitted changes\n"
	}
	texts := make([]rank.Note, len(files))
	for i := range files {
		texts[i].Text = files[i].Path
	}
	about := overlaps(query, texts)
	order := largestFirst(len(files), func(i int) float64 { return about[i] })
	var b strings.Builder
	fmt.Fprintf(&b, "%s uncommitted\n", render.Plural(len(files), "file"))
	for n, i := range order {
		if budget > 0 && n > 0 && b.Len() > budget*bytesPerToken {
			fmt.Fprintf(&b, "and %d more\n", len(order)-n)
			break
		}
		f := &files[i]
		what := string(f.Status)
		if f.Untracked {
			what = "untracked"
		}
		fmt.Fprintf(&b, "%s %s", what, oneLine(f.Path))
		if f.OldPath != "" && f.OldPath != f.Path {
			b.WriteString(" from " + oneLine(f.OldPath))
		}
		b.WriteString(" " + oneLine(f.Counts()) + "\n")
	}
	return b.String()
}

// commits returns the commits to tell of, newest first.
func (g *Git) commits(ctx context.Context, query string) ([]satchel.Item, error) {
	most := cmp.Or(max(g.Commits, 0), 10)
	look := most
	if strings.TrimSpace(query) != "" {
		look = most * lookedAt
	}
	var list []git.Commit
	var texts []rank.Note
	err := g.Place.repo.LogFrom(ctx, "HEAD", look, func(c git.Commit) error {
		c.Files = slices.Clone(c.Files[:min(len(c.Files), 50)])
		list = append(list, c)
		texts = append(texts, rank.Note{Text: c.Message + "\n" + strings.Join(c.Files, "\n")})
		return nil
	})
	if err != nil {
		return nil, err
	}
	about := overlaps(query, texts)
	order := largestFirst(len(list), func(i int) float64 { return math.Pow(commitFades, float64(i)) + about[i] })
	order = order[:min(len(order), most)]
	slices.Sort(order)
	var items []satchel.Item
	for _, i := range order {
		c := &list[i]
		it := item(satchel.KindGit, commitPath, i+1, i+1, commitText(c))
		it.Forms[0].Lines = nil
		items = append(items, it)
	}
	return items, nil
}

func commitText(c *git.Commit) string {
	subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
	day := ""
	if c.Time > 0 {
		day = time.Unix(c.Time, 0).UTC().Format(time.DateOnly) + " "
	}
	s := c.ID[:min(len(c.ID), shortID)] + " " + day + oneLine(subject)
	switch n := len(c.Files); {
	case n == 0:
	case n <= 3:
		var names []string
		for _, f := range c.Files {
			names = append(names, oneLine(f))
		}
		s += " (" + strings.Join(names, ", ") + ")"
	case n == 50:
		s += " (50 files or more)"
	default:
		s += fmt.Sprintf(" (%s)", render.Plural(n, "file"))
	}
	return s + "\n"
}

// longest is how many bytes of a name or a subject are told.
const longest = 200

// oneLine returns text without line breaks, shortened.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	return clip.Bytes(s, longest)
}
