// Package api lists what the packages of satchel export that other modules may import,
// and says which changes break those who do.
//
// [Load] type-checks the declarations of a tree, which may be that of a released
// version; [Listing] writes them a line each, for api.txt, and [Compare] tells two trees
// apart by apidiff. Like archtest it reads the files of the tree itself: the result of a test whose child process read them is cached.
package api

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
)

// Module is the path that imports of satchel begin with.
const Module = "github.com/satchel-dev/satchel"

// A tree is a tree of sources whose packages are checked as they are imported.
type tree struct {
	fsys   fs.FS
	fset   *token.FileSet
	files  build.Context
	std    types.Importer
	loaded map[string]*types.Package
	err    error // of the standard library; others are those of modules that are not read
}

// Load returns the packages below fsys that other modules may import, by their paths:
// all but programs, those below internal, and the modules lab and tools. Functions are
// not looked into, and other modules are not read: what of one stood in an exported
// declaration would be missing there, and is an error.
func Load(fsys fs.FS) ([]*types.Package, error) {
	t := &tree{fsys: fsys, fset: token.NewFileSet(), loaded: map[string]*types.Package{}, files: build.Default}
	t.files.GOOS, t.files.GOARCH, t.files.CgoEnabled = "linux", "amd64", false
	t.files.OpenFile = func(name string) (io.ReadCloser, error) { return fsys.Open(name) }
	var err error
	if t.std, err = library(); err != nil {
		return nil, err
	}

	var list []*types.Package
	err = fs.WalkDir(fsys, ".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); name != "." && strings.HasPrefix(name, ".") || slices.Contains([]string{"internal", "testdata", "lab", "tools", "cmd", "docs"}, name) {
			return fs.SkipDir
		}
		p, err := t.Import(path.Join(Module, dir))
		if err != nil || p.Name() == "main" || p.Scope().Len() == 0 {
			return err
		}
		list = append(list, p)
		return nil
	})
	if err = cmp.Or(err, t.err); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(x, y *types.Package) int { return strings.Compare(x.Path(), y.Path()) })
	return list, nil
}

// library returns the importer of the standard library, which checks each package of it
// once for all trees.
var library = sync.OnceValues(func() (types.Importer, error) {
	// The importer asks these two.
	build.Default.CgoEnabled = false
	if build.Default.GOROOT == "" { // in a test that was built with -trimpath
		out, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return nil, fmt.Errorf("go env GOROOT: %w", err)
		}
		build.Default.GOROOT = strings.TrimSpace(string(out))
	}
	return importer.ForCompiler(token.NewFileSet(), "source", nil), nil
})

// Import checks a package of the tree, or takes one of the standard library; what is of
// another module is empty.
func (t *tree) Import(name string) (*types.Package, error) {
	if p := t.loaded[name]; p != nil {
		return p, nil
	}
	first, _, _ := strings.Cut(name, "/")
	switch {
	case name == Module || strings.HasPrefix(name, Module+"/"):
		p, err := t.check(name)
		t.loaded[name] = p
		return p, err
	case strings.Contains(first, "."):
		p := types.NewPackage(name, path.Base(name))
		p.MarkComplete()
		t.loaded[name] = p
		return p, nil
	}
	p, err := t.std.Import(name)
	t.err = cmp.Or(t.err, err)
	return p, err
}

func (t *tree) check(name string) (*types.Package, error) {
	dir := path.Join(".", strings.TrimPrefix(strings.TrimPrefix(name, Module), "/"))
	entries, err := fs.ReadDir(t.fsys, dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		if ok, err := t.files.MatchFile(dir, e.Name()); err != nil || !ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		text, err := fs.ReadFile(t.fsys, path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(t.fset, path.Join(dir, e.Name()), text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	// What other modules declare is not known, so that there are errors.
	conf := types.Config{Importer: t, IgnoreFuncBodies: true, Error: func(error) {}}
	p, _ := conf.Check(name, t.fset, files, nil)
	if p == nil {
		return nil, fmt.Errorf("%s: not one declaration could be checked", name)
	}
	return p, nil
}
