package tokens

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// isFolder reports whether a name is a folder.
func (a *app) isFolder(name string) bool {
	info, err := os.Stat(a.FromHere(name))
	return err == nil && info.IsDir()
}

// folderCount is the JSON form of a folder: the sum of all below it.
type folderCount struct {
	Path   string `json:"path"`
	Tokens int    `json:"tokens"`
	Files  int    `json:"files"`
}

// tokensOfFolder counts the files of a folder that packs would show, with totals
// by folder: of those directly in it, or of all.
func (a *app) tokensOfFolder(ctx context.Context, name string, model tokens.Model, tree bool) error {
	if name != "." || a.Dir != a.Env.Dir {
		if err := a.WorkIn(a.FromHere(name)); err != nil {
			return err
		}
	}
	root, err := a.RootPath(".")
	if err != nil {
		return err
	}
	e, err := a.OpenProject(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	c := model.Count("")
	files, excluded, diags, err := e.Files().Count(ctx, []string{root}, func(text []byte) int { return model.Count(string(text)).Tokens })
	if err != nil {
		return err
	}
	a.Diagnostics(e.Index().Diagnostics())
	a.Diagnostics(diags)
	top := &countedFolder{}
	result := tokensResult{Version: 1, Model: model.Name, Method: c.Method, Error: c.Error, Files: []fileCount{}}
	for _, f := range files {
		rel := f.Path
		if root != "." {
			rel = strings.TrimPrefix(rel, root+"/")
		}
		top.add(strings.Split(rel, "/"), f.Tokens)
		result.Files = append(result.Files, fileCount{Path: path.Join(filepath.ToSlash(name), rel), Tokens: f.Tokens, Method: c.Method, Error: c.Error, Bytes: f.Bytes})
	}
	result.Tokens = top.tokens
	if a.JSON {
		top.walk(filepath.ToSlash(name), func(p string, d *countedFolder) {
			result.Folders = append(result.Folders, folderCount{p, d.tokens, d.files})
		})
		return a.WriteJSON(&result)
	}
	l := a.Table()
	width := max(len(fmt.Sprint(top.tokens)), len("tokens"))
	l.Header(fmt.Sprintf("%*s  share  file", width, "tokens"))
	row := func(n int, text string) {
		fmt.Fprintf(l, "%*d  %5s  %s\n", width, n, base.ShareText(n, top.tokens), text)
	}
	top.rows(l, row, 0, tree)
	row(top.tokens, "total, "+render.Plural(top.files, "file"))
	if err := a.Page(l.Bytes()); err != nil {
		return err
	}
	a.sayMethod(c)
	if len(excluded) > 0 {
		a.Remark("%s left out, as in packs: see satchel pack --explain-exclusions", render.Plural(len(excluded), "path"))
	}
	return nil
}

// A countedFolder is a folder, or a file, with what it adds up to.
type countedFolder struct {
	name   string
	tokens int
	files  int
	parts  map[string]*countedFolder // nil of a file
}

// add counts a file by its path below the folder.
func (d *countedFolder) add(parts []string, n int) {
	d.tokens += n
	d.files++
	if len(parts) == 0 {
		return
	}
	if d.parts == nil {
		d.parts = make(map[string]*countedFolder)
	}
	sub := d.parts[parts[0]]
	if sub == nil {
		sub = &countedFolder{name: parts[0]}
		d.parts[parts[0]] = sub
	}
	sub.add(parts[1:], n)
}

// sorted returns what is in a folder, the largest first.
func (d *countedFolder) sorted() []*countedFolder {
	return slices.SortedFunc(maps.Values(d.parts), func(x, y *countedFolder) int {
		return cmp.Or(cmp.Compare(y.tokens, x.tokens), strings.Compare(x.name, y.name))
	})
}

// rows writes a line for all that is in a folder and, in a tree, below it. A
// folder that holds nothing but another one shares its line.
func (d *countedFolder) rows(l *base.Report, row func(n int, text string), depth int, tree bool) {
	for _, sub := range d.sorted() {
		name := clean.Inline(sub.name)
		if sub.parts == nil {
			row(sub.tokens, strings.Repeat("  ", depth)+name)
			continue
		}
		for only := sub.sorted(); tree && len(only) == 1 && only[0].parts != nil; only = sub.sorted() {
			sub = only[0]
			name += "/" + clean.Inline(sub.name)
		}
		row(sub.tokens, strings.Repeat("  ", depth)+l.Paint.Path(name+"/")+l.Paint.Dim("  "+render.Plural(sub.files, "file")))
		if tree {
			sub.rows(l, row, depth+1, tree)
		}
	}
}

// walk visits a folder and those below it, the largest first.
func (d *countedFolder) walk(name string, visit func(name string, d *countedFolder)) {
	visit(name, d)
	for _, sub := range d.sorted() {
		if sub.parts != nil {
			sub.walk(path.Join(name, sub.name), visit)
		}
	}
}
