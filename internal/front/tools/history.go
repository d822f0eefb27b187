package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/render"
)

type logArgs struct {
	bounded
	Count int      `json:"count"`
	Paths []string `json:"paths"`
}

// Commits that one call of log lists.
const (
	usualCommits = 10
	mostCommits  = 30
)

// logTool lists the newest commits, each with the files that it changed.
func logTool(ctx context.Context, h *Host, e *engine.Engine, a *logArgs) (string, error) {
	switch {
	case a.Count == 0:
		a.Count = usualCommits
	case a.Count < 1 || a.Count > mostCommits:
		return "", fmt.Errorf("count %d: want 1 to %d", a.Count, mostCommits)
	}
	paths, err := h.paths("paths", a.Paths)
	if err != nil {
		return "", err
	}
	list, err := e.History().Log(ctx, git.LogSpec{Rev: h.Change.NewSide(), Paths: paths, Most: a.Count})
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "No commit changed this.\n", nil
	}
	var b strings.Builder
	for i := range list {
		c := &list[i]
		fmt.Fprintf(&b, "%.12s %s %s\n", c.ID, c.Time.Format("2006-01-02"), c.Subject)
		if body := c.Body.String(); body != "" {
			b.WriteString("    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n")
		}
		for j, f := range c.Files {
			if j == mostCommitFiles {
				fmt.Fprintf(&b, "  and %d more files\n", len(c.Files)-j)
				break
			}
			fmt.Fprintf(&b, "  %s\n", clean.Inline(f))
		}
	}
	tail := ""
	if len(list) == a.Count && a.Count < mostCommits {
		tail = fmt.Sprintf("note: only the newest %d are listed: for more, use count\n", a.Count)
	}
	return cutShort("Commits, newest first", "text", b.String(), tail, a.Budget)
}

// mostCommitFiles is how many files of one commit are listed.
const mostCommitFiles = 20

type blameArgs struct {
	bounded
	From int    `json:"from"`
	Path string `json:"path"`
	To   int    `json:"to"`
}

// blameTool says which commits lines came with.
func blameTool(ctx context.Context, h *Host, e *engine.Engine, a *blameArgs) (string, error) {
	if a.From == 0 {
		return "", errors.New("from is missing: want a line number, 1 or more")
	}
	a.To = cmp.Or(a.To, a.From)
	name, err := h.relative(a.Path)
	if err != nil {
		return "", err
	}
	if err := e.Refuses(ctx, h.Change.NewSide(), name); err != nil {
		return "", fmt.Errorf("%s: %w", clean.Inline(name), err)
	}
	list, err := e.History().Blame(ctx, h.Change.NewSide(), name, a.From, a.To)
	if err != nil {
		return "", fmt.Errorf("blame %s:%d-%d: %w", name, a.From, a.To, err)
	}
	var b strings.Builder
	for i := range list {
		l := &list[i]
		if i == 0 || list[i-1].Commit != l.Commit {
			fmt.Fprintf(&b, "%.12s %s %s\n", l.Commit, l.Time.Format("2006-01-02"), l.Summary)
		}
		fmt.Fprintf(&b, "%6d %s\n", l.Number, l.Text)
	}
	return cutShort("Blame of "+clean.Inline(name), "text", b.String(), "", a.Budget)
}

// cutShort is the answer that shows the beginning of a text, as much as fits, and
// says so if that is not all.
func cutShort(title, lang, text, tail string, budget int) (string, error) {
	return cutPage(text, 0, budget, func(p page) string {
		s := title + "; " + asData + ":\n" + render.Fenced(lang, text[p.from:p.to])
		if p.next != "" {
			return s + "note: the rest does not fit the budget: request less\n"
		}
		return s + tail
	})
}

type mapArgs struct {
	bounded
	Paths []string `json:"paths"`
}

// mapTool shows what a folder, or the repository, is made of.
func mapTool(ctx context.Context, h *Host, e *engine.Engine, a *mapArgs) (string, error) {
	return packed(ctx, h, e, a.Budget, satchel.Request{Detail: satchel.Outline}, a.Paths)
}

type docsArgs struct {
	bounded
	Query string `json:"query"`
}

// documents are the files that docs looks in.
var documents = []string{"*.md", "*.mdx", "*.rst", "*.adoc", "*.txt"}

// mostDocuments is how many documents one answer has sections of.
const mostDocuments = 5

// docsTool shows the sections of documents that answer a question.
func docsTool(ctx context.Context, h *Host, e *engine.Engine, a *docsArgs) (string, error) {
	if strings.TrimSpace(a.Query) == "" {
		return "", errors.New("query: empty")
	}
	return packed(ctx, h, e, a.Budget, satchel.Request{Task: a.Query, Include: documents, Fill: true, Documents: &satchel.Documents{Most: mostDocuments}}, nil)
}

// packed is the answer that is a pack.
func packed(ctx context.Context, h *Host, e *engine.Engine, budget int, req satchel.Request, paths []string) (_ string, err error) {
	if req.Paths, err = h.patterns("paths", paths); err != nil {
		return "", err
	}
	req.Budget, req.Rev, req.Format = budget, h.Change.NewSide(), "md"
	p, err := e.Pack(ctx, req)
	if err != nil {
		return "", err
	}
	return rendered(p)
}
