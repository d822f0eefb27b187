package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/lab/tasks"
)

// Commits make tasks: the message is what was asked for, the files it changed
// are what was needed. These constants bound which and how many.
const (
	newest     = 8000 // commits looked at
	perRepo    = 120  // tasks taken, by hash, so that another run takes the same
	learned    = 40   // of them; the others only tell how much each column varies
	minMessage = 60   // bytes
	maxMessage = 6000
	maxFiles   = 14 // changed in all
	maxGold    = 5  // source files among them
)

var (
	// Commits that say nothing about what the program does.
	noTask = regexp.MustCompile(`(?i)^(chore|ci|docs?|style|tests?|build|release|bump|revert|merge|lint|format|typo|refactor|deps)\b|^(v?\d+\.\d+)|\b(typos?|gofmt|clippy|lint(er|ing)?|renam(e|ing)|copyright|license|dependabot|changelog|readme|reformat|whitespace|spelling)\b`)
	// What a message says about bookkeeping.
	trailer = regexp.MustCompile(`(?im)^(signed-off-by|co-authored-by|reviewed-by|acked-by|change-id|cc|fix(es|ed)?|close[sd]?|resolve[sd]?|ref(s|erence)?|see|related|updates?)\b[: ].*(#\d+|https?://|@).*$`)
	issueNo = regexp.MustCompile(`\s*\(?(?:[\w.-]+/[\w.-]+)?#\d+\)?|https?://\S+`)
)

// commitTasks makes tasks from the history of a repository.
func commitTasks(ctx context.Context, mirror, repo string) ([]tasks.Task, error) {
	dir, err := tasks.Repository(mirror, repo)
	if err != nil {
		return nil, err
	}
	r, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	type keyed struct {
		key string
		t   tasks.Task
	}
	var found []keyed
	err = r.LogFrom(ctx, "HEAD", newest, func(c git.Commit) error {
		subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
		if len(c.Parents) != 1 || noTask.MatchString(subject) || len(c.Files) > maxFiles {
			return nil
		}
		var gold []string
		for _, f := range c.Files {
			lang := outline.Language(f, nil)
			if outline.Classify(f, lang, nil, nil) != outline.Source || outline.IsTest(f) {
				continue
			}
			if strings.Contains(f, "vendor/") || strings.Contains(f, "dist/") || path.Ext(f) == "" {
				return nil
			}
			gold = append(gold, f)
		}
		query := strings.TrimSpace(issueNo.ReplaceAllString(trailer.ReplaceAllString(c.Message, ""), ""))
		if len(gold) < 1 || len(gold) > maxGold || len(query) < minMessage || len(query) > maxMessage {
			return nil
		}
		sum := sha256.Sum256([]byte(c.ID))
		found = append(found, keyed{hex.EncodeToString(sum[:]), tasks.Task{
			ID: fmt.Sprintf("%s-%.10s", strings.ReplaceAll(repo, "/", "__"), c.ID), Repo: repo,
			Base: c.Parents[0], Query: query, Gold: gold, Source: "history",
		}})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", repo, err)
	}
	slices.SortFunc(found, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	var out []tasks.Task
	for _, k := range found[:min(len(found), perRepo)] {
		out = append(out, k.t)
	}
	return out, nil
}
