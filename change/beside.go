package change

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
)

// Limits of what is read of each file's changed lines to compare it with the
// other files of its changeset. More tells nothing new, and a changeset may be
// 100 MB.
const (
	maxWordBytes = 64 << 10
	maxWords     = 4000  // distinct words of a file
	maxBits      = 10000 // of information in a change, on a scale on which so many are 1
	bytesPerWord = 12    // of a change there are about so many for each distinct word
	minName      = 4     // letters of a name that says something where it occurs
)

// A setMeasure is what the files of a changeset have in common.
type setMeasure struct {
	code    int   // changed lines of files of code
	counts  []int // changed lines of each file of code, descending
	words   []wordsOf
	files   map[uint64]int32 // files whose changed lines hold a word
	stems   map[string]int   // files of each stem
	tests   map[string]bool  // stems of what the tests are named after
	folders map[string]int
	names   map[uint64]int32 // files in whose path a word stands
}

// wordsOf are the words of one file's changed lines.
type wordsOf struct {
	count   map[uint64]int32
	total   int
	lines   int
	repeats int
}

func newSetMeasure(files []Scored) *setMeasure {
	s := &setMeasure{words: make([]wordsOf, len(files)), files: map[uint64]int32{}, stems: map[string]int{}, tests: map[string]bool{}, folders: map[string]int{}, names: map[uint64]int32{}}
	for i := range files {
		f := &files[i]
		if isCode(f) {
			changed := f.File.Added + f.File.Removed
			s.code += changed
			s.counts = append(s.counts, changed)
		}
		s.folders[path.Dir(f.Path)]++
		stem := stemOf(f.Path)
		s.stems[stem]++
		if f.Class == "test" {
			s.tests[testedStem(stem)] = true
		}
		for _, h := range pathHashes(f.Path) {
			s.names[h]++
		}
		if readable(f) {
			s.words[i] = wordsIn(f)
			for w := range s.words[i].count {
				s.files[w]++
			}
		}
	}
	slices.SortFunc(s.counts, func(a, b int) int { return b - a })
	return s
}

// isCode reports whether a file counts when the sizes of changes are compared.
func isCode(f *Scored) bool { return f.Class == "source" || f.Class == "" }

// readable reports whether the words of a file's change are worth comparing.
func readable(f *Scored) bool {
	switch f.Class {
	case "lock", "vendored", "generated", "minified", "binary", "data":
		return false
	}
	return true
}

// pathHashes are the folders of a path, its stem, and their words, each once.
func pathHashes(name string) []uint64 {
	var out []uint64
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		out = append(out, foldHash(part))
	}
	stem := stemOf(name)
	out = append(out, foldHash(stem), foldHash(testedStem(stem)))
	eachPathWord(strings.TrimSuffix(name, path.Ext(name)), func(w string) { out = append(out, foldHash(w)) })
	slices.Sort(out)
	return slices.Compact(out)
}

// testedStem is the stem of what a test is named after.
func testedStem(stem string) string {
	for _, affix := range [...]string{"test_", "test-", "tests_"} {
		stem = strings.TrimPrefix(stem, affix)
	}
	for _, affix := range [...]string{"_test", "_tests", "-test", "_spec", "-spec", "tests", "test", "spec"} {
		if s, ok := strings.CutSuffix(stem, affix); ok && s != "" {
			return strings.TrimRight(s, "_-")
		}
	}
	return stem
}

// shareOf is a file's share of the changed lines of code.
func (s *setMeasure) shareOf(f *Scored) float64 {
	if s.code == 0 || !isCode(f) {
		return 0
	}
	return float64(f.File.Added+f.File.Removed) / float64(s.code)
}

// rankOf discounts a file's rank among those of code by size.
func (s *setMeasure) rankOf(f *Scored) float64 {
	if !isCode(f) {
		return 0
	}
	rank, _ := slices.BinarySearchFunc(s.counts, f.File.Added+f.File.Removed, func(a, b int) int { return b - a })
	return 1 / (1 + math.Log2(1+float64(rank)))
}

// beside measures a file against the others of its changeset.
func (s *setMeasure) beside(m *measure, i int) {
	f := m.f
	w := &s.words[i]
	if w.total > 0 {
		// One word has none, which counts: the signal is there, with the value 0.
		m.out = append(m.out, satchel.Signal{Name: sigEntropy, Value: min(math.Log1p(float64(w.total)*w.entropy())/math.Log1p(maxBits), 1.2)})
		m.set(sigRepeats, float64(w.repeats)/float64(w.lines))
	}
	others := len(s.words) - 1
	if others < 1 {
		return
	}
	// Names that this file's edits define, and its own name, in the others.
	users := int32(0)
	for k := range f.Edits {
		if name := f.Edits[k].Name; len(name) >= minName && len(name) < 200 {
			users = max(users, s.elsewhere(w, wordHash(name)))
		}
	}
	m.set(sigBeside, float64(users)/float64(others))
	stem := stemOf(f.Path)
	if len(stem) >= minName && !genericStems[stem] && f.Class != "test" {
		m.set(sigNamed, float64(s.elsewhere(w, foldHash(stem)))/float64(others))
		m.set(sigTheme, float64(s.names[foldHash(stem)]-1)/float64(others))
		m.is(sigPaired, s.tests[stem])
	}
	m.set(sigFolder, float64(s.folders[path.Dir(f.Path)]-1)/float64(others))
}

// elsewhere counts the other files that have a word.
func (s *setMeasure) elsewhere(w *wordsOf, h uint64) int32 {
	n := s.files[h]
	if w.count[h] > 0 {
		n--
	}
	return n
}

// wordsIn reads the words of the changed lines: each as it is, and folded, so
// that the file user_store is found as userStore, UserStore and user_store.
func wordsIn(f *Scored) wordsOf {
	left := maxWordBytes
	size := 0
	for i := range f.Hunks {
		size += len(f.Hunks[i].Body)
	}
	size = min(size, left)
	w := wordsOf{count: make(map[uint64]int32, size/bytesPerWord)}
	seen := make(map[uint64]bool, min(f.File.Added+f.File.Removed, size/bytesPerWord))
	for i := range f.Hunks {
		for line := range strings.Lines(f.Hunks[i].Body) {
			if line[0] != '+' && line[0] != '-' {
				continue
			}
			text := []byte(line[1:min(len(line), 1+left)])
			left -= len(text)
			h := hashLine(text)
			if h != hashSeed && len(text) > 3 {
				w.lines++
				if seen[h] {
					w.repeats++
				}
				seen[h] = true
			}
			eachWord(text, func(word, _ []byte) {
				if len(word) < 2 || len(word) > 100 || len(w.count) >= maxWords {
					return
				}
				w.total++
				exact := wordHash(string(word))
				w.count[exact]++
				if folded := foldHash(string(word)); len(word) >= minName && folded != exact {
					w.count[folded] = max(w.count[folded], 1)
				}
			})
			if left <= 0 {
				return w
			}
		}
	}
	return w
}

func wordHash(s string) uint64 {
	h := uint64(hashSeed)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

// foldHash hashes a word without its case, underscores and hyphens.
func foldHash(s string) uint64 {
	h := uint64(hashSeed) + 1
	for i := range len(s) {
		c := s[i]
		if c == '_' || c == '-' {
			continue
		}
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// entropy is the mean information of a word, in bits.
func (w *wordsOf) entropy() float64 {
	counts := make([]int, 0, len(w.count))
	total := 0
	for _, n := range w.count {
		counts = append(counts, int(n))
		total += int(n)
	}
	slices.Sort(counts)
	h := 0.0
	for _, n := range counts {
		p := float64(n) / float64(total)
		h -= p * math.Log2(p)
	}
	return h
}
