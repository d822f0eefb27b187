package api

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// Listing writes a line for each name that the packages export: its declaration, and of
// types also each exported field and method. What is declared below internal, and has a
// name in an exported package, is listed under that name.
func Listing(packages []*types.Package) ([]string, error) {
	var list []string
	for _, p := range packages {
		l := lister{p: p}
		for _, name := range p.Scope().Names() {
			if obj := p.Scope().Lookup(name); obj.Exported() {
				l.object(obj)
			}
		}
		list = append(list, l.lines...)
	}
	for _, line := range list {
		if strings.Contains(line, "invalid type") {
			return nil, fmt.Errorf("%s: it is declared with a type of another module", line)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// A lister lists a package.
type lister struct {
	p     *types.Package
	lines []string
}

func (l *lister) say(format string, args ...any) {
	l.lines = append(l.lines, nameOf(l.p)+": "+fmt.Sprintf(format, args...))
}

// text is a type as the package itself would write it.
func (l *lister) text(t types.Type) string { return types.TypeString(t, l.qualify) }

// qualify is the path of a package below the module. Of one below internal it is the name
// alone: nobody imports it, and where it lies is nobody's business.
func (l *lister) qualify(p *types.Package) string {
	switch {
	case p == l.p:
		return ""
	case strings.Contains(p.Path(), "/internal/"):
		return p.Name()
	}
	return nameOf(p)
}

func (l *lister) object(obj types.Object) {
	switch obj := obj.(type) {
	case *types.Const:
		l.say("const %s %s = %s", obj.Name(), l.text(obj.Type()), obj.Val().ExactString())
	case *types.Var:
		l.say("var %s %s", obj.Name(), l.text(obj.Type()))
	case *types.Func:
		l.say("func %s%s", obj.Name(), strings.TrimPrefix(l.text(obj.Type()), "func"))
	case *types.TypeName:
		l.declared(obj)
	}
}

// declared lists a type, its fields and its methods.
func (l *lister) declared(obj *types.TypeName) {
	name := obj.Name()
	switch t := obj.Type().(type) {
	case *types.Alias:
		l.say("type %s = %s", name, l.text(types.Unalias(t)))
		if named, ok := types.Unalias(t).(*types.Named); ok && strings.Contains(named.Obj().Pkg().Path(), "/internal/") {
			l.members(name, named)
		}
	case *types.Named:
		var params []string
		for p := range t.TypeParams().TypeParams() {
			params = append(params, p.Obj().Name()+" "+l.text(p.Constraint()))
		}
		if params != nil {
			name += "[" + strings.Join(params, ", ") + "]"
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			l.say("type %s struct", name)
		case *types.Interface:
			l.say("type %s interface", name)
		default:
			l.say("type %s %s", name, l.text(u))
		}
		l.members(name, t)
	}
}

func (l *lister) members(name string, t *types.Named) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if f.Embedded() {
				l.say("type %s struct, embedded %s", name, l.text(f.Type()))
			} else if f.Exported() {
				l.say("type %s struct, %s %s", name, f.Name(), l.text(f.Type()))
			}
		}
	case *types.Interface:
		for m := range u.Methods() {
			l.say("type %s interface, %s%s", name, m.Name(), strings.TrimPrefix(l.text(m.Type()), "func"))
		}
	}
	for m := range t.Methods() {
		if !m.Exported() {
			continue
		}
		receiver := name
		if _, pointer := m.Signature().Recv().Type().(*types.Pointer); pointer {
			receiver = "*" + name
		}
		l.say("method (%s) %s%s", receiver, m.Name(), strings.TrimPrefix(l.text(m.Type()), "func"))
	}
}
