package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/lab/train/tasks"
)

// A Case is a commit with some files hidden.
type Case struct {
	ID       string   `json:"id"`
	Half     string   `json:"half"` // learn or test
	Kind     string   `json:"kind"` // tests or ripples
	Repo     string   `json:"repo"`
	Language string   `json:"language"`
	Base     string   `json:"base"`
	Commit   string   `json:"commit"`
	Query    []string `json:"query"` // the files whose change is shown
	Gold     []string `json:"gold"`  // the files that are right
}

// Which commits are taken.
const (
	newest       = 6000 // commits of a repository that are read
	perKind      = 150  // cases of a kind and a half
	maxQuery     = 10   // files of code in a case of tests
	maxGoldTests = 5
	minRipples   = 3
	maxRipples   = 12
)

func loadCases(name string) ([]Case, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var out []Case
	for line := range bytes.Lines(b) {
		var c Case
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// makeCases chooses commits by the hash of their ids: another run takes the same.
func makeCases(ctx context.Context, o options, repos, known, out string) error {
	learned := map[string]bool{}
	history, err := tasks.Load(known)
	if err != nil {
		return err
	}
	for _, t := range history {
		learned[t.Commit] = true
	}
	f, err := os.Open(repos)
	if err != nil {
		return err
	}
	defer f.Close()
	found := map[string][]Case{} // by half, kind and language
	for lines := bufio.NewScanner(f); lines.Scan(); {
		half, rest, _ := strings.Cut(lines.Text(), "\t")
		repo, lang, _ := strings.Cut(rest, "\t")
		list, err := casesOf(ctx, o, half, repo, lang, learned)
		if err != nil {
			return fmt.Errorf("%s: %w", repo, err)
		}
		for _, c := range list {
			key := c.Half + " " + c.Kind + " " + c.Language
			found[key] = append(found[key], c)
		}
		fmt.Fprintf(os.Stderr, "%-28s %d\n", repo, len(list))
	}
	var b bytes.Buffer
	for _, half := range []string{"learn", "test"} {
		for _, kind := range []string{"tests", "ripples"} {
			for _, c := range inTurns(found, half+" "+kind+" ") {
				line, err := json.Marshal(c)
				if err != nil {
					return err
				}
				b.Write(append(line, '\n'))
			}
		}
	}
	return os.WriteFile(out, b.Bytes(), 0o644)
}

// inTurns takes cases of the languages in turns.
func inTurns(found map[string][]Case, prefix string) (out []Case) {
	var lists [][]Case
	for key, list := range found {
		if strings.HasPrefix(key, prefix) {
			slices.SortFunc(list, func(a, b Case) int { return cmp.Compare(sum(a.ID), sum(b.ID)) })
			lists = append(lists, list)
		}
	}
	slices.SortFunc(lists, func(a, b []Case) int { return cmp.Compare(a[0].Language, b[0].Language) })
	for i := 0; ; i++ {
		more := false
		for _, l := range lists {
			if i < len(l) && len(out) < perKind {
				out, more = append(out, l[i]), true
			}
		}
		if !more {
			return out
		}
	}
}

func sum(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// casesOf makes at most a hundred cases of each kind from a repository.
func casesOf(ctx context.Context, o options, half, repo, lang string, learned map[string]bool) (out []Case, err error) {
	dir, err := tasks.Repository(o.mirror, repo)
	if err != nil {
		return nil, err
	}
	r, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var commits []git.Commit
	err = r.LogFrom(ctx, "HEAD", newest, func(c git.Commit) error {
		if len(c.Parents) == 1 && len(c.Files) >= 2 && len(c.Files) <= 30 && !learned[c.ID] {
			commits = append(commits, c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(commits, func(a, b git.Commit) int { return cmp.Compare(sum(a.ID), sum(b.ID)) })
	count := map[string]int{}
	for i := range commits {
		c := &commits[i]
		if count["tests"] >= 100 && count["ripples"] >= 100 {
			break
		}
		code, tests, err := changedBy(ctx, dir, c)
		if err != nil {
			return nil, err
		}
		x := Case{Half: half, Repo: repo, Language: lang, Base: c.Parents[0], Commit: c.ID}
		if n := len(code); n >= 1 && n <= maxQuery && len(tests) >= 1 && len(tests) <= maxGoldTests {
			x.Kind, x.Query, x.Gold = "tests", code, tests
			out = append(out, x.named())
			count[x.Kind]++
		}
		all := slices.Sorted(slices.Values(slices.Concat(code, tests)))
		if n := len(all); n >= minRipples && n <= maxRipples && slices.Contains(code, all[0]) {
			x.Kind, x.Query, x.Gold = "ripples", all[:1], all[1:]
			out = append(out, x.named())
			count[x.Kind]++
		}
	}
	return out, nil
}

func (c Case) named() Case {
	c.ID = fmt.Sprintf("%s-%.10s-%s", strings.ReplaceAll(c.Repo, "/", "__"), c.Commit, c.Kind)
	return c
}

// changedBy returns the existing files of code and of tests that a commit changes.
func changedBy(ctx context.Context, dir string, c *git.Commit) (code, tests []string, err error) {
	b, err := command(ctx, dir, "diff-tree", "-r", "-M", "--name-status", "--no-commit-id", "-z", c.ID).Output()
	if err != nil {
		return nil, nil, err
	}
	fields := strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
	for len(fields) >= 2 {
		status, name := fields[0], fields[1]
		fields = fields[2:]
		if status != "" && strings.ContainsAny(status[:1], "RC") && len(fields) > 0 {
			fields = fields[1:]
		}
		if status != "M" {
			continue
		}
		switch outline.Classify(name, outline.Language(name, nil), nil, nil) {
		case outline.Source:
			code = append(code, name)
		case outline.Test:
			if l := outline.Language(name, nil); l != "" && l != "json" && l != "markdown" && l != "yaml" {
				tests = append(tests, name)
			}
		}
	}
	return code, tests, nil
}
