package cli

import (
	"fmt"
	"runtime"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/spf13/cobra"
)

// A versionDocument is the JSON form of the build.
type versionDocument struct {
	Version int `json:"version"`
	base.Build
	Go   string `json:"go"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

func versionCommand(b *base.App) *cobra.Command {
	a := &app{b}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, its commit and its date",
		Example: `  satchel version
  satchel version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := base.ThisBuild()
			if a.JSON {
				return a.WriteJSON(versionDocument{1, b, runtime.Version(), runtime.GOOS, runtime.GOARCH})
			}
			fmt.Fprintf(a.Out, "satchel %s (%s) %s %s/%s\n", b.Satchel, b.Origin(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
	a.JSONFlag(cmd.Flags())
	return cmd
}

func versionDocuments() []schema.Document {
	return []schema.Document{
		schema.Writes[versionDocument]("version", 1, "The version and build", "version"),
	}
}
