package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// ours is the path of the main module.
const ours = "github.com/satchel-dev/satchel"

// promised are the packages whose names users may rely on, by their folders. A
// name of theirs is needed if an Example or the documents use it.
var promised = []string{".", "engine", "pack", "transcript", "trim", "tokens", "ctxmgr"}

// A need is the best reason why a name is exported.
type need int

const (
	nobody     need = iota // no package but its own uses it
	outside                // lab, or the tests of other packages, and nobody else
	inDocs                 // promised, and used by an Example or written in the documents
	interfaced             // a method by which its type fulfils an interface
	imported               // another package of the product uses it
)

// A name is an exported name of the product: of a package or a method. Fields of
// structs are not counted.
type name struct {
	dir  string // the package's folder
	id   string // Name or Type.Method
	need need
}

func (n name) key() string { return n.dir + "." + n.id }

// exported lists the exported names of the main module's packages in order, and
// says who needs them. A type is used where one of its fields or methods is.
func exported(root, lab string) ([]name, error) {
	var all []*packages.Package
	for _, dir := range []string{root, lab} {
		found, err := load(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	docs, err := documents(root)
	if err != nil {
		return nil, err
	}

	needs := uses(all)
	for key := range fulfilling(all) {
		needs[key] = max(needs[key], interfaced)
	}
	var out []name
	for _, p := range all {
		if p.Name == "main" || p.ForTest != "" || !within(p.PkgPath) || forTests(p.PkgPath) {
			continue
		}
		for _, n := range namesOf(p.Types) {
			n.need = needs[n.key()]
			if slices.Contains(promised, n.dir) && docs.mention(n) {
				n.need = max(n.need, inDocs)
			}
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no exported names found")
	}
	slices.SortFunc(out, func(a, b name) int { return cmp.Compare(a.key(), b.key()) })
	return out, nil
}

// load reads the packages of a module with their tests.
func load(dir string) ([]*packages.Package, error) {
	found, err := packages.Load(&packages.Config{
		Dir: dir, Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes |
			packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedForTest,
	}, "./...")
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		for _, e := range p.Errors {
			return nil, fmt.Errorf("%s: %w", p.ID, e)
		}
	}
	return found, nil
}

// within reports whether a package is of the main module.
func within(path string) bool {
	return (path == ours || strings.HasPrefix(path, ours+"/")) && !isLab(path)
}

// forTests reports whether a package has nothing but what tests need, such as
// gittest.
func forTests(path string) bool { return strings.HasSuffix(path, "test") }

func isLab(path string) bool { return path == ours+"/lab" || strings.HasPrefix(path, ours+"/lab/") }

// folder is where a package of the main module lies.
func folder(path string) string {
	if path == ours {
		return "."
	}
	return strings.TrimPrefix(path, ours+"/")
}

// namesOf lists the exported names of a package and the exported methods of its
// exported types.
func namesOf(p *types.Package) []name {
	var out []name
	dir := folder(p.Path())
	for _, id := range p.Scope().Names() {
		obj := p.Scope().Lookup(id)
		if !obj.Exported() {
			continue
		}
		out = append(out, name{dir: dir, id: id})
		t, isType := obj.(*types.TypeName)
		if !isType || t.IsAlias() {
			continue
		}
		if n, ok := t.Type().(*types.Named); ok {
			for m := range n.Methods() {
				if m.Exported() {
					out = append(out, name{dir: dir, id: id + "." + m.Name()})
				}
			}
		}
	}
	return out
}

// keyOf returns the key of the name that an object is, in whichever load of the
// packages it was found. It is "" for fields, locals and other modules' names.
func keyOf(obj types.Object) string {
	if obj == nil || obj.Pkg() == nil || !within(obj.Pkg().Path()) {
		return ""
	}
	dir := folder(obj.Pkg().Path())
	if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil {
		t := named(fn.Signature().Recv().Type())
		if t == nil {
			return ""
		}
		return dir + "." + t.Obj().Name() + "." + obj.Name()
	}
	if obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	return dir + "." + obj.Name()
}

// named is the named type of a value or of what it points to, nil if none.
func named(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}
