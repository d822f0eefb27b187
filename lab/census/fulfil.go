package main

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// fulfilling returns the keys of the methods by which a type of ours fulfils an
// interface of anything that is loaded.
func fulfilling(all []*packages.Package) map[string]bool {
	around := closure(all)
	wanted := append(interfaces(around), ofErrors()...)
	for _, p := range all {
		wanted = append(wanted, spelled(p)...)
	}

	found := map[string]bool{}
	for _, p := range around {
		for _, t := range concrete(p) {
			has := types.NewMethodSet(types.NewPointer(t))
			for _, i := range wanted {
				fulfil(t, has, i, found)
			}
		}
	}
	return found
}

// ofErrors are the interfaces of errors, of which package errors names none.
func ofErrors() []*types.Interface {
	err, truth := types.Universe.Lookup("error").Type(), types.Typ[types.Bool]
	method := func(name string, takes, gives types.Type) *types.Interface {
		var params *types.Tuple
		if takes != nil {
			params = types.NewTuple(types.NewVar(token.NoPos, nil, "", takes))
		}
		results := types.NewTuple(types.NewVar(token.NoPos, nil, "", gives))
		fn := types.NewFunc(token.NoPos, nil, name, types.NewSignatureType(nil, nil, nil, params, results, false))
		return types.NewInterfaceType([]*types.Func{fn}, nil).Complete()
	}
	return []*types.Interface{
		err.Underlying().(*types.Interface), method("Unwrap", nil, err), method("Unwrap", nil, types.NewSlice(err)),
		method("Is", err, truth), method("As", types.Universe.Lookup("any").Type(), truth),
	}
}

// fulfil marks the methods of a type that an interface asks for, if it has all.
func fulfil(t *types.Named, has *types.MethodSet, i *types.Interface, found map[string]bool) {
	if i.NumMethods() == 0 || has.Lookup(i.Method(0).Pkg(), i.Method(0).Name()) == nil || !types.Implements(types.NewPointer(t), i) {
		return
	}
	for m := range i.Methods() {
		found[keyOf(has.Lookup(m.Pkg(), m.Name()).Obj())] = true
	}
}

// closure returns the packages and all that they import, directly or not.
func closure(all []*packages.Package) []*types.Package {
	seen := map[*types.Package]bool{}
	var list []*types.Package
	add := func(p *types.Package) {
		if !seen[p] {
			seen[p] = true
			list = append(list, p)
		}
	}
	for _, p := range all {
		add(p.Types)
	}
	for at := 0; at < len(list); at++ {
		for _, i := range list[at].Imports() {
			add(i)
		}
	}
	return list
}

// interfaces lists the interfaces that the packages declare by name.
func interfaces(list []*types.Package) []*types.Interface {
	var out []*types.Interface
	for _, p := range list {
		for _, id := range p.Scope().Names() {
			if t, isType := p.Scope().Lookup(id).(*types.TypeName); isType {
				if i, ok := t.Type().Underlying().(*types.Interface); ok {
					out = append(out, i)
				}
			}
		}
	}
	return out
}

// spelled lists the interfaces that the text of a package spells out, in its
// functions too.
func spelled(p *packages.Package) []*types.Interface {
	var out []*types.Interface
	for e, t := range p.TypesInfo.Types {
		if _, ok := e.(*ast.InterfaceType); ok {
			out = append(out, t.Type.Underlying().(*types.Interface))
		}
	}
	return out
}

// concrete lists the types of ours that a package declares and that may have
// methods, the generic ones left out.
func concrete(p *types.Package) []*types.Named {
	if !within(p.Path()) {
		return nil
	}
	var out []*types.Named
	for _, id := range p.Scope().Names() {
		t, isType := p.Scope().Lookup(id).(*types.TypeName)
		if !isType || t.IsAlias() {
			continue
		}
		if n, ok := t.Type().(*types.Named); ok && n.TypeParams().Len() == 0 && !types.IsInterface(n) {
			out = append(out, n)
		}
	}
	return out
}
