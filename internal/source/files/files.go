// Package files tells about the files of a project what no request for context does:
// what is left out and why, how many tokens they take, which documents no longer hold.
package files

import "github.com/satchel-dev/satchel/internal/scene/project"

// Files are those of a project.
type Files struct{ project *project.Project }

// New returns the files of a project.
func New(p *project.Project) Files { return Files{p} }
