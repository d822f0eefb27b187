package install

import (
	"bytes"
	"path/filepath"
	"slices"
)

// Projects returns the roots of the projects into whose settings satchel was installed,
// as far as the records say, sorted.
func Projects(o Options) (roots []string) {
	o.Scope = Project
	for _, r := range (ledger{o.stateDir()}).records() {
		if r.Scope != Project || !r.Client.Known() {
			continue
		}
		for o.Project = filepath.Dir(r.Path); ; o.Project = filepath.Dir(o.Project) {
			if slices.ContainsFunc(o.files(r.Client), func(f file) bool { return f.Path == r.Path }) {
				if !slices.Contains(roots, o.Project) {
					roots = append(roots, o.Project)
				}
				break
			}
			if o.Project == filepath.Dir(o.Project) {
				break // a file that this version does not write
			}
		}
	}
	slices.Sort(roots)
	return roots
}

// Mentioned reports whether any settings file of an agent names satchel, or cannot be
// read, so that it may.
func Mentioned(o Options, c Client) bool {
	return slices.ContainsFunc(o.files(c), func(f file) bool {
		text, err := glance(f.Path)
		return err == nil && bytes.Contains(text, []byte("satchel")) || err != nil && exists(f.Path)
	})
}

// Records returns the folder with copies and records of changed settings, or "".
func Records(o Options) string {
	if dir := o.stateDir(); exists(dir) {
		return dir
	}
	return ""
}
