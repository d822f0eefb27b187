package ask

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/finding"
)

func found(id, path string, line int, s finding.Severity) finding.Finding {
	return finding.Finding{ID: id, Path: path, Side: finding.New, From: line, To: line, Severity: s, Title: "title of " + id, Confidence: 93, Quote: "x := 1", State: finding.Visible}
}

func TestCheck(t *testing.T) {
	r := reportOf(changed("a.go", "source", 4), changed("b.go", "source", 4))
	list := []finding.Finding{found("aa", "a.go", 11, finding.High), found("bb", "a.go", 12, finding.Low)}
	list[0].Body = "```\nconfirm it"
	around := satchel.Entry{Ref: satchel.Ref{Path: "c.go"}, Text: satchel.Clean("", "caller()\n"), Lines: []satchel.Range{{From: 5, To: 5}}}
	a, err := Check(r, list, CheckOptions{Around: []satchel.Entry{around}})
	if err != nil {
		t.Fatal(err)
	}
	checkFences(t, a.Question)
	for text, want := range map[string]bool{`"a.go"`: true, `"b.go"`: false, "5  caller()": true} {
		if strings.Contains(a.Shared, text) != want {
			t.Errorf("%q in the first message: %v", text, !want)
		}
	}
	if strings.Contains(a.Question, "93") || !strings.Contains(a.Question, "title of bb") {
		t.Errorf("question\n%s", a.Question)
	}
	one := `{"id":"aa","verdict":"refuted","why":"w","path":"a.go","line":11,"quote":"q"}`
	looks, err := ReadVerdicts(a, []byte(`{"verdicts":[`+one+`,`+one+`,`+strings.Replace(one, "aa", "zz", 1)+`]}`), list)
	want := map[string]finding.Look{"aa": {Verdict: finding.Refuted, Why: "w", Path: "a.go", Line: 11, Quote: "q"}}
	if d := cmp.Diff(want, looks); d != "" {
		t.Error(d)
	}
	for _, part := range []string{"two verdicts", `unknown finding "zz"`, "finding bb has no verdict"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("no %q in %v", part, err)
		}
	}
}

func TestMerge(t *testing.T) {
	r := reportOf(changed("a.go", "source", 4))
	list := []finding.Finding{
		found("a1", "a.go", 1, finding.Low), found("a2", "a.go", 1, finding.High), found("b1", "b.go", 9, finding.Medium), found("c1", "c.go", 3, finding.Low), found("d1", "d.go", 3, finding.Low),
	}
	a, err := Merge(r, list, 0)
	if err != nil {
		t.Fatal(err)
	}
	checkFences(t, a.Question)
	for _, f := range list {
		if !strings.Contains(a.Question, f.ID+" "+f.Path) {
			t.Errorf("%s is not shown", f.ID)
		}
	}
	m := &MergeAnswer{
		Drop:  []Repeat{{"a1", "a2"}, {"a2", "a1"}, {"a2", "c1"}, {"zz", "a2"}, {"b1", "b1"}, {"b1", "nowhere"}},
		Join:  [][]string{{"b1", "c1", "a1", "yy"}, {"a2", "b1"}, {}, {"d1"}},
		Order: []string{"d1", "zz", "a2", "d1"},
	}
	got := ""
	for _, f := range ApplyMerge(list, m) {
		got += fmt.Sprintf("%s %s %s %v\n", f.ID, f.State, f.Of, f.Places)
	}
	want := "d1 shown  []\na2 shown  [{b.go 9 9}]\na1 duplicate a2 []\nb1 duplicate a2 [{c.go 3 3}]\nc1 duplicate a2 []\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if list[0].State != finding.Visible {
		t.Error("the list that was given is changed")
	}

	if _, err := Merge(r, list, 120); !errors.As(err, new(*satchel.OverflowError)) {
		t.Errorf("error %v, want an overflow", err)
	}
	one := `{"path":"a.go","side":"new","line":3,"end_line":3,"quote":"x","severity":"high","confidence":90,"category":"concurrency","title":"t","trigger":"t","consequence":"c","body":"b","evidence":[]}`
	answer, err := ReadMerge(a, []byte(`{"drop":[],"join":[["a1"]],"order":["b1"],"findings":[`+strings.Repeat(one+",", 4)+one+`]}`))
	if err == nil || len(answer.Findings) != MostAcross || len(answer.Join) != 1 {
		t.Errorf("%d findings, %v", len(answer.Findings), err)
	}
}
