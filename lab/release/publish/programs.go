package main

import (
	"debug/buildinfo"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A platform is a pair of GOOS and GOARCH with the names that node has for them.
type platform struct{ goos, goarch, os, cpu string }

// platforms are those that satchel is released for. The program is static, so that
// one for Linux serves glibc and musl.
var platforms = []platform{
	{"darwin", "amd64", "darwin", "x64"},
	{"darwin", "arm64", "darwin", "arm64"},
	{"linux", "amd64", "linux", "x64"},
	{"linux", "arm64", "linux", "arm64"},
	{"windows", "amd64", "win32", "x64"},
	{"windows", "arm64", "win32", "arm64"},
}

func (p platform) String() string { return p.goos + "/" + p.goarch }

// program is the name of the program on a platform.
func (p platform) program() string {
	if p.goos == "windows" {
		return "satchel.exe"
	}
	return "satchel"
}

// programName is what GoReleaser and release/build.sh call a program.
var programName = regexp.MustCompile(`^satchel(_[a-z]+_[a-z0-9]+)?(\.exe)?$`)

// findPrograms finds the program of each platform below a folder. What a program is
// for stands in itself: names may lie.
func findPrograms(dir string) (map[platform]string, error) {
	found := map[platform]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !programName.MatchString(d.Name()) {
			return err
		}
		p, err := platformOf(name)
		if err != nil {
			return err
		}
		if other := found[p]; other != "" {
			return fmt.Errorf("%s and %s are both for %s", other, name, p)
		}
		found[p] = name
		return nil
	})
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, p := range platforms {
		if found[p] == "" {
			missing = append(missing, p.String())
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("%s: no program for %s", dir, strings.Join(missing, ", "))
	}
	return found, nil
}

// platformOf says what a program was built for, and refuses one that takes a C
// library.
func platformOf(name string) (platform, error) {
	built, err := buildinfo.ReadFile(name)
	if err != nil {
		return platform{}, err
	}
	settings := map[string]string{}
	for _, s := range built.Settings {
		settings[s.Key] = s.Value
	}
	if settings["CGO_ENABLED"] != "0" {
		return platform{}, fmt.Errorf("%s is built with CGO_ENABLED=%s, want 0", name, settings["CGO_ENABLED"])
	}
	at := slices.IndexFunc(platforms, func(p platform) bool { return p.goos == settings["GOOS"] && p.goarch == settings["GOARCH"] })
	if at < 0 {
		return platform{}, fmt.Errorf("%s is for %s/%s, which nothing is published for", name, settings["GOOS"], settings["GOARCH"])
	}
	return platforms[at], nil
}
