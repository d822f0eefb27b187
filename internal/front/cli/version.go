package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// A versionDocument is the JSON form of the build.
type versionDocument struct {
	Version int `json:"version"`
	build
	Go   string `json:"go"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

func (a *app) versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, its commit and its date",
		Example: `  satchel version
  satchel version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if a.json {
				return a.writeJSON(versionDocument{1, b, runtime.Version(), runtime.GOOS, runtime.GOARCH})
			}
			fmt.Fprintf(a.out, "satchel %s (%s) %s %s/%s\n", b.Satchel, b.origin(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
	a.jsonFlag(cmd.Flags())
	return cmd
}

// The linker sets these in a release (-X, see release/build.sh and .goreleaser.yaml):
// its bytes must not depend on the folder and the state of the clone, so the go
// command records neither. They are empty in every other build.
var releaseVersion, releaseCommit, releaseDate string

// A build is what is known about how this program was built.
type build struct {
	Satchel  string `json:"satchel"`            // the version of the release or module, or devel
	Commit   string `json:"commit,omitempty"`   // empty if none was recorded
	Date     string `json:"date,omitempty"`     // of the commit, UTC
	Modified bool   `json:"modified,omitempty"` // built with changes that are in no commit
}

// pseudoVersion is the end of a version that the go command made of a commit.
var pseudoVersion = lazy.Regexp(`[.-](\d{14})-([0-9a-f]{12})(?:\+|$)`)

// thisBuild returns the build of the running program: from the linker in a release,
// else from the go command.
func thisBuild() build {
	if releaseVersion != "" {
		return build{Satchel: releaseVersion, Commit: releaseCommit, Date: releaseDate}
	}
	return readBuild(debug.ReadBuildInfo())
}

// readBuild finds version, commit and date in what was recorded: in the settings
// of a build in a repository, in the version of one by go install.
func readBuild(info *debug.BuildInfo, ok bool) build {
	if !ok {
		return build{Satchel: "unknown"}
	}
	b := build{}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	if m := pseudoVersion().FindStringSubmatch(info.Main.Version); m != nil && b.Commit == "" {
		b.Commit = m[2]
		if t, err := time.Parse("20060102150405", m[1]); err == nil {
			b.Date = t.Format(time.RFC3339)
		}
	}
	switch v := info.Main.Version; {
	case v != "" && v != "(devel)":
		b.Satchel = v
	case len(b.Commit) >= 12:
		b.Satchel = "devel-" + b.Commit[:12]
		if b.Modified {
			b.Satchel += "+dirty"
		}
	default:
		b.Satchel = "devel"
	}
	return b
}

// origin says where a build comes from, in words.
func (b build) origin() string {
	if b.Commit == "" {
		return "commit not recorded"
	}
	s := "commit " + b.Commit[:min(len(b.Commit), 12)]
	if len(b.Date) >= len(time.DateOnly) {
		s += " of " + b.Date[:len(time.DateOnly)]
	}
	if b.Modified {
		s += ", modified"
	}
	return s
}

// version returns the version of the release or module, or the commit it was built from.
func version() string { return thisBuild().Satchel }
