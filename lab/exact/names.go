package main

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
)

// A name is what a task may spell, and the one place that has it.
type name struct {
	spelled, bare string
	path          string
	lines         satchel.Range
	tokens        int
}

// leastLines is how many lines a definition has at least: a shorter one is told by
// its signature.
const leastLines = 4

// names returns the names of tests, and the qualified names, that one place of a
// repository has, each in the order of their hashes.
func names(ctx context.Context, root string) (tests, qualified []name, err error) {
	repo, err := git.Open(ctx, root)
	if err != nil {
		return nil, nil, err
	}
	x, err := index.Open(index.Options{Dir: filepath.Join(root, ".git", "satchel", "index")})
	if err != nil {
		return nil, nil, err
	}
	v, err := x.View(ctx, repo, "HEAD")
	if err != nil {
		return nil, nil, err
	}
	found := map[string][]name{} // qualified
	for i := range v.Files() {
		f := &v.Files()[i]
		if f.Class != outline.Source && f.Class != outline.Test {
			continue
		}
		for _, s := range v.Symbols(f.Doc) {
			if s.To-s.From+1 < leastLines || !slices.Contains([]string{"func", "function", "method", "class", "struct"}, s.Kind) {
				continue
			}
			n := name{spelled: s.Name, bare: s.Name, path: f.Path, lines: satchel.Range{From: s.From, To: s.To}}
			if f.Class == outline.Test {
				if s.Kind != "class" && rank.Compound(s.Name) && strings.Contains(strings.ToLower(s.Name), "test") && len(v.Postings(nil, terms.Def(s.Name))) == 1 {
					tests = append(tests, n)
				}
				continue
			}
			if of := qualifier(f, &s); of != "" {
				n.spelled = of + s.Name
				found[n.spelled] = append(found[n.spelled], n)
			}
		}
	}
	for _, list := range found {
		if len(list) == 1 {
			qualified = append(qualified, list[0])
		}
	}
	for _, list := range [][]name{tests, qualified} {
		byHash(list)
		for i := range list[:min(len(list), mostCounted)] {
			at, _ := v.File(list[i].path)
			text, err := v.Text(ctx, at)
			if err != nil {
				return nil, nil, err
			}
			list[i].tokens = count(string(text), list[i].lines.From, list[i].lines.To)
		}
	}
	return tests, qualified, nil
}

// mostCounted is how many names of each kind are asked for at most.
const mostCounted = 1000

// qualifier returns what somebody writes before the name of a definition: its class,
// or the package of a function in Go.
func qualifier(f *index.File, s *satchel.Symbol) string {
	of := s.Parent
	if at := strings.LastIndexAny(of, ".:"); at >= 0 {
		of = of[at+1:]
	}
	switch {
	case of == "" && f.Lang == "go":
		return path.Base(path.Dir(f.Path)) + "."
	case of == "":
		return ""
	case f.Lang == "ruby":
		return of + "#"
	case f.Lang == "rust" || f.Lang == "cpp" || f.Lang == "php":
		return of + "::"
	}
	return of + "."
}
