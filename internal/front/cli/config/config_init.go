package config

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/install"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/spf13/cobra"
)

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
