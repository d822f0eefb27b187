// Exact measures whether a name that a task spells wins: it takes names of tests and
// qualified names that a repository defines once, by the hashes of their spellings,
// and asks for each.
//
//	cd lab && go run ./exact ~/src/terraform ~/src/diffusers
//
// Each name is asked for twice: in "fix NAME", and among other words that stand all
// over a repository. It counts how often the file of the definition is the first of
// a search, the definition the first of a search for symbols, and how often the lines
// of the definition are shown to the last in a pack of 4,000 and of 16,000 tokens, and
// in what the hook puts beside a prompt. A definition that alone takes more than a
// budget is none of those it is counted among; how many there were stands behind.
//
// The folders are work trees; their indexes are brought up to date where satchel
// keeps them.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/tokens"
)

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 25, "names of each `kind`")
	verbose := flag.Bool("v", false, "print each name that fails")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("usage: exact [-n NAMES] [-v] FOLDER...")
	}
	fmt.Println(header)
	all := map[string]*tally{}
	for _, dir := range flag.Args() {
		if err := measure(context.Background(), dir, *n, *verbose, all); err != nil {
			log.Fatalf("%s: %v", dir, err)
		}
	}
	for _, kind := range kinds {
		all[kind].print("all", kind)
	}
}

// The kinds of names, as they are asked for.
var kinds = []string{"test, alone", "test, in a sentence", "qualified, alone", "qualified, in a sentence"}

// sentences hold a name among words that many files have. They are taken in turn.
var sentences = []string{
	"After the upgrade the state is wrong for an empty list; look at %s and find out why the error is not returned",
	"Please add a case for missing configuration values to %s and run the tests again, the request handler has the same problem",
	"we see a timeout in the client when the server closes the connection, I think %s reads the file twice",
}

// measure asks for the names of one repository.
func measure(ctx context.Context, dir string, n int, verbose bool, all map[string]*tally) error {
	root, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	tests, qualified, err := names(ctx, root)
	if err != nil {
		return err
	}
	e, err := engine.Open(ctx, &engine.Options{Dir: root})
	if err != nil {
		return err
	}
	defer e.Close()
	for k, kind := range kinds {
		list := [][]name{tests, qualified}[k/2]
		t := new(tally)
		for i, x := range list[:min(n, len(list))] {
			task := "fix " + x.spelled
			if k%2 == 1 {
				task = fmt.Sprintf(sentences[i%len(sentences)], x.spelled)
			}
			r, err := ask(ctx, e, x, task)
			if err != nil {
				return fmt.Errorf("%s: %w", task, err)
			}
			t.add(r)
			if verbose && !r.good() {
				fmt.Fprintf(os.Stderr, "%s %s:%d-%d (%d tokens): %+v\n", task, x.path, x.lines.From, x.lines.To, x.tokens, *r)
			}
		}
		t.print(filepath.Base(root), kind)
		if all[kind] == nil {
			all[kind] = new(tally)
		}
		all[kind].join(t)
	}
	return nil
}

// A result is what became of one question.
type result struct {
	first, symbol bool // of a search
	shown         [3]bool
	fits          [3]bool // the definition alone would fit
}

func (r *result) good() bool {
	for i := range r.fits {
		if r.fits[i] && !r.shown[i] {
			return false
		}
	}
	return r.first && r.symbol
}

// The budgets: of two packs, and of what a hook writes.
var budgets = [...]int{4000, 16000, hookTokens}

// hookTokens is about what the usual number of characters of a hook comes to.
const hookTokens = 2400

// frameShare is the share of a budget that a definition may have to fit: the rest is
// what a pack says in any case.
const frameShare = 0.8

func ask(ctx context.Context, e *engine.Engine, x name, task string) (*result, error) {
	r := new(result)
	found, err := e.Search(ctx, engine.SearchRequest{Query: task, Limit: 1})
	if err != nil {
		return nil, err
	}
	r.first = len(found.Files) > 0 && found.Files[0].Path == x.path
	if found, err = e.Search(ctx, engine.SearchRequest{Query: task, Limit: 1, Symbols: true}); err != nil {
		return nil, err
	}
	r.symbol = len(found.Symbols) > 0 && found.Symbols[0].Path == x.path && found.Symbols[0].Symbol.Name == x.bare
	for i, budget := range budgets {
		r.fits[i] = float64(x.tokens) <= frameShare*float64(budget)
		var entries []satchel.Entry
		if i < len(budgets)-1 {
			p, err := e.Pack(ctx, satchel.Request{Task: task, Budget: budget})
			if err != nil {
				return nil, err
			}
			entries = p.Entries
		} else {
			aside, err := e.Aside(ctx, engine.AsideRequest{Prompt: task})
			if err != nil {
				return nil, err
			}
			entries = aside.Entries
		}
		r.shown[i] = holds(entries, x)
	}
	return r, nil
}

// holds reports whether entries show all lines of a definition.
func holds(entries []satchel.Entry, x name) bool {
	missing := x.lines.To - x.lines.From + 1
	for _, e := range entries {
		if e.Ref.Path != x.path || e.Detail < satchel.Trimmed {
			continue
		}
		for _, l := range e.Lines {
			missing -= max(0, min(l.To, x.lines.To)-max(l.From, x.lines.From)+1)
		}
	}
	return missing <= 0
}

const header = "repository                kind                       names  first  symbol  whole in 4k   16k  hook  (that fit 4k 16k hook)"

// A tally counts results.
type tally struct {
	n, first, symbol int
	shown, fits      [3]int
}

func (t *tally) add(r *result) {
	count := func(n *int, yes bool) {
		if yes {
			*n++
		}
	}
	t.n++
	count(&t.first, r.first)
	count(&t.symbol, r.symbol)
	for i := range r.fits {
		count(&t.fits[i], r.fits[i])
		count(&t.shown[i], r.fits[i] && r.shown[i])
	}
}

func (t *tally) join(o *tally) {
	t.n, t.first, t.symbol = t.n+o.n, t.first+o.first, t.symbol+o.symbol
	for i := range t.fits {
		t.shown[i], t.fits[i] = t.shown[i]+o.shown[i], t.fits[i]+o.fits[i]
	}
}

func (t *tally) print(repo, kind string) {
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
	fmt.Printf("%-25.25s %-26s %5d %6.1f %7.1f %12.1f %5.1f %5.1f  (%d %d %d)\n", repo, kind, t.n, share(t.first, t.n), share(t.symbol, t.n),
		share(t.shown[0], t.fits[0]), share(t.shown[1], t.fits[1]), share(t.shown[2], t.fits[2]), t.fits[0], t.fits[1], t.fits[2])
}

// byHash puts names in an order that has nothing to do with what they say.
func byHash(list []name) {
	sum := func(n name) string { s := sha256.Sum256([]byte(n.spelled)); return string(s[:]) }
	slices.SortFunc(list, func(a, b name) int { return cmp.Compare(sum(a), sum(b)) })
}

// count counts the tokens of lines of a text.
func count(text string, from, to int) int {
	lines := strings.SplitAfter(text, "\n")
	return tokens.O200k().Count(strings.Join(lines[min(from-1, len(lines)):min(to, len(lines))], ""))
}
