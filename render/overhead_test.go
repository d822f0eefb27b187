package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// candidates cuts the files of testdata/overhead.txtar into snippets of some
// twenty lines. The files do not change with the source, or every edit of it
// would select other entries.
func candidates(t testing.TB) []satchel.Candidate {
	t.Helper()
	ar, err := txtar.ParseFile("testdata/overhead.txtar")
	if err != nil || len(ar.Files) == 0 {
		t.Fatalf("source: %v, %v", ar, err)
	}
	count := tokens.O200k().Count
	var cands []satchel.Candidate
	for f, file := range ar.Files {
		lines := strings.SplitAfter(string(file.Data), "\n")
		for from := 0; from < len(lines); {
			n := min(10+(from*7+f)%23, len(lines)-from)
			body := strings.Join(lines[from:from+n], "")
			c := satchel.Candidate{Item: satchel.Item{
				Ref:   satchel.Ref{Kind: satchel.KindSnippet, Path: "render/" + file.Name, From: from + 1, To: from + n},
				Title: satchel.Clean("", strings.TrimPrefix(strings.TrimSpace(lines[from]), "func ")), Lang: "go", Blob: fmt.Sprintf("%040x", f*7919),
			}}
			for d, text := range map[satchel.Detail]string{satchel.Full: body, satchel.Outline: lines[from]} {
				c.Forms = append(c.Forms, satchel.Form{Detail: d, Text: satchel.Clean("", text), Tokens: count(text)})
			}
			if c.Forms[0].Detail < c.Forms[1].Detail {
				c.Forms[0], c.Forms[1] = c.Forms[1], c.Forms[0]
			}
			c.Score.Add("place", float64((from*31+f*17)%97)/20)
			cands = append(cands, c)
			from += n
		}
	}
	return cands
}

// TestOverhead compares what Overhead says with what is written.
func TestOverhead(t *testing.T) {
	cands := candidates(t)
	count := tokens.O200k().Count
	for _, f := range formats {
		for _, limit := range []int{1_000, 4_000, 16_000} {
			r, err := pack.Fit(cands, pack.Options{Limit: limit, Overhead: render.Overhead(f, count)})
			if err != nil {
				t.Fatal(err)
			}
			with, without := &satchel.Pack{Entries: r.Entries}, new(satchel.Pack)
			for _, p := range []*satchel.Pack{with, without} {
				if err := render.Settle(p, f, count); err != nil {
					t.Fatal(err)
				}
			}
			got := with.Used - without.Used
			t.Logf("%s, limit %d: %d entries, %d tokens expected, %d written (%+.1f%%)", f, limit, len(r.Entries), r.Used, got, 100*float64(r.Used-got)/float64(got))
			if off := r.Used - got; off < -limit/50 || off > limit/8 {
				t.Errorf("%s, limit %d: %d tokens expected, %d written", f, limit, r.Used, got)
			}
		}
	}
}
