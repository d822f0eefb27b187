package tasks

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// Commits make tasks: the message is what was asked for, the source files that it
// changed are what was needed. These bound which commits are taken.
const (
	newest     = 8000 // commits looked at
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

// queryOf is what a commit's message asks for.
func queryOf(message string) string {
	return strings.TrimSpace(issueNo.ReplaceAllString(trailer.ReplaceAllString(message, ""), ""))
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// FromHistory makes at most n tasks of a language from the commits of a repository,
// chosen by the hash of their ids: another run takes the same.
func FromHistory(ctx context.Context, mirror, repo, language string, n int) ([]Task, error) {
	dir, err := Repository(mirror, repo)
	if err != nil {
		return nil, err
	}
	r, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	var found []git.Commit
	err = r.LogFrom(ctx, "HEAD", newest, func(c git.Commit) error {
		subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
		query := queryOf(c.Message)
		if len(c.Parents) == 1 && !noTask.MatchString(subject) && len(c.Files) <= maxFiles &&
			len(query) >= minMessage && len(query) <= maxMessage {
			found = append(found, c)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", repo, err)
	}
	slices.SortFunc(found, func(a, b git.Commit) int { return cmp.Compare(sumOf(a.ID), sumOf(b.ID)) })
	var out []Task
	for _, c := range found {
		if len(out) == n {
			break
		}
		if gold, ranges := goldOf(ctx, dir, c); len(gold) > 0 {
			query := queryOf(c.Message)
			out = append(out, Task{
				ID: fmt.Sprintf("%s-%.10s", strings.ReplaceAll(repo, "/", "__"), c.ID), Repo: repo, Language: language,
				Base: c.Parents[0], Commit: c.ID, Query: query, QuerySum: sumOf(query), Gold: gold, Ranges: ranges, Source: "history",
			})
		}
	}
	return out, nil
}

// goldOf returns the source files that a commit changes, with the lines before the
// change, or nothing if it is no task: if it removes or moves source, or changes
// none or too much of it.
func goldOf(ctx context.Context, dir string, c git.Commit) (gold []string, ranges []Range) {
	cmd := exec.CommandContext(ctx, "git", "-C", dir, "-c", "core.quotePath=false", "diff-tree", "-p", "-U0", "--no-renames",
		"--no-color", "--no-ext-diff", "--no-textconv", c.Parents[0], c.ID)
	out, err := cmd.Output()
	if err != nil {
		return nil, nil
	}
	var file string
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			file = ""
		case strings.HasPrefix(line, "--- a/"):
			file = strings.TrimPrefix(line, "--- a/")
			if !isSource(file) {
				file = ""
				continue
			}
			if strings.Contains(file, "vendor/") || strings.Contains(file, "dist/") {
				return nil, nil
			}
			gold = append(gold, file)
		case file != "" && line == "+++ /dev/null":
			return nil, nil
		case file != "" && strings.HasPrefix(line, "@@ -"):
			old, _, _ := strings.Cut(line[len("@@ -"):], " ")
			from, count, many := strings.Cut(old, ",")
			a, _ := strconv.Atoi(from)
			n := 1
			if many {
				n, _ = strconv.Atoi(count)
			}
			ranges = append(ranges, Range{Path: file, From: max(a, 1), To: max(a, 1) + max(n, 1) - 1})
		}
	}
	if len(gold) > maxGold {
		return nil, nil
	}
	slices.Sort(gold)
	return gold, ranges
}

// isSource reports whether a file is one that a task may need: markup, styles, build
// scripts and the like are not what a message is about.
func isSource(file string) bool {
	lang := outline.Language(file, nil)
	switch path.Ext(file) {
	case "", ".html", ".css", ".scss", ".gradle", ".kts", ".bat", ".ps1", ".tpl", ".twig", ".erb":
		return false
	}
	return outline.Classify(file, lang, nil, nil) == outline.Source && !outline.IsTest(file)
}

// Rebuild fills in what committed task files do not hold: the queries of tasks from
// history. A commit that says something else than when the task was made is an error.
func Rebuild(ctx context.Context, mirror string, all []Task) error {
	for i := range all {
		t := &all[i]
		if t.Query != "" || t.Commit == "" {
			continue
		}
		dir, err := Repository(mirror, t.Repo)
		if err != nil {
			return err
		}
		var stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, "git", "-C", dir, "log", "-1", "--encoding=UTF-8", "--format=%B", t.Commit)
		cmd.Stderr = &stderr
		message, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("task %s: %w: %s", t.ID, err, bytes.TrimSpace(stderr.Bytes()))
		}
		query := queryOf(string(message))
		if sumOf(query) != t.QuerySum {
			return fmt.Errorf("task %s: commit %s: %w", t.ID, t.Commit, errOther)
		}
		t.Query = query
	}
	return nil
}

var errOther = errors.New("its message is not the one that the task was made of")
