package readonly

import "os"

// usual are the files that say what a project is, as hawk lists them.
var usual = []string{"go.mod", "package.json", "Cargo.toml", "README.md", "ARCHITECTURE.md", "AGENTS.md", ".env.example", "Makefile", "Dockerfile"}

// Usual returns the names of the files in a folder that usually are worth keeping
// at hand, because of their names alone; none if there is no such folder.
func Usual(dir string) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	var out []string
	for _, name := range usual {
		if st, err := root.Lstat(name); err == nil && st.Mode().IsRegular() {
			out = append(out, name)
		}
	}
	return out
}
