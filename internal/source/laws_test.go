package source_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/tokens"
)

// token is no placeholder, and in two parts so that nobody takes it for a leak.
const token = "ghp_" + "wW9xK2mPqR7sT4vYzA1bC3dE5fG6hJ8kL0nQ"

// hostile is a small project with what Sources must not trip over.
var hostile = map[string]string{
	"cart/total.go":      "// Package cart adds up.\npackage cart\n\n// Total is the sum.\nfunc Total(prices []int) (n int) {\n\tfor _, p := range prices {\n\t\tn += p\n\t}\n\treturn n\n}\n",
	"cart/total_test.go": "package cart\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) { _ = Total(nil) }\n",
	"cart/rate.go":       "package cart\n\nvar apiKey = \"" + token + "\"\n\nfunc Rate() int { return Total([]int{1}) }\n",
	"docs/cart.md":       "# Cart\n\nTotal adds up prices; see [the code](../cart/total.go).\n\n## Tokens\n\n" + token + "\n",
	"README.md":          "# Shop\n\nA shop with a cart.\n",
	"empty.py":           "",
	"broken.ts":          "class A {{{{ function ( \x00\xff\xfe",
	"long.js":            "x = '" + strings.Repeat("a b ", 4000) + "'\n",
	"odd\u202ename.c":    "int main(void) { return 0; }\n",
}

// FuzzSources: every Source, for any request, gives candidates that have a path and
// forms, counts each form as it reads, shows no secret, and offers no file that
// another Source has offered whole.
func FuzzSources(f *testing.F) {
	dir := f.TempDir()
	for name, text := range hostile {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	folder, err := git.OpenFolder(dir)
	if err != nil {
		f.Fatal(err)
	}
	defer folder.Close()
	ix, err := index.Open(index.Options{})
	if err != nil {
		f.Fatal(err)
	}
	defer ix.Close()
	p := &project.Project{Tree: folder, Index: ix, Largest: project.DefaultFileBytes}

	f.Add("why is the total of the cart wrong", uint16(2000), byte(0))
	f.Add("", uint16(900), byte(1))
	f.Add("", uint16(0), byte(2))
	f.Add("Total\x00\x1b[31m "+token, uint16(1), byte(7))
	f.Add("zzz qqq", uint16(60000), byte(15))
	f.Add("fix Rate in cart/rate.go", uint16(300), byte(25))
	f.Fuzz(func(t *testing.T, task string, budget uint16, how byte) {
		req := satchel.Request{Task: task, Budget: int(budget), Now: time.Unix(1_800_000_000, 0)}
		if how&1 != 0 {
			req.Pinned = []string{"cart/rate.go", "long.js"}
		}
		if how&2 != 0 {
			req.Edit = []string{"cart/total.go", "cart/new.go"}
		}
		if how&4 != 0 {
			req.Documents = &satchel.Documents{Most: 3}
		}
		req.Fill = how&8 != 0
		if how&16 != 0 {
			req.Detail = satchel.Outline
		}
		offers(t, p, req)
	})
}

// offers asks the Sources that fit a request, and checks what they offer.
func offers(t *testing.T, p *project.Project, req satchel.Request) {
	ctx := context.Background()
	sc, err := scene.Look(ctx, p, req, nil)
	if err != nil {
		t.Fatal(err)
	}
	list := []scene.Source{source.Pins{}, source.Edits{}, source.ContextFiles{}}
	if sc.Ranking != nil {
		list = append(list, source.Documents{}, source.BestCode{}, source.Code{}, source.Outlines{})
	} else {
		list = append(list, source.Neighbours{}, source.WholeFiles{}, source.AllFiles{})
	}
	list = append(list, source.Notes{}, source.Told{})

	count := tokens.O200k()
	whole := map[string]bool{} // files that were offered as a whole
	for _, s := range list {
		o, err := s.Offer(ctx, sc)
		if err != nil {
			t.Fatalf("%T: %v", s, err)
		}
		for i := range o.Musts {
			o.Candidates = append(o.Candidates, o.Musts[i].Candidate)
		}
		for i := range o.Candidates {
			c := &o.Candidates[i]
			if c.Ref.Path == "" || len(c.Forms) == 0 {
				t.Errorf("%T: %v has no path, or no form", s, c.Ref)
			}
			if c.Ref.Kind == satchel.KindFile {
				if whole[c.Ref.Path] {
					t.Errorf("%T: %s is offered twice", s, c.Ref.Path)
				}
				whole[c.Ref.Path] = true
			}
			for _, form := range c.Forms {
				if strings.Contains(form.Text.String(), token) {
					t.Errorf("%T: %v shows a secret", s, c.Ref)
				}
				if n := count.Count(form.Text.String()); form.Detail > satchel.Mention && form.Tokens != n {
					t.Errorf("%T: %v has %d tokens at %v, and says %d", s, c.Ref, n, form.Detail, form.Tokens)
				}
			}
		}
	}
}
