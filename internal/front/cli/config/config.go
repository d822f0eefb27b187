// Package config has the command config: the settings, their values and origins.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/install"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

// configResult is the JSON form of the command's result.
type configResult struct {
	Version     int                  `json:"version"`
	Settings    []setting            `json:"settings"`
	Diagnostics []satchel.Diagnostic `json:"diagnostics"`
}

type setting struct {
	Key     string          `json:"key"`
	Value   settingValue    `json:"value"`
	Origins []config.Origin `json:"origins"`
}

// A settingValue is what config.Key.Value returns: a word, a number, a switch, a list or
// a table.
type settingValue any

func New(b *base.App) *cobra.Command {
	a := &app{b}
	var explain bool
	cmd := &cobra.Command{
		Use:   "config [KEY...]",
		Short: "Show every setting, and where its value comes from",
		Long: `Show the value of every setting, or of each KEY, in the form that config.toml
uses. --explain adds where each value comes from and which values were refused. A value comes from
a flag, else a variable SATCHEL_*, else .satchel.toml in the root of the repository,
else $XDG_CONFIG_HOME/satchel/config.toml, else the default. The repository's file
may only set weights, add exclusions and reduce budgets.`,
		Example: `  satchel config
  satchel config --explain
  satchel config budget --json`,
		Args: cobra.ArbitraryArgs, // names of settings
		RunE: func(_ *cobra.Command, args []string) error {
			keys, err := wantedKeys(args)
			switch {
			case err != nil:
				return err
			case a.JSON:
				return a.configJSON(keys)
			}
			a.configText(keys, explain)
			return nil
		},
	}
	cmd.Flags().BoolVar(&explain, "explain", false, "show where each value comes from and what was refused")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "write one JSON document, with the origins")
	cmd.AddCommand(a.configInitCommand())
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
			return nil, base.Usage(err, "satchel config lists all settings")
		}
		keys = append(keys, k)
	}
	return keys, nil
}

func (a *app) configJSON(keys []*config.Key) error {
	r := configResult{Version: 2, Diagnostics: a.Settings.Diagnostics}
	if r.Diagnostics == nil {
		r.Diagnostics = []satchel.Diagnostic{}
	}
	for _, k := range keys {
		v := k.Value(&a.Settings.Config)
		switch r := reflect.ValueOf(v); {
		case r.Kind() == reflect.Slice && r.Len() == 0: // an empty list is not null
			v = []any{}
		case r.Kind() == reflect.Map && r.Len() == 0:
			v = map[string]any{}
		}
		r.Settings = append(r.Settings, setting{k.Name, v, a.Settings.Origins[k.Name]})
	}
	return a.WriteJSON(&r)
}

func (a *app) configText(keys []*config.Key, explain bool) {
	paint := base.Brush(a.Color(a.Env.StdoutTTY))
	var lines [][2]string
	width := 0
	for _, k := range keys {
		line := clean.Inline(k.Name + " = " + k.TOML(&a.Settings.Config))
		var from []string
		for _, o := range a.Settings.Origins[k.Name] {
			from = append(from, clean.Inline(o.String()))
		}
		lines = append(lines, [2]string{line, strings.Join(from, ", ")})
		width = max(width, min(render.Width(line), maxConfigColumn))
	}
	for _, l := range lines {
		if !explain {
			fmt.Fprintln(a.Out, l[0])
			continue
		}
		fmt.Fprintf(a.Out, "%s  %s\n", render.Pad(l[0], width), paint.Dim("# "+l[1]))
	}
	if explain {
		a.Diagnostics(a.Settings.Diagnostics)
		return
	}
	if n := len(a.Settings.Diagnostics); n > 0 {
		were := "entries were"
		if n == 1 {
			were = "entry was"
		}
		a.Remark("%d %s refused or not understood: see satchel config --explain", n, were)
	}
}

// maxConfigColumn is the last column for origins.
const maxConfigColumn = 60

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[configResult]("config", 2, "The settings and their origins", "config"),
		schema.Writes[configChange]("config-change", 1, "A change of the settings file", "config init"),
	}
}

// Types are the schemas of the types in this family's documents.
func Types() schema.Types {
	return schema.Types{reflect.TypeFor[settingValue](): {Types: []string{"string", "number", "boolean", "array", "object"}}}
}

func (a *app) configInitCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a commented sample of every setting to config.toml",
		Long: `Write a sample of your own config.toml. Each setting is a comment with its purpose
and its default or an example. Remove "# " from a line to set it. An existing file
is never changed.`,
		Example: `  satchel config init --dry-run
  satchel config init`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if dryRun {
				if a.JSON {
					return base.Usagef("--dry-run prints the sample as text: omit --json")
				}
				fmt.Fprint(a.Out, config.Sample())
				return nil
			}
			return a.configInit()
		},
	}
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "print the sample, and write no file")
	a.JSONFlag(cmd.Flags())
	return cmd
}

// A configChange is the JSON form of what became of a file of settings.
type configChange struct {
	Version int            `json:"version"`
	File    string         `json:"file"`
	Action  install.Action `json:"action"`
}

func (a *app) configInit() error {
	file := config.UserFile(a.Getenv)
	if file == "" {
		return base.Usagef("cannot write config.toml: HOME is not set to a folder")
	}
	err := config.WriteSample(file)
	switch {
	case errors.Is(err, fs.ErrExist):
		return base.Hint(fmt.Errorf("%s already exists", file), "edit the file; satchel config init --dry-run prints the sample")
	case err != nil:
		return err
	case a.JSON:
		return a.WriteJSON(configChange{1, file, install.Created})
	}
	fmt.Fprintf(a.Out, "%-9s  %s\n", install.Created, clean.Inline(a.Tilde(file)))
	return nil
}
