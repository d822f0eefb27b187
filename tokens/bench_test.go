package tokens

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var corpus = flag.String("corpus", "", "a `file` to count in the benchmarks, in place of their own text")

// benchText is code and prose of which no line repeats exactly.
func benchText(b *testing.B) []byte {
	b.Helper()
	if *corpus != "" {
		text, err := os.ReadFile(*corpus)
		if err != nil {
			b.Fatal(err)
		}
		return text
	}
	var all strings.Builder
	for _, name := range []string{"encoding.go", "vocabulary.go", "merge.go", "split.go", "encoding_test.go", "vocabulary/ORIGIN.txt", "testdata/vectors.mjs"} {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		all.Write(text)
	}
	return []byte(all.String())
}

func benchmarkEach(b *testing.B, text []byte, f func(e *Encoding)) {
	b.Helper()
	for _, e := range encodings() {
		b.Run(e.Name(), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				f(e)
			}
		})
	}
}

func BenchmarkCount(b *testing.B) {
	text := benchText(b)
	benchmarkEach(b, text, func(e *Encoding) { e.CountBytes(text) })
}

// BenchmarkCountLines counts line by line, as short texts are counted.
func BenchmarkCountLines(b *testing.B) {
	text := benchText(b)
	lines := strings.SplitAfter(string(text), "\n")
	benchmarkEach(b, text, func(e *Encoding) {
		for _, l := range lines {
			e.Count(l)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	text := string(benchText(b))
	ids := make([]uint32, 0, len(text))
	benchmarkEach(b, []byte(text), func(e *Encoding) { ids = e.Encode(ids[:0], text) })
}

// BenchmarkSplit is the part of a count that cuts the text into pieces.
func BenchmarkSplit(b *testing.B) {
	text := benchText(b)
	benchmarkEach(b, text, func(e *Encoding) {
		for i := 0; i < len(text); {
			i = e.next(text, i)
		}
	})
}

// BenchmarkMerge merges the pieces of a text that are no tokens, each once.
func BenchmarkMerge(b *testing.B) {
	text := benchText(b)
	for _, e := range encodings() {
		seen := make(map[string]bool)
		var pieces [][2]int
		bytes := 0
		for i := 0; i < len(text); {
			j := e.next(text, i)
			if piece := string(text[i:j]); !seen[piece] && e.vocabulary.rankAt(text, i, j) == none {
				seen[piece] = true
				pieces = append(pieces, [2]int{i, j})
				bytes += j - i
			}
			i = j
		}
		b.Run(e.Name(), func(b *testing.B) {
			b.SetBytes(int64(bytes))
			s := new(scratch)
			for b.Loop() {
				for _, p := range pieces {
					e.vocabulary.merge(s, text, p[0], p[1])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(pieces)), "ns/piece")
		})
	}
}

// BenchmarkLetter counts a megabyte of one letter, which is one piece.
func BenchmarkLetter(b *testing.B) {
	text := []byte(strings.Repeat("a", 1<<20))
	benchmarkEach(b, text, func(e *Encoding) { e.CountBytes(text) })
}

// BenchmarkOpen is what the first use of an encoding costs, without the page
// faults of its first lookups.
func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		openVocabulary(o200kTable)
	}
}
