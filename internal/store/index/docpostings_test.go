package index

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// DocPostings agrees with Postings, also over several segments, and stops early;
// CountDocs agrees with DocPostings.
func TestDocPostings(t *testing.T) {
	r := newRepo(t)
	var s strings.Builder
	for rev := range 3 {
		fmt.Fprintf(&s, "commit refs/heads/main\ncommitter a <a@example.org> %d +0000\ndata 3\nall\n", 1700000000+rev)
		for i := range 40 {
			text := program(i*(rev+1), 4+i%9)
			fmt.Fprintf(&s, "M 100644 inline d%d/f%d.go\ndata %d\n%s\n", rev, i, len(text), text)
		}
	}
	r.Input(s.String(), "fast-import", "--quiet")
	x, err := Open(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	ctx, repo := context.Background(), r.open()
	var v *View
	for _, rev := range []string{"HEAD~2", "HEAD~1", "HEAD"} { // a segment each
		if v, err = x.View(ctx, repo, rev); err != nil {
			t.Fatal(err)
		}
	}
	if len(v.parts) < 3 {
		t.Fatalf("the view has %d parts, want 3", len(v.parts))
	}
	counted := make([]bool, len(v.Docs()))
	for d := range counted {
		counted[d] = d%3 != 0
	}
	seen := map[uint64]bool{}
	for doc := range v.Docs() {
		for _, c := range v.DocTerms(nil, int32(doc)) {
			if seen[c.Term] {
				continue
			}
			seen[c.Term] = true
			var want []DocPosting
			for _, p := range v.Postings(nil, c.Term) {
				d := v.Chunks()[p.Chunk].Doc
				if n := len(want); n == 0 || want[n-1].Doc != d {
					want = append(want, DocPosting{Doc: d})
				}
				w := &want[len(want)-1]
				w.Body += int32(p.Body)
				w.Def += int32(p.Def)
				w.Comment += int32(p.Comment)
			}
			got := v.DocPostings(nil, c.Term, math.MaxInt)
			slices.SortFunc(got, func(a, b DocPosting) int { return int(a.Doc - b.Doc) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("term %x (-postings +docs):\n%s", c.Term, diff)
			}
			selected := 0
			for _, d := range want {
				if counted[d.Doc] {
					selected++
				}
			}
			for _, most := range []int{0, 1, len(want) - 1, len(want)} {
				if n := len(v.DocPostings(nil, c.Term, most)); n != min(len(want), most+1) {
					t.Fatalf("term %x is in %d documents; with at most %d, DocPostings returns %d", c.Term, len(want), most, n)
				}
				if n := v.CountDocs(c.Term, counted, most); n != min(selected, most+1) {
					t.Fatalf("term %x is in %d selected documents; with at most %d, CountDocs returns %d", c.Term, selected, most, n)
				}
			}
		}
	}
}
