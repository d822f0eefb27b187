package change_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

// sides makes both sides of some files of any bytes: symbols of few names whose
// ranges need not make sense.
func sides(data []byte) []change.Pair {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	pick := func(from ...string) string { return from[next()%len(from)] }
	side := func() *change.Side {
		if next()%8 == 7 {
			return nil
		}
		s := new(change.Side)
		var text strings.Builder
		for range next() % 24 {
			text.WriteString(pick("first line here", "second line there", "return value of a", "return value of b", "\ttotal := compute(a)", "", "}", "// comment text", "call(b, c)") + "\n")
		}
		s.Text = []byte(text.String())
		for range next() % 10 {
			from := next()%24 - 1
			s.Symbols = append(s.Symbols, satchel.Symbol{
				Kind: pick("func", "method", "struct", "class", "const", "module", "impl", "other"), Name: pick("a", "b", "C", "_d", ""),
				Parent: pick("", "a", "C", "a.b", "C.C"), Signature: pick("func a()", "func b(x int)", "impl X for C", "pub fn a()", ""),
				From: from, To: from + next()%12 - 1, NameLine: from,
			})
		}
		if next()%4 > 0 {
			slices.SortStableFunc(s.Symbols, func(a, b satchel.Symbol) int {
				if a.From != b.From {
					return a.From - b.From
				}
				return b.To - a.To
			})
		}
		for range next() % 3 {
			s.Imports = append(s.Imports, pick("x", "y", "z"))
		}
		if next()%3 == 0 {
			s.Comments = []satchel.Range{{From: next()%8 - 1, To: next() % 12}}
		}
		return s
	}
	pairs := make([]change.Pair, 1+next()%3)
	for i := range pairs {
		pairs[i] = change.Pair{Path: fmt.Sprintf("f%d", i), Lang: pick("go", "rust", "python", "typescript", "java", ""), Old: side(), New: side()}
		if next()%4 == 0 {
			pairs[i].OldPath = fmt.Sprintf("g%d", i)
		}
	}
	return pairs
}

// definitions lists what edits with the action do it to.
func definitions(edits [][]change.Edit, actions ...change.Action) (out []string) {
	for i := range edits {
		for _, e := range edits[i] {
			if slices.Contains(actions, e.Action) {
				out = append(out, fmt.Sprintf("%d %s %d-%d %s", i, e.QualifiedName(), e.Lines.From, e.Lines.To, e.Signature))
			}
		}
	}
	slices.Sort(out)
	return out
}

// FuzzCompare checks the laws that Compare states.
func FuzzCompare(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte("a definition here and there, a few more bytes so that something is made of them, and more"))
	f.Add([]byte("\x02\x00\x10\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x08\x01\x02\x03\x01\x02\x03\x02\x05\x01\x02\x03\x01\x02\x03\x02\x05"))
	for seed := range 200 {
		f.Add(noise(seed, 400))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		pairs := sides(data)
		edits := change.Compare(pairs)
		if diff := cmp.Diff(edits, change.Compare(pairs)); diff != "" {
			t.Fatalf("two runs differ: %s", diff)
		}

		// Nothing is both added and removed.
		for i := range edits {
			gone := map[string]bool{}
			for _, e := range edits[i] {
				if e.Action == change.Removes {
					gone[e.Kind+" "+e.QualifiedName()] = true
				}
			}
			for _, e := range edits[i] {
				if (e.Action == change.Adds || e.Action == change.Impl) && gone[e.Kind+" "+e.QualifiedName()] {
					t.Errorf("%s is added and removed:\n%s", e.QualifiedName(), show(edits[i]))
				}
			}
		}

		// Exchanging the sides exchanges what is added and removed.
		swapped := slices.Clone(pairs)
		for i := range swapped {
			p := &swapped[i]
			p.Old, p.New = p.New, p.Old
			if p.OldPath != "" {
				p.Path, p.OldPath = p.OldPath, p.Path
			}
		}
		back := change.Compare(swapped)
		if diff := cmp.Diff(definitions(edits, change.Adds, change.Impl), definitions(back, change.Removes)); diff != "" {
			t.Errorf("added, and removed after exchanging the sides: %s", diff)
		}
		if diff := cmp.Diff(definitions(edits, change.Removes), definitions(back, change.Adds, change.Impl)); diff != "" {
			t.Errorf("removed, and added after exchanging the sides: %s", diff)
		}

		// Equal sides have no edits.
		same := slices.Clone(pairs)
		for i := range same {
			same[i].Old = same[i].New
		}
		for i, es := range change.Compare(same) {
			if len(es) > 0 {
				t.Errorf("file %d compared with itself: %s", i, show(es))
			}
		}
	})
}

// noise is a run of bytes that depends on the seed alone.
func noise(seed, n int) []byte {
	x := uint64(seed)*2862933555777941757 + 3037000493
	b := make([]byte, n)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x >> 32)
	}
	return b
}

// FuzzPatchEdits checks that any hunk of any language has edits of which nothing
// is both added and removed, and that all else that is measured bears it.
func FuzzPatchEdits(f *testing.F) {
	f.Add("go", " import (\n+\t\"os\"\n )\n-func a() {\n+func a(x int) {\n")
	f.Add("rust", "+impl<T> A for B<T> {\n+pub(crate) const fn x() {}\n-pub extern \"C\" fn y()\n")
	f.Add("typescript", "+export function f(a)\n+const g = async (x) => {\n-  get size() {\n")
	f.Add("cpp", "+void A::b(int x) {\n-struct p q;\n+template <class T>\n")
	f.Add("ruby", "+def self.a?\n\\ No newline at end of file\n")
	f.Add("", "+pub(\n+impl<\n+extern \"\n+func (\n")
	f.Fuzz(func(t *testing.T, lang, body string) {
		if body == "" || !strings.HasSuffix(body, "\n") {
			body += "\n"
		}
		file := change.File{Path: "a/b.x", Status: change.Modified, Added: strings.Count(body, "\n+"), Removed: strings.Count(body, "\n-"),
			Hunks: []change.Hunk{{OldFrom: 1, NewFrom: 1, Body: body, Section: body}}}
		for _, l := range []string{lang, "go", "rust", "typescript", "python", "cpp", "lua", "bash", "sql", "swift"} {
			scored := []change.Scored{{File: file, Facts: change.Facts{Class: "source", Lang: l}}, {File: file, Facts: change.Facts{Class: "test", Lang: l}}}
			change.Describe(scored, nil)
			edits := scored[0].Edits
			gone := map[string]bool{}
			for _, e := range edits {
				if e.Action == change.Removes {
					gone[e.Kind+" "+e.QualifiedName()] = true
				}
			}
			for _, e := range edits {
				if e.Label() == "" {
					t.Errorf("%+v has no label", e)
				}
				if e.Action == change.Adds && gone[e.Kind+" "+e.QualifiedName()] {
					t.Errorf("%s: %s is added and removed", l, e.QualifiedName())
				}
			}
			change.Measure(scored)
		}
	})
}
