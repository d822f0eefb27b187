// Command sessions trains and scores what package reuse predicts and package
// trim keeps.
//
// It reads recorded sessions, cuts each at several moments, trims what was
// there, and looks how much of what the agent did in its next ten answers was
// kept, how much of the state of the session is shown, and how it reads. Any
// command can be compared at the same number of tokens. lab/sessions/README.md says what
// the columns of the table mean.
//
//	cd lab && go run ./sessions -dir DIR -mode score    # with the committed weights
//	cd lab && go run ./sessions -dir DIR -mode cv       # each repository by weights of the others
//	cd lab && go run ./sessions -dir DIR -packer full,ours -packer 'mine=cmd:mine --budget {budget} {in}'
//	cd lab && go run ./sessions -dir DIR -mode fit -out ../trim/reuse/weights.go
//	cd lab && go run ./sessions -dir DIR -mode gather -mirror DIR -repos "OWNER/NAME …" -out DIR  # more to train on
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/lab/train/learn"
	"github.com/satchel-dev/satchel/trim"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// settings are the flags.
type settings struct {
	dir, split    string
	mode, out     string
	mirror, repos string
	l2, shape     string
	budgets       string
	packers       []string
	every         int
}

func main() {
	var f settings
	flag.StringVar(&f.dir, "dir", "", "folder of sessions, with index.jsonl")
	flag.StringVar(&f.split, "split", "dev", "sessions to take, or to train on; several are divided by commas")
	flag.StringVar(&f.mode, "mode", "score", "score, cv, fit or gather")
	flag.StringVar(&f.out, "out", "", "file for the weights, or folder for what is gathered")
	flag.StringVar(&f.mirror, "mirror", "", "folder of bare repositories OWNER+NAME/repo, to gather from")
	flag.StringVar(&f.repos, "repos", "", "repositories to gather from")
	flag.IntVar(&f.every, "every", 2, "train on one in so many answers")
	flag.StringVar(&f.l2, "l2", "3000", "penalty on large weights, or one each for names, phrases and lines")
	flag.StringVar(&f.shape, "shape", "", "JSON that changes the shape of our trims")
	flag.StringVar(&f.budgets, "budgets", "0.1,0.2,0.4,20000,60000", "shares of the context, or tokens, to cut to")
	flag.Func("packer", "who cuts: full, ours, divided by commas, or [NAME=]cmd:COMMAND; may be given several times (default ours)", func(s string) error {
		f.packers = append(f.packers, s)
		return nil
	})
	flag.Parse()
	if err := run(&f); err != nil {
		fmt.Fprintln(os.Stderr, "sessions:", err)
		os.Exit(1)
	}
}

func run(f *settings) error {
	if f.mode == "gather" {
		return gather(f)
	}
	ss, err := readSessions(f.dir, f.split)
	if err != nil {
		return err
	}
	if f.mode == "score" {
		return score(questions(ss), nil, f)
	}

	l2, err := parsePenalties(f.l2)
	if err != nil {
		return err
	}
	var sets []map[string]*learn.Answers
	for _, s := range ss {
		sets = append(sets, examples(s, f.every))
	}
	switch f.mode {
	case "fit":
		return writeWeights(f.out, train(sets, l2))
	case "cv":
		return score(questions(ss), folds(ss, sets, l2), f)
	}
	return fmt.Errorf("unknown -mode %q: use score, cv, fit or gather", f.mode)
}

// score prints how good the trims of each packer are.
func score(qs []*question, models map[string]*reuse.Model, f *settings) error {
	budgets, err := parseBudgets(f.budgets)
	if err != nil {
		return err
	}
	shape := trim.DefaultShape
	if f.shape != "" {
		if err := json.Unmarshal([]byte(f.shape), &shape); err != nil {
			return err
		}
	}
	specs := f.packers
	if len(specs) == 0 {
		specs = []string{"ours"}
	}
	ps, err := parsePackers(specs, ours(make([]*trim.Trimmer, len(qs)), models, &shape))
	if err != nil {
		return err
	}
	printTable(os.Stdout, gradeAll(qs, ps, budgets), budgets)
	return nil
}

func parseBudgets(s string) ([]float64, error) {
	var out []float64
	for one := range strings.SplitSeq(s, ",") {
		b, err := strconv.ParseFloat(one, 64)
		if err != nil || b <= 0 {
			return nil, fmt.Errorf("-budgets %s: want shares or numbers of tokens", s)
		}
		out = append(out, b)
	}
	return out, nil
}

// questions returns the moments of the sessions that are scored.
func questions(ss []*session) []*question {
	var qs []*question
	for _, s := range ss {
		for _, c := range s.conversations() {
			for _, at := range c.samples(0) {
				if q, ok := ask(at); ok {
					qs = append(qs, q)
				}
			}
		}
	}
	return qs
}
