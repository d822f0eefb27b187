// Site renders the documentation as static pages: the README as the front page,
// docs, the design notes and the change log, into a folder of the version. The
// pages need no network and no server: they work from file:// too, hold no script
// but the search over headings, and load nothing from elsewhere.
//
// A link or an anchor that leads nowhere is an error, and nothing is written then.
//
//	go run ./release/site -version v0.1.0 -out ../dist/site
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

func main() {
	root := flag.String("root", "..", "`folder` of satchel's source")
	version := flag.String("version", "devel", "`name` of the folder that is made, as v0.1.0")
	out := flag.String("out", "", "`folder` of the site, which may hold other versions")
	flag.Parse()
	if err := run(*root, *version, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// versionName is what a folder of a version may be called.
var versionName = regexp.MustCompile(`^(devel|v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?)$`)

func run(root, version, out string) error {
	if out == "" {
		return fmt.Errorf("site: -out must be given")
	}
	if !versionName.MatchString(version) {
		return fmt.Errorf("site: version %q: want vMAJOR.MINOR.PATCH or devel", version)
	}
	s, err := Read(os.DirFS(root), groups)
	if err != nil {
		return err
	}
	files, err := s.Render(version)
	if err != nil {
		return err
	}
	if err := replace(filepath.Join(out, version), files); err != nil {
		return err
	}
	return writeVersions(out)
}
