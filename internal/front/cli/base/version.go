package base

import (
	"runtime/debug"
	"time"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// The linker sets these in a release (-X, see release/build.sh and .goreleaser.yaml):
// its bytes must not depend on the folder and the state of the clone, so the go
// command records neither. They are empty in every other build.
var releaseVersion, releaseCommit, releaseDate string

// A Build is what is known about how this program was built.
type Build struct {
	Satchel  string `json:"satchel"`            // the version of the release or module, or devel
	Commit   string `json:"commit,omitempty"`   // empty if none was recorded
	Date     string `json:"date,omitempty"`     // of the commit, UTC
	Modified bool   `json:"modified,omitempty"` // built with changes that are in no commit
}

// pseudoVersion is the end of a version that the go command made of a commit.
var pseudoVersion = lazy.Regexp(`[.-](\d{14})-([0-9a-f]{12})(?:\+|$)`)

// ThisBuild returns the build of the running program: from the linker in a release,
// else from the go command.
func ThisBuild() Build {
	if releaseVersion != "" {
		return Build{Satchel: releaseVersion, Commit: releaseCommit, Date: releaseDate}
	}
	return readBuild(debug.ReadBuildInfo())
}

// readBuild finds version, commit and date in what was recorded: in the settings
// of a build in a repository, in the version of one by go install.
func readBuild(info *debug.BuildInfo, ok bool) Build {
	if !ok {
		return Build{Satchel: "unknown"}
	}
	b := Build{}
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

// Origin says where a build comes from, in words.
func (b Build) Origin() string {
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

// Version returns the version of the release or module, or the commit it was built from.
func Version() string { return ThisBuild().Satchel }
