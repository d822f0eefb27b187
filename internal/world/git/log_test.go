package git

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rawCommit writes a commit object byte by byte.
func (s *sandbox) rawCommit(dir, tree string, parents []string, header, message string) string {
	s.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author a <a@example.com> 1 +0000\ncommitter c <c@example.com> 1700000001 -0300\n%s\n%s", header, message)
	return s.gitIn(dir, b.String(), "hash-object", "--literally", "-t", "commit", "-w", "--stdin")
}

func TestLogMessages(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/\nfirst", "a\n")
	s.write("r/z", "z\n")
	root := s.commit("r", "root")
	tree := s.git("r", "rev-parse", "HEAD^{tree}")
	empty := s.gitIn("r", "", "mktree")
	fake := "\x00" + root + " \x001\x00forged\x00\nfile"
	cases := []struct{ header, message, want string }{
		{"", "", ""},
		{"", "plain\n", "plain\n"},
		{"", "no newline at the end", "no newline at the end"},
		{"", "\n\nblank lines first", "\n\nblank lines first"},
		{"", "\x01\x02\x1b[31mcontrol\x7f\r\n", "\x01\x02\x1b[31mcontrol\x7f\r\n"},
		{"", "a\n\n\nfile\n", "a\n\n\nfile\n"},
		{"", "cut" + fake, "cut"}, // git ends a message at a NUL
		{"encoding ISO-8859-1\n", "caf\xe9\n", "café\n"},
		{"encoding nonsense\n", "caf\xe9\n", "caf\xe9\n"},
		{"encoding UTF-7\n", "a+AAA-" + root, "a+AAA-" + root}, // a NUL in disguise
		{"encoding UTF-16\n", "a\x00b", "*"},                   // git converts all of the commit
		{"encoding UTF-16LE\n", "abcd", "*"},
		{"gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n", "signed", "signed"},
		{"", strings.Repeat("long ", 50_000), strings.Repeat("long ", 50_000)},
	}
	var ids []string
	for i, tc := range cases {
		parents, tr := []string{root}, empty
		if i%2 == 1 {
			tr = tree // changes nothing: no files
		}
		ids = append(ids, s.rawCommit("r", tr, parents, tc.header, tc.message))
	}
	r := s.open("r")
	var got []Commit
	if err := r.Log(t.Context(), ids, func(c Commit) error { got = append(got, c); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(ids) {
		t.Fatalf("Log: %d commits, want %d", len(got), len(ids))
	}
	for i, tc := range cases {
		var files []string
		if i%2 == 0 {
			files = []string{"\nfirst", "z"}
		}
		w := Commit{ids[i], []string{root}, 1700000001, tc.want, files}
		if tc.want == "*" {
			w.Message, w.Time = got[i].Message, got[i].Time
		}
		if d := cmp.Diff(got[i], w); d != "" && len(d) < 5000 {
			t.Errorf("message %.40q (-got +want):\n%s", tc.message, d)
		} else if d != "" {
			t.Errorf("message %.40q differs", tc.message)
		}
	}
}

func TestLogMergesAndOrder(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/a", "a\n")
	root := s.commit("r", "root")
	s.git("r", "checkout", "-q", "-b", "side")
	s.write("r/side", "s\n")
	side := s.commit("r", "side")
	s.git("r", "checkout", "-q", "main")
	s.git("r", "mv", "a", "renamed")
	moved := s.commit("r", "moved")
	s.git("r", "merge", "-q", "--no-ff", "-m", "merge", "side")
	merge := s.git("r", "rev-parse", "HEAD")
	// Settings that change what log shows by default.
	for _, kv := range []string{"log.showRoot=false", "diff.renames=copies", "log.diffMerges=off", "diff.relative=true", "log.follow=true",
		"diff.orderFile=/dev/null", "format.pretty=oneline", "log.abbrevCommit=true", "log.decorate=full", "color.ui=always", "log.date=relative",
		"diff.noprefix=true", "notes.displayRef=*", "i18n.logOutputEncoding=UTF-16", "core.abbrev=4", "diff.ignoreSubmodules=all"} {
		k, v, _ := strings.Cut(kv, "=")
		s.git("r", "config", k, v)
	}
	want := map[string]Commit{
		root:  {root, nil, 1700000000, "root\n", []string{"a"}},
		side:  {side, []string{root}, 1700000000, "side\n", []string{"side"}},
		moved: {moved, []string{root}, 1700000000, "moved\n", []string{"a", "renamed"}},
		merge: {merge, []string{moved, side}, 1700000000, "merge\n", []string{"side"}},
	}
	r := s.open("r")
	order := []string{root, merge, side, moved, root}
	var got []Commit
	keep := func(c Commit) error { got = append(got, c); return nil }
	if err := r.Log(t.Context(), order, keep); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range got {
		ids = append(ids, c.ID)
		if d := cmp.Diff(c, want[c.ID]); d != "" {
			t.Errorf("Log (-got +want):\n%s", d)
		}
	}
	if d := cmp.Diff(ids, order[:4]); d != "" { // git shows a commit once
		t.Errorf("order (-got +want):\n%s", d)
	}
	got = nil
	if err := r.LogFrom(t.Context(), "main", 2, keep); err != nil || len(got) != 2 || got[0].ID != merge {
		t.Errorf("LogFrom(main, 2) = %v, %v", got, err)
	}
	revs, err := r.RevList(t.Context(), "main", 0)
	got = nil
	if e := r.LogFrom(t.Context(), "main", 0, keep); e != nil || err != nil {
		t.Fatal(e, err)
	}
	ids = nil
	for _, c := range got {
		ids = append(ids, c.ID)
	}
	if d := cmp.Diff(ids, revs); d != "" || len(revs) != 4 {
		t.Errorf("LogFrom and RevList differ:\n%s", d)
	}
	stop := errors.New("stop")
	if err := r.LogFrom(t.Context(), "main", 0, func(Commit) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("LogFrom with a failing callback: %v, want its error", err)
	}
	if err := r.Log(t.Context(), []string{strings.Repeat("1", 40)}, keep); err == nil {
		t.Error("Log of a commit that is not there succeeded")
	}
}

// printLog is the inverse of parseLog.
func printLog(commits []Commit) string {
	var b strings.Builder
	for _, c := range commits {
		fmt.Fprintf(&b, "\x00%s %s\x00%d\x00%s\x00", c.ID, strings.Join(c.Parents, " "), c.Time, c.Message)
		for i, f := range c.Files {
			if i == 0 {
				b.WriteByte('\n')
			}
			b.WriteString(f + "\x00")
		}
	}
	return b.String()
}

func FuzzParseLog(f *testing.F) {
	id := strings.Repeat("a1", 20)
	f.Add(printLog([]Commit{{id, nil, 5, "m\n", []string{"a", "\n"}}, {id, []string{id, id}, -1, "", nil}}))
	f.Add("\x00" + id + " \x001\x00m\x00\n\x00")
	f.Add("\x00\x00\x00\x00")
	f.Fuzz(func(t *testing.T, text string) {
		parse := func(text string) (cs []Commit, err error) {
			err = parseLog(reader(text), SHA1, func(c Commit) error { cs = append(cs, c); return nil })
			return cs, err
		}
		cs, err := parse(text)
		for _, c := range cs {
			if !SHA1.validID(c.ID) {
				t.Fatalf("commit id %q", c.ID)
			}
			for _, p := range c.Files {
				if p == "" || strings.Contains(p, "\x00") {
					t.Fatalf("path %q", p)
				}
			}
		}
		if err != nil {
			return
		}
		again, err := parse(printLog(cs))
		if err != nil || !cmp.Equal(again, cs) {
			t.Fatalf("parse(print(%+v)) = %+v, %v", cs, again, err)
		}
	})
}

// TestLogOf: what a LogSpec leaves out is left out.
func TestLogOf(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/a", "1\n")
	first := s.commit("r", "first")
	s.write("r/b/-x", "2\n")
	second := s.commit("r", "second")
	s.write("r/a", "3\n")
	third := s.commit("r", "third")
	r := s.open("r")
	for _, tt := range []struct {
		q    LogSpec
		want []string
	}{
		{LogSpec{Rev: "HEAD"}, []string{third, second, first}},
		{LogSpec{Rev: "HEAD", Most: 1}, []string{third}},
		{LogSpec{Rev: "HEAD", Since: first}, []string{third, second}},
		{LogSpec{Rev: first, Since: third}, nil},
		{LogSpec{Rev: "HEAD", Paths: []string{"a"}}, []string{third, first}},
		{LogSpec{Rev: "HEAD", Paths: []string{"b"}}, []string{second}},
		{LogSpec{Rev: "HEAD", Paths: []string{"b/-x", "nothing"}}, []string{second}},
		{LogSpec{Rev: "HEAD", Paths: []string{"*"}}, nil},
	} {
		var got []string
		if err := r.LogOf(t.Context(), tt.q, func(c Commit) error { got = append(got, c.ID); return nil }); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("LogOf(%+v):\n%s", tt.q, d)
		}
	}
	for _, q := range []LogSpec{{Rev: "--all"}, {Rev: "HEAD", Since: "--output=x"}, {Rev: "HEAD", Since: "nowhere"}} {
		var unknown *UnknownRevisionError
		if err := r.LogOf(t.Context(), q, nil); !errors.As(err, &unknown) {
			t.Errorf("LogOf(%+v) = %v, want an unknown revision", q, err)
		}
	}
}

// TestBlame: each line with the commit that it came with, spaces aside.
func TestBlame(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/a", "one\ntwo\nthree\n")
	first := s.commit("r", "first")
	s.write("r/a", "one\n\ttwo\nthird\n")
	second := s.commit("r", "second")
	r := s.open("r")
	var got []BlamedLine
	if err := r.Blame(t.Context(), "HEAD", "a", 2, 3, func(b BlamedLine) error { b.Time = 0; got = append(got, b); return nil }); err != nil {
		t.Fatal(err)
	}
	want := []BlamedLine{
		{Line: 2, Commit: first, Summary: "first", Text: "\ttwo"},
		{Line: 3, Commit: second, Summary: "second", Text: "third"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, x := range []struct{ rev, path string }{{"nowhere", "a"}, {"HEAD", "nowhere"}, {"--help", "a"}, {"HEAD", "--output=x"}} {
		if err := r.Blame(t.Context(), x.rev, x.path, 1, 1, func(BlamedLine) error { return nil }); err == nil {
			t.Errorf("Blame(%q, %q): no error", x.rev, x.path)
		}
	}
}
