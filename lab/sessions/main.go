// Command sessions trains and scores what package reuse predicts and package
// trim keeps.
//
// It reads recorded sessions, cuts each at several moments, trims what was
// there, and looks how much of what the agent did in its next ten answers was
// kept, how much of the state of the session is shown, and how it reads. Others'
// ways to cut a session stand beside ours, at the same number of tokens; any
// command can. docs/sessions.md says what the columns of the table mean.
//
//	cd lab && go run ./sessions -dir DIR -mode score    # with the committed weights
//	cd lab && go run ./sessions -dir DIR -mode check    # how well each repository is predicted by weights of the others
//	cd lab && go run ./sessions -dir DIR -mode cv       # each repository by weights of the others
//	cd lab && go run ./sessions -dir DIR -packer full,clear,hawk,ours -packer 'mine=cmd:mine --budget {budget} {in}'
//	cd lab && go run ./sessions -dir DIR -mode fit -out ../trim/reuse/weights.go
//	cd lab && go run ./sessions -dir DIR -mode gather -mirror DIR -repos "OWNER/NAME …" -out DIR  # more to train on
//	cd lab && go run ./sessions -dir DIR -mode facts    # whether the rules for facts agree with who read ten sessions
//	cd lab && go run ./sessions -dir DIR -mode cv -gaps 0.1          # which names are lost at a tenth of the tokens
//	cd lab && go run ./sessions -dir DIR -knows names,phrases,lines  # what perfect prediction would keep
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/trim"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// settings are the flags.
type settings struct {
	dir, split, cases string
	mode, out         string
	mirror, repos     string
	shape, l2, knows  string
	budgets, rows     string
	packers           []string
	every             int
	by                bool
}

func main() {
	var f settings
	flag.StringVar(&f.dir, "dir", "", "folder of sessions, with index.jsonl")
	flag.StringVar(&f.split, "split", "dev", "sessions to take, or to train on; several are divided by commas")
	flag.StringVar(&f.cases, "cases", "", "file of moments to score, instead of those that are chosen here")
	flag.StringVar(&f.mode, "mode", "score", "score, check, cv, fit or gather")
	flag.StringVar(&f.out, "out", "", "file for the weights, or folder for what is gathered")
	flag.StringVar(&f.mirror, "mirror", "", "folder of bare repositories OWNER+NAME/repo, to gather from")
	flag.StringVar(&f.repos, "repos", "", "repositories to gather from")
	flag.StringVar(&f.shape, "shape", "", "JSON that changes the shape; several are divided by semicolons")
	flag.IntVar(&f.every, "every", 2, "train on one in so many answers")
	flag.StringVar(&f.l2, "l2", "3000", "penalty on large weights, or one each for names, phrases and lines; check takes several, divided by semicolons")
	flag.BoolVar(&f.by, "by", false, "scores by session too")
	flag.StringVar(&f.knows, "knows", "", "tell the packer what the future holds of these: names, phrases, lines")
	flag.StringVar(&f.budgets, "budgets", "0.1,0.2,0.4,20000,60000", "shares of the context, or tokens, to cut to")
	flag.StringVar(&f.rows, "rows", "", "file for the numbers of every trim, an object a line")
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
	var ss []*session
	if f.cases == "" || f.mode != "score" {
		var err error
		if ss, err = readSessions(f.dir, f.split); err != nil {
			return err
		}
	}
	var sets []map[string]*rows
	if f.mode != "score" {
		for _, s := range ss {
			sets = append(sets, examples(s, f.every))
		}
	}
	if f.mode == "check" {
		return checkAll(ss, sets, f.l2)
	}

	l2, err := parsePenalties(f.l2)
	if err != nil {
		return err
	}
	models := map[string]*reuse.Model{}
	switch f.mode {
	case "fit":
		return writeWeights(f.out, train(sets, l2))
	case "cv":
		models = folds(ss, sets, l2)
	}
	var moments []sample
	if f.cases != "" {
		if moments, err = readCases(f.cases); err != nil {
			return err
		}
	} else {
		for _, s := range ss {
			for _, c := range s.conversations() {
				moments = append(moments, c.samples(0)...)
			}
		}
	}
	qs := questions(moments)
	return score(qs, models, f)
}

// score prints what trims are worth, ours in each shape.
func score(qs []*question, models map[string]*reuse.Model, f *settings) error {
	budgets, err := parseBudgets(f.budgets)
	if err != nil {
		return err
	}
	specs := f.packers
	if len(specs) == 0 {
		specs = []string{"ours"}
	}
	ts := make([]*trim.Trimmer, len(qs))
	var rows []graded
	for _, one := range strings.Split(f.shape, ";") {
		sh := trim.DefaultShape
		if one != "" {
			fmt.Println(one)
			if err := json.Unmarshal([]byte(one), &sh); err != nil {
				return err
			}
		}
		ps, err := parsePackers(specs, ours(ts, models, &sh, f.knows))
		if err != nil {
			return err
		}
		all := gradeAll(qs, ps, budgets)
		printTable(os.Stdout, all, budgets)
		if f.by {
			printSessions(os.Stdout, all, budgets)
		}
		rows = append(rows, all...)
	}
	if f.rows == "" {
		return nil
	}
	return writeRows(f.rows, rows)
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

// questions returns what is scored.
func questions(moments []sample) []*question {
	var qs []*question
	for _, m := range moments {
		if q, ok := ask(m); ok {
			qs = append(qs, q)
		}
	}
	return qs
}
