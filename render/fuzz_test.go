package render_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
)

// unsafe tells the characters that no output may have: it names them in
// another way than the package does.
func unsafe(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0, // controls
		r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c, // bidi
		r >= 0x200b && r <= 0x200d, r == 0x2060, r == 0xfeff, // zero width
		r == 0x2028, r == 0x2029,
		r >= 0xe0000 && r <= 0xe0fff: // tags
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// pieces are what hostile repositories are made of.
var pieces = []string{
	"```", "````", "~~~", "\n", "\n", "\n\n", "### a/b.go blob 12345678\n", "lines 1-9 Name\n", "@@ 1-9 Name\n", "@@@ 9", "\n@@", "```go\n", "## Receipt\n", "==== file x\n", "=====", "\n==== lines 1-2\n",
	"]]>", "]]", ">", "<![CDATA[", "</text>", "</file>", "&amp;", "<", "\"", "'", "\\", "\x1b[2J", "\u009b", "\x9b", "\xff", "\u202e", "\u2066", "\u200b", "\ufe0f",
	"\U000e0041", "\ufeff", "\r\n", "\r", "\x00", "\ufffe", "func f() {}", " ", "\t", "日本", "❤️", "/", "//", "}", "\u2028", "\u00a0", "\u0085", "0", "99", "a",
}

func hostile(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// random returns a Pack of hostile pieces.
func random(seed uint64) *satchel.Pack {
	r := rand.New(rand.NewPCG(seed, 3))
	p := &satchel.Pack{Version: satchel.PackVersion, Budget: r.IntN(9000), Rev: hostile(r, 1), Method: hostile(r, 1), Snapshot: hostile(r, 1)}
	for f := range r.IntN(5) {
		path := fmt.Sprint("f", f, hostile(r, 2))
		line := 1
		for k := range r.IntN(5) {
			if r.IntN(2) == 0 {
				line += r.IntN(30)
			}
			n := 1 + r.IntN(10)
			e := satchel.Entry{
				Ref:    satchel.Ref{Kind: satchel.KindSnippet, Path: path, From: line, To: line + n - 1},
				Title:  satchel.Clean("", hostile(r, 2)),
				Lang:   []string{"go", "", "```", "c++"}[f%4],
				Blob:   []string{"1a2b3c4d5e6f", "", "x\n### y"}[f%3],
				Dirty:  f%3 == 1,
				Detail: satchel.Detail(1 + r.IntN(4)),
				Text:   satchel.Clean("", hostile(r, 12)),
				Score:  satchel.Score{{Why: hostile(r, 3), Add: 1}},
			}
			line += n
			if k == 0 && r.IntN(3) == 0 {
				e.Ref.From, e.Ref.To = 0, 0
			}
			p.Entries = append(p.Entries, e)
		}
		if seed%3 > 0 {
			p.Paths = append(p.Paths, satchel.PathLine{Path: path, Score: r.NormFloat64()})
		}
		p.Omitted = append(p.Omitted, satchel.Omission{Ref: satchel.Ref{Path: path, From: 1, To: 2}, Why: satchel.WhyNoRoom, Score: 1, Tokens: 9}, satchel.Omission{Ref: satchel.Ref{Path: hostile(r, 3)}, Why: hostile(r, 2)})
	}
	if r.IntN(2) == 0 {
		p.Diagnostics = append(p.Diagnostics, satchel.Diagnostic{Path: hostile(r, 2), Text: hostile(r, 4)})
	}
	return p
}

// A shown block is what a reader of the output finds.
type shown struct {
	File string // word that names the file
	Text string
}

// expect returns the blocks of text that the output should have.
func expect(p *satchel.Pack) []shown {
	entries := slices.Clone(p.Entries)
	listed := func(path string) int {
		for i, l := range p.Paths {
			if l.Path == path {
				return i
			}
		}
		return len(p.Paths)
	}
	slices.SortStableFunc(entries, func(a, b satchel.Entry) int {
		switch {
		case len(p.Paths) > 0 && listed(a.Ref.Path) != listed(b.Ref.Path):
			return listed(a.Ref.Path) - listed(b.Ref.Path)
		case len(p.Paths) == 0 && a.Dirty != b.Dirty && a.Dirty:
			return 1
		case len(p.Paths) == 0 && a.Dirty != b.Dirty:
			return -1
		case a.Ref.Path != b.Ref.Path:
			return strings.Compare(a.Ref.Path, b.Ref.Path)
		}
		return a.Ref.From - b.Ref.From
	})
	var want []shown
	for i, e := range entries {
		if !pack.IsText(e.Ref.Kind, e.Detail) {
			continue
		}
		text := e.Text.String()
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if i > 0 && pack.IsText(entries[i-1].Ref.Kind, entries[i-1].Detail) && pack.Touch(entries[i-1].Ref, e.Ref) {
			want[len(want)-1].Text += text
			continue
		}
		want = append(want, shown{clean.Inline(e.Ref.Path), text})
	}
	return want
}

// unquote undoes the quoting of a path, of which only quotes and backslashes
// are escaped; \u{…} stays.
func unquote(s string) string {
	if !strings.HasPrefix(s, `"`) {
		return s
	}
	s = strings.TrimSuffix(s[1:], `"`)
	s = strings.ReplaceAll(s, `\"`, `"`)
	return strings.ReplaceAll(s, `\\`, `\`)
}

// splitWord returns the path that a heading starts with.
func splitWord(s string) string {
	if !strings.HasPrefix(s, `"`) {
		w, _, _ := strings.Cut(s, " ")
		return w
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[:i+1]
		}
	}
	return s
}

// readMarkdown reads the blocks of text out of Markdown, as a reader would who
// knows only that fences hold data.
func readMarkdown(t *testing.T, pack string) (got []shown) {
	t.Helper()
	file, fence, mark := "", "", ""
	var lines []string // of the fence
	text := false
	for line := range strings.Lines(pack) {
		bare := strings.TrimSuffix(line, "\n")
		ticks := len(bare) - len(strings.TrimLeft(bare, "`"))
		switch {
		case fence != "":
			if bare != fence {
				lines = append(lines, line)
				continue
			}
			fence, mark = "", ""
			// The mark is the longest of its kind; what precedes it is an outline.
			for _, l := range lines {
				if !text {
					break
				}
				if signs := l[:len(l)-len(strings.TrimLeft(l, "@"))]; len(signs) > max(len(mark), 1) {
					mark = signs
				}
			}
			in := false
			for _, l := range lines {
				switch {
				case mark != "" && strings.HasPrefix(l, mark+" "):
					got, in = append(got, shown{file, ""}), true
				case in:
					got[len(got)-1].Text += l
				}
			}
		case ticks >= 3:
			fence, lines = bare[:ticks], nil
			text = bare != fence // without a language it is an outline alone
		case strings.HasPrefix(bare, "### "):
			file = unquote(splitWord(bare[4:]))
		}
	}
	if fence != "" {
		t.Errorf("the last fence is open in\n%s", pack)
	}
	return got
}

func readPlain(text string) (got []shown) {
	_, rest, _ := strings.Cut(text, "\n")
	mark := rest[:len(rest)-len(strings.TrimLeft(rest, "="))] + " "
	file, in := "", false
	for line := range strings.Lines(rest) {
		head, ok := strings.CutPrefix(line, mark)
		switch {
		case !ok:
			if in {
				got[len(got)-1].Text += line
			}
		case strings.HasPrefix(head, "file "):
			file, in = unquote(splitWord(strings.TrimSuffix(head[5:], "\n"))), false
		case strings.HasPrefix(head, "lines "), head == "text\n", strings.HasPrefix(head, "text "):
			got, in = append(got, shown{file, ""}), true
		default:
			in = false
		}
	}
	return got
}

func readXML(t *testing.T, text string) (got []shown) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	file, in, body := "", false, ""
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return got
		}
		if err != nil {
			t.Fatalf("not well formed: %v\n%s", err, text)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			in, body = tok.Name.Local == "text", ""
			for _, a := range tok.Attr {
				if tok.Name.Local == "file" && a.Name.Local == "path" {
					file = a.Value
				}
			}
		case xml.CharData:
			if in {
				body += string(tok)
			}
		case xml.EndElement:
			if in {
				got = append(got, shown{file, strings.TrimPrefix(body, "\n")})
			}
			in = false
		}
	}
}

func checkSafe(t *testing.T, p *satchel.Pack) {
	t.Helper()
	want := expect(p)
	for _, f := range formats {
		text := write(t, p, f)
		if !utf8.ValidString(text) {
			t.Errorf("%s is not valid UTF-8: %q", f, text)
		}
		if i := strings.IndexFunc(text, unsafe); i >= 0 {
			t.Errorf("%s has an unsafe character at %d: %q", f, i, text)
		}
		var got []shown
		switch f {
		case render.Markdown:
			got = readMarkdown(t, text)
		case render.Plain:
			got = readPlain(text)
		case render.XML:
			got = readXML(t, text)
		case render.JSON:
			var q satchel.Pack
			if err := json.Unmarshal([]byte(text), &q); err != nil {
				t.Fatalf("JSON does not decode: %v\n%s", err, text)
			}
			if len(q.Entries) != len(p.Entries) || len(q.Omitted) != len(p.Omitted) || q.Task != "" {
				t.Errorf("JSON has %d entries and %d omissions, want %d and %d", len(q.Entries), len(q.Omitted), len(p.Entries), len(p.Omitted))
			}
			got = expect(&q)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: the texts read back differ (-want +got):\n%s\nin\n%s", f, diff, text)
		}
	}
}

func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	for seed := range uint64(300) {
		checkSafe(t, random(seed))
	}
}

// FuzzRender checks that no text, path or title can pretend to be anything
// else: the output has no control characters, and a reader finds exactly the
// texts of the entries.
func FuzzRender(f *testing.F) {
	for _, s := range pieces {
		f.Add("dir/a.go", "Name", s, s+"\n"+s, uint8(4))
	}
	f.Fuzz(func(t *testing.T, path, title, one, two string, detail uint8) {
		if path == "" {
			path = "-"
		}
		d := satchel.Detail(1 + detail%4)
		entry := func(from, to int, text string) satchel.Entry {
			return satchel.Entry{Ref: satchel.Ref{Kind: satchel.KindSnippet, Path: path, From: from, To: to}, Title: satchel.Clean("", title), Lang: title, Detail: d, Text: satchel.Clean("", text), Tokens: 1 << 20, Score: satchel.Score{{Why: title, Add: 1}, {Why: path, Add: -1}}}
		}
		p := &satchel.Pack{
			Entries:     []satchel.Entry{entry(0, 0, two), entry(1, 2, one), entry(3, 4, two), entry(9, 12, one+two)},
			Paths:       []satchel.PathLine{{Path: path}, {Path: one}},
			Omitted:     []satchel.Omission{{Ref: satchel.Ref{Path: two}, Why: title}, {Ref: satchel.Ref{Path: one, From: 1, To: 3}, Why: satchel.WhyNoRoom}},
			Diagnostics: []satchel.Diagnostic{{Path: two, Text: one}},
		}
		checkSafe(t, p)
	})
}
