package ask

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/pack"
)

// ledgerHead explains a ledger.
const ledgerHead = "Every changed file, most relevant first; then definitions: + new, - gone, ~ changed, > moved."

// ledger lists every file of a change in a line, within a number of tokens: with
// as many names of definitions each as there is room for, of the files that named
// accepts; without any; or, if not even that fits, the most relevant files, and the
// others by folder.
func ledger(files []*change.Scored, room int, named func(i int) bool) string {
	entries := make([]entry, len(files))
	most := 0
	for i, f := range files {
		entries[i] = newEntry(f)
		if !named(i) {
			entries[i].names = nil
		}
		most = max(most, len(entries[i].names))
	}
	if s, ok := fit(room, pack.Range{First: 4, Most: most + 1}, func(limit int) string { return listed(entries, limit-1) }); ok {
		return s
	}
	for depth := mostDepth; depth >= 0; depth-- {
		s, ok := fit(room, pack.Range{First: max(1, room/20), Most: len(files)}, func(limit int) string {
			return listed(entries[:limit-1], 0) + folders(files[limit-1:], depth)
		})
		if ok || depth == 0 {
			return cmp.Or(s, folders(files, 0))
		}
	}
	return ""
}

// mostDepth is how deep the folders are that stand for their files.
const mostDepth = 4

// all accepts every file.
func all(int) bool { return true }

// none accepts no file.
func none(int) bool { return false }

// An entry is a file of the ledger: its line, and names that may follow.
type entry struct {
	line  string
	names []string
}

func listed(list []entry, names int) string {
	var b strings.Builder
	for i := range list {
		e := &list[i]
		b.WriteString(e.line)
		if n := min(names, len(e.names)); n > 0 {
			b.WriteString(": " + strings.Join(e.names[:n], " "))
			if n < len(e.names) {
				fmt.Fprintf(&b, " … %d", len(e.names)-n)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func newEntry(f *change.Scored) entry {
	var b strings.Builder
	b.WriteString(statusLetter(f.Status) + " ")
	if f.OldPath != "" && f.OldPath != f.Path {
		b.WriteString(clean.Inline(f.OldPath) + " -> ")
	}
	b.WriteString(clean.Inline(f.Path))
	if f.Unread != "" {
		b.WriteString(" " + f.Counts())
	} else if f.Added > 0 || f.Removed == 0 && f.Folded() == "" {
		fmt.Fprintf(&b, " +%d", f.Added)
	}
	if f.Removed > 0 {
		fmt.Fprintf(&b, " -%d", f.Removed)
	}
	if f.OldMode != f.NewMode && f.OldMode != 0 && f.NewMode != 0 {
		fmt.Fprintf(&b, " mode %o -> %o", f.OldMode, f.NewMode)
	}
	switch why := f.Folded(); {
	case f.Unread != "" && len(f.Hunks) > 0:
		b.WriteString("; its lines marked = are the file as it is now, not what changed")
	case why != "" && f.Unread == "":
		b.WriteString(" " + why)
	case f.Comments:
		b.WriteString(" comments only")
	case f.Spaces:
		b.WriteString(" white space only")
	case f.Class != "" && f.Class != string(outline.Source):
		b.WriteString(" " + f.Class)
	}
	return entry{b.String(), editNames(f)}
}

// statusLetter is what git writes for a status.
func statusLetter(s change.Status) string {
	switch s {
	case change.TypeChanged:
		return "T"
	case change.Unmerged:
		return "U"
	}
	return strings.ToUpper(string(s)[:1])
}

// editNames returns what happened to the definitions of a file, those first that
// others can use.
func editNames(f *change.Scored) []string {
	type named struct {
		text string
		rank int
	}
	var list []named
	for i := range f.Edits {
		e := &f.Edits[i]
		sign := signOf(e)
		if e.Name == "" || sign == "" {
			continue
		}
		name := sign + clean.LineOf(f.Path, e.QualifiedName()).String()
		if e.Action == change.Renames {
			name = "~" + clean.LineOf(f.Path, e.OldName).String() + "=>" + name[1:]
		}
		rank := 4
		switch {
		case e.Breaks():
			rank = 0
		case e.Exported || e.Action == change.Adds || e.Action == change.Removes:
			rank = 2
		}
		switch e.Kind {
		case "const", "var", "macro", "field":
			rank++ // functions and types say more
		}
		list = append(list, named{name, rank})
	}
	slices.SortStableFunc(list, func(a, b named) int { return cmp.Compare(a.rank, b.rank) })
	var names []string
	for _, n := range list {
		if !slices.Contains(names, n.text) {
			names = append(names, n.text)
		}
	}
	return names
}

// signOf is the sign before a name of the ledger, "" if the edit has no name.
func signOf(e *change.Edit) string {
	switch e.Action {
	case change.Adds, change.Impl:
		return "+"
	case change.Removes:
		return "-"
	case change.Moves, change.MovesAway:
		return ">"
	case change.Renames, change.Signature, change.Body, change.Type:
		return "~"
	}
	return ""
}

// folders counts files by the folders at a depth.
func folders(files []*change.Scored, depth int) string {
	type folder struct {
		name string
		change.Totals
	}
	var list []folder
	at := map[string]int{}
	for _, f := range files {
		parts := strings.Split(path.Dir(f.Path), "/")
		name := clean.Inline(strings.Join(parts[:min(depth, len(parts))], "/"))
		k, ok := at[name]
		if !ok {
			k = len(list)
			at[name] = k
			list = append(list, folder{name: name})
		}
		list[k].Add(&f.File)
	}
	var b strings.Builder
	for _, f := range list {
		if depth == 0 {
			fmt.Fprintf(&b, "and %d more files +%d -%d\n", f.Files, f.Added, f.Removed)
		} else {
			fmt.Fprintf(&b, "%s/ %d files +%d -%d\n", f.name, f.Files, f.Added, f.Removed)
		}
	}
	return b.String()
}
