package pack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
)

// exclusionsResult is the JSON form of pack --explain-exclusions.
type exclusionsResult struct {
	Version     int                  `json:"version"`
	Exclusions  []engine.Exclusion   `json:"exclusions"`
	Diagnostics []satchel.Diagnostic `json:"diagnostics"`
}

// explainExclusions lists the paths that no pack shows, with the rules.
func (a *app) explainExclusions(ctx context.Context, f *packFlags) error {
	only, err := a.Filter(ctx, &f.FilterFlags)
	if err != nil {
		return err
	}
	e, err := a.OpenProject(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	list, diags, err := e.Files().Exclusions(ctx, f.rev, only.Paths, only.Include)
	if _, ok := errors.AsType[*index.PathError](err); ok {
		return fmt.Errorf("--path %w", err)
	}
	if err != nil {
		return err
	}
	for i := range list {
		if name, ok := strings.CutPrefix(list[i].From, "setting:"); ok {
			list[i].From = a.origin(name, list[i].Rule)
		}
	}
	if a.Settings.Format == "json" {
		return a.WriteJSON(&exclusionsResult{2, append([]engine.Exclusion{}, list...), append([]satchel.Diagnostic{}, diags...)})
	}
	a.Diagnostics(append(only.Diags, diags...))
	rows := make([]exclusionRow, len(list))
	for i, x := range list {
		size := "-"
		if x.Bytes >= 0 {
			size = base.BytesText(x.Bytes)
		}
		if strings.HasSuffix(x.Path, "/") && x.Files >= 0 {
			size += ", " + render.Plural(x.Files, "file")
		}
		rows[i] = exclusionRow{clean.Inline(x.Path), x.Why, size, clean.Inline(x.Rule) + " (" + clean.Inline(x.From) + ")"}
	}
	if _, err := a.Out.Write(exclusionTable(rows, a.Width())); err != nil {
		return err
	}
	if len(list) == 0 {
		a.Remark("nothing is left out")
	}
	return nil
}

// An exclusionRow is a path, why it is left out, its size, and the rule.
type exclusionRow [4]string

// exclusionTable lays rows out for a terminal of that width: one line each, or on
// a narrow one the path on a line of its own. 0 means no limit, and nothing is cut.
func exclusionTable(rows []exclusionRow, width int) []byte {
	var b bytes.Buffer
	var widths [4]int
	for _, r := range rows {
		for k, text := range r {
			widths[k] = max(widths[k], render.Width(text))
		}
	}
	widths[0] = min(widths[0], maxColumn)
	if width > 0 {
		room := width - widths[1] - widths[2] - 3*len("  ")
		widths[0] = min(widths[0], max(room/2, room-widths[3]))
	}
	for _, r := range rows {
		if width <= 0 || width >= base.Narrow {
			fmt.Fprintf(&b, "%s  %s  %s  ", render.Pad(base.Tail(r[0], min(width, widths[0])), widths[0]), render.Pad(r[1], widths[1]), render.Pad(r[2], widths[2]))
			fmt.Fprintln(&b, base.FitWidth(r[3], base.Rest(width, widths[0]+widths[1]+widths[2]+3*len("  "))))
			continue
		}
		fmt.Fprintln(&b, base.Tail(r[0], width))
		what := "  " + r[1] + "  " + r[2]
		if render.Width(what)+2+render.Width(r[3]) <= width {
			fmt.Fprintln(&b, what+"  "+r[3])
			continue
		}
		fmt.Fprintln(&b, base.FitWidth(what, width))
		fmt.Fprintln(&b, base.FitWidth("  "+r[3], width))
	}
	return b.Bytes()
}

// maxColumn is how wide the column of paths is padded to; without a terminal, a
// longer path pushes its row.
const maxColumn = 60

// origin says where a setting came from; of a list, where this one of its values
// came from.
func (a *app) origin(name, value string) string {
	if o, ok := a.Settings.Patterns[name+" "+value]; ok {
		return o.String()
	}
	var at []string
	for _, o := range a.Settings.Origins[name] {
		if o.Source == config.Default {
			return "default of " + name
		}
		if !slices.Contains(at, o.String()) {
			at = append(at, o.String())
		}
	}
	return strings.Join(at, ", ")
}
