package signal

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/rank"
)

// likelyTests is how many of the tests that resemble a task speak for the files
// that they test.
const likelyTests = 10

// measureTests lets tests that resemble the task vouch for what they test: the
// file they are named after, and the files they import. Tests describe
// behaviour in the words that reports use.
func (m *Measurement) measureTests() {
	words := m.Table.Column(rank.BM25F)
	var tests []int32
	for i, f := range m.files {
		if f.Class == outline.Test && words[i] > 0 {
			tests = append(tests, int32(i))
		}
	}
	if len(tests) == 0 {
		return
	}
	named := m.Table.Column(rank.TestNamed)
	byStem := map[string][]int32{} // the files of a stem that are no tests
	for _, t := range tests {
		stem := testedStem(m.lower[t])
		if stem == "" {
			continue
		}
		cands := m.modules()[stem]
		tested, ok := byStem[stem]
		if !ok {
			for _, i := range cands {
				if m.files[i].Class != outline.Test {
					tested = append(tested, i)
				}
			}
			if len(tested) > maxTested {
				tested = nil
			}
			byStem[stem] = tested
		}
		dir := path.Dir(m.lower[t])
		fam, depth := outline.Family(m.files[t].Lang), 1+strings.Count(dir, "/")
		for _, i := range tested {
			if outline.Family(m.files[i].Lang) != fam {
				continue
			}
			near := float32(1+commonPrefix(dir, path.Dir(m.lower[i]))) / float32(1+depth)
			named[i] = max(named[i], words[t]*(0.5+0.5*near)/float32(min(len(cands), 8)))
		}
	}
	slices.SortFunc(tests, func(a, b int32) int { return cmp.Or(cmp.Compare(words[b], words[a]), cmp.Compare(a, b)) })
	imports := m.Table.Column(rank.TestImports)
	r := m.resolver()
	for _, t := range tests[:min(len(tests), likelyTests)] {
		edges := r.imports(t)
		rel := words[t] / words[tests[0]]
		for _, e := range edges {
			if m.files[e.file].Class != outline.Test {
				imports[e.file] += rel * rel * e.weight / float32(len(edges))
			}
		}
	}
}

// maxTested is how many files may share the stem of a test that still means one
// of them: a name that half the repository bears says nothing, and would cost
// its square.
const maxTested = 100

// testedStem returns the stem of the file that a test is named after, or "".
func testedStem(lower string) string {
	stem := path.Base(strings.TrimSuffix(lower, path.Ext(lower)))
	for _, affix := range [...]string{"_test", ".test", ".spec", "-test", "_spec", "tests", "testcase", "test", "it"} {
		if s, ok := strings.CutSuffix(stem, affix); ok && s != "" {
			return s
		}
	}
	for _, affix := range [...]string{"test_", "test-", "tests_", "test"} {
		if s, ok := strings.CutPrefix(stem, affix); ok && s != "" {
			return s
		}
	}
	return stem // a test folder's file of the same name
}

// commonPrefix returns how many components two folders share from the root.
func commonPrefix(a, b string) int {
	n, same := 0, true
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			same = false
			break
		}
		if a[i] == '/' {
			n++
		}
	}
	if !same {
		return n
	}
	// One is a prefix of the other: its last component counts if it ends there.
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == len(b) || b[len(a)] == '/' {
		n++
	}
	return n
}
