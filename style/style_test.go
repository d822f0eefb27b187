package style

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/hygiene"
)

func TestParseSubject(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Subject
	}{
		{"fix: retry", Subject{Kind: Conventional, Prefix: "fix: ", Type: "fix", Text: "retry"}},
		{"feat(ui, api)!: drop it", Subject{Kind: Conventional, Prefix: "feat(ui, api)!: ", Type: "feat", Scope: "ui, api", Breaking: true, Text: "drop it"}},
		{"Fix(git):retry", Subject{Kind: Conventional, Prefix: "Fix(git):", Type: "Fix", Scope: "git", Text: "retry"}},
		{"internal/git: keep the lock", Subject{Kind: Package, Prefix: "internal/git:", Scope: "internal/git", Text: "keep the lock"}},
		{"cmd/a,b/c: dedupe", Subject{Kind: Package, Prefix: "cmd/a,b/c:", Scope: "cmd/a,b/c", Text: "dedupe"}},
		{"net/http, os: close", Subject{Kind: Package, Prefix: "net/http, os:", Scope: "net/http, os", Text: "close"}},
		{".github/workflows: remove it", Subject{Kind: Package, Prefix: ".github/workflows:", Scope: ".github/workflows", Text: "remove it"}},
		{"*: format", Subject{Kind: Plain, Text: "*: format"}},
		{"KAFKA-1234: retry", Subject{Kind: Ticket, Prefix: "KAFKA-1234:", Ticket: "KAFKA-1234:", Text: "retry"}},
		{"[LANG-12] retry", Subject{Kind: Ticket, Prefix: "[LANG-12]", Ticket: "[LANG-12]", Text: "retry"}},
		{"#12 retry", Subject{Kind: Ticket, Prefix: "#12", Ticket: "#12", Text: "retry"}},
		{"✨ Add it", Subject{Kind: Gitmoji, Prefix: "✨", Type: "✨", Text: "Add it"}},
		{"♻️ Move it", Subject{Kind: Gitmoji, Prefix: "♻️", Type: "♻️", Text: "Move it"}},
		{":bug: fix it", Subject{Kind: Gitmoji, Prefix: ":bug:", Type: ":bug:", Text: "fix it"}},
		{"Fix the lock: it was free", Subject{Kind: Plain, Text: "Fix the lock: it was free"}},
		{"UTF-8 in paths", Subject{Kind: Ticket, Prefix: "UTF-8", Ticket: "UTF-8", Text: "in paths"}}, // nothing tells them apart
		{"", Subject{Kind: Plain}},
	} {
		if got := ParseSubject(c.in); got != c.want {
			t.Errorf("ParseSubject(%q) = %+v, want %+v", c.in, got, c.want)
		}
	}
}

func TestByPerson(t *testing.T) {
	for s, want := range map[string]bool{
		"Merge branch 'a' into b": false, "Merge pull request #1 from a/b": false, `Revert "x"`: false, "Bump a from 1 to 2": false, "chore(deps): bump a": false,
		"build(deps): bump b from 1 to 2 (#3)": false, "Update dependency a to v1": false, "v1.2.3": false, "1.2.3": false, "Release 1.2.0": false, "fixup! x": false, "": false,
		"merge sorted lists in one pass": true, "fix: retry": true, "update the docs": true, "Version the wire format": true,
	} {
		if got := ByPerson(s); got != want {
			t.Errorf("ByPerson(%q) = %v, want %v", s, got, want)
		}
	}
}

// history repeats subjects until there are n.
func history(n int, subjects ...string) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(subjects[i%len(subjects)], i))
	}
	return list
}

func TestLearn(t *testing.T) {
	for _, c := range []struct {
		name string
		list []string
		kind Kind
		of   Case
	}{
		{"conventional", history(40, "fix(git): keep lock %d", "feat: add mode %d", "test: cover %d", "docs(cli): say %d"), Conventional, LowerCase},
		{"package", history(40, "git: keep lock %d", "internal/cli: add mode %d", "test: cover %d", "doc: say %d"), Package, LowerCase},
		{"ticket", history(40, "ABC-%d: Keep it", "ABC-%d Add it", "MINOR: typo %d"), Ticket, UpperCase},
		{"gitmoji", history(40, "✨ Add %d", "🐛 Fix %d", ":memo: Tell %d"), Gitmoji, UpperCase},
		{"plain", history(40, "Add mode %d", "Keep lock %d", "fix: typo %d"), Plain, UpperCase},
		{"changed lately", append(history(60, "fix(git): keep lock %d"), history(400, "Add mode %d")...), Conventional, LowerCase},
		{"programs and merges", append(history(200, "chore(deps): bump a to %d", "Merge branch 'x%d'"), history(20, "Add mode %d")...), Plain, UpperCase},
		{"too few", history(5, "fix: a %d"), Plain, AnyCase},
		{"none", nil, Plain, AnyCase},
		{"no subjects", []string{"", "\n\n", "\xff\xfe"}, Plain, AnyCase},
	} {
		got := Learn(c.list)
		if got.Kind != c.kind || got.Case != c.of {
			t.Errorf("%s: %s %q, want %s %q", c.name, got.Kind, got.Case, c.kind, c.of)
		}
		if len(c.list) < fewest && got.Seen != 0 {
			t.Errorf("%s: learned from %d", c.name, got.Seen)
		}
		for _, m := range got.Subjects {
			if got.KindOf(m) != got.Kind {
				t.Errorf("%s: the example %q is of another kind", c.name, m)
			}
		}
	}
}

func TestLearnWords(t *testing.T) {
	c := Learn(history(60, "fix(git): keep lock %d\n\nSince it was free.\n", "feat(cli): add mode %d", "fix: say %d (#7)\n\nSigned-off-by: A <a@b>"))
	if fmt.Sprint(c.Types, c.Scopes) != "[{fix 40} {feat 20}] [{cli 20} {git 20}]" || c.Body < 0.3 || c.Body > 0.4 || c.Length != leastLength {
		t.Errorf("%+v", c)
	}
	want := `Kind: conventional, type(scope): subject (100 % of 60 messages that people wrote).
Types: fix, feat.
Scopes: cli, git.
The subject's first word is in lower case, unless it is a name.
The subject has no full stop at its end.
Subjects have at most 50 characters, prefix included.
33 % of the messages have a body.
`
	if got := c.Words(); got != want {
		t.Errorf("Words:\n%s\nwant\n%s", got, want)
	}
}

// The examples are the newest distinct subjects.
func TestSubjects(t *testing.T) {
	c := Learn(history(60, "git: keep lock of index %d", "cli: print help of command %d", "docs: explain the budget %d"))
	if len(c.Subjects) != examples || c.Subjects[0] != "git: keep lock of index 0" || c.Subjects[7] != "cli: print help of command 7" {
		t.Errorf("%q", c.Subjects)
	}
}

func TestCheck(t *testing.T) {
	conv := Learn(history(60, "fix(git): keep lock %d", "feat: add mode %d"))
	pack := Learn(history(60, "git: keep lock %d", "internal/cli: add mode %d"))
	plain := Of(Plain)
	for _, c := range []struct {
		of   *Convention
		text string
		want string
	}{
		{&conv, "fix(render): count lines (#12)\n\nBody.", ""},
		{&conv, "perf!: count lines", ""},
		{&conv, "count lines", "kind"},
		{&conv, "frob(x): count lines", "type"},
		{&conv, "fix: Count lines", "case"},
		{&conv, "fix: URL is read", ""},
		{&conv, "fix: " + strings.Repeat("x", 80), "length"},
		{&pack, "test: cover it", ""},
		{&pack, "fix(a): it", "kind"},
		{&plain, "Count lines", ""},
		{&plain, "git: count lines", ""},
		{&plain, "Count lines.", "full stop"},
		{&plain, "Count lines\nat once", "blank line"},
		{&plain, "Count lines\n\n" + strings.Repeat("word ", 20), "body width"},
		{&plain, "Count lines\n\n    " + strings.Repeat("code ", 20) + "\nhttps://a.example/" + strings.Repeat("x", 90), ""},
		{&plain, "```\nCount lines\n```", "blank line fence"},
		{&plain, "Count \x1b[1mlines", "hidden"},
		{&plain, "\n\n", "subject"},
	} {
		var names []string
		for _, f := range c.of.Check(c.text) {
			names = append(names, f.Name)
			if !slices.Contains(Checks, f.Name) {
				t.Errorf("%q is no name of Checks", f.Name)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("Check(%q) by %s: %q, want %q", c.text, c.of.Kind, got, c.want)
		}
	}
}

func TestMend(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 20))
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Count lines", "Count lines"},
		{"full stop, spaces, quotes", "\"Count   lines.\"", "Count lines"},
		{"points", "Count lines...", "Count lines..."},
		{"blank line", "Count lines\nSince it was not.", "Count lines\n\nSince it was not."},
		{"fence", "```\nCount lines\n\nBody.\n```", "Count lines\n\nBody."},
		{"wrapped", "S\n\n" + long, "S\n\n" + strings.TrimSpace(strings.Repeat("word ", 14)) + "\n" + strings.TrimSpace(strings.Repeat("word ", 6))},
		{"list", "S\n\n- " + long + "\n- b", "S\n\n- " + strings.TrimSpace(strings.Repeat("word ", 14)) + "\n  " + strings.TrimSpace(strings.Repeat("word ", 6)) + "\n- b"},
		{"code", "S\n\nSee:\n\n    " + long + "\n", "S\n\nSee:\n\n    " + long},
		{"block", "S\n\n```\n" + long + "\n```", "S\n\n```\n" + long + "\n```"},
		{"trailers and keywords", "S (#12)\n\nB.\n\nFixes #3\nSigned-off-by: A <a@b>", "S\n\nB."},
	} {
		plain := Of(Plain)
		if got, _ := plain.Mend(c.in, nil); got != c.want {
			t.Errorf("%s: Mend(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
	plain := Of(Plain)
	got, taken := plain.Mend("S\n\nFixes #3", &hygiene.Guard{Given: []string{"fixes #3"}})
	if got != "S\n\nFixes #3" || len(taken) > 0 {
		t.Errorf("what was given is taken: %q %v", got, taken)
	}
}

func TestCompose(t *testing.T) {
	conv := Learn(history(60, "fix(git): keep lock %d", "feat: add mode %d"))
	pack := Learn(history(60, "git: keep lock %d", "internal/cli: add mode %d"))
	codes := Learn(history(60, ":sparkles: Add %d", ":bug: Fix %d"))
	ticket := Learn(history(60, "[ABC-%d] Keep it"))
	plain := Learn(history(60, "Keep it %d"))
	for _, c := range []struct {
		of   *Convention
		in   Parts
		want string
	}{
		{&conv, Parts{Type: "fix", Scope: "git", Subject: "Keep the lock"}, "fix(git): keep the lock"},
		{&conv, Parts{Type: "fix", Subject: "fix: keep the lock", Breaking: true}, "fix!: keep the lock"},
		{&conv, Parts{Type: "frob", Subject: "ReadIndex keeps the lock", Body: "\nWhy.\n"}, "chore: ReadIndex keeps the lock\n\nWhy."},
		{&conv, Parts{Subject: "docs(cli): tell"}, "docs(cli): tell"},
		{&conv, Parts{Type: "fix", Scope: "a)b\n", Subject: "x"}, "fix: x"},
		{&pack, Parts{Type: "fix", Scope: "git", Subject: "Keep the lock"}, "git: keep the lock"},
		{&pack, Parts{Subject: "internal/git: keep"}, "internal/git: keep"},
		{&pack, Parts{Type: "fix", Scope: "git", Subject: "fix: keep"}, "git: keep"},
		{&codes, Parts{Type: "fix", Subject: "keep it"}, ":bug: Keep it"},
		{&codes, Parts{Type: "🔥", Subject: "drop it"}, "🔥 Drop it"},
		{&ticket, Parts{Ticket: "ABC-7", Subject: "keep it"}, "[ABC-7] Keep it"},
		{&ticket, Parts{Subject: "keep it"}, "Keep it"},
		{&plain, Parts{Type: "fix", Scope: "git", Subject: "keep it"}, "Keep it"},
		{&plain, Parts{Type: "fix", Subject: "fix: keep it"}, "Keep it"},
	} {
		got := c.of.Compose(c.in)
		if got != c.want {
			t.Errorf("Compose(%+v) by %s = %q, want %q", c.in, c.of.Kind, got, c.want)
		}
		if c.of.Kind != Ticket {
			if faults := c.of.Check(got); len(faults) > 0 {
				t.Errorf("Check(%q) = %v", got, faults)
			}
		}
	}
}

// FuzzMend checks that mending twice is mending once, that a mended message passes
// what mending promises, and that no word is lost but what is told.
func FuzzMend(f *testing.F) {
	f.Add("Count lines.\nbody " + strings.Repeat("word ", 30) + "\n- a\n  b\n1. c\n\n```\ncode\n```\nSigned-off-by: a")
	f.Add("\n\n`x`\n\t" + strings.Repeat("y ", 50) + "\n> q\n| a | b |\nFixes #1 - " + strings.Repeat("- ", 50))
	f.Add("a:\n" + strings.Repeat("b: ", 60))
	f.Add("a\n\n" + strings.Repeat("x", 66) + " y BREAKING CHANGE: it goes /merge :: " + strings.Repeat("x ", 246) + "BREAKING-CHANGE: x")
	breaks := regexp.MustCompile(`(?m)^BREAKING[ -]CHANGE`)
	f.Fuzz(func(t *testing.T, s string) {
		if was, is := len(breaks.FindAllString(s, -1)), len(breaks.FindAllString(wrap(s), -1)); is > was {
			t.Errorf("wrap(%q) announces %d breaking changes, want %d", s, is, was)
		}
		c := Of(Plain)
		got, taken := c.Mend(s, nil)
		if again, _ := c.Mend(got, nil); again != got {
			t.Errorf("Mend(%q) = %q, and then %q", s, got, again)
		}
		if len(taken) == 0 && utf8.ValidString(s) {
			flat := func(s string) string {
				return strings.Trim(strings.NewReplacer(" ", "", "\n", "", "\t", "", "\r", "", ".", "", "\"", "", "'", "", "`", "", "*", "").Replace(strings.Join(strings.Fields(s), "")), "")
			}
			if flat(got) != flat(s) {
				t.Errorf("Mend(%q) = %q, and nothing is told", s, got)
			}
		}
		if strings.Contains(got, "\n") && !strings.HasPrefix(got[strings.IndexByte(got, '\n'):], "\n\n") {
			t.Errorf("Mend(%q) = %q has no blank line", s, got)
		}
	})
}

// FuzzCompose checks that what is put together is of the kind that was asked for.
func FuzzCompose(f *testing.F) {
	f.Add("fix", "git", "keep the lock", true)
	f.Add("✨", "a, b", "feat: x", false)
	f.Fuzz(func(t *testing.T, kind, scope, subject string, breaking bool) {
		for _, k := range Kinds {
			c := Of(k)
			got := c.Compose(Parts{Type: kind, Scope: scope, Subject: subject, Breaking: breaking})
			if strings.ContainsAny(got, "\n") {
				t.Errorf("%q has several lines", got)
			}
			if s := ParseSubject(got); k == Conventional && strings.TrimSpace(subject) != "" && utf8.ValidString(subject+scope) && s.Kind != k && s.Text != "" && !strings.Contains(subject, ":") {
				t.Errorf("%q is %s, want %s", got, s.Kind, k)
			}
		}
	})
}
