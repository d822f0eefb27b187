package hygiene

import (
	"regexp"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/text/clean"
)

func TestText(t *testing.T) {
	given := &Guard{Given: []string{"fixes #12, ask @bob\nSigned-off-by: Bob <bob@b.example>", "[skip ci] please"}, Hosts: []string{"github.com"}}
	message := &Guard{Message: true}
	for _, c := range []struct {
		name  string
		guard *Guard
		in    string
		want  string
		taken string
	}{
		{"plain", nil, "store: close the file first\n\nBody of it.\n", "store: close the file first\n\nBody of it.", ""},
		{"thought", nil, "<think>\nhm\n</think>\n\nfix: a", "fix: a", "1 thought (<think> hm </think>)"},
		{"thought that never ends", nil, "<think>hm, fix: a", "", "1 thought (<think>hm, fix: a)"},
		{"thought whose beginning was cut", nil, "hm\n</think>\nfix: a", "fix: a", "1 thought (hm </think>)"},
		{"about thoughts", nil, "strip `<think>` blocks and </think> too", "strip `<think>` blocks and </think> too", ""},
		{"fence", nil, "```text\nfix: a\n\nb\n```\n", "fix: a\n\nb", "1 outer fence"},
		{"fence inside", nil, "See\n```\na\n```", "See\n```\na\n```", ""},
		{"hidden", nil, "a\x1b[31mb\u202ec\u200bd", "abcd", "3 hidden signs"},
		{"closing line", nil, "subject\n\nFixes #12", "subject", "1 closing keyword (Fixes #12)"},
		{"closing several", nil, "subject\n\nCloses: #1, #2 and a/b#3.\nrest", "subject\n\nrest", "1 closing keyword (Closes: #1, #2 and a/b#3.)"},
		{"closing in a sentence", nil, "This fixes #12 by retrying.", "This fixes an issue by retrying.", "1 closing keyword (fixes #12)"},
		{"closing in brackets", nil, "retry (closes https://github.com/a/b/issues/3)", "retry", "1 closing keyword (…)"},
		{"closing that was asked for", given, "retry\n\nFixes #12", "retry\n\nFixes #12", ""},
		{"closing another", given, "retry\n\nFixes #13", "retry", "1 closing keyword (Fixes #13)"},
		{"trailers", nil, "s\n\nb\n\nSigned-off-by: A <a@b>\nCo-Authored-By: C <c@d>\nChange-Id: I12", "s\n\nb", "3 trailers (Signed-off-by: A <a@b>)"},
		{"trailer that was given", given, "s\n\nSigned-off-by: Bob <bob@b.example>", "s\n\nSigned-off-by: Bob <bob@b.example>", ""},
		{"badge", nil, "s\n\n🤖 Generated with [X](https://x.example)", "s", "1 trailer (🤖 Generated with [X](…)"},
		{"closing link", nil, "fixes [#1](x) and closes **#2**, resolves [a/b#3][c]", "fixes an issue and closes an issue, resolves an issue", "3 closing keywords (fixes [#1](x))"},
		{"orders", nil, "s\n\n/merge now\n  ::set-output name=a::b\n- ##vso[task.x]y\n##[group]g", "s\n\nmerge now\n  set-output name=a::b\n- vso[task.x]y\n[group]g", "4 orders (/merge)"},
		{"no orders", nil, "/etc/hosts and /api\nstd::move, a /merge, ## [1.2.3]", "/etc/hosts and /api\nstd::move, a /merge, ## [1.2.3]", ""},
		{"skip", nil, "s [skip ci]\n\n[CI skip] ***NO_CI***", "s", "3 CI orders"},
		{"not skip", nil, "list[skip ones] and [no change]", "list[skip ones] and [no change]", ""},
		{"mention", nil, "thanks @alice and (@org/team), a@b.example, `@Override`", "thanks alice and (org/team), a@b.example, `@Override`", "2 mentions (@alice)"},
		{"mention in a message", message, "use `@Override`", "use `Override`", "1 mention (@Override)"},
		{"mention that was given", given, "thanks @bob and @eve", "thanks @bob and eve", "1 mention (@eve)"},
		{"reference", message, "store: retry (#12)\n\nb", "store: retry\n\nb", "1 reference ((#12))"},
		{"image", nil, "see ![a](https://evil.example/?q=secret) x", "see a x", "1 image (…)"},
		{"image by reference", nil, "![a][1]\n\n[1]: https://evil.example/x.png", "a\n\n[1]", "1 image (![a][1]), 1 link ([1]: https://evil.example/x.png)"},
		{"image in code", nil, "`![a](https://evil.example)`", "`a`", "1 image (![a](https://evil.example))"},
		{"html", nil, "a <img src=x onerror=y> <b>bold</b> Vec<u> `<b>` <!-- hi -->", "a  bold Vec<u> `<b>`", "4 HTML tags (<!-- hi -->)"},
		{"html in code", nil, "` <img\nsrc=x>`", "` `", ""},
		{"links", given, "[a](https://evil.example/x) https://github.com/a/b http://www.evil.example/y. [c](docs/a.md#b) [d](//evil.example) [e](javascript:alert) f[i](x)", "[a] https://github.com/a/b evil.example/y. [c](docs/a.md#b) [d] [e] f[i](x)", ""},
		{"userinfo", given, "https://github.com@evil.example/ https://github.com\\@evil.example", "github.com@evil.example/ github.com\\evil.example", ""},
		{"entities", given, "![a[b]](h&#116;tps://evil.example/x)", "![a[b]]", ""},
	} {
		g := c.guard
		if g == nil {
			g = &Guard{}
		}
		got, taken := g.Text(c.in)
		if got != c.want {
			t.Errorf("%s: Text(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
		if sum := Sum(taken); sum != c.taken && !(c.taken == "" && c.want != c.in) && !strings.Contains(c.taken, "…") && !strings.HasPrefix(sum, c.taken) {
			t.Errorf("%s: took %q, want %q", c.name, sum, c.taken)
		}
		if got != c.in && strings.TrimSpace(c.in) != got && len(taken) == 0 {
			t.Errorf("%s: %q became %q, and nobody says why", c.name, c.in, got)
		}
	}
}

func TestLimits(t *testing.T) {
	got, taken := (&Guard{Limit: 100}).Text(strings.Repeat("word ", 100))
	if len(got) > 100 || len(taken) != 1 || taken[0].What != Length {
		t.Errorf("%d bytes, %v", len(got), taken)
	}
	if got, _ := (&Guard{}).Text(strings.Repeat("x", 2000)); len(got) > longestLine {
		t.Errorf("a line of %d bytes", len(got))
	}
}

func TestLine(t *testing.T) {
	if got, _ := (&Guard{}).Line("a\n b\t c\x00 fixes\n#12"); got != "a b c fixes an issue" && got != "a b c" {
		t.Errorf("Line = %q", got)
	}
}

func TestHostsOf(t *testing.T) {
	got := strings.Join(HostsOf("see https://a.example/x, http://B.example:80 and https://a.example; not https://u@c.example"), " ")
	if got != "a.example b.example" {
		t.Errorf("HostsOf = %q", got)
	}
}

// acts finds what no text may hold, in other words than the package does.
var acts = regexp.MustCompile(`(?i)https?://|\bwww\.|!\[[^\]]*\]\(|<img[\s/][^<>]*\w=\w|\bfix(es|ed)?:? #\d|\bcloses?:? #\d|^signed-off-by: \S|\n(signed-off-by|co-authored-by): \S|\[skip ci\]|\[ci skip\]|\bfix(es|ed)?:? \[#\d+\]|(?:\A|\n)[ \t]*(?:/merge\b|::)|##vso\[`)

// TestCutBreaking: no line is cut so that the next one announces a breaking change.
func TestCutBreaking(t *testing.T) {
	for n := range 20 {
		got, _ := new(Guard).Text(strings.Repeat("w ", 240+n) + "v BREAKING CHANGE: x")
		if strings.Contains(got, "\nBREAKING") {
			t.Errorf("Text with %d words before: %q", 240+n, got)
		}
	}
}

// FuzzText checks that nothing acts, that a second look finds nothing, and that what
// changed is told.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"a", "<think>x</think>", "```\nx\n```", "Fixes #1", "fixfixes #1es #2", "[skip ci[skip ci]]", "@@a @b/c", "![![a](b)](c)", "<img <img src=x>", "http://http://a",
		"hthttp://tp://evil", "[a](https://x)", "[a]: https://x", "Signed-off-by: Signed-off-by: a", "`@a` ``@b` @c``", "\x1b\x1b[0m[31m", "www.www.a", "a\n\n\n\nb  \n", "<!-- <!-- -->-->", "<b<b>>",
		"closes https://a/b/issues/1", "(fixes #1)", "\\`@a`", "    ```\n<b>", "~~~\n@x\n", "fixes\u200b #1", "<thi<think>x</think>nk>", "PROJ-1 #close", "x (#1)",
		"fixes [#1](x)", "/merge", "//merge /merge", "::set-output name=a::b", ": ::x", "##vso[a]", "####vso[[",
	} {
		f.Add(s, false)
		f.Add(s+" "+s+"\n"+s, true)
	}
	f.Fuzz(func(t *testing.T, s string, message bool) {
		g := &Guard{Message: message}
		got, taken := g.Text(s)
		if m := acts.FindString(got); m != "" {
			t.Errorf("Text(%q) = %q, where %q acts", s, got, m)
		}
		if again, more := g.Text(got); again != got || len(more) > 0 {
			t.Errorf("Text(%q) = %q, and that becomes %q: %s", s, got, again, Sum(more))
		}
		if shown, _ := clean.Visible(got); shown != got {
			t.Errorf("Text(%q) = %q is not clean", s, got)
		}
		if len(taken) == 0 && strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(s), " ") {
			t.Errorf("Text(%q) = %q, and nothing is told", s, got)
		}
		if line, _ := g.Line(s); strings.ContainsAny(line, "\n\t") || acts.MatchString(line) {
			t.Errorf("Line(%q) = %q", s, line)
		}
	})
}
