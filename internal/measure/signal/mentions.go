package signal

import (
	"math"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// measureMentions fills the columns about files that the task names.
func (m *Measurement) measureMentions() {
	named := m.Table.Column(rank.FileNamed)
	for _, file := range m.Query.Files {
		best, files := longestSuffix(file, m.lower, m.bases())
		s := float32(1)
		if best >= 2 {
			s = 2
		}
		s /= float32(math.Sqrt(float64(max(len(files), 1))))
		for _, i := range files {
			named[i] = max(named[i], s)
		}
	}
	trace := m.Table.Column(rank.InTraceback)
	for _, f := range m.Query.Frames {
		best, files := longestSuffix(f.Path, m.lower, m.bases())
		if len(files) > 2 || best < 2 && len(files) != 1 {
			continue
		}
		for _, i := range files {
			trace[i] = max(trace[i], f.Weight)
		}
	}
}

// longestSuffix returns the files that share the most trailing components with
// a path as the task wrote it, and how many those are.
func longestSuffix(file string, lower []string, byBase map[string][]int32) (int, []int32) {
	parts := strings.Split(strings.ToLower(strings.Trim(file, "./")), "/")
	base := &parts[len(parts)-1]
	if len(byBase[*base]) == 0 { // rank.Analyze cuts off the dot of .golangci.yml
		*base = "." + *base
	}
	best := 0
	var files []int32
	for _, i := range byBase[*base] {
		same := commonTail(parts, lower[i])
		if same > best {
			best, files = same, files[:0]
		}
		if same == best {
			files = append(files, i)
		}
	}
	return best, files
}

// commonTail returns how many of the last components of a path are the last of
// parts.
func commonTail(parts []string, path string) int {
	for n := 0; ; n++ {
		if n == len(parts) {
			return n
		}
		part := parts[len(parts)-1-n]
		rest, ok := strings.CutSuffix(path, part)
		switch {
		case !ok || rest != "" && rest[len(rest)-1] != '/' || strings.Contains(part, "/"):
			return n
		case rest == "":
			return n + 1
		}
		path = rest[:len(rest)-1]
	}
}

// measureNames fills the columns about identifiers that the task names.
func (m *Measurement) measureNames() {
	nd := len(m.docs)
	defined, used := make([]float32, nd), make([]float32, nd)
	m.ChunkName = make([]float32, len(m.chunks))
	for _, name := range m.Query.Names {
		found := m.docTerms(terms.Def(name.Spelling))
		for _, d := range found {
			defined[d.doc] += min(name.Weight, 3) / float32(len(found))
		}
		if len(found) > 0 {
			for _, p := range m.postings {
				m.ChunkName[p.Chunk] += max(min(name.Weight, 3), 0.5) / float32(len(found))
			}
		}
		if name.Weight == 0 {
			continue
		}
		term := terms.Ident(name.Spelling)
		if !terms.Compound(name.Spelling) {
			term = terms.Word(strings.ToLower(name.Spelling))
		}
		found = m.docTerms(term)
		if len(found) == 0 {
			continue
		}
		idf := float32(math.Log(1 + float64(len(m.files))/float64(len(found))))
		for _, d := range found {
			used[d.doc] += idf * min(1, name.Weight)
		}
	}
	m.toFiles(rank.NameDefined, defined)
	m.toFiles(rank.NameUsed, used)
}

// countPhrases counts the identifiers that join neighbouring words of the task.
func (m *Measurement) countPhrases() {
	m.joined = make([][2]int32, len(m.Query.Phrases))
	for i, p := range m.Query.Phrases {
		for k, term := range [...]uint64{p.Joined, p.Snake} {
			m.postings = m.View.Postings(m.postings[:0], term)
			m.joined[i][k] = int32(len(m.postings))
		}
	}
}
