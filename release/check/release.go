package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// A dist is the folder that GoReleaser writes.
type dist struct {
	folder  string
	version string            // of the release, without v
	sums    map[string]string // checksums.txt: SHA-256 by file name
}

// versionLine takes the version of a release out of what its archives are called.
var versionLine = lazy.Regexp(`^satchel_(.+)_(?:linux|darwin|windows)_(?:amd64|arm64)(?:_preview)?\.(?:tar\.gz|zip)$`)

// open reads checksums.txt.
func open(folder string) (*dist, error) {
	f, err := os.Open(filepath.Join(folder, "checksums.txt"))
	if err != nil {
		return nil, err
	}
	defer f.Close()

	r := &dist{folder: folder, sums: make(map[string]string)}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		if !ok || len(sum) != hex.EncodedLen(sha256.Size) || name != filepath.Base(name) {
			return nil, fmt.Errorf("checksums.txt: %q is not a line of sha256sum", lines.Text())
		}
		r.sums[name] = sum
		if m := versionLine().FindStringSubmatch(name); m != nil {
			if r.version != "" && r.version != m[1] {
				return nil, fmt.Errorf("checksums.txt: archives of the versions %s and %s", r.version, m[1])
			}
			r.version = m[1]
		}
	}
	if r.version == "" {
		return nil, errors.New("checksums.txt: names no archive")
	}
	return r, nil
}

// published are the endings of what users download.
var published = []string{".tar.gz", ".zip", ".deb", ".rpm", ".apk", ".cdx.json"}

// checksums compares every file with what checksums.txt says, in both directions.
func (r *dist) checksums() (faults []string) {
	for name, want := range r.sums {
		folder := r.folder
		if name == "install.sh" || name == "install.ps1" { // published as they are
			folder = filepath.Join(r.folder, "..", "release")
		}
		got, err := sum(filepath.Join(folder, name))
		switch {
		case errors.Is(err, os.ErrNotExist):
			faults = append(faults, name+": listed in checksums.txt, and not there")
		case err != nil:
			faults = append(faults, err.Error())
		case got != want:
			faults = append(faults, fmt.Sprintf("%s: has SHA-256 %s, checksums.txt says %s", name, got, want))
		}
	}
	entries, err := os.ReadDir(r.folder)
	if err != nil {
		return append(faults, err.Error())
	}
	for _, e := range entries {
		ends := func(ending string) bool { return strings.HasSuffix(e.Name(), ending) }
		if _, listed := r.sums[e.Name()]; !listed && slices.ContainsFunc(published, ends) {
			faults = append(faults, e.Name()+": not listed in checksums.txt")
		}
	}
	slices.Sort(faults)
	return faults
}

func sum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// definitions are the files that other installers are told by, below the folder of the
// release.
var definitions = []string{"homebrew/Casks/satchel.rb", "scoop/satchel.json"}

// assetURL and assetSum take what a definition downloads, and what it has to be, out
// of either format.
var (
	assetURL = lazy.Regexp(`"https://github\.com/satchel-dev/satchel/releases/download/[^"/]+/([^"/]+)"`)
	assetSum = lazy.Regexp(`(?:sha256|"hash":) "([0-9a-f]{64})"`)
)

// defined compares what the definitions download with checksums.txt, and finds which
// of the systems none of them has.
func (r *dist) defined(systems []string) (faults []string) {
	have := make(map[string]bool)
	for _, name := range definitions {
		b, err := os.ReadFile(filepath.Join(r.folder, filepath.FromSlash(name)))
		if errors.Is(err, os.ErrNotExist) {
			continue // what it would have is missed below
		}
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		urls, sums := assetURL().FindAllSubmatch(b, -1), assetSum().FindAllSubmatch(b, -1)
		if len(urls) == 0 || len(urls) != len(sums) {
			faults = append(faults, fmt.Sprintf("%s: %d files to download and %d sums", name, len(urls), len(sums)))
		}
		listed := make(map[string]bool) // the sums stand before or behind the files
		for _, s := range sums {
			listed[string(s[1])] = true
		}
		for _, u := range urls {
			asset := strings.ReplaceAll(string(u[1]), "#{version}", r.version)
			if want := r.sums[asset]; len(urls) == len(sums) && (want == "" || !listed[want]) {
				faults = append(faults, fmt.Sprintf("%s: downloads %s, without the sum that checksums.txt has", name, asset))
			}
			have[asset] = true
		}
	}
	for _, s := range systems {
		goos, goarch, _ := strings.Cut(s, "/")
		if !have[r.archiveName(goos, goarch)] {
			faults = append(faults, fmt.Sprintf("%s: neither of %s has it", s, strings.Join(definitions, " and ")))
		}
	}
	return faults
}

// components returns path@version of everything that an SBOM names.
func (r *dist) components(name string) ([]string, error) {
	b, err := os.ReadFile(filepath.Join(r.folder, name))
	if err != nil {
		return nil, err
	}
	var bom struct {
		Format     string `json:"bomFormat"`
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal(b, &bom); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if bom.Format != "CycloneDX" {
		return nil, fmt.Errorf("%s: its format is %q, want CycloneDX", name, bom.Format)
	}
	var all []string
	for _, c := range bom.Components {
		all = append(all, c.Name+"@"+c.Version)
	}
	return all, nil
}
