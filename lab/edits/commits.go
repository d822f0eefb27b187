package main

import (
	"context"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/lab/oracle"
	"github.com/satchel-dev/satchel/lab/tasks"
)

// Which commits are taken.
const (
	newest   = 3000    // commits of a repository that are read
	maxFiles = 20      // files of a commit
	maxBlob  = 1 << 20 // bytes of a file that is outlined
)

// A collector takes the commits of one repository that change a language.
type collector struct {
	trees   oracle.Trees
	lang    string
	each    int
	tally   *tally
	patch   bool // what the patch alone tells, in place of the line outliner's sides
	verbose bool
}

func (c *collector) repository(ctx context.Context, mirror, name string) error {
	dir, err := tasks.Repository(mirror, name)
	if err != nil {
		return err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return err
	}
	var ids []string
	err = repo.LogFrom(ctx, "HEAD", newest, func(k git.Commit) error {
		if len(k.Parents) == 1 && len(k.Files) <= maxFiles && slices.ContainsFunc(k.Files, c.mayHold) {
			ids = append(ids, k.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(ids)
	objects := repo.Objects(ctx)
	defer objects.Close()
	for taken := 0; len(ids) > 0 && taken < c.each; ids = ids[1:] {
		set, err := repo.Diff(ctx, git.DiffSpec{Commit: ids[0]})
		if err != nil {
			return err
		}
		found, err := c.commit(ctx, objects, name+" "+ids[0][:10], set)
		if err != nil {
			return err
		}
		if found {
			taken++
		}
	}
	return nil
}

// mayHold reports whether a path is that of a file of the language. A script
// without an extension is not found.
func (c *collector) mayHold(path string) bool { return outline.Language(path, nil) == c.lang }

// commit compares the edits of one commit. found is false if neither outliner
// finds any.
func (c *collector) commit(ctx context.Context, objects *git.Objects, label string, set *change.Set) (found bool, err error) {
	var trees, lines []change.Scored
	var broken []bool // files that tree-sitter does not understand
	var treeSides, lineSides []change.Sides
	for i := range set.Files {
		f := change.Scored{File: set.Files[i]}
		old, now := blob(objects, f.OldBlob), blob(objects, f.NewBlob)
		text := now
		if text == nil {
			text = old
		}
		f.Lang = outline.Language(f.Path, text[:min(len(text), 1024)])
		f.Class = string(outline.Classify(f.Path, f.Lang, text, nil))
		if f.Lang != c.lang || f.Class != "source" && f.Class != "test" || len(f.Hunks) == 0 {
			continue
		}
		var t, l change.Sides
		misread := false
		for _, side := range []struct {
			text        []byte
			tree, lines **change.Side
		}{{old, &t.Old, &l.Old}, {now, &t.New, &l.New}} {
			if side.text == nil {
				continue
			}
			o, errors, err := c.trees.Outline(f.Lang, side.text)
			misread = misread || err != nil || len(errors) > 0
			*side.tree = sideOf(f.Lang, side.text, o)
			if !c.patch {
				*side.lines = sideOf(f.Lang, side.text, outline.Parse(f.Lang, side.text))
			}
		}
		trees, lines, broken = append(trees, f), append(lines, f), append(broken, misread)
		treeSides, lineSides = append(treeSides, t), append(lineSides, l)
	}
	change.Describe(trees, treeSides)
	change.Describe(lines, lineSides)
	for i := range trees {
		if len(trees[i].Edits)+len(lines[i].Edits) > 0 {
			found = true
		}
		d := &comparison{label: label + " " + trees[i].Path, trees: treeSides[i], lines: lineSides[i]}
		if !broken[i] {
			twin := *d
			twin.compare(c.tally.understood, slices.Clone(trees[i].Edits), slices.Clone(lines[i].Edits))
			c.tally.understood.files++
		}
		d.compare(c.tally, trees[i].Edits, lines[i].Edits)
		if c.verbose {
			d.print()
		}
	}
	if found {
		c.tally.commits++
		c.tally.files += len(trees)
	}
	return found, nil
}

func sideOf(lang string, text []byte, o outline.Outline) *change.Side {
	return &change.Side{Text: text, Symbols: o.Symbols, Imports: o.Imports, Comments: outline.CommentLines(lang, text)}
}

func blob(objects *git.Objects, id string) []byte {
	if strings.Trim(id, "0") == "" {
		return nil
	}
	b, err := objects.Read(id, maxBlob)
	if err != nil {
		return nil
	}
	return b
}
