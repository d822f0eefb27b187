package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/lab/train/tasks"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// orders are the orders that a pack without a task is compared with: files that
// come first are shown first.
var orders = map[string]func(v *index.View) []int32{
	"size":     func(v *index.View) []int32 { return bySize(v, -1) },
	"smallest": func(v *index.View) []int32 { return bySize(v, 1) },
	"repomix":  byChanges,
}

func bySize(v *index.View, sign int) []int32 {
	files := v.Files()
	return sorted(len(files), func(a, b int32) int { return sign * cmp.Compare(files[a].Size, files[b].Size) })
}

// recentCommits is how many commits repomix looks at.
const recentCommits = 100

// byChanges is repomix's order: files that changed least often in the last 100
// commits first, those that changed equally often by path.
func byChanges(v *index.View) []int32 {
	h := v.History()
	changes := map[string]int{}
	for _, c := range h.Commits[:min(len(h.Commits), recentCommits)] {
		for _, f := range c.Files {
			changes[h.Paths[f]]++
		}
	}
	files := v.Files()
	return sorted(len(files), func(a, b int32) int { return cmp.Compare(changes[files[a].Path], changes[files[b].Path]) })
}

// sorted returns 0..n-1, stably sorted.
func sorted(n int, compare func(a, b int32) int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, compare)
	return order
}

// A baseline packs the files of one repository in a fixed order.
type baseline struct {
	repo  *git.Repo
	index *index.Index
	order func(v *index.View) []int32
	known map[string]int // tokens of a file as it would be shown, by blob and language
}

func openBaseline(ctx context.Context, dir, cache, order string) (*baseline, error) {
	b := &baseline{order: orders[order], known: map[string]int{}}
	if b.order == nil {
		return nil, fmt.Errorf("order %q: want size, smallest or repomix", order)
	}
	var err error
	if b.repo, err = git.Open(ctx, dir); err != nil {
		return nil, err
	}
	if b.index, err = index.Open(index.Options{Dir: cache}); err != nil {
		b.repo.Close()
		return nil, err
	}
	return b, nil
}

func (b *baseline) Close() error {
	return errors.Join(b.index.Close(), b.repo.Close())
}

// pack shows, in the order, every file that the room still left holds: in full,
// or its outline.
func (b *baseline) pack(ctx context.Context, t tasks.Task, budget int, detail satchel.Detail) (*satchel.Pack, []string, error) {
	v, err := b.index.View(ctx, b.repo, t.Base)
	if err != nil {
		return nil, nil, err
	}
	count := tokens.O200k().Count
	reader := ranking.NewReader(v)
	files, order := v.Files(), b.order(v)
	p := &satchel.Pack{Version: satchel.PackVersion, Rev: v.Commit(), Budget: budget, Method: "o200k_base exact"}
	if err := render.Settle(p, render.Markdown, count); err != nil {
		return nil, nil, err
	}
	left := budget - p.Used - receiptTokens
	paths := make([]string, len(order))
	for k, i := range order {
		f := files[i]
		paths[k] = f.Path
		key := f.Blob + " " + f.Lang
		n, known := b.known[key]
		if left < leastEntry || known && n > left {
			p.Omitted = append(p.Omitted, omission(f))
			continue
		}
		e, err := entry(ctx, reader, i, detail)
		if err != nil {
			return nil, nil, err
		}
		b.known[key] = e.Tokens
		cost := e.Tokens + count("### "+f.Path+" blob 1a2b3c4d\nlines 1-1000\n```go\n```\n")
		if e.Text.IsZero() || cost > left {
			p.Omitted = append(p.Omitted, omission(f))
			continue
		}
		left -= cost
		p.Entries = append(p.Entries, e)
	}
	for {
		if err := render.Settle(p, render.Markdown, count); err != nil {
			return nil, nil, err
		}
		if p.Used <= budget || len(p.Entries) == 0 {
			return p, paths, nil
		}
		p.Entries = p.Entries[:len(p.Entries)-1]
	}
}

const (
	receiptTokens = 500 // about what the receipt of a pack that leaves out much takes
	leastEntry    = 30  // tokens; nothing of a file takes less
)

func omission(f index.File) satchel.Omission {
	return satchel.Omission{Ref: satchel.Ref{Kind: satchel.KindFile, Path: f.Path}, Why: satchel.WhyNoRoom, Tokens: int(f.Size / 4)}
}

func entry(ctx context.Context, r *ranking.Reader, i int32, detail satchel.Detail) (satchel.Entry, error) {
	var it satchel.Item
	if detail == satchel.Outline {
		it = r.Outline(i, nil)
	} else {
		if err := r.Load(ctx, []int32{i}); err != nil {
			return satchel.Entry{}, err
		}
		it = r.File(i)
	}
	f := it.Forms[0]
	return satchel.Entry{
		Ref: it.Ref, Lang: it.Lang, Blob: it.Blob, Detail: f.Detail, Lines: f.Lines, Text: f.Text, Tokens: f.Tokens,
	}, nil
}

// cacheOf is where the index of a repository lives.
func cacheOf(cache, repo string) string {
	return filepath.Join(cache, path.Clean(strings.ReplaceAll(repo, "/", "+")))
}
