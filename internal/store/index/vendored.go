package index

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
)

// vendorNote is kept as the class of a document that declares its folder
// vendored. Outside this package it is a document like any other.
const vendorNote outline.Class = "vendor note"

// markVendored marks the files below each folder whose README declares it
// vendored. The files are sorted by path.
func markVendored(files []File) {
	for i := range files {
		f := &files[i]
		if f.Class != vendorNote {
			continue
		}
		f.Class = outline.Docs
		if f.Vendored {
			continue // and so is its folder
		}
		dir := path.Dir(f.Path) + "/"
		first, _ := slices.BinarySearchFunc(files, dir, func(f File, dir string) int { return cmp.Compare(f.Path, dir) })
		for k := first; k < len(files) && strings.HasPrefix(files[k].Path, dir); k++ {
			files[k].Vendored = true
		}
	}
}
