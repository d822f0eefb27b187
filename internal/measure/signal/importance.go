package signal

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// An Importance is what speaks for showing a file to somebody who has not said
// what for. Its parts are in the units of a score: logarithms of odds.
type Importance struct {
	Central float64 // how central the file is among imports and uses of names
	Changed float64 // how much it changed lately
	Size    float64 // how much there is to it
	Kind    float64 // what its class and folder take
	Entry   float64 // a reader starts from it
}

// Value is the sum of the parts.
func (m Importance) Value() float64 { return m.Central + m.Changed + m.Size + m.Kind + m.Entry }

// Weights of the parts. They are a logistic fit to the files that the 411
// development tasks needed, each among all files of its repository, rounded;
// fitted on four fifths of the repositories they show as much on the last fifth.
// More signals (all churn, the last month's, depth, degree, the language's share)
// gave nothing on repositories that the fit had not seen. Centrality gives little
// where there is a history; where there is none it is, after size, all there is.
const (
	centralWeight = 0.15
	changedWeight = 0.65
	sizeWeight    = 0.5

	secondaryTakes = 1.8
	testTakes      = 4.0
	docsTakes      = 3.2
	configTakes    = 3.0
	dataTakes      = 2.8
	generatedTakes = 2.5 // fitted 0.9; but nobody reads them to learn what a program does
)

// Judgement, not fitted: what tasks change is not what a reader starts from.
const (
	readmeGives   = 8.0
	manifestGives = 2.5
	mainGives     = 1.0
	historyTakes  = 2.0 // change logs, licences, lists of people
)

// Constants of the measurements.
const (
	damping      = 0.85 // PageRank's, as published
	iterations   = 20
	maxDefiners  = 5    // a name that more documents define connects nothing
	plainSize    = 4000 // bytes that a file other than code counts as
	plainCentral = 0.05 // of a mean file's rank, added so that none is nothing
	recentScale  = 10   // of the changes of the last half year
	testVotes    = 0.2  // how much a test's imports count beside a source file's
	otherVotes   = 0.05 // and those of documents and the rest
)

// Important measures every file of v without a task. For now see rank.Query.
func Important(v *index.View, now int64) []Importance {
	m := newMeasurement(v, rank.Query{Now: now})
	m.measureKinds()
	if h := v.History(); h != nil && len(h.Commits) > 0 {
		m.measureChanges(m.now(h))
	}
	central := m.central()
	recent, secondary := m.Table.Column(rank.Recent180), m.Table.Column(rank.Secondary)
	out := make([]Importance, len(m.files))
	for i, f := range m.files {
		x := &out[i]
		x.Central = centralWeight * math.Log(central[i]*float64(len(m.files))+plainCentral)
		x.Changed = changedWeight * math.Log1p(recentScale*float64(recent[i]))
		size := float64(plainSize)
		switch f.Class {
		case outline.Source, outline.Test:
			size = float64(f.Size)
		}
		x.Size = sizeWeight * math.Log1p(max(size, 0)) // below 0 if its object is missing
		switch f.Class {
		case outline.Source:
		case outline.Test:
			x.Kind = -testTakes
		case outline.Docs:
			x.Kind = -docsTakes
		case outline.Config:
			x.Kind = -configTakes
		case outline.Generated:
			x.Kind = -generatedTakes
		default:
			x.Kind = -dataTakes
		}
		if secondary[i] > 0 || f.Path[0] == '.' || strings.Contains(f.Path, "/.") {
			x.Kind -= secondaryTakes
		}
		x.Entry = entry(m.lower[i], f.Class)
	}
	return out
}

// entry returns what the name of a file, in lower case, says about reading it
// first.
func entry(name string, class outline.Class) float64 {
	base := path.Base(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	depth := strings.Count(name, "/")
	switch {
	case class == outline.Docs && recordStems[stem]:
		return -historyTakes
	case depth == 0 && Readme(name):
		return readmeGives
	case depth == 0 && manifests[base]:
		return manifestGives
	case class == outline.Source && depth <= mainDepth && mainStems[stem]:
		return mainGives
	}
	return 0
}

// mainDepth is how deep an entry point lies at most, as crates/core/src/main.rs
// does.
const mainDepth = 3

var (
	manifests = map[string]bool{
		"architecture.md": true, "agents.md": true, "claude.md": true, "go.mod": true, "package.json": true, "cargo.toml": true,
		"pyproject.toml": true, "setup.py": true, "pom.xml": true, "build.gradle": true, "build.gradle.kts": true,
		"cmakelists.txt": true, "makefile": true, "composer.json": true, "gemfile": true,
	}
	mainStems   = map[string]bool{"main": true, "__main__": true, "lib": true, "app": true, "cli": true}
	recordStems = map[string]bool{
		"changelog": true, "changes": true, "history": true, "news": true, "releases": true, "release_notes": true, "license": true,
		"licence": true, "copying": true, "authors": true, "contributors": true, "code_of_conduct": true, "security": true,
	}
)

// Readme reports whether a path, in lower case, is the first page of a folder.
func Readme(name string) bool {
	switch path.Base(name) {
	case "readme", "readme.md", "readme.rst", "readme.txt", "readme.adoc", "readme.markdown":
		return true
	}
	return false
}

// pageRank is PageRank over the imports of all files and the names they use:
// what important files need is important. Half of what a file gives follows
// either.
func (m *Measurement) pageRank() []float64 {
	n := len(m.files)
	start := make([]float64, n)
	total := 0.0
	for i, f := range m.files {
		switch f.Class {
		case outline.Source:
			start[i] = 1
		case outline.Test:
			start[i] = testVotes
		default:
			start[i] = otherVotes
		}
		total += start[i]
	}
	links := m.uses()
	r := m.resolver()
	for i := range n {
		links[i] = append(normal(links[i]), normal(r.imports(int32(i)))...)
	}
	sums := make([]float64, n)
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		start[i] /= total
		x[i] = start[i]
		for _, e := range links[i] {
			sums[i] += float64(e.weight)
		}
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
		for i := range y {
			y[i] += (1 - damping + damping*lost) * start[i]
		}
		x, y = y, x
	}
	return x
}

// normal returns edges whose weights sum to 1.
func normal(es []edge) []edge {
	var sum float32
	for _, e := range es {
		sum += e.weight
	}
	out := make([]edge, len(es))
	for k, e := range es {
		out[k] = edge{e.file, e.weight / sum}
	}
	return out
}

// uses connects each file with those that define the compound names in it:
// plain words name too much.
func (m *Measurement) uses() [][]edge {
	defs := m.definers()
	links := make([][]edge, len(m.files))
	sum := make([]float32, len(m.docs))
	var buf []index.TermCount
	var touched []int32
	for d := range m.docs {
		if !m.counted[d] {
			continue
		}
		buf = m.View.DocTerms(buf[:0], int32(d))
		touched = touched[:0]
		for _, t := range buf {
			if terms.KindOf(t.Term) != terms.KindIdent {
				continue
			}
			in := defs[t.Term]
			if len(in) == 0 || len(in) > maxDefiners || slices.Contains(in, int32(d)) {
				continue
			}
			w := float32(math.Sqrt(float64(t.N))) / float32(len(in))
			for _, x := range in {
				if sum[x] == 0 {
					touched = append(touched, x)
				}
				sum[x] += w
			}
		}
		es := make([]edge, 0, len(touched))
		for _, x := range touched {
			same := m.docFiles[x]
			for _, f := range same {
				es = append(es, edge{f, sum[x] / float32(len(same))})
			}
			sum[x] = 0
		}
		for _, f := range m.docFiles[d] {
			links[f] = es
		}
	}
	return links
}

// definers returns the documents that define each compound name, ascending.
func (m *Measurement) definers() map[uint64][]int32 {
	defs := map[uint64][]int32{}
	for d := range m.docs {
		if !m.counted[d] {
			continue
		}
		for _, s := range m.View.Symbols(int32(d)) {
			if !terms.Compound(s.Name) {
				continue
			}
			t := terms.Ident(s.Name)
			if in := defs[t]; len(in) == 0 || in[len(in)-1] != int32(d) {
				defs[t] = append(in, int32(d))
			}
		}
	}
	return defs
}
