package ranking

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
)

var benchSizes = []int{100, 10_000}

const benchTask = "Retry with backoff times out behind a proxy\n\n`Client.Connect` gives up although the proxy answers. " +
	"Expected the timeout of config to be honoured for each request; see d3/f7.go."

// benchView makes a view of n Go files whose words are as unevenly common as
// those of programs.
func benchView(b *testing.B, n int) *index.View {
	b.Helper()
	r := rand.New(rand.NewPCG(uint64(n), 1))
	words := strings.Fields("client server proxy timeout retry backoff connect config request response error read write open close " +
		"buffer stream token parse render index query result file path line state event handler queue worker context cancel value")
	for i := range 3000 {
		words = append(words, fmt.Sprintf("%s%s%d", words[i%30], words[(i*7)%30], i))
	}
	word := func() string { return words[int(float64(len(words))*r.Float64()*r.Float64()*r.Float64())] }
	dir := b.TempDir()
	for i := range n {
		var s strings.Builder
		fmt.Fprintf(&s, "// Package d%d is about %s and %s.\npackage d%d\n\nimport \"example.org/x/d%d\"\n", i/20, word(), word(), i/20, r.IntN(n/20+1))
		for k := range 4 + r.IntN(8) {
			name := word()
			fmt.Fprintf(&s, "\n// %s%d does %s to the %s.\nfunc %s%d(%s int) {\n", name, k, word(), word(), name, k, word())
			for range 3 + r.IntN(12) {
				fmt.Fprintf(&s, "\t%s := %s(%s.%s)\n", word(), word(), word(), word())
			}
			s.WriteString("}\n")
		}
		name := filepath.Join(dir, fmt.Sprintf("d%d", i/20), fmt.Sprintf("f%d.go", i%20))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(s.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	f, err := git.OpenFolder(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	x, err := index.Open(index.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { x.Close() })
	v, err := x.View(context.Background(), f, "")
	if err != nil {
		b.Fatal(err)
	}
	return v
}

// BenchmarkStages measures what happens to a task, stage by stage.
func BenchmarkStages(b *testing.B) {
	for _, n := range benchSizes {
		v := benchView(b, n)
		q := rank.Analyze(benchTask)
		models := rank.Models{}.OrDefault()
		m := signal.First(v, q)
		f := m.Table.Scale()
		scores := models.First.Scores(m.Table, f)
		seeds, weights := rank.Seeds(scores, Seeds)
		r := Rank(v, q, models)
		list := r.Chunks(CandidateFiles)
		reader := NewReader(v)
		if err := reader.Load(context.Background(), r.Order[:CandidateFiles]); err != nil {
			b.Fatal(err)
		}
		for _, stage := range []struct {
			name string
			run  func()
		}{
			{"analyze", func() { rank.Analyze(benchTask) }},
			{"first", func() { signal.First(v, q) }},
			{"scale", func() { m.Table.Scale() }},
			{"second", func() { m.Second(seeds, weights, scores) }},
			{"rank", func() { Rank(v, q, models) }},
			{"chunks", func() { r.Chunks(CandidateFiles) }},
			{"items", func() { reader.Items(list, r.TermWeights()) }},
			{"important", func() { signal.Important(v, 0) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", stage.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					stage.run()
				}
			})
		}
	}
}
