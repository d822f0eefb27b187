package signal

import (
	"math"
	"path"

	"github.com/satchel-dev/satchel/internal/index"
	"github.com/satchel-dev/satchel/internal/outline"
	"github.com/satchel-dev/satchel/rank"
)

// Constants of the importance of a file without a task.
const (
	damping    = 0.85 // PageRank's, as published
	iterations = 20
)

// An Importance is what is known about a file without a task.
type Importance struct {
	Central float64 // log of the file's PageRank over imports, times the number of files
	Changed float64 // log of 1 + changes, recent ones counting more
	Kind    float64 // what its kind adds or takes
	Entry   float64 // a file that a reader starts from
}

// Value is the sum of the parts.
func (m Importance) Value() float64 {
	return centralWeight*m.Central + changedWeight*m.Changed + m.Kind + m.Entry
}

// Weights of the parts, fitted by hand on the development tasks: the share of
// the files that past tasks needed in a pack of 16,000 tokens.
const (
	centralWeight = 1.0
	changedWeight = 1.0
)

// Important measures every file of v without a task.
func Important(v *index.View) []Importance {
	m := newMeasurement(v, rank.Query{})
	m.measureKinds()
	m.measureMentions()
	if h := v.History(); h != nil && len(h.Commits) > 0 {
		m.measureChanges(h, m.filesOfHistory(h), h.Commits[0].Time)
	}
	central := m.pageRank()
	out := make([]Importance, len(m.files))
	churn, recent := m.Table.Column(rank.Churn), m.Table.Column(rank.Recent180)
	secondary := m.Table.Column(rank.Secondary)
	for i, f := range m.files {
		x := &out[i]
		x.Central = math.Log(central[i]*float64(len(m.files)) + 1e-9)
		x.Changed = float64(churn[i]) + math.Log1p(float64(recent[i]))
		switch f.Class {
		case outline.Source:
		case outline.Docs:
			x.Kind = -2
		case outline.Generated:
			x.Kind = -3
		default:
			x.Kind = -4
		}
		if secondary[i] > 0 {
			x.Kind -= 2
		}
		if entryPoint(path.Base(m.lower[i])) && path.Dir(f.Path) == "." {
			x.Entry = 3
		}
	}
	return out
}

// entryPoint reports whether readers of a repository start from a file of this
// name.
func entryPoint(name string) bool {
	switch name {
	case "readme.md", "readme.rst", "readme", "readme.txt", "architecture.md", "agents.md", "claude.md",
		"go.mod", "package.json", "cargo.toml", "pyproject.toml", "setup.py", "pom.xml", "build.gradle", "cmakelists.txt":
		return true
	}
	return false
}

// pageRank is PageRank over the imports of all files: what is imported by
// important files is important.
func (m *Measurement) pageRank() []float64 {
	n := len(m.files)
	r := m.resolver()
	links := make([][]edge, n)
	sums := make([]float64, n)
	for i := range n {
		links[i] = r.imports(int32(i))
		for _, e := range links[i] {
			sums[i] += float64(e.weight)
		}
	}
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 1 / float64(n)
	}
	for range iterations {
		lost := 0.0
		clear(y)
		for i, es := range links {
			if sums[i] == 0 {
				lost += x[i]
				continue
			}
			for _, e := range es {
				y[e.file] += damping * x[i] * float64(e.weight) / sums[i]
			}
		}
		rest := (1-damping)/float64(n) + damping*lost/float64(n)
		for i := range y {
			y[i] += rest
		}
		x, y = y, x
	}
	return x
}
