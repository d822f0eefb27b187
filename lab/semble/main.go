// Command semble measures search on semble's public benchmark of labelled code
// searches: https://github.com/MinishLab/semble, folder benchmarks.
//
//	cd lab && go run ./semble -bench CLONE -mirror DIR
//
// CLONE is a clone of semble. DIR holds the repositories of its benchmark as
// OWNER+NAME/repo, bare or not, each with the revision that the benchmark names. A
// repository that is not there, or lacks that revision, is listed and left out.
//
// The score is NDCG@10 as semble computes it for tools that return files: relevance
// is binary, relevant and secondary labels count alike, a label is found by the first
// path that equals it or ends with it, and the ideal has all labels at the top. The
// headline of semble's own table is the mean over repositories.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/lab/train/tasks"
)

// depth is the number of files whose ranks count.
const depth = 10

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "semble: %v\n", err)
		os.Exit(1)
	}
}

// A repository is an element of benchmarks/repos.json.
type repository struct {
	Name, Language, URL, Revision string
	Root                          string `json:"benchmark_root"`
}

// A query is an element of a file in benchmarks/annotations.
type query struct {
	Query               string
	Category            string
	Relevant, Secondary []label
}

// A label is a path, in the benchmark a string or an object with lines.
type label string

func (l *label) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, (*string)(l)) == nil {
		return nil
	}
	var object struct{ Path string }
	err := json.Unmarshal(text, &object)
	*l = label(object.Path)
	return err
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("semble", flag.ContinueOnError)
	bench := fs.String("bench", "", "clone of semble")
	mirror := fs.String("mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	cache := fs.String("cache", filepath.Join(os.TempDir(), "satchel-semble"), "folder for indexes")
	if err := fs.Parse(args); err != nil {
		return err
	}
	var repos []repository
	if err := read(filepath.Join(*bench, "benchmarks", "repos.json"), &repos); err != nil {
		return err
	}

	var all table
	for _, r := range repos {
		var queries []query
		err := read(filepath.Join(*bench, "benchmarks", "annotations", r.Name+".json"), &queries)
		if err == nil {
			err = all.measure(ctx, r, queries, *mirror, filepath.Join(*cache, r.Name))
		}
		if err != nil {
			fmt.Fprintf(stderr, "left out: %s: %v\n", r.Name, err)
		}
	}
	if len(all.rows) == 0 {
		return errors.New("no repository could be searched")
	}
	all.print(stdout)
	return nil
}

func read(name string, into any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// A table holds the score of each query.
type table struct{ rows []row }

type row struct {
	repo, language, category string
	score                    float64
}

// measure adds the rows of a repository: all of them or, with an error, none.
func (t *table) measure(ctx context.Context, r repository, queries []query, mirror, cache string) error {
	name := strings.TrimSuffix(strings.TrimPrefix(r.URL, "https://github.com/"), ".git")
	dir, err := tasks.Repository(mirror, name)
	if err != nil {
		return err
	}
	e, err := engine.Open(ctx, &engine.Options{Dir: dir, CacheDir: cache})
	if err != nil {
		return err
	}
	defer e.Close()

	if len(queries) == 0 {
		return errors.New("no queries")
	}
	var rows []row
	for _, q := range queries {
		if len(q.Relevant)+len(q.Secondary) == 0 {
			return fmt.Errorf("query %q has no labels", q.Query)
		}
		req := engine.SearchRequest{Query: q.Query, Rev: r.Revision, Limit: depth}
		if r.Root != "" {
			req.Paths = []string{r.Root}
		}
		found, err := e.Search(ctx, req)
		if err != nil {
			return fmt.Errorf("query %q: %w", q.Query, err)
		}
		var files []string
		for _, f := range found.Files {
			files = append(files, f.Path)
		}
		rows = append(rows, row{r.Name, r.Language, q.Category, ndcg(files, slices.Concat(q.Relevant, q.Secondary))})
	}
	t.rows = append(t.rows, rows...)
	return nil
}

// ndcg is the normalized discounted cumulative gain of files, best first.
func ndcg(files []string, labels []label) float64 {
	found := make([]bool, depth)
	for _, l := range labels {
		if i := slices.IndexFunc(files, func(f string) bool { return matches(f, string(l)) }); i >= 0 && i < depth {
			found[i] = true
		}
	}
	gain, ideal := 0.0, 0.0
	for i := range depth {
		if found[i] {
			gain += 1 / math.Log2(float64(i+2))
		}
		if i < len(labels) {
			ideal += 1 / math.Log2(float64(i+2))
		}
	}
	return gain / ideal
}

func matches(a, b string) bool {
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

// print writes the mean over queries, over repositories, and of each language and
// category.
func (t *table) print(w io.Writer) {
	means := func(key func(row) string) (names []string, mean, count map[string]float64) {
		mean, count = map[string]float64{}, map[string]float64{}
		for _, r := range t.rows {
			mean[key(r)] += r.score
			count[key(r)]++
		}
		for k := range mean {
			mean[k] /= count[k]
			names = append(names, k)
		}
		slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(mean[b], mean[a]), cmp.Compare(a, b)) })
		return names, mean, count
	}
	repos, mean, _ := means(func(r row) string { return r.repo })
	sum := 0.0
	for _, m := range mean {
		sum += m
	}
	fmt.Fprintf(w, "%-20s %7s %8s\n%-20s %7d %8.3f\n", "", "n", "NDCG@10", "mean of repositories", len(repos), sum/float64(len(repos)))
	for _, key := range []func(row) string{
		func(row) string { return "mean of queries" },
		func(r row) string { return r.category },
		func(r row) string { return r.language },
		func(r row) string { return r.repo },
	} {
		names, mean, count := means(key)
		for _, n := range names {
			fmt.Fprintf(w, "%-20s %7.0f %8.3f\n", n, count[n], mean[n])
		}
	}
}
