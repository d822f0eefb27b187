package tokens

import (
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// modelList is the JSON form of tokens --models.
type modelList struct {
	Version int           `json:"version"`
	Models  []listedModel `json:"models"`
}

type listedModel struct {
	Name   string  `json:"name"`
	Family string  `json:"family"`
	Window int     `json:"window"` // 0 if unlimited or unknown
	Output int     `json:"output"` // the same
	Method string  `json:"method"`
	Error  float64 `json:"error"`
	Source string  `json:"source"`
}

// models lists the user's models, then the built-in ones.
func (a *app) models() error {
	list := modelList{Version: 1}
	seen := make(map[string]bool)
	for _, m := range append(a.Settings.Models[:len(a.Settings.Models):len(a.Settings.Models)], tokens.Models()...) {
		if name := strings.ToLower(m.Name); seen[name] {
			continue // the user's own comes first
		} else {
			seen[name] = true
		}
		c := m.Count("")
		list.Models = append(list.Models, listedModel{m.Name, m.Family, m.Window, m.Output, c.Method, c.Error, m.Source})
	}
	if a.JSON {
		return a.WriteJSON(list)
	}
	name, family := len("model"), len("family")
	for _, m := range list.Models {
		name = max(name, render.Width(clean.Inline(m.Name)))
		family = max(family, render.Width(clean.Inline(m.Family)))
	}
	l := a.Table()
	l.Header(fmt.Sprintf("%s  %s  %10s  %9s  %s", render.Pad("model", name), render.Pad("family", family), "window", "answer", "counted"))
	number := func(n int) string {
		if n == 0 {
			return "-"
		}
		return base.Thousands(n)
	}
	for _, m := range list.Models {
		counted := "exactly"
		if m.Error > 0 {
			counted = fmt.Sprintf("±%.0f %%", 100*m.Error)
		}
		fmt.Fprintf(l, "%s  %s  %10s  %9s  %s\n", l.Paint.Path(render.Pad(clean.Inline(m.Name), name)), render.Pad(clean.Inline(m.Family), family), number(m.Window), number(m.Output), counted)
	}
	return a.Page(l.Bytes())
}
