// Command relevance measures how well the engine tells tasks of a repository from
// other prompts, and fits what decides it: the weights of rank.Evidence, the
// thresholds of its Match, and rank.Background, the rates of terms in programs.
//
//	cd lab && go run ./train/relevance -tasks dev.jsonl -mirror DIR
//	cd lab && go run ./train/relevance -tasks dev.jsonl -mirror DIR -out ../rank/relevance_weights.go -background ../rank/background.bin
//
// Tasks, whole and their first lines alone, are asked of their own repository as it
// was then, and of three others of the same language. Short prompts that people who know
// the repositories might type come from short.txt; others are a few words around the name
// of a function or a file of the task, such as "fix resolve_redirects". Further prompts
// are about no repository: thanks, orders to go on, questions about the world, and
// about programming in general. The prompts of unrelated.txt are asked of four
// repositories; they were written before anything here was.
//
// A strong match promises that the place to change is in the first five files. So the
// models learn from tasks that have a file of theirs there, and the threshold of kinship
// is chosen by these; other tasks are reported as missed.
//
// Nothing is judged by what it was fitted to. Each prompt is judged by weights and by a
// background from repositories outside the folds of both the repository that is asked
// and the one that the prompt is about. The weights come from tasks, their first lines,
// short.txt and prompts.txt; the thresholds from whole tasks and choose.txt. Only
// judge.txt, general.txt, unrelated.txt and the names chose and fitted nothing.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/lab/train/learn"
	"github.com/satchel-dev/satchel/lab/train/tasks"
	"github.com/satchel-dev/satchel/rank"
)

// What people say to an agent that is not about the repository, a line each.
var (
	//go:embed prompts.txt
	fitted string
	//go:embed choose.txt
	choosing string
	//go:embed judge.txt
	judging string
	//go:embed general.txt
	programming string
	// Each line is a kind, a tab, and a prompt.
	//go:embed unrelated.txt
	unrelated string
)

// asked are the repositories that unrelated prompts are asked of.
var asked = []string{"pallets/flask", "BurntSushi/ripgrep", "huggingface/diffusers", "derailed/k9s"}

// Short prompts about a repository: its name, a tab, the prompt.
//
//go:embed short.txt
var shorts string

// Repositories that tasks of others are asked of, besides those of the tasks: a name, a
// tab, the language.
//
//go:embed elsewhere.txt
var further string

// firstFiles is among how many files a strong match promises the place to change.
const firstFiles = 5

// The kinds of prompts.
const (
	whole    = "task"
	title    = "line"
	short    = "short"
	named    = "named"
	other    = "other"
	chooses  = "chooses"
	judges   = "judges"
	general  = "general"
	foreign  = "task elsewhere" // of another repository
	topic    = "line elsewhere"
	shortly  = "short elsewhere"
	nowhere  = "unrelated" // and the kind in unrelated.txt
	perfect  = 100
	notGiven = -1

	missed = ", missed" // added to a kind if no file that the task changes is among the first
)

var kinds = []string{whole, whole + missed, title, title + missed, short, named, other, chooses, judges, general, foreign, topic, shortly}

// A sample is what was measured of one prompt in one repository.
type sample struct {
	repo, home string // the repository that is asked, and the one that the prompt is about
	kind       string
	full       rank.Evidence // by the background of all repositories
	held       rank.Evidence // by the background of the other folds
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintf(os.Stderr, "relevance: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	file := flag.String("tasks", "", "tasks, JSON lines")
	mirror := flag.String("mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	cache := flag.String("cache", filepath.Join(os.TempDir(), "satchel-eval"), "folder for indexes")
	out := flag.String("out", "", "the Go `file` to write the fitted weights and the thresholds to")
	table := flag.String("background", "", "the `file` to write the rates of terms to")
	flag.Parse()
	if *file == "" || *mirror == "" {
		return errors.New("-tasks and -mirror are needed")
	}
	all, err := tasks.Load(*file)
	if err != nil {
		return err
	}
	m := newMeasuring(tasks.ByRepo(all), readFurther())
	m.mirror, m.cache = *mirror, *cache
	if err := m.everywhere(ctx, m.rates); err != nil {
		return err
	}
	bytes := m.backgrounds()
	fmt.Printf("background: %d bytes\n", len(bytes))
	if err := m.everywhere(ctx, m.ask); err != nil {
		return err
	}
	samples := m.samples
	slices.SortStableFunc(samples, func(a, b sample) int { return strings.Compare(a.repo, b.repo) })
	committed := func(s *sample) verdict {
		if s.full.Spelled > 0 {
			return spelled
		}
		return verdict{s.full.Match() == satchel.MatchNone, s.full.Relevance(), s.full.Kinship()}
	}
	report("as committed", samples, committed, rank.RelevantFrom, rank.KinFrom)
	models := foldModels(samples)
	crossed := func(s *sample) verdict { return models[foldsOf(s.repo, s.home)].of(&s.held) }
	relevant, kin := thresholds(samples, crossed)
	fitted := newModel(samples)
	report("cross-validated", samples, crossed, relevant, kin)
	report("as fitted", samples, func(s *sample) verdict { return fitted.of(&s.full) }, relevant, kin)
	if *table != "" {
		if err := os.WriteFile(*table, bytes, 0o644); err != nil {
			return err
		}
	}
	if *out == "" {
		return nil
	}
	return os.WriteFile(*out, fitted.source(relevant, kin, kinAt(samples, crossed, relevant, mostSpared)), 0o644)
}

// foldModels fits a model for each pair of folds, from the samples that have nothing to
// do with either.
func foldModels(samples []sample) map[folds]*model {
	out := map[folds]*model{}
	for a := range learn.Folds {
		for b := a; b < learn.Folds; b++ {
			f := folds{a, b}
			var rest []sample
			for _, s := range samples {
				if !f.has(learn.Fold(s.repo)) && !f.has(learn.Fold(s.home)) {
					rest = append(rest, s)
				}
			}
			m := newModel(rest)
			out[f] = &m
		}
	}
	return out
}

// readFurther returns the repositories of elsewhere.txt by language.
func readFurther() map[string][]string {
	out := map[string][]string{}
	for l := range strings.Lines(further) {
		name, language, _ := strings.Cut(strings.TrimSpace(l), "\t")
		out[language] = append(out[language], name)
	}
	return out
}

// How people ask about a name in a few words.
var (
	askSymbol = []string{"fix %s", "how does %s work?", "explain %s to me", "where is %s called"}
	askFile   = []string{"open %s", "what does %s do?", "clean up %s", "tests for %s please"}
)
