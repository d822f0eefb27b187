package base

import (
	"runtime/debug"
	"testing"
)

func TestReadBuild(t *testing.T) {
	const commit, date = "0123456789abcdef0123456789abcdef01234567", "2026-03-04T05:06:07Z"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: date}, {Key: "vcs.modified", Value: modified}}
	}
	for _, tt := range []struct {
		version  string
		settings []debug.BuildSetting
		want     Build
		origin   string
	}{
		{"v1.2.0", nil, Build{Satchel: "v1.2.0"}, "commit not recorded"},
		{"v1.2.0", vcs("false"), Build{"v1.2.0", commit, date, false}, "commit 0123456789ab of 2026-03-04"},
		{"(devel)", vcs("true"), Build{"devel-0123456789ab+dirty", commit, date, true}, "commit 0123456789ab of 2026-03-04, modified"},
		{"(devel)", nil, Build{Satchel: "devel"}, "commit not recorded"},
		{"", nil, Build{Satchel: "devel"}, "commit not recorded"},
		{"v0.0.0-20260304050607-0123456789ab", nil, Build{"v0.0.0-20260304050607-0123456789ab", "0123456789ab", date, false}, "commit 0123456789ab of 2026-03-04"},
		{"v1.2.1-0.20260304050607-0123456789ab+dirty", nil, Build{"v1.2.1-0.20260304050607-0123456789ab+dirty", "0123456789ab", date, false}, "commit 0123456789ab of 2026-03-04"},
		{"v1.2.1-0.20269904050607-0123456789ab", nil, Build{"v1.2.1-0.20269904050607-0123456789ab", "0123456789ab", "", false}, "commit 0123456789ab"},
	} {
		got := readBuild(&debug.BuildInfo{Main: debug.Module{Version: tt.version}, Settings: tt.settings}, true)
		if got != tt.want || got.Origin() != tt.origin {
			t.Errorf("readBuild(%s) = %+v, %q, want %+v, %q", tt.version, got, got.Origin(), tt.want, tt.origin)
		}
	}
	if got := readBuild(nil, false); got.Satchel != "unknown" {
		t.Errorf("without a record: %+v", got)
	}
}

// TestReleaseBuild: what the linker was told of a release is what is printed, whatever
// the go command recorded.
func TestReleaseBuild(t *testing.T) {
	defer func(v, c, d string) { releaseVersion, releaseCommit, releaseDate = v, c, d }(releaseVersion, releaseCommit, releaseDate)
	releaseVersion, releaseCommit, releaseDate = "v1.2.0", "0123456789abcdef0123456789abcdef01234567", "2026-03-04T05:06:07Z"

	if got, want := ThisBuild(), (Build{releaseVersion, releaseCommit, releaseDate, false}); got != want {
		t.Errorf("thisBuild() = %+v, want %+v", got, want)
	}
	if got, want := ThisBuild().Origin(), "commit 0123456789ab of 2026-03-04"; got != want {
		t.Errorf("origin() = %q, want %q", got, want)
	}
	if got := Version(); got != releaseVersion {
		t.Errorf("version() = %q, want %q", got, releaseVersion)
	}
}
