package readonly

import "os"

// usual lists the files that describe a project, as hawk lists them.
var usual = []string{"go.mod", "package.json", "Cargo.toml", "README.md", "ARCHITECTURE.md", "AGENTS.md", ".env.example", "Makefile", "Dockerfile"}

// Usual returns the names of the files in a folder that describe a project, or nil
// without such a folder.
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
