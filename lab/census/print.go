package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// printTable prints what the house is measured by.
func printTable(w io.Writer, files []file, fns []function, names []name, inside int) {
	row := func(what string, n int) { fmt.Fprintf(w, "| %-70s | %6d |\n", what, n) }
	fmt.Fprintf(w, "| %-70s | %6s |\n|%s|%s:|\n", "what", "now", strings.Repeat("-", 72), strings.Repeat("-", 7))

	lines, engine := map[part]int{}, 0
	for _, f := range files {
		lines[f.part] += f.code
		if f.part == product && f.dir() == "engine" {
			engine += f.code
		}
	}
	row("code lines of the product, generated tables included", lines[product]+lines[tables])
	row("  generated tables", lines[tables])
	row("  package engine", engine)
	row("code lines of the product's tests", lines[tests])
	row("code lines of lab, tests included", lines[lab])
	row("code lines of dialect", lines[dialect])
	row("folders directly in internal/", inside)

	for _, p := range []part{product, lab} {
		all, over, longest := longOf(fns, p)
		row(fmt.Sprintf("functions of %s", p), all)
		row(fmt.Sprintf("  over %d lines", long), over)
		row("  the longest: "+longest.name, longest.lines)
	}

	methods, own := engineNames(names)
	row("exported methods of Engine", methods)
	row("exported names of package engine, methods included", own)
	count := map[need]int{}
	for _, n := range names {
		count[n.need]++
	}
	row("exported names of the product, methods included", len(names))
	for _, n := range []need{imported, interfaced, inDocs, outside, nobody} {
		row("  "+n.String(), count[n])
	}
}

// engineNames counts the exported names of package engine, and the methods of its
// Engine among them.
func engineNames(names []name) (methods, all int) {
	for _, n := range names {
		if n.dir == "engine" {
			all++
		}
		if n.dir == "engine" && strings.HasPrefix(n.id, "Engine.") {
			methods++
		}
	}
	return methods, all
}

// printNames prints the names that no other package of the product needs, with who
// else uses them.
func printNames(w io.Writer, names []name) {
	for _, n := range names {
		if n.need == nobody || n.need == outside {
			fmt.Fprintf(w, "%s\t%s\n", n.key(), n.need)
		}
	}
}

func (n need) String() string {
	return [...]string{"used by nobody outside their package", "used by lab and others' tests alone", "promised, and in the documents or an Example", "methods that an interface asks for", "used by another package of the product"}[n]
}

// longOf counts the functions of a part, and those over 60 lines.
func longOf(fns []function, p part) (all, over int, longest function) {
	for _, f := range fns {
		if f.part != p {
			continue
		}
		all++
		if f.lines > long {
			over++
		}
		if f.lines > longest.lines {
			longest = f
		}
	}
	return all, over, longest
}

func printLong(w io.Writer, fns []function) {
	slices.SortFunc(fns, func(a, b function) int { return cmp.Or(cmp.Compare(b.lines, a.lines), cmp.Compare(a.where, b.where)) })
	for _, f := range fns {
		if f.lines > long {
			fmt.Fprintf(w, "%4d %s %s\n", f.lines, f.where, f.name)
		}
	}
}

// printPackages prints the lines of each package, those of tests beside them.
func printPackages(w io.Writer, files []file) {
	type count struct{ code, tables, tests int }
	packages := map[string]*count{}
	for _, f := range files {
		c := packages[f.dir()]
		if c == nil {
			c = new(count)
			packages[f.dir()] = c
		}
		switch {
		case f.part == tests:
			c.tests += f.code
		case f.part == tables:
			c.tables += f.code
		default:
			c.code += f.code
		}
	}
	fmt.Fprintf(w, "%-28s %7s %7s %7s\n", "package", "code", "tables", "tests")
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		c := packages[dir]
		fmt.Fprintf(w, "%-28s %7d %7d %7d\n", dir, c.code, c.tables, c.tests)
	}
}
