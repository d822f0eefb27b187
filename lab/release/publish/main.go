// Publish makes what npm, the MCP registry and the marketplaces of plugins are
// given of a release, all with the version of that release:
//
//	OUT/npm/satchel            the npm package that people install: a launcher
//	OUT/npm/satchel-OS-CPU     six packages with the program, by platform
//	OUT/mcp/server.json        the entry of the MCP registry
//	OUT/marketplace            the repository of plugins of Claude Code and Codex
//	OUT/gemini-extension       the repository of the extension of Gemini CLI
//
// It uploads nothing: release/npm/publish.sh does. The same version and programs
// give the same bytes.
//
//	go run ./release/publish -version 0.1.0 -binaries ../dist -out ../dist/publish
package main

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"
)

func main() {
	root := flag.String("root", "..", "`folder` of satchel's source")
	version := flag.String("version", "", "version of the release, as in 0.1.0")
	binaries := flag.String("binaries", "", "`folder` below which the six programs lie, as GoReleaser or release/build.sh leave them")
	also := flag.String("also", "", "`files` beside each program, as licences of others; comma-separated")
	out := flag.String("out", "", "`folder` to make")
	flag.Parse()
	if err := publish(*root, *version, *binaries, *also, *out); err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
}

func publish(root, version, binaries, also, out string) error {
	version = strings.TrimPrefix(version, "v")
	if !semver.IsValid("v"+version) || semver.Canonical("v"+version) != "v"+version {
		return fmt.Errorf("version %q: want MAJOR.MINOR.PATCH, perhaps with -PRERELEASE", version)
	}
	if binaries == "" || out == "" {
		return fmt.Errorf("-binaries and -out must be given")
	}
	src, err := readSource(root, also)
	if err != nil {
		return err
	}
	programs, err := findPrograms(binaries)
	if err != nil {
		return err
	}

	all := tree{}
	for name, files := range npmPackages(src, version, programs) {
		all.add(path.Join("npm", name), files)
	}
	all.add("mcp", tree{"server.json": {text: serverJSON(version)}})
	all.add("marketplace", marketplace(src, version))
	all.add("gemini-extension", extension(src, version))
	return all.write(out)
}

// A source is what the packages take from satchel's source as it is.
type source struct {
	license, launcher, readme, market, extension []byte
	also                                         map[string][]byte // by base name
}

func readSource(root, also string) (source, error) {
	s := source{also: map[string][]byte{}}
	for name, text := range map[string]*[]byte{"LICENSE": &s.license, "release/npm/launcher.js": &s.launcher, "release/npm/README.md": &s.readme, "release/plugin/README.md": &s.market, "release/extension/README.md": &s.extension} {
		var err error
		if *text, err = os.ReadFile(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			return s, err
		}
	}
	if also == "" {
		return s, nil
	}
	for name := range strings.SplitSeq(also, ",") {
		text, err := os.ReadFile(name)
		if err != nil {
			return s, err
		}
		s.also[filepath.Base(name)] = text
	}
	return s, nil
}
