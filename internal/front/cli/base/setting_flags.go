package base

import (
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// SettingFlags adds a flag for each of the settings.
func (a *App) SettingFlags(fs *pflag.FlagSet, names []string) {
	for _, k := range config.Keys {
		for _, name := range names {
			if name != k.Name {
				continue
			}
			f := fs.VarPF(&settingFlag{k, a.Given}, k.Name, Shorthands[k.Name], k.Use)
			if k.Kind() == "switch" {
				f.NoOptDefVal = "true"
			}
			if d := defaultText(k); d != "" {
				f.Usage += " (default " + d + ")"
			}
		}
	}
}

func defaultText(k *config.Key) string {
	d := config.Defaults()
	switch v := k.Value(&d).(type) {
	case string:
		return v
	case int, int64:
		if fmt.Sprint(v) != "0" {
			return fmt.Sprint(v)
		}
	case config.Share:
		return fmt.Sprintf("%g%%", 100*v)
	}
	return ""
}

// A settingFlag collects the values of a setting. Package config checks them.
type settingFlag struct {
	key   *config.Key
	given map[string][]string
}

func (f *settingFlag) Set(text string) error {
	f.given[f.key.Name] = append(f.given[f.key.Name], text)
	return nil
}

func (f *settingFlag) String() string { return "" }

// Type names the value in the help.
func (f *settingFlag) Type() string {
	switch f.key.Name {
	case "budget":
		return "tokens"
	case "exclude", "unignore":
		return "pattern"
	case "cache-dir":
		return "folder"
	case "build", "task-from", "test":
		return "command"
	}
	switch f.key.Kind() {
	case "switch":
		return "bool"
	case "text":
		return f.key.Name
	}
	return f.key.Kind()
}

// A SetFlag collects the settings that --set gives.
type SetFlag struct{ App *App }

func (f *SetFlag) Set(text string) error {
	name, value, given := strings.Cut(text, "=")
	k, err := config.KeyByName(name)
	switch {
	case err != nil:
		return err
	case !k.Text():
		return fmt.Errorf("%s is a table: write it in config.toml", name)
	case !given && k.Kind() != "switch":
		return fmt.Errorf("want %s=VALUE", name)
	case !given:
		value = "true"
	}
	f.App.Written[name] = "--set " + name
	return (&settingFlag{k, f.App.Given}).Set(value)
}

func (f *SetFlag) String() string { return "" }

// Type names the value in the help.
func (f *SetFlag) Type() string { return "name=value" }

// CompleteSetting completes the names of settings.
func CompleteSetting(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	for _, k := range config.Keys {
		if k.Text() {
			names = append(names, k.Name+"=\t"+k.Use)
		}
	}
	return names, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// Shorthands are the letters of the flags that are used most. A letter means the
// same on every command.
var Shorthands = map[string]string{
	"budget": "b",
	"format": "f",
	"model":  "m",
	"output": "o",
	"quiet":  "q",
}
