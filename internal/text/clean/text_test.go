package clean

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// checkText fails unless a text holds what a Text promises. A carriage return
// may stand before a newline if it is of a patch.
func checkText(t *testing.T, what string, x Text, ofPatch bool) {
	t.Helper()
	s := x.s
	if ofPatch {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, forbidden) {
		t.Errorf("%s: %q", what, x.s)
	}
	if again := visible(x.s, patch); again.s != x.s || again.odd != nil {
		t.Errorf("%s: %q becomes %q when it is cleaned again", what, x.s, again.s)
	}
	last := -1
	for _, o := range x.odd {
		mark := x.s[o.at():]
		if o.at() <= last || !strings.HasPrefix(mark, `\u{`) && !strings.HasPrefix(mark, "\uFFFD") {
			t.Errorf("%s: %q: at %d no character was changed", what, x.s, o.at())
		}
		last = o.at()
	}
}

// FuzzText checks that what every constructor makes of any bytes is clean, that
// cleaning it again finds nothing, and that operations keep it so.
func FuzzText(f *testing.F) {
	for _, s := range pieces {
		f.Add("x"+s+s, s+"y", uint16(3), uint16(9))
	}
	f.Add("password = \"\x00hunter2hunter2\"\n", "ghp_0123456789abcdefghijklmnopqrstuvwxyz\x1b[0m", uint16(0), uint16(40))
	f.Add("\ufeffAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz\r\n", "a\r\n☑️\r\n", uint16(1), uint16(2))
	f.Fuzz(func(t *testing.T, a, b string, from, to uint16) {
		for _, s := range []string{a, b} {
			for _, path := range []string{"", "a.go", ".env", "id_rsa"} {
				checkAgain(t, path, s)
			}
		}
		x := Patch("a.go", a)
		y := New("", b)
		checkParts(t, x, y, int(from), int(to))
		checkParts(t, y, x, int(to), int(from))
	})
}

// checkAgain cleans a text in every way, twice.
func checkAgain(t *testing.T, path, s string) {
	t.Helper()
	bytes := func() []byte { return []byte(s) } // each keeps its own
	file, _ := File(path, bytes())
	excerpt, _ := Excerpt(path, bytes())
	of := Patch(path, s)
	turn, _ := Turn(s)
	line := LineOf(path, s)
	for what, x := range map[string]Text{"New": New(path, s), "File": file, "Excerpt": excerpt, "Turn": turn, "LineOf": line, "ExcerptLine": ExcerptLine(path, s), "Line": Line(s), "Const": Const(literal(s))} {
		checkText(t, what, x, false)
	}
	checkText(t, "Patch", of, true)
	if strings.Contains(line.s, "\n") {
		t.Errorf("LineOf(%q) = %q", s, line.s)
	}
	if got, want := strings.Count(file.s, "\n"), strings.Count(s, "\n"); got != want {
		t.Errorf("File(%q) has %d newlines, want %d", s, got, want)
	}
	if file.odd != nil && path != "" && path != "a.go" {
		return // there, whatever stands on a line may be the secret, also what was written out
	}
	if again, found := File(path, []byte(file.s)); len(found) > 0 || again.s != file.s {
		t.Errorf("File of %q at %q: %q becomes %q, with secrets %v", s, path, file.s, again.s, found)
	}
}

// checkParts takes texts apart and puts them together.
func checkParts(t *testing.T, x, y Text, from, to int) {
	t.Helper()
	both := Concat(x, Const("…\n"), y, Int(from))
	checkText(t, "Concat", both, true)
	if got, want := both.Changed(), x.Changed(); got.Hidden != want.Hidden+y.Changed().Hidden || got.Invalid != want.Invalid+y.Changed().Invalid {
		t.Errorf("%q and %q have %+v changes together", x.s, y.s, got)
	}
	for what, z := range map[string]Text{"Cut": x.Cut(from), "Trim": x.Trim(), "TrimNewline": x.TrimNewline(), "Unix": x.Unix(), "Indent": x.Indent("  "), "Inline": x.Inline()} {
		checkText(t, what, z, what != "Unix")
	}
	if n := x.Cut(from).Len(); n > from {
		t.Errorf("Cut(%d) of %q has %d bytes", from, x.s, n)
	}
	if all := Concat(x.Split()...); all.s != x.s || all.Changed() != x.Changed() {
		t.Errorf("the lines of %q are %q", x.s, all.s)
	}
	l := NewLines(x)
	part := l.Between(from, to)
	checkText(t, "Between", part, true)
	if got, want := l.Between(1, l.Last()).s, x.s; got != want {
		t.Errorf("all lines of %q are %q", want, got)
	}
	b, err := json.Marshal(map[string]Text{"x": x})
	if err != nil {
		t.Fatal(err)
	}
	var back struct{ X Text }
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if !back.X.Equal(x.Unix()) {
		t.Errorf("%q comes back as %q", x.s, back.X.s)
	}
}

// TestTexts asks what the fuzz target asks of many texts made of pieces.
func TestTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r := rand.New(rand.NewPCG(1, 2))
	hostile := func() string {
		var b strings.Builder
		for range r.IntN(20) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	for range 3000 {
		a, b := hostile(), hostile()
		checkAgain(t, "a.go", a)
		x := Patch("a.go", a)
		checkParts(t, x, New("", b), r.IntN(40), r.IntN(40))
	}
}

// TestKept shows what a text keeps of the text that it was made of.
func TestKept(t *testing.T) {
	same := "package a\n\nfunc f() {}\n"
	if x := New("a.go", same); x.s != same || len(x.odd) != 0 {
		t.Errorf("New(%q) = %q", same, x.s)
	}
	if n := testing.AllocsPerRun(100, func() { New("a.go", same) }); n > 0 {
		t.Errorf("New takes %v allocations for a clean text", n)
	}
	x, found := File(".env", []byte("TOKEN=abcdefghijklmnop\x1b\n\xffb\x00\n"))
	if x.s != "TOKEN=[secret:value sha256:34014418]\n\uFFFDb\\u{0}\n" || len(found) != 1 {
		t.Errorf("File = %q, %v", x.s, found)
	}
	l := NewLines(x)
	if got := l.Between(2, 2).Changed(); got != (Counts{Hidden: 1, Invalid: 1}) {
		t.Errorf("changes of the second line: %+v", got)
	}
}

// git cuts the heading of a hunk after 80 bytes, within a secret too.
func TestHeading(t *testing.T) {
	const token = "ghp_wW9xK2mPqR7sT4vYzA1bC3dE5fG6hJ8kL0nQ"
	for _, line := range []string{
		`def connect(self, host, port, timeout=30, retries=5, token="` + token,
		`def connect(self, host, port, timeout=30, retries=5, verify=True, token="` + token,
		`def connect_to_the_database_of_customers_and_orders(retries=5, url="postgres://admin:q8Zt4LmX2vWcR7@db.prod.net"`,
	} {
		cut := line[:80]
		if got := Heading("a.py", cut).String(); strings.Contains(got, "ghp_wW9x") || strings.Contains(got, "q8Zt") {
			t.Errorf("Heading(%q) = %q", cut, got)
		}
	}
	for _, line := range []string{
		"func Open(ctx context.Context, dir string, options ...Option) (*Store, error) {",
		"class AuthenticationMiddlewareFactoryBeanPostProcessorConfigurationAdapterSupp",
	} {
		if got := Heading("a.go", line).String(); got != line {
			t.Errorf("Heading(%q) = %q", line, got)
		}
	}
}

// TestPatchCutKey: a hunk that begins inside a private key shows none of it, since the
// line that says so is above the hunk.
func TestPatchCutKey(t *testing.T) {
	line := "MIIEpAIBAAKCAQEA7bq9v1yXkZ3Tn5PqW8sRfLhGd2JmCx4VbNz6YeUoKiSaQwEr"
	body := " " + line + "\n-" + line[10:] + line[:10] + "\n+" + line[20:] + line[:20] + "\n -----END RSA PRIVATE " + "KEY-----\n"
	text, found := PatchSecrets("id_rsa.txt", body)
	if len(found) == 0 || strings.Contains(text.String(), "AAKCAQEA7bq9") {
		t.Errorf("PatchSecrets found %d secrets and shows\n%s", len(found), text)
	}
}
