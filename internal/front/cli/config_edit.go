package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/install"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

func (a *app) configInitCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a sample of every setting, commented out, into your config.toml",
		Long: `Write a sample of every setting into your own config.toml: what each is for, and
its default or an example, as a comment. Nothing changes until you take a "# " away.
A file that is there stays as it is.`,
		Example: `  satchel config init --dry-run
  satchel config init && satchel config set budget 24k`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if dryRun {
				if a.json {
					return usagef("--dry-run writes the sample itself: leave out --json")
				}
				fmt.Fprint(a.out, config.Sample())
				return nil
			}
			return a.rewriteSettings(func(file string, old []byte) ([]byte, error) {
				if old != nil {
					return nil, &hintError{fmt.Errorf("%s: it is there already, and stays as it is", file), "satchel config init --dry-run shows the sample; satchel config set KEY VALUE edits the file"}
				}
				return []byte(config.Sample()), nil
			})
		},
	}
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "write the sample to standard output, and no file")
	a.jsonFlag(cmd.Flags())
	return cmd
}

func (a *app) configSetCommand() *cobra.Command {
	var unset bool
	cmd := &cobra.Command{
		Use:   "set KEY VALUE [KEY VALUE]...",
		Short: "Set settings in your config.toml, and keep everything else there",
		Long: `Set settings in your own config.toml, and keep its comments, its order and
everything else. A field of a table is TABLE.FIELD, such as weights.churn. A list is
one text, or several as in TOML: '["*.snap", "old/"]'. Nothing is written unless the
whole file can be understood then. --unset takes settings out.`,
		Example: `  satchel config set budget 24k model claude-sonnet-4-5
  satchel config set exclude '["*.snap", "testdata/"]'
  satchel config set weights.churn 1.5
  satchel config set budget 24k && satchel config set --unset budget`,
		RunE: func(_ *cobra.Command, args []string) error { return a.configSet(args, unset) },
	}
	cmd.Flags().BoolVar(&unset, "unset", false, "take these settings out: KEY...")
	a.jsonFlag(cmd.Flags())
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, k := range config.Keys {
			if unset || len(args)%2 == 0 {
				names = append(names, k.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

func (a *app) configSet(args []string, unset bool) error {
	var edits []config.Edit
	switch {
	case len(args) == 0:
		return usagef("which setting? satchel config lists them")
	case unset:
		for _, key := range args {
			edits = append(edits, config.Edit{Key: key, Unset: true})
		}
	case len(args)%2 != 0:
		return usagef("%s: want a value; a list is one argument, such as '[\"a\", \"b\"]'", args[len(args)-1])
	default:
		for i := 0; i < len(args); i += 2 {
			edits = append(edits, config.Edit{Key: args[i], Value: args[i+1]})
		}
	}
	return a.rewriteSettings(func(file string, old []byte) ([]byte, error) {
		text, err := config.Apply(file, old, edits)
		if err != nil {
			return nil, &usageError{err: err}
		}
		for _, e := range edits {
			name, _, _ := strings.Cut(e.Key, ".")
			for _, k := range config.Keys {
				if k.Name == name && k.Text() && a.getenv(k.Variable()) != "" {
					a.remark("note: %s is set, and counts more than the file", k.Variable())
				}
			}
		}
		return text, nil
	})
}

// A configChange is the JSON form of what became of a file of settings.
type configChange struct {
	Version int            `json:"version"`
	File    string         `json:"file"`
	Action  install.Action `json:"action"`
}

// rewriteSettings edits the user's file, and says what became of it.
func (a *app) rewriteSettings(update func(file string, old []byte) ([]byte, error)) error {
	file := config.UserFile(a.getenv)
	if file == "" {
		return usagef("HOME is not set to a folder, so that there is no config.toml")
	}
	action := install.Changed
	err := config.Rewrite(file, func(old []byte) ([]byte, error) {
		text, err := update(file, old)
		if old == nil {
			action = install.Created
		} else if bytes.Equal(old, text) {
			action = install.Unchanged
		}
		return text, err
	})
	switch {
	case err != nil:
		var hinted *hintError
		var usage *usageError
		if !errors.As(err, &hinted) && !errors.As(err, &usage) {
			err = fmt.Errorf("%w; nothing was written", err)
		}
		return err
	case a.json:
		return a.writeJSON(configChange{1, file, action})
	}
	fmt.Fprintf(a.out, "%-9s  %s\n", action, clean.Inline(a.tilde(file)))
	return nil
}
