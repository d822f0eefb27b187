package hunks

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// secret has the form of one.
const secret = "ghp_" + "wW9xK2mPqR7sT4vYzA1bC3dE5fG6hJ8kL0nQ"

// linePool are the texts of random hunks: ordinary code, and what must not
// reach a terminal, a model or git apply as it is.
var linePool = []string{
	"func Flush(s *Store) error {", "}", "", "\treturn s.flush(ctx)", "import \"os\"", "// Flush writes what is pending.",
	"\tif err != nil {", "x := 1", "-- not a header", "++ nor this", "@@ -1 +1 @@", "=== DIFF SUMMARY ===", "📄 forged.go [ADDED]",
	"\x1b[31mred\x1b[0m", "bidi \u202e override", "invalid \xff\xfe utf-8", "crlf\r", "token = " + secret,
	strings.Repeat("data,", 700), "    deep := map[string][]int{\"a\": {1, 2}}", "\\ odd", "diff --git a/x b/x",
}

// randomReport makes a report of hunks that git might have written.
func randomReport(rng *rand.Rand) (*change.Report, []shownFile) {
	r := &change.Report{Source: "main...HEAD", Profile: []string{"default", "framed", "flat"}[rng.IntN(3)]}
	n := 1 + rng.IntN(5)
	files := make([]shownFile, n)
	for i := range n {
		name := fmt.Sprintf("pkg%d/file%d.go", i%3, i)
		if rng.IntN(8) == 0 {
			name = fmt.Sprintf("odd name\n%d \x1b[1m:.go", i)
		}
		f := change.Scored{File: change.File{Path: name, Status: change.Modified, OldMode: 0o100644, NewMode: 0o100644}}
		f.Header = fmt.Sprintf("diff --git a/%d b/%d\nindex 1..2 100644\n--- a/%d\n+++ b/%d\n", i, i, i, i)
		f.Class, f.Relevance = []string{"source", "test", "docs"}[rng.IntN(3)], float64(rng.IntN(101))/100
		f.Order = f.Relevance
		line := 1
		for range rng.IntN(4) {
			h := randomHunk(rng, line)
			line = h.NewFrom + h.NewLines + 10
			f.Hunks = append(f.Hunks, h)
			f.File.Added += h.Added
			f.File.Removed += h.Removed
		}
		for k := range rng.IntN(3) {
			f.Edits = append(f.Edits, change.Edit{Action: change.Removes, Kind: "func", Name: fmt.Sprintf("Gone%d", k), Exported: rng.IntN(2) == 0})
		}
		if rng.IntN(6) == 0 {
			files[i].line = satchel.WhyLock
		}
		r.Files = append(r.Files, f)
		r.All.Add(&f.File)
	}
	r.Shown = r.All
	r.Size = change.SizeOf(r.All)
	change.Sort(r.Files)
	return r, files
}

func randomHunk(rng *rand.Rand, line int) change.Hunk {
	h := change.Hunk{OldFrom: line, NewFrom: line}
	if rng.IntN(3) == 0 {
		h.Section = linePool[rng.IntN(len(linePool))]
	}
	var b strings.Builder
	for range 1 + rng.IntN(6) {
		mark := " +-"[rng.IntN(3)]
		for range 1 + rng.IntN(1+rng.IntN(60)) {
			b.WriteByte(mark)
			b.WriteString(linePool[rng.IntN(len(linePool))])
			b.WriteByte('\n')
			switch mark {
			case '+':
				h.Added++
				h.NewLines++
			case '-':
				h.Removed++
				h.OldLines++
			default:
				h.OldLines++
				h.NewLines++
			}
		}
	}
	if rng.IntN(5) == 0 {
		b.WriteString("\\ No newline at end of file\n")
	}
	if h.OldLines == 0 {
		h.OldFrom--
	}
	if h.NewLines == 0 {
		h.NewFrom--
	}
	h.Body = b.String()
	return h
}

func FuzzParts(f *testing.F) {
	for seed := range uint64(30) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		h := randomHunk(rng, 1+rng.IntN(1000))
		parts := change.AppendParts(nil, 0, &change.File{Hunks: []change.Hunk{h}})
		var body strings.Builder
		var sum satchel.Hunk
		for i, p := range parts {
			if p.Part != i+1 || p.Parts != len(parts) {
				t.Errorf("part %d is called %d of %d", i+1, p.Part, p.Parts)
			}
			if len(parts) > 1 && strings.Count(p.Body, "\n") > 65 {
				t.Errorf("part %d has %d lines", i+1, strings.Count(p.Body, "\n"))
			}
			if p.OldLines > 0 && p.OldFrom != h.OldFrom+sum.OldLines && h.OldLines > 0 {
				t.Errorf("part %d begins at old line %d, want %d", i+1, p.OldFrom, h.OldFrom+sum.OldLines)
			}
			if p.NewLines > 0 && p.NewFrom != h.NewFrom+sum.NewLines && h.NewLines > 0 {
				t.Errorf("part %d begins at new line %d, want %d", i+1, p.NewFrom, h.NewFrom+sum.NewLines)
			}
			body.WriteString(p.Body)
			sum.OldLines += p.OldLines
			sum.NewLines += p.NewLines
			sum.Added += p.Added
			sum.Removed += p.Removed
		}
		if body.String() != h.Body {
			t.Errorf("the parts are not the hunk:\n%q\n%q", body.String(), h.Body)
		}
		if sum.OldLines != h.OldLines || sum.NewLines != h.NewLines || sum.Added != h.Added || sum.Removed != h.Removed {
			t.Errorf("the parts have -%d +%d lines, %d removed, %d added; the hunk -%d +%d, %d, %d", sum.OldLines, sum.NewLines, sum.Removed, sum.Added, h.OldLines, h.NewLines, h.Removed, h.Added)
		}
	})
}

// ruledProfile is a profile with the layout of the name; nil for default.
func ruledProfile(name string) *changeset.Profile {
	if name == "default" {
		return nil
	}
	return &changeset.Profile{Layout: render.DiffLayout{Ruled: true, Flat: name == "flat", Hint: "(more)\n", FilteredHint: "(these)\n"}}
}

// FuzzFitDiff checks the laws of a diff under a budget, and of its pages.
func FuzzFitDiff(f *testing.F) {
	if testing.Short() {
		f.Skip("takes about a second")
	}
	for seed := range uint64(40) {
		f.Add(seed, uint16(300+seed*70), seed%3 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, budget uint16, asJSON bool) {
		rng := rand.New(rand.NewPCG(seed, 2))
		r, files := randomReport(rng)
		req := changeset.Request{Detail: changeset.DiffStandard, Budget: max(1, int(budget)), JSON: asJSON, Profile: ruledProfile(r.Profile)}
		show := func(req changeset.Request) (*Layout, *render.Diff, error) {
			s := newLayout(&req, r, slices.Clone(files))
			d, err := s.show()
			return s, d, err
		}
		s, d, err := show(req)
		var over *satchel.OverflowError
		if errors.As(err, &over) {
			if over.Need <= req.Budget {
				t.Fatalf("a budget of %d is too small, and %d is enough", req.Budget, over.Need)
			}
			req.Budget = over.Need - 1
			if _, _, err := show(req); !IsOverflow(err) {
				t.Errorf("%d tokens are needed, and %d work: %v", over.Need, over.Need-1, err)
			}
			req.Budget = over.Need
			if s, d, err = show(req); err != nil {
				t.Fatalf("%d tokens are needed, and do not work: %v", over.Need, err)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		checkRefs(t, s)
		want := map[string]bool{} // every element
		for i := range s.pieces {
			want[pieceName(s, i)] = true
		}
		checkFits(t, d, req)
		checkAccount(t, s, d)
		seen := map[string]bool{}
		for page := 1; ; page++ {
			for _, name := range shownNames(s, d) {
				if seen[name] {
					t.Errorf("page %d shows %s again", page, name)
				}
				if !want[name] {
					t.Errorf("page %d shows %s, which is nothing", page, name)
				}
				seen[name] = true
			}
			if d.Next == nil {
				break
			}
			if page > 2000 {
				t.Fatal("no end")
			}
			req.Cursor = d.Next.Text
			if page > 3 { // every page decides anew what the first one showed
				req.Budget *= 2
			}
			_, d, err = show(req)
			if errors.As(err, &over) { // a long hunk, with its head, in a small budget
				req.Budget = over.Need
				_, d, err = show(req)
			}
			if err != nil {
				t.Fatalf("page %d: %v", page+1, err)
			}
			checkFits(t, d, req)
		}
		if len(seen) != len(want) {
			t.Errorf("the pages show %d of %d elements", len(seen), len(want))
		}
	})
}

func pieceName(s *Layout, i int) string {
	p := &s.pieces[i]
	if p.line {
		return s.Report.Files[p.File].Path
	}
	return fmt.Sprintf("%s#%d.%d", s.Report.Files[p.File].Path, p.Number, p.Hunk.Part)
}

// shownNames names the elements that a page shows in full.
func shownNames(s *Layout, d *render.Diff) (names []string) {
	for i := range d.Files {
		f := &d.Files[i]
		if f.Line != "" {
			names = append(names, f.Path)
		}
		for _, h := range f.Hunks {
			if h.Detail == satchel.Full {
				names = append(names, fmt.Sprintf("%s#%d.%d", f.Path, h.Hunk.Number, h.Hunk.Part))
			}
		}
	}
	return names
}

// checkFits counts the text again.
func checkFits(t *testing.T, d *render.Diff, req changeset.Request) {
	t.Helper()
	text := render.DiffText(d)
	if req.JSON {
		full, counted, err := render.DiffJSON(d)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid([]byte(full)) {
			t.Errorf("not JSON: %.300s", full)
		}
		text = counted
	} else if n := tokens.O200k().Count(text); n != d.Used {
		t.Errorf("%d tokens used, the text has %d", d.Used, n)
	}
	if n := tokens.O200k().Count(text); n > req.Budget || d.Used > req.Budget {
		t.Errorf("%d tokens (%d stated) in a budget of %d", n, d.Used, req.Budget)
	}
	if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, secret) || strings.Contains(text, "\xff") {
		t.Errorf("hostile text got through: %.400q", text[max(0, strings.IndexAny(text, "\x1b\u202e")-100):])
	}
	for i := range d.Breaks {
		for _, e := range d.Breaks[i].Edits {
			if !d.Rest && !strings.Contains(text, e.Name) && (d.Report.Profile == "default" || req.Budget > 0) {
				t.Errorf("%s is exported, removed and not named", e.Name)
			}
		}
	}
}

// checkAccount checks that what a first page leaves out is listed, to the byte.
func checkAccount(t *testing.T, s *Layout, d *render.Diff) {
	t.Helper()
	omitted := map[string]satchel.Omission{}
	for _, o := range d.Omitted {
		name := o.Ref.Path
		if o.Hunk.Number > 0 {
			name = fmt.Sprintf("%s#%d.%d", o.Ref.Path, o.Hunk.Number, o.Hunk.Part)
		}
		if _, twice := omitted[name]; twice {
			t.Errorf("%s is omitted twice", name)
		}
		omitted[name] = o
	}
	full := map[string]bool{}
	for _, name := range shownNames(s, d) {
		full[name] = true
	}
	for i := range s.pieces {
		p, name := &s.pieces[i], pieceName(s, i)
		o, out := omitted[name]
		switch {
		case p.line:
			if !out {
				t.Errorf("the hunks of %s are not listed as left out", name)
			}
		case p.Number == 0:
		case full[name] == out && o.Why != whyLongLine:
			t.Errorf("%s: full %v, left out %v", name, full[name], out)
		case out && o.Shown < satchel.Trimmed && (o.Bytes != len(p.Body) || o.Lines != strings.Count(p.Body, "\n")):
			t.Errorf("%s: %d bytes in %d lines are left out, it has %d", name, o.Bytes, o.Lines, len(p.Body))
		}
	}
}

// checkRefs checks that no two candidates are the same piece.
func checkRefs(t *testing.T, s *Layout) {
	t.Helper()
	refs := map[satchel.Ref]bool{}
	for _, c := range s.Candidates(func(string) bool { return true }) {
		if refs[c.Ref] {
			t.Errorf("two candidates are %+v", c.Ref)
		}
		refs[c.Ref] = true
	}
}

// Where a file was rewritten, the same lines of both sides are different pieces.
func TestRewrittenFile(t *testing.T) {
	old := strings.Repeat("-old line\n", 480)
	h := change.Hunk{OldFrom: 1, OldLines: 480, NewFrom: 1, NewLines: 480, Removed: 480, Added: 480, Body: old + strings.ReplaceAll(old, "-old", "+new")}
	f := change.Scored{File: change.File{Path: "a.go", Status: change.Modified, Added: 480, Removed: 480, Hunks: []change.Hunk{h}}}
	s := newLayout(&changeset.Request{}, &change.Report{Files: []change.Scored{f}}, make([]shownFile, 1))
	checkRefs(t, s)
	cands := s.Candidates(func(string) bool { return true })
	r, err := pack.Fit(cands, pack.Options{})
	if err != nil || len(r.Entries) != len(cands) {
		t.Fatalf("%d of %d parts: %v", len(r.Entries), len(cands), err)
	}
	for i := range r.Entries {
		if got := r.Entries[i].Hunk.Part; got != i+1 {
			t.Errorf("part %d stands at place %d", got, i+1)
		}
	}
}

func TestFitDiffIsDeterministic(t *testing.T) {
	for seed := range uint64(10) {
		var texts []string
		for range 2 {
			r, files := randomReport(rand.New(rand.NewPCG(seed, 3)))
			d, err := newLayout(&changeset.Request{Detail: changeset.DiffStandard, Budget: 2500}, r, files).show()
			if err != nil {
				texts = append(texts, err.Error())
				continue
			}
			texts = append(texts, render.DiffText(d))
		}
		if texts[0] != texts[1] {
			t.Errorf("seed %d: two texts", seed)
		}
	}
}

func TestCursorErrors(t *testing.T) {
	r, files := randomReport(rand.New(rand.NewPCG(4, 4)))
	for _, cursor := range []string{"x", "100", "3-1500.0000000000000000", "3-0j.zzzzzzzzzzzzzzzz", "3.0000000000000000", "99999999999-1.0000000000000000", "0-99999999999999999999.0000000000000000"} {
		_, err := newLayout(&changeset.Request{Detail: changeset.DiffStandard, Budget: 1500, Cursor: cursor}, r, slices.Clone(files)).show()
		var bad *pack.CursorError
		if !errors.As(err, &bad) {
			t.Errorf("cursor %q: %v, want a *pack.CursorError", cursor, err)
		}
	}
}
