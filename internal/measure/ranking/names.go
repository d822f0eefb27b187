package ranking

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// Bounds of expected names. A model may guess them, or repeat what others wrote.
const (
	mostNames     = 24
	mostNameBytes = 120
	mostMissing   = 5 // named in a diagnostic
)

// onlyPasted is the note about a task that is a log or the like.
const onlyPasted = "the task is only program output without an error message: all of its words were searched"

// AnalyzeWith takes a task apart as Analyze does, with names and paths that whoever
// asks expects it to be about. They weigh as words of its title do; one that exists is
// evidence as if the title spelled it. The diagnostics say which do not, and how many
// were not looked at.
func AnalyzeWith(ctx context.Context, v *index.View, task string, names []string) (rank.Query, []satchel.Diagnostic) {
	names, ignored := usable(names)
	var notes []satchel.Diagnostic
	if ignored > 0 {
		notes = append(notes, satchel.Diagnostic{Text: fmt.Sprintf("%s ignored: want at most %d, of %d bytes, without wildcards and ..",
			render.Plural(ignored, "expected name"), mostNames, mostNameBytes)})
	}
	q := Analyze(ctx, v, task)
	if q.Pasted {
		notes = append(notes, satchel.Diagnostic{Text: onlyPasted})
	}
	if q.Cut {
		notes = append(notes, satchel.Diagnostic{Text: fmt.Sprintf("the task is long: only its first %d bytes were searched, without program output", rank.MaxTask)})
	}
	if len(names) == 0 {
		return q, notes
	}
	wants := q.Wants
	q = Analyze(ctx, v, besideTitle(task, q.Title, names))
	q.Wants = wants // a path below tests/ asks for no tests

	var missing []string
	for _, name := range names {
		if !exists(v, name) {
			missing = append(missing, satchel.Clean("", name).String())
		}
	}
	if len(missing) > 0 {
		text := "expected, but not here: " + strings.Join(missing[:min(len(missing), mostMissing)], ", ")
		if more := len(missing) - mostMissing; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		notes = append(notes, satchel.Diagnostic{Text: text})
	}
	return q, notes
}

// besideTitle puts names behind the title of a task, which need not be its first line:
// the comments and headings of a template are taken out with what stands in them.
func besideTitle(task, title string, names []string) string {
	with := title + " " + strings.Join(names, " ") + "\n"
	if before, after, ok := strings.Cut("\n"+task+"\n", "\n"+title+"\n"); ok {
		return before + "\n" + with + after
	}
	return with + task
}

// usable returns the names that may be looked for, each once, and how many others
// there are.
func usable(names []string) (kept []string, ignored int) {
	seen := map[string]bool{}
	for _, name := range names {
		name = strings.TrimSpace(name)
		switch {
		case seen[name] || name == "":
		case len(kept) == mostNames || len(name) > mostNameBytes || !plainName(name):
			ignored++
		default:
			seen[name] = true
			kept = append(kept, name)
		}
	}
	return kept, ignored
}

// plainName reports whether a name holds nothing but what names and paths are made
// of, and leads nowhere else.
func plainName(name string) bool {
	foreign := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`_$.:/\#->@+~`, r)
	}
	return !strings.ContainsFunc(name, foreign) && !slices.Contains(strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

// HasPath reports whether the view has a file or a folder of the name, or excludes one.
func HasPath(v *index.View, name string) bool {
	path := strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	path = strings.TrimRight(strings.TrimLeft(path, "/"), "./")
	for i := range v.Files() {
		if p := v.Files()[i].Path; p == path || strings.HasSuffix(p, "/"+path) || strings.HasPrefix(p, path+"/") {
			return true
		}
	}
	return slices.ContainsFunc(v.Excluded(), func(o satchel.Omission) bool {
		return strings.HasSuffix("/"+o.Ref.Path, "/"+path) || strings.HasSuffix(o.Ref.Path, "/") && strings.HasPrefix(path, o.Ref.Path)
	})
}

// exists reports whether the view has a path, a definition or an identifier of the name.
func exists(v *index.View, name string) bool {
	last := name[strings.LastIndexAny(name, `.:#>/\`)+1:]
	return HasPath(v, name) || len(v.Postings(nil, terms.Def(last))) > 0 || len(v.Postings(nil, terms.Ident(last))) > 0
}
