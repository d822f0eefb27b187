package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
)

// What is pinned and the context files take at most half of a budget that the task
// can fill, and the pack says so. They take all of it if the task has nothing.
func TestNamedFilesShareTheBudget(t *testing.T) {
	var guide, code strings.Builder
	for i := range 300 {
		if i%10 == 0 {
			fmt.Fprintf(&guide, "\n# Part %d\n\n", i/10)
		}
		fmt.Fprintf(&guide, "Rule %d of the store: sessions are kept until they expire.\n", i)
	}
	code.WriteString("package store\n")
	for i := range 80 {
		fmt.Fprintf(&code, "\n// Expire%d expires sessions of the store.\nfunc Expire%d(sessions []int) int {\n\ttotal := 0\n\tfor _, s := range sessions {\n\t\ttotal += s * %d\n\t}\n\treturn total\n}\n", i, i, i)
	}
	const task = "sessions of the store expire too early"
	ctx := context.Background()
	for name, test := range map[string]struct {
		code        string
		pin         []string
		rule        *engine.ContextRule
		least, most float64 // share of the budget
		cut         bool
	}{
		"pinned":                    {code.String(), []string{"guide.md"}, nil, 0.3, 0.5, true},
		"pinned context file":       {code.String(), nil, &engine.ContextRule{Pattern: "guide.md", Pinned: true}, 0.3, 0.5, true},
		"context file":              {code.String(), nil, &engine.ContextRule{Pattern: "guide.md"}, 0, 0.5, true},
		"nothing else for the task": {"package store\n", []string{"guide.md"}, nil, 0.6, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, engine.Options{Dir: write(t, map[string]string{"guide.md": guide.String(), "store/store.go": test.code}), NoCache: true})
			if test.rule != nil {
				if _, err := e.Context().Add(ctx, []engine.ContextRule{*test.rule}, 0, engine.ContextOptions{Now: noted}); err != nil {
					t.Fatal(err)
				}
			}
			for _, budget := range []int{800, 2000, 3500} {
				p, err := e.Pack(ctx, satchel.Request{Task: task, Budget: budget, Pinned: test.pin, Now: noted})
				if err != nil {
					t.Fatal(err)
				}
				named, said := 0, false
				for _, x := range p.Entries {
					if x.Ref.Path == "guide.md" {
						named += x.Tokens
						said = said || strings.HasPrefix(x.Note.String(), "cut from ")
					}
				}
				if share := float64(named) / float64(budget); share < test.least || share > test.most || said != test.cut {
					t.Errorf("of %d tokens guide.md has %.2f and says that it is cut: %v; want %v to %v, %v", budget, share, said, test.least, test.most, test.cut)
				}
			}
		})
	}
}
