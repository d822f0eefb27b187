package main

import (
	"context"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/dialect/iris"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// A subject is a commit that prompts are made of.
type subject struct {
	ctx    context.Context
	e      *engine.Engine
	git    repository
	id     string
	report *change.Report
	patch  string // as git writes it
}

// A method is a way to fill a prompt.
type method struct {
	name string
	text func(s *subject, budget int) (string, error)
}

var commitMethods = []method{
	{"broad", func(s *subject, budget int) (string, error) {
		a, err := ask.Commit(s.report, ask.CommitOptions{Budget: budget})
		if err != nil {
			return "", err
		}
		return a.Shared + a.Question, nil
	}},
	{"git-iris", irisOrder},
	{"opencommit", plainPatch},
	{"aicommits", func(s *subject, budget int) (string, error) { return cut(s.git.patch(s.id, "-w"), budget), nil }},
	{"satchel diff", standardDiff},
	{"deep", reviewAsk},
}

var reviewMethods = []method{
	{"deep", reviewAsk},
	{"git-iris", irisOrder},
	{"path order", plainPatch},
	{"satchel diff", standardDiff},
	{"pack --diff", func(s *subject, budget int) (string, error) {
		p, err := s.e.Pack(s.ctx, satchel.Request{Changes: s.id + "^!", Budget: budget})
		if err != nil {
			return "", err
		}
		var b strings.Builder
		err = render.Pack(&b, p, render.Markdown)
		return b.String(), err
	}},
	{"broad", commitMethods[0].text},
}

func reviewAsk(s *subject, budget int) (string, error) {
	a, err := ask.Review(s.report, ask.ReviewOptions{Budget: budget})
	if err != nil {
		return "", err
	}
	return a.Shared + a.Question, nil
}

// irisOrder is a list of files, then the files by their score.
func irisOrder(s *subject, budget int) (string, error) {
	d, err := s.e.Diff(s.ctx, engine.DiffRequest{Commit: s.id, Detail: engine.DiffStandard, Profile: &iris.Source})
	if err != nil {
		return "", err
	}
	return cut(render.DiffText(d), budget), nil
}

// plainPatch is git's patch in the order of paths, without what the names of files
// say is a lock file.
func plainPatch(s *subject, budget int) (string, error) {
	var b strings.Builder
	for _, f := range strings.Split("\n"+s.patch, "\ndiff --git ") {
		head, _, _ := strings.Cut(f, "\n")
		if f != "" && !strings.Contains(head, ".lock") && !strings.Contains(head, "-lock.") {
			b.WriteString("diff --git " + f + "\n")
		}
	}
	return cut(b.String(), budget), nil
}

func standardDiff(s *subject, budget int) (string, error) {
	d, err := s.e.Diff(s.ctx, engine.DiffRequest{Commit: s.id, Detail: engine.DiffStandard, Budget: budget})
	if err != nil {
		return "", err
	}
	return render.DiffText(d), nil
}

// cut returns the beginning of a text, of as many tokens.
func cut(text string, budget int) string {
	count := tokens.O200k()
	low, high := 0, min(len(text), budget*12)
	for low < high {
		mid := (low + high + 1) / 2
		if count.Count(text[:mid]) <= budget {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return text[:low]
}
