package finding

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

// hunk makes a hunk of its lines.
func hunk(oldFrom, newFrom int, body string) change.Hunk {
	h := change.Hunk{OldFrom: oldFrom, NewFrom: newFrom, Body: body}
	for l := range strings.Lines(body) {
		switch l[0] {
		case '+':
			h.NewLines, h.Added = h.NewLines+1, h.Added+1
		case '-':
			h.OldLines, h.Removed = h.OldLines+1, h.Removed+1
		case ' ':
			h.OldLines, h.NewLines = h.OldLines+1, h.NewLines+1
		}
	}
	return h
}

// lockBody is a hunk that begins at line 40 of the new side, 38 of the old one.
const lockBody = " func (s *Store) Close() error {\n" + // 38 40
	"-\terr := s.db.Close()\n" + // 39
	"-\tos.Remove(s.path)\n" + // 40
	"+\tos.Remove(s.lock)\n" + //      41
	"+\treturn s.db.Close()\n" + //      42
	" }\n" + // 41 43
	" \n" + // 42 44
	"+\tlog.Println(\"closed the store\")\n" // 45

func testChange() *Change {
	files := []change.File{
		{Path: "state/lock.go", OldPath: "state/old.go", Status: change.Renamed, Hunks: []change.Hunk{
			hunk(38, 40, lockBody),
			hunk(90, 95, " \tif err != nil {\n+\t\treturn nil, err\n \t}\n"),
			hunk(99, 105, " \tif err != nil {\n+\t\treturn nil, err\n \t}\n"),
			hunk(300, 310, "+\t\treturn nil, err\n"),
		}},
		{Path: "render/diff.go", Status: change.Modified, Hunks: []change.Hunk{hunk(210, 210, "-\tfmt.Fprint(w, text)\n+\tfmt.Fprint(w, clean(text))\n")}},
		{Path: "docs/a.md", Status: change.Added, Hunks: []change.Hunk{hunk(0, 1, "+- item\n+token = \"ghp_0123456789abcdefghijklmnopqrstuvwxyz\"\n")}},
		{Path: "gone.go", Status: change.Deleted, Hunks: []change.Hunk{hunk(1, 0, "-package gone\n")}},
	}
	text := func(path string, side Side) (string, bool) {
		switch {
		case path == "state/lock.go" && side == New:
			return strings.Repeat("\n", 9) + "func open() {}\n\tx := 1\n\n\tx := 1\n", true
		case path == "state/store.go":
			return strings.Repeat("\n", 87) + "\treturn open(s.lock)\n", true
		}
		return "", false
	}
	symbols := func(path string, side Side) []satchel.Symbol {
		if path == "state/lock.go" {
			return []satchel.Symbol{{Kind: "type", Name: "Store", From: 1, To: 200}, {Kind: "method", Name: "Close", Parent: "Store", From: 40, To: 43}, {Kind: "field", Name: "x", From: 41, To: 41}}
		}
		return nil
	}
	known := func(name string) bool {
		return strings.Contains("Close lock Store db open os Remove s", name)
	}
	return NewChange(files, Code{Text: text, Symbols: symbols, Known: known}, nil)
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name       string
		path       string
		side       Side
		from, to   int
		quote      string
		want       string // path:from-to side anchor
		why        string
		notInlined bool
	}{
		{"exact", "state/lock.go", New, 41, 42, "os.Remove(s.lock)", "state/lock.go:41-42 new exact", "", false},
		{"exact with its mark", "state/lock.go", New, 41, 41, "+\tos.Remove(s.lock)", "state/lock.go:41-41 new exact", "", false},
		{"exact with its number", "state/lock.go", New, 41, 41, "  41 +\tos.Remove(s.lock)", "state/lock.go:41-41 new exact", "", false},
		{"exact on the old side", "state/lock.go", Old, 40, 40, "os.Remove(s.path)", "state/lock.go:40-40 old exact", "", false},
		{"exact, by the old name", "state/old.go", Old, 40, 40, "os.Remove(s.path)", "state/lock.go:40-40 old exact", "", false},
		{"exact, a line that did not change", "state/lock.go", New, 43, 43, "}", "state/lock.go:43-43 new exact", "", false},
		{"two lines", "state/lock.go", New, 41, 41, "\tos.Remove(s.lock)\n\treturn s.db.Close()\n", "state/lock.go:41-42 new exact", "", false},
		{"the second line is invented", "state/lock.go", New, 41, 41, "os.Remove(s.lock)\nreturn nil", "state/lock.go:41-41 new unverified", "its quote was not found", true},
		{"marks of a patch in the path", "b/state/lock.go", New, 41, 41, "os.Remove(s.lock)", "state/lock.go:41-41 new exact", "", false},
		{"only the name of the file", "lock.go", New, 41, 41, "os.Remove(s.lock)", "state/lock.go:41-41 new exact", "", false},
		{"off by some", "state/lock.go", New, 52, 53, "os.Remove(s.lock)", "state/lock.go:41-42 new moved", "moved from line 52: its quote is here", false},
		{"range that leaves the hunk", "state/lock.go", New, 41, 90, "os.Remove(s.lock)", "state/lock.go:41-41 new exact", "", false},
		{"wrong side", "state/lock.go", New, 40, 40, "os.Remove(s.path)", "state/lock.go:40-40 old moved", "moved from line 40: its quote is here; on the old side", false},
		{"nearest", "state/lock.go", New, 98, 98, "return nil, err", "state/lock.go:96-96 new moved", "moved from line 98: its quote is here", false},
		{"tied", "state/lock.go", New, 101, 101, "return nil, err", "state/lock.go:0-0 new file", "its quote is at 3 places", true},
		{"far from all", "state/lock.go", New, 200, 200, "return nil, err", "state/lock.go:0-0 new file", "its quote is at 3 places", true},
		{"another file", "state/lock.go", New, 41, 41, "fmt.Fprint(w, clean(text))", "render/diff.go:210-210 new moved", "moved from state/lock.go: its quote is here", false},
		{"another file, a quote that says little", "render/diff.go", New, 41, 41, "}", "render/diff.go:41-41 new unverified", "its quote was not found", true},
		{"another file, several lines", "render/diff.go", New, 41, 41, "return nil, err", "render/diff.go:41-41 new unverified", "its quote was not found", true},
		{"a line that did not change", "state/lock.go", New, 10, 10, "func open() {}", "state/lock.go:10-10 new context", "", true},
		{"a line that did not change, far", "state/lock.go", New, 700, 700, "func open() {}", "state/lock.go:10-10 new context", "", true},
		{"lines that did not change", "state/lock.go", New, 12, 12, "x := 1", "state/lock.go:0-0 new file", "its quote is at 2 places", true},
		{"a file that did not change", "state/store.go", New, 88, 88, "return open(s.lock)", "state/store.go:88-88 new context", "", true},
		{"a dash that is no mark", "docs/a.md", New, 1, 1, "- item", "docs/a.md:1-1 new exact", "", false},
		{"a dash that is no mark, without it", "docs/a.md", New, 1, 1, "item", "docs/a.md:1-1 new unverified", "its quote was not found", true},
		{"invented", "state/lock.go", New, 41, 41, "os.RemoveAll(s.lock)", "state/lock.go:41-41 new unverified", "its quote was not found", true},
		{"part of a line", "state/lock.go", New, 41, 41, "os.Remove", "state/lock.go:41-41 new unverified", "its quote was not found", true},
		{"no quote", "state/lock.go", New, 41, 41, " \n", "state/lock.go:41-41 new unverified", "it quotes no line", true},
		{"nothing but a mark", "state/lock.go", New, 44, 44, "+", "state/lock.go:44-44 new unverified", "its quote was not found", true},
		{"invented path", "../../etc/passwd", New, 1, 1, "root", "../../etc/passwd:1-1 new unverified", "its quote was not found", true},
		{"path out of the repository, quote in it", "/etc/passwd", New, 1, 1, "fmt.Fprint(w, clean(text))", "render/diff.go:210-210 new moved", "moved from /etc/passwd: its quote is here", false},
		{"absurd numbers", "state/lock.go", New, -1 << 62, 1 << 62, "os.Remove(s.lock)", "state/lock.go:41-41 new moved", "moved from line 0: its quote is here", false},
		{"hostile path", "a\x1b[31m\nb", New, 1, 1, "x", `a\u{1b}[31m\u{a}b:1-1 new unverified`, "its quote was not found", true},
	} {
		got := testChange().Resolve(Finding{Path: c.path, Side: c.side, From: c.from, To: c.to, Quote: c.quote, Confidence: 90})
		if s := fmt.Sprintf("%s:%d-%d %s %s", got.Path, got.From, got.To, got.Side, got.Anchor); s != c.want {
			t.Errorf("%s: %s, want %s (%s)", c.name, s, c.want, got.Why)
		}
		if got.Why != c.why {
			t.Errorf("%s: why %q, want %q", c.name, got.Why, c.why)
		}
		if got.Inline == c.notInlined {
			t.Errorf("%s: inline is %v", c.name, got.Inline)
		}
		if strings.Contains(got.Quote+fmt.Sprint(got.Lines), "ghp_0") {
			t.Errorf("%s: a secret is shown: %v", c.name, got)
		}
	}
}

func TestSecretQuote(t *testing.T) {
	c := testChange()
	shown := c.files[2].lines(New)[1].text
	if got := c.Resolve(Finding{Path: "docs/a.md", Side: New, From: 2, Quote: shown}); got.Anchor != Exact || got.Quote != shown {
		t.Errorf("the redacted line %q is %s, %q", shown, got.Anchor, got.Quote)
	}
}

// TestCutQuote: a long line is quoted as it was shown, and no other is.
func TestCutQuote(t *testing.T) {
	long := strings.Repeat("0123456789", 30)
	c := NewChange([]change.File{{Path: "a", Hunks: []change.Hunk{hunk(1, 1, "+x"+long+"\n+y"+long+"\n")}}}, Code{}, nil)
	for quoted, want := range map[string]Anchor{
		"y" + long[:100] + "… 200 more bytes": Exact,
		"y" + long[:100] + "…":                Exact,
		"y" + long[:100] + "… and so on":      Unverified,
		"y" + long[:100]:                      Unverified,
		"z" + long[:100] + "…":                Unverified,
		"y0123…":                              Unverified,
	} {
		if got := c.Resolve(Finding{Path: "a", Side: New, From: 2, Quote: quoted}); got.Anchor != want {
			t.Errorf("%s is %s, want %s", quoted, got.Anchor, want)
		}
	}
}

func TestLines(t *testing.T) {
	got := testChange().Resolve(Finding{Path: "state/lock.go", Side: New, From: 40, To: 42, Quote: "func (s *Store) Close() error {"})
	want := "[{40   func (s *Store) Close() error {} {41 + \tos.Remove(s.lock)} {42 + \treturn s.db.Close()}]"
	if s := fmt.Sprint(got.Lines); s != want {
		t.Errorf("lines %s, want %s", s, want)
	}
}

func TestReplacement(t *testing.T) {
	for _, c := range []struct {
		name, fix string
		from, to  int
		want      string
	}{
		{"prose", "close first, then remove", 41, 42, ""},
		{"exactly", "```go\n\terr := s.db.Close()\n\tos.Remove(s.lock)\n\treturn err\n```", 41, 42, "\terr := s.db.Close()\n\tos.Remove(s.lock)\n\treturn err"},
		{"with the line after", "```go\n\tos.Remove(s.lock)\n\treturn nil\n}\n```", 41, 42, "\tos.Remove(s.lock)\n\treturn nil\n}"},
		{"with the line before", "```\nfunc (s *Store) Close() error {\n\tos.Remove(s.lock)\n```", 41, 42, ""},
		{"the same", "```\n\tos.Remove(s.lock)\n\treturn s.db.Close()\n```", 41, 42, ""},
		{"about something else", "```\nfoo(bar)\n```", 41, 42, ""},
		{"prose around", "Do:\n```\n\tos.Remove(s.lock + x)\n```", 41, 41, ""},
	} {
		got := testChange().Resolve(Finding{Path: "state/lock.go", Side: New, From: c.from, To: c.to, Quote: "os.Remove(s.lock)", Fix: c.fix})
		if got.Replacement != c.want {
			t.Errorf("%s: %q, want %q", c.name, got.Replacement, c.want)
		}
	}
}

func TestClaims(t *testing.T) {
	for _, c := range []struct {
		name, body string
		anchor     Anchor
		confidence int
		unknown    string
	}{
		{"known", "`Close` of `s.db` and `Store.Close()` with `nil`, `x + 1`", Exact, 90, ""},
		{"unknown", "`Frobnicate` and `s.frob()` are not `Close`", Exact, 60, "Frobnicate s.frob"},
		{"names of files", "see `lock.go` and `state/lock.go`", Exact, 90, ""},
		{"missing", "render/diff.go is missing from the change", Unverified, 90, ""},
		{"missing by its name", "The file `diff.go` does not exist.", Unverified, 90, ""},
		{"missing before", "It uses clean, but the commit is missing the file render/diff.go.", Unverified, 90, ""},
		{"not in the diff", "`render/diff.go` is not included in the diff", Unverified, 90, ""},
		{"gone", "gone.go is missing", Exact, 90, ""},
		{"something in it is missing", "render/diff.go is missing a check of the error", Exact, 90, ""},
		{"another is missing", "render/other.go is missing", Exact, 90, ""},
		{"a check is missing there", "without diff.go being read first", Exact, 90, ""},
	} {
		got := testChange().Resolve(Finding{Path: "state/lock.go", Side: New, From: 41, Quote: "os.Remove(s.lock)", Body: c.body, Confidence: 90})
		if got.Anchor != c.anchor || got.Confidence != c.confidence || strings.Join(got.UnknownNames, " ") != c.unknown {
			t.Errorf("%s: %s %d %v, want %s %d %s (%s)", c.name, got.Anchor, got.Confidence, got.UnknownNames, c.anchor, c.confidence, c.unknown, got.Why)
		}
	}
}

func TestEvidence(t *testing.T) {
	good := Evidence{Path: "state/store.go", Line: 80, Quote: "return open(s.lock)"}
	bad := Evidence{Path: "state/store.go", Line: 88, Quote: "return close(s.lock)"}
	gone := Evidence{Path: "state/lock.go", Line: 40, Quote: "os.Remove(s.path)"}
	for _, c := range []struct {
		list       []Evidence
		confidence int
		ok         string
	}{
		{nil, 90, ""},
		{[]Evidence{good, bad, gone}, 90, "true@88 false@88 true@40"},
		{[]Evidence{bad}, 70, "false@88"},
	} {
		got := testChange().Resolve(Finding{Path: "state/lock.go", Side: New, From: 41, Quote: "os.Remove(s.lock)", Confidence: 90, Evidence: c.list})
		var ok []string
		for _, e := range got.Evidence {
			ok = append(ok, fmt.Sprintf("%v@%d", e.OK, e.Line))
		}
		if s := strings.Join(ok, " "); got.Confidence != c.confidence || s != c.ok {
			t.Errorf("%d %s, want %d %s", got.Confidence, s, c.confidence, c.ok)
		}
	}
}

func TestWeigh(t *testing.T) {
	for _, c := range []struct {
		look Look
		want Verdict
	}{
		{Look{Verdict: Confirmed}, Confirmed},
		{Look{Verdict: Refuted, Path: "state/store.go", Line: 88, Quote: "return open(s.lock)"}, Refuted},
		{Look{Verdict: Refuted, Quote: "return s.db.Close()"}, Refuted},
		{Look{Verdict: Refuted, Path: "state/store.go", Line: 88, Quote: "invented"}, Unsure},
		{Look{Verdict: Refuted}, Unsure},
		{Look{Verdict: "nonsense"}, None},
	} {
		ch := testChange()
		f := ch.Resolve(Finding{Path: "state/lock.go", Side: New, From: 41, Quote: "os.Remove(s.lock)", Confidence: 90})
		ch.Weigh(&f, c.look)
		if f.Check != c.want || f.Confidence != 90 {
			t.Errorf("%+v: %s %d, want %s 90", c.look, f.Check, f.Confidence, c.want)
		}
	}
}

func TestIdentity(t *testing.T) {
	ch := testChange()
	f := ch.Resolve(Finding{Path: "state/lock.go", Side: New, From: 41, Quote: "os.Remove(s.lock)", Category: "Error Handling"})
	if f.Definition != "Store.Close" || f.Category != "error_handling" || f.Hash == "" || !strings.HasPrefix(f.Fingerprint, f.ID) {
		t.Errorf("%+v", f)
	}
	moved := ch.Resolve(Finding{Path: "state/lock.go", Side: New, From: 47, Quote: "+ os.Remove(s.lock)", Category: "error_handling", Title: "in other words"})
	if moved.Fingerprint != f.Fingerprint || moved.Hash != f.Hash {
		t.Errorf("the same finding has the fingerprint %s, want %s", moved.Fingerprint, f.Fingerprint)
	}
}

// FuzzResolve holds the laws of anchors: nothing panics, an invented quote is nowhere,
// an exact line is the quoted one, and what is shown is clean.
func FuzzResolve(f *testing.F) {
	f.Add("state/lock.go", "new", 41, 42, "os.Remove(s.lock)", "`Close` <img src=x> @you", lockBody, 40)
	f.Add("b/state/lock.go", "old", 1, 1<<40, "  41 + return nil, err\n\n", "fixes #1\x1b[0m", " a\n-b\n+b\n\\ No newline at end of file\n", 0)
	f.Add("", "", -5, 3, "\n+\n-\n", "", "", -3)
	f.Fuzz(func(t *testing.T, path, side string, from, to int, quoted, body, patch string, start int) {
		for _, l := range strings.SplitAfter(patch, "\n") {
			if l != "" && !strings.ContainsRune(" +-\\", rune(l[0])) {
				return
			}
		}
		file := change.File{Path: "state/lock.go", Status: change.Modified, Hunks: []change.Hunk{hunk(start%1000, start%1000, patch)}}
		c := NewChange([]change.File{file}, Code{}, nil)
		got := c.Resolve(Finding{Path: path, Side: Side(side), From: from, To: to, Quote: quoted, Title: body, Body: body, Fix: body, Evidence: []Evidence{{Path: path, Line: from, Quote: quoted}}})
		q := strings.TrimSpace(strings.Trim(quoted, "\n"))
		if got.Anchor != Unverified {
			if !strings.Contains(quoted, firstWord(got.Quote)) {
				t.Errorf("quote %q is said to be the line %q", quoted, got.Quote)
			}
			if !strings.Contains(patch, strings.TrimSpace(strings.TrimPrefix(q, "+"))) && !strings.Contains(q, "\n") && !strings.ContainsAny(q, "0123456789-\\\ufffd") && strings.ToValidUTF8(patch, "") == patch {
				t.Errorf("invented quote %q is %s", quoted, got.Anchor)
			}
		}
		if got.Anchor == Exact && got.From != from {
			t.Errorf("line %d is said to be exactly %d", got.From, from)
		}
		if got.Inline != (got.Anchor == Exact || got.Anchor == Moved) {
			t.Errorf("%s, and inline is %v", got.Anchor, got.Inline)
		}
		if strings.ContainsAny(got.Title+got.Body+got.Fix+got.Quote, "\x00\x1b\r\u202e\u200b") {
			t.Errorf("not clean: %+v", got)
		}
		if again := c.Resolve(got); got.Anchor == Exact && (again.Anchor != Exact || again.From != got.From || again.Fingerprint != got.Fingerprint) {
			t.Errorf("%+v resolves to %+v", got, again)
		}
	})
}

func firstWord(s string) string {
	f := strings.FieldsFunc(s, func(r rune) bool { return r > 126 || r <= ' ' || r == '\\' })
	if len(f) == 0 || strings.ContainsAny(s, "\\\ufffd…[") {
		return ""
	}
	return f[0]
}
