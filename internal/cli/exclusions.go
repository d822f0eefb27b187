package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/config"
	"github.com/satchel-dev/satchel/render"
)

// exclusionsResult is the JSON form of pack --explain-exclusions.
type exclusionsResult struct {
	Version    int                `json:"version"`
	Exclusions []engine.Exclusion `json:"exclusions"`
}

// explainExclusions lists what no pack shows, and by which rule.
func (a *app) explainExclusions(ctx context.Context, f *packFlags) error {
	paths, err := a.rootPaths(f.paths)
	if err != nil {
		return err
	}
	bar := a.progress()
	defer bar.stop()
	e, err := a.open(ctx, bar)
	if err != nil {
		return err
	}
	defer e.Close()
	list, notes, err := e.Exclusions(ctx, f.rev, paths)
	if err != nil {
		return err
	}
	bar.stop()
	for i := range list {
		if name, ok := strings.CutPrefix(list[i].From, "setting:"); ok {
			list[i].From = a.origin(name, list[i].Rule)
		}
	}
	a.notes(notes)
	if a.settings.Format == "json" {
		if list == nil {
			list = []engine.Exclusion{}
		}
		return a.writeJSON(&exclusionsResult{1, list})
	}
	var widths [3]int
	rows := make([][4]string, len(list))
	for i, x := range list {
		size := "-"
		if x.Bytes >= 0 {
			size = bytesText(x.Bytes)
		}
		if strings.HasSuffix(x.Path, "/") && x.Files >= 0 {
			size += ", " + plural(x.Files, "file")
		}
		rows[i] = [4]string{render.Clean(x.Path), x.Why, size, render.Clean(x.Rule) + " (" + render.Clean(x.From) + ")"}
		for k := range widths {
			widths[k] = min(max(widths[k], render.Width(rows[i][k])), maxColumn)
		}
	}
	for _, r := range rows {
		for k := range widths {
			fmt.Fprint(a.out, render.Pad(r[k], widths[k]), "  ")
		}
		fmt.Fprintln(a.out, r[3])
	}
	if len(list) == 0 && !a.settings.Quiet {
		a.say("nothing is left out")
	}
	return nil
}

// maxColumn is how wide a column is padded to; a longer path pushes its row.
const maxColumn = 60

// origin says where a setting came from; of a list, where this one of its values
// came from.
func (a *app) origin(name, value string) string {
	if o, ok := a.settings.Patterns[name+" "+value]; ok {
		return o.String()
	}
	var at []string
	for _, o := range a.settings.Origins[name] {
		if o.Source == config.Default {
			return "default of " + name
		}
		if !slices.Contains(at, o.String()) {
			at = append(at, o.String())
		}
	}
	return strings.Join(at, ", ")
}
