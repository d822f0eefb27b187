package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// configResult is the JSON form of the command's result.
type configResult struct {
	Version     int                  `json:"version"`
	Settings    []setting            `json:"settings"`
	Diagnostics []satchel.Diagnostic `json:"diagnostics"`
}

type setting struct {
	Key     string          `json:"key"`
	Value   any             `json:"value"`
	Origins []config.Origin `json:"origins"`
}

func (a *app) configCommand() *cobra.Command {
	var explain bool
	cmd := &cobra.Command{
		Use:   "config [KEY...]",
		Short: "Show every setting, and where its value comes from",
		Long: `Show the value of every setting, as a config.toml would say it. --explain adds
where each value comes from and what was refused. KEY shows that setting alone.

A value comes from a flag, else from a variable SATCHEL_*, else from
.satchel.toml in the root of the repository, else from
$XDG_CONFIG_HOME/satchel/config.toml, else it is the default. The repository's
file may only set weights, add exclusions and lower budgets.`,
		Example: `  satchel config
  satchel config --explain
  satchel config --explain budget
  SATCHEL_BUDGET=8k satchel config --json`,
		Args: cobra.ArbitraryArgs, // names of settings
		RunE: func(_ *cobra.Command, args []string) error {
			keys, err := wantedKeys(args)
			switch {
			case err != nil:
				return err
			case a.json:
				return a.configJSON(keys)
			}
			a.configText(keys, explain)
			return nil
		},
	}
	cmd.Flags().BoolVar(&explain, "explain", false, "show where each value comes from, and what was refused")
	cmd.Flags().BoolVar(&a.json, "json", false, "write one JSON document, with the origins")
	var rest []string // config shows what any flag does
	for _, k := range config.Keys {
		if k.Text() && !slices.Contains(globalSettings, k.Name) {
			rest = append(rest, k.Name)
		}
	}
	a.settingFlags(cmd.Flags(), rest)
	cmd.AddCommand(a.configInitCommand(), a.configSetCommand())
	return cmd
}

// wantedKeys returns the settings of these names; of no name, all.
func wantedKeys(names []string) ([]*config.Key, error) {
	if len(names) == 0 {
		return config.Keys, nil
	}
	var keys []*config.Key
	for _, name := range names {
		k, err := config.KeyByName(name)
		if err != nil {
			return nil, &usageError{err: err}
		}
		keys = append(keys, k)
	}
	return keys, nil
}

func (a *app) configJSON(keys []*config.Key) error {
	r := configResult{Version: 2, Diagnostics: a.settings.Diagnostics}
	if r.Diagnostics == nil {
		r.Diagnostics = []satchel.Diagnostic{}
	}
	for _, k := range keys {
		v := k.Value(&a.settings.Config)
		switch list := v.(type) { // a list is a list even if it is empty
		case []string:
			v = append([]string{}, list...)
		case []tokens.Model:
			v = append([]tokens.Model{}, list...)
		case []config.Price:
			v = append([]config.Price{}, list...)
		case map[string]float64:
			if list == nil {
				v = map[string]float64{}
			}
		}
		r.Settings = append(r.Settings, setting{k.Name, v, a.settings.Origins[k.Name]})
	}
	return a.writeJSON(&r)
}

func (a *app) configText(keys []*config.Key, explain bool) {
	paint := style(a.color(a.env.StdoutTTY))
	var lines [][2]string
	width := 0
	for _, k := range keys {
		line := render.Clean(k.Name + " = " + tomlText(k.Value(&a.settings.Config)))
		var from []string
		for _, o := range a.settings.Origins[k.Name] {
			from = append(from, render.Clean(o.String()))
		}
		lines = append(lines, [2]string{line, strings.Join(from, ", ")})
		width = max(width, min(render.Width(line), maxConfigColumn))
	}
	for _, l := range lines {
		if !explain {
			fmt.Fprintln(a.out, l[0])
			continue
		}
		fmt.Fprintf(a.out, "%s  %s\n", render.Pad(l[0], width), paint.dim("# "+l[1]))
	}
	if explain {
		a.diagnostics(a.settings.Diagnostics)
		return
	}
	if n := len(a.settings.Diagnostics); n > 0 {
		were := "entries were"
		if n == 1 {
			were = "entry was"
		}
		a.remark("%d %s refused or not understood; --explain shows them", n, were)
	}
}

// maxConfigColumn is where the origins stand at the latest.
const maxConfigColumn = 60

// tomlText writes a value as a config.toml would.
func tomlText(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = strconv.Quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	case map[string]float64:
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			pairs = append(pairs, fmt.Sprintf("%s = %v", tomlKey(name), v[name]))
		}
		return "{" + strings.Join(pairs, ", ") + "}"
	case []tokens.Model:
		var models []string
		for _, m := range v {
			models = append(models, fmt.Sprintf("{name = %s, family = %s, window = %d, output = %d}", strconv.Quote(m.Name), strconv.Quote(m.Family), m.Window, m.Output))
		}
		return "[" + strings.Join(models, ", ") + "]"
	case []config.Price:
		var prices []string
		for _, p := range v {
			s := fmt.Sprintf("{model = %s, input = %v, output = %v", strconv.Quote(p.Model), p.Input, p.Output)
			if p.CacheRead != nil {
				s += fmt.Sprintf(", cache-read = %v", *p.CacheRead)
			}
			if p.CacheWrite != nil {
				s += fmt.Sprintf(", cache-write = %v", *p.CacheWrite)
			}
			prices = append(prices, s+fmt.Sprintf(", currency = %s}", strconv.Quote(p.Currency)))
		}
		return "[" + strings.Join(prices, ", ") + "]"
	case *config.Summarizer:
		if v == nil {
			return "{}"
		}
		s := fmt.Sprintf("{url = %s, model = %s, kind = %s", strconv.Quote(v.URL), strconv.Quote(v.Model), strconv.Quote(v.Kind))
		if v.KeyEnv != "" {
			s += ", key-env = " + strconv.Quote(v.KeyEnv)
		}
		if v.Timeout > 0 {
			s += ", timeout = " + strconv.Quote(v.Timeout.String())
		}
		if v.MaxTokens > 0 {
			s += fmt.Sprintf(", max-tokens = %d", v.MaxTokens)
		}
		return s + "}"
	case *config.Embedder:
		if v == nil {
			return "{}"
		}
		s := fmt.Sprintf("{url = %s, model = %s", strconv.Quote(v.URL), strconv.Quote(v.Model))
		if v.KeyEnv != "" {
			s += ", key-env = " + strconv.Quote(v.KeyEnv)
		}
		if v.Timeout > 0 {
			s += ", timeout = " + strconv.Quote(v.Timeout.String())
		}
		s += fmt.Sprintf(", batch = %d, fusion = %s", v.Batch, strconv.Quote(v.Fusion))
		if v.Weight > 0 {
			s += fmt.Sprintf(", weight = %v", v.Weight)
		}
		return s + "}"
	}
	return fmt.Sprint(v)
}

// tomlKey quotes a key unless it is bare.
func tomlKey(name string) string {
	for _, r := range name {
		if !(r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z') {
			return strconv.Quote(name)
		}
	}
	return name
}
