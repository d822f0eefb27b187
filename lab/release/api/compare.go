package api

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
)

// A Change is a difference between two versions of a package.
type Change struct {
	Package  string // below the module; satchel for its root
	What     string
	Breaking bool // those who import it may not build any more
}

// Compare tells what changed from the packages of one version to those of another, by
// package.
func Compare(old, new []*types.Package) (list []Change, err error) {
	was, is := byName(old), byName(new)
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if is[name] == nil {
			list = append(list, Change{name, "the package is gone", true})
			continue
		}
		for _, c := range apidiff.Changes(was[name], is[name]).Changes {
			list = append(list, Change{name, c.Message, !c.Compatible})
		}
		behind, err := behindAliases(was[name], is[name])
		if err != nil {
			return nil, err
		}
		list = append(list, behind...)
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if was[name] == nil {
			list = append(list, Change{name, "the package is new", false})
		}
	}
	return list, nil
}

func byName(list []*types.Package) map[string]*types.Package {
	m := map[string]*types.Package{}
	for _, p := range list {
		m[nameOf(p)] = p
	}
	return m
}

// nameOf is a package's path below the module, or satchel for its root.
func nameOf(p *types.Package) string {
	if p.Path() == Module {
		return "satchel"
	}
	return strings.TrimPrefix(p.Path(), Module+"/")
}

// behindAliases tells what is gone of types that are declared below internal and have a
// name in the package: apidiff compares their names alone.
func behindAliases(old, new *types.Package) (list []Change, err error) {
	was, err := Listing([]*types.Package{old})
	if err != nil {
		return nil, err
	}
	is, err := Listing([]*types.Package{new})
	if err != nil {
		return nil, err
	}
	for _, line := range was {
		if slices.Contains(is, line) {
			continue
		}
		for _, name := range old.Scope().Names() {
			if obj, ok := old.Scope().Lookup(name).(*types.TypeName); ok && obj.Exported() && obj.IsAlias() && isMember(line, name) {
				_, what, _ := strings.Cut(line, ": ")
				list = append(list, Change{nameOf(old), "gone or changed: " + what, true})
			}
		}
	}
	return list, nil
}

// isMember reports whether a line of a listing is of a field or method of a type.
func isMember(line, name string) bool {
	_, what, _ := strings.Cut(line, ": ")
	for _, begin := range []string{"type " + name + " struct, ", "type " + name + " interface, ", "method (" + name + ") ", "method (*" + name + ") "} {
		if strings.HasPrefix(what, begin) {
			return true
		}
	}
	return false
}

// Unannounced returns the changes since a release that break those who import a package,
// of which the change log says nothing: above the heading of that release no line has
// BREAKING and the name of the package, or a name in it, in backquotes.
func Unannounced(changes []Change, log, release string) (list []Change) {
	var since []string
	for line := range strings.Lines(log) {
		if strings.HasPrefix(line, "## ") && slices.Contains(strings.FieldsFunc(line, notOfVersion), strings.TrimPrefix(release, "v")) {
			break
		}
		since = append(since, line)
	}
	for _, c := range changes {
		said := slices.ContainsFunc(since, func(line string) bool {
			return strings.Contains(line, "BREAKING") && (strings.Contains(line, "`"+c.Package+"`") || strings.Contains(line, "`"+c.Package+"."))
		})
		if c.Breaking && !said {
			list = append(list, c)
		}
	}
	return list
}

// notOfVersion tells what stands between words of which one may be a version: 0.1.0,
// [0.1.0] and v0.1.0 are the same one.
func notOfVersion(r rune) bool { return strings.ContainsRune(" \t\r\n[](),v", r) }
