// Check looks at a release that GoReleaser has made, before or without publishing it:
// is everything there, is it what it says, and is what is linked in named where it has
// to be? It prints a line for each binary, and every fault that it finds.
//
//	go run ./release/check [-systems LIST] dist
//
// It reads files and starts no program. What it knows of the names of assets is what
// the installers know: release/install.sh, release/install.ps1.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// allSystems are those of a release.
const allSystems = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	systems := flag.String("systems", allSystems, "the systems that the release is for: a `list` of OS/ARCH")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: check [-systems LIST] FOLDER")
		os.Exit(2)
	}
	faults, err := run(flag.Arg(0), strings.Split(*systems, ","), os.Stdout)
	for _, f := range faults {
		fmt.Fprintln(os.Stderr, "check:", f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
	}
	if err != nil || len(faults) > 0 {
		os.Exit(1)
	}
}

// run checks the release in a folder, and prints what it consists of. An error is
// what keeps it from looking any further.
func run(dist string, systems []string, w io.Writer) (faults []string, err error) {
	r, err := open(dist)
	if err != nil {
		return nil, err
	}
	faults = append(r.checksums(), r.defined(systems)...)
	for _, s := range systems {
		system, bad := r.system(s)
		for _, b := range bad {
			faults = append(faults, s+": "+b)
		}
		if system != nil {
			fmt.Fprintf(w, "%-14s %10d bytes, %10d to download, %d modules, %s\n", s, system.size, system.download, len(system.modules), system.goVersion)
		}
	}
	return faults, nil
}
