package provider

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/tokens"
)

// Dependencies tells what the project says it needs: the direct dependencies of
// its manifests with their versions, not what those need in turn.
type Dependencies struct {
	Place *Place
	Files int // how many manifests it reads; zero means 8
}

const (
	dependenciesWorth = 0.5
	dependenciesDeep  = 0.8 // for each folder a manifest lies below the root
)

// manifests are the files that name dependencies, and how each is read.
var manifests = map[string]func(text []byte) ([]dependency, error){
	"go.mod":           goMod,
	"package.json":     packageJSON,
	"requirements.txt": requirements,
	"pyproject.toml":   pyproject,
	"Cargo.toml":       cargo,
}

// A dependency is one thing that a manifest asks for.
type dependency struct {
	name, version string
	group         string // dev, build, test, optional, …; "" for what is always needed
	line          int    // where it stands, from 1; 0 if not known
}

func (d *dependency) String() string {
	s := oneLine(d.name)
	if d.version != "" {
		s += " " + oneLine(d.version)
	}
	if d.group != "" {
		s += " (" + oneLine(d.group) + ")"
	}
	return s
}

// Name implements Provider.
func (d *Dependencies) Name() string { return "dependencies" }

// Description says what the provider is for.
func (d *Dependencies) Description() string { return "the direct dependencies of the project" }

// Budget implements Provider.
func (d *Dependencies) Budget() int { return 300 }

// Gather implements Provider. A manifest that cannot be read becomes a Diagnostic.
func (d *Dependencies) Gather(ctx context.Context, req Request) ([]satchel.Item, []satchel.Diagnostic, error) {
	found, err := d.find(ctx)
	if err != nil {
		return nil, nil, err
	}
	most := cmp.Or(max(d.Files, 0), 8)
	var items []satchel.Item
	var diags []satchel.Diagnostic
	if len(found) > most {
		diags = append(diags, satchel.Diagnostic{Text: fmt.Sprintf("dependencies: %d of %d manifests were read, those next to the root first", most, len(found))})
		found = found[:most]
	}
	each := 0
	if req.Budget > 0 {
		each = max(req.Budget/max(len(found), 1), 60)
	}
	for _, p := range found {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		text, err := d.Place.read(p)
		var list []dependency
		if err == nil {
			list, err = manifests[path.Base(p)](text)
		}
		if err != nil {
			diags = append(diags, satchel.Diagnostic{Path: p, Text: "dependencies: " + err.Error()})
		}
		if len(list) == 0 {
			continue
		}
		from, to := span(list)
		it := item(satchel.KindDependencies, p, from, to, dependencyText(req.Query, list, each))
		it.Forms[0].Lines = nil
		items = append(items, it)
	}
	weigh(req.Query, items, func(i int) float64 {
		return faded(dependenciesWorth, dependenciesDeep, strings.Count(items[i].Ref.Path, "/"))
	})
	return items, diags, nil
}

// find returns the manifests of the project, those next to the root first.
func (d *Dependencies) find(ctx context.Context) ([]string, error) {
	if d.Place.Dir() == "" {
		return nil, nil
	}
	files, _, err := d.Place.list(ctx)
	if err != nil {
		return nil, err
	}
	var found []string
	for i := range files {
		f := &files[i]
		if manifests[path.Base(f.Path)] != nil && f.Mode.IsRegular() && tells(f.Path) {
			found = append(found, f.Path)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return found, nil
}

// span returns the lines that dependencies stand on.
func span(list []dependency) (from, to int) {
	for _, d := range list {
		if d.line > 0 {
			if from == 0 || d.line < from {
				from = d.line
			}
			to = max(to, d.line)
		}
	}
	return from, to
}

// dependencyText lists dependencies, those about the query first if not all fit.
func dependencyText(query string, list []dependency, budget int) string {
	lines := make([]string, len(list))
	texts := make([]rank.Note, len(list))
	for i := range list {
		lines[i] = list[i].String()
		texts[i].Text = list[i].name
	}
	text := strings.Join(lines, "\n") + "\n"
	count := tokens.O200k().Count
	if budget <= 0 || count(text) <= budget {
		return text
	}
	about := overlaps(query, texts)
	order := largestFirst(len(list), func(i int) float64 { return -float64(len(list[i].group)) }) // what is always needed has none
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(about[b], about[a]) })
	var b strings.Builder
	used := 0
	for n, i := range order {
		line := lines[i] + "\n"
		used += count(line)
		if more := fmt.Sprintf("and %d more\n", len(order)-n); n > 0 && used+count(more) > budget {
			b.WriteString(more)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}
