// Command census counts the house: lines of code by package, functions that are
// long, and exported names that nobody outside their package uses.
//
//	cd lab && go run ./census            # the table
//	cd lab && go run ./census -packages  # the lines of each package too
//	cd lab && go run ./census -names     # the exported names that nobody needs, a line each
//	cd lab && go run ./census -long      # the functions over 60 lines, the longest first
//
// A line of code is one that is neither blank nor a comment alone, counted as by
// grep -v -E '^\s*(//.*)?$'. Test data is not counted at all.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	var show views
	root := flag.String("root", "..", "the `folder` of the main module")
	flag.BoolVar(&show.packages, "packages", false, "print the lines of each package too")
	flag.BoolVar(&show.long, "long", false, "print the functions over 60 lines instead")
	flag.BoolVar(&show.names, "names", false, "print the exported names that no other package of the product needs instead")
	flag.Parse()
	if err := run(os.Stdout, *root, show); err != nil {
		fmt.Fprintln(os.Stderr, "census:", err)
		os.Exit(1)
	}
}

// views are what a caller asks for besides the table, or instead of it.
type views struct{ packages, long, names bool }

func run(w io.Writer, root string, show views) error {
	files, err := parse(os.DirFS(root))
	if err != nil {
		return err
	}
	if show.long {
		printLong(w, functions(files))
		return nil
	}

	names, err := exported(root, filepath.Join(root, "lab"))
	if err != nil {
		return err
	}
	if show.names {
		printNames(w, names)
		return nil
	}

	inside, err := folders(filepath.Join(root, "internal"))
	if err != nil {
		return err
	}
	printTable(w, files, functions(files), names, inside)
	if show.packages {
		fmt.Fprintln(w)
		printPackages(w, files)
	}
	return nil
}

// folders counts the folders that lie directly in dir.
func folders(dir string) (n int, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			n++
		}
	}
	return n, err
}
