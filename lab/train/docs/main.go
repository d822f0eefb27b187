// Command docs measures how well documents are found: whether the section that
// answers a question comes among the first five.
//
//	cd lab && go run ./train/docs -mirror DIR                    # the table: plain BM25, BM25F, +links, +freshness
//	cd lab && go run ./train/docs -mirror DIR -mode fit          # choose weights on some repositories, report on the others
//	cd lab && go run ./train/docs -mirror DIR -mode check        # only check the questions
//	cd lab && go run ./train/docs -mirror DIR -mode list -repo pallets/flask
//	cd lab && go run ./train/docs -mirror DIR -mode tune -url http://localhost:11434 -model nomic-embed-text
//
// The questions stand in lab/train/docs/testdata/questions.txt as facts: the commit of
// a public repository, what somebody might ask, and the path and the headings of
// the section that answers it. A question that repeats the section's own words is
// refused: see the bounds in questions.go. Every mode checks all of them.
//
// The numbers are recall@5 (the section is among the first five) and MRR, for
// sections and for whole documents (doc@5).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/document"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "docs: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("docs", flag.ContinueOnError)
	mirror := fs.String("mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	file := fs.String("questions", filepath.Join("docs", "testdata", "questions.txt"), "the questions")
	mode := fs.String("mode", "measure", "measure, fit, tune, check, list or misses")
	repo := fs.String("repo", "", "only this repository; with -mode list, the one to list")
	rev := fs.String("rev", "HEAD", "with -mode list: the revision")
	excerpt := fs.Int("text", 0, "with -mode list: so many bytes of each section's text")
	cache := fs.String("cache", filepath.Join(os.TempDir(), "satchel-eval-docs"), "folder that keeps the indexes between runs")
	var m model
	fs.StringVar(&m.url, "url", "http://localhost:11434", "with -mode tune: the server of OpenAI's /v1/embeddings")
	fs.StringVar(&m.name, "model", "", "with -mode tune: the model of embeddings; the texts of the documents and questions are sent to it")
	key := fs.String("key-env", "", "with -mode tune: the variable that holds the key")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *mirror == "" {
		return errors.New("-mirror: which folder has the repositories?")
	}
	w := &world{mirror: *mirror, cache: *cache, open: map[string]*repository{}}
	defer w.close()
	if *mode == "list" {
		return list(ctx, w, *repo, *rev, *excerpt)
	}
	questions, err := read(*file)
	if err != nil {
		return err
	}
	if *repo != "" {
		questions = slices.DeleteFunc(questions, func(q Question) bool { return q.Repo != *repo })
	}
	if err := check(ctx, w, questions); err != nil {
		return err
	}
	switch *mode {
	case "check":
		fmt.Printf("%d questions about %d repositories keep the bounds\n", len(questions), len(byRepo(questions)))
		return nil
	case "measure":
		return measure(ctx, w, questions)
	case "misses":
		return misses(ctx, w, questions)
	case "fit":
		return fit(ctx, w, questions)
	case "tune":
		m.key = os.Getenv(*key)
		return tune(ctx, w, questions, m)
	}
	return fmt.Errorf("-mode %s: want measure, fit, tune, check, list or misses", *mode)
}

// A world is the repositories that are open.
type world struct {
	mirror, cache string
	open          map[string]*repository
}

// A repository is one commit of a repository, indexed.
type repository struct {
	repo  *git.Repo
	index *index.Index
	views map[string]*ranking.Reader
}

func (w *world) close() {
	for _, r := range w.open {
		r.index.Close()
		r.repo.Close()
	}
}

// at returns a reader of a commit of a repository.
func (w *world) at(ctx context.Context, name, commit string) (*ranking.Reader, error) {
	r := w.open[name]
	if r == nil {
		dir := filepath.Join(w.mirror, strings.ReplaceAll(name, "/", "+"), "repo")
		repo, err := git.Open(ctx, dir)
		if err != nil {
			return nil, err
		}
		x, err := index.Open(index.Options{Dir: filepath.Join(w.cache, filepath.Base(filepath.Dir(dir)))})
		if err != nil {
			return nil, err
		}
		r = &repository{repo, x, map[string]*ranking.Reader{}}
		w.open[name] = r
	}
	if v := r.views[commit]; v != nil {
		return v, nil
	}
	v, err := r.index.View(ctx, r.repo, commit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r.views[commit] = ranking.NewReader(v)
	return r.views[commit], nil
}

// A section is a section of a document, with its text.
type section struct {
	path string
	document.Section
	text string
}

// sections returns the sections of the documents of a view, or of one of them.
func sections(ctx context.Context, r *ranking.Reader, only string) ([]section, error) {
	var out []section
	files := r.View.Files()
	var want []int
	for i := range files {
		if ranking.IsDocument(&files[i]) && (only == "" || files[i].Path == only) {
			want = append(want, i)
		}
	}
	err := r.View.ReadTexts(ctx, want, func(i int, text []byte, err error) error {
		if err != nil {
			return err
		}
		f := &files[i]
		lines := strings.SplitAfter(string(text), "\n")
		d := document.Parse(f.Path, f.Lang, text, r.View.Symbols(f.Doc))
		for _, s := range d.Sections {
			out = append(out, section{f.Path, s, strings.Join(lines[s.From-1:min(s.To, len(lines))], "")})
		}
		return nil
	})
	return out, err
}

// list prints the sections of a repository, for whoever writes questions.
func list(ctx context.Context, w *world, repo, rev string, excerpt int) error {
	r, err := w.at(ctx, repo, rev)
	if err != nil {
		return err
	}
	all, err := sections(ctx, r, "")
	if err != nil {
		return err
	}
	fmt.Println("repo", repo, r.View.Commit())
	for _, s := range all {
		fmt.Printf("= %s | %s\n", s.path, s.Path())
		if excerpt > 0 && s.Part == 0 {
			fmt.Printf("%.*s\n", excerpt, strings.Join(strings.Fields(s.text), " "))
		}
	}
	return nil
}

// check refuses questions whose section is not there or whose words they repeat.
func check(ctx context.Context, w *world, questions []Question) error {
	var bad []error
	for i := range questions {
		q := &questions[i]
		r, err := w.at(ctx, q.Repo, q.Commit)
		if err != nil {
			return err
		}
		all, err := sections(ctx, r, q.Path)
		if err != nil {
			return err
		}
		text, heading, found := "", "", false
		for k := range all {
			if q.gold(all[k].path, &all[k].Section) {
				found = true
				heading = all[k].Title()
				text += all[k].text
			}
		}
		why := "there is no such section"
		if found {
			why = refuse(q, heading, text)
		}
		if why != "" {
			bad = append(bad, fmt.Errorf("line %d: %q: %s", q.Line, q.Text, why))
		}
	}
	return errors.Join(bad...)
}

// byRepo returns the questions about each repository, and their names in order.
func byRepo(questions []Question) []string {
	var names []string
	for _, q := range questions {
		if !slices.Contains(names, q.Repo) {
			names = append(names, q.Repo)
		}
	}
	return names
}
