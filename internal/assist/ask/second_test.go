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

func TestRerank(t *testing.T) {
	var list []RerankCandidate
	for i := range 80 {
		list = append(list, RerankCandidate{
			Path: fmt.Sprintf("internal/%s/file%d.go", strings.Repeat("deep/folder/", i), i),
			Name: fmt.Sprint("Name", i), Line: "func Name(" + strings.Repeat("arg string, ", i) + ")\n```\n",
		})
	}
	a := Rerank("make ``` faster", list)
	checkFences(t, a.Shared)
	checkFences(t, a.Question)
	n := 0
	for line := range strings.Lines(a.Shared) {
		if line[0] < '0' || line[0] > '9' {
			continue
		}
		n++
		if got := countOf(strings.TrimSuffix(line, "\n")); got > longestCandidate || !strings.HasPrefix(line, fmt.Sprint(n, " internal/")) || !strings.Contains(line, fmt.Sprintf("file%d.go", n-1)) {
			t.Errorf("%d tokens: %q", got, line)
		}
	}
	if n != MostCandidates {
		t.Errorf("%d candidates, want %d", n, MostCandidates)
	}
}

func TestGrades(t *testing.T) {
	a := &Ask{Schema: schemaOf(gradesSchema)}
	for _, test := range []struct {
		name, raw string
		n         int
		want      []int
		fault     string
		few       bool
	}{
		{"all", `{"grades":[{"id":1,"grade":0},{"id":2,"grade":3},{"id":3,"grade":3}]}`, 3, []int{1, 2, 0}, "", false},
		{"ungraded keep their place", `{"grades":[{"id":1,"grade":0},{"id":3,"grade":3}]}`, 4, []int{2, 1, 0, 3}, "2 of 4 candidates have no grade", false},
		{"invented and twice", `{"grades":[{"id":2,"grade":1},{"id":9,"grade":3},{"id":0,"grade":3},{"id":2,"grade":3},{"id":1,"grade":0}]}`, 2, []int{1, 0}, "there is no candidate 9", false},
		{"too few", `{"grades":[{"id":2,"grade":3}]}`, 4, []int{0, 1, 2, 3}, "3 of 4", true},
		{"none", `{"grades":[]}`, 2, []int{0, 1}, "2 of 2", true},
		{"out of range", `{"grades":[{"id":1,"grade":7},{"id":2,"grade":3}]}`, 2, []int{0, 1}, "grade: 7", false},
		{"torn", `{"grades":[{"id":1,"grade":0},{"id":2,"grade":2},{"id":3,"gra`, 3, []int{1, 0, 2}, "cut", false},
		{"no candidates", `{"grades":[]}`, 0, []int{}, "", false},
	} {
		grades, err := ReadGrades(a, []byte(test.raw), test.n)
		if (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%s: %v, want %q", test.name, err, test.fault)
		}
		got, err := ApplyGrades(grades, test.n)
		if errors.Is(err, ErrFewGrades) != test.few || !cmp.Equal(got, test.want) {
			t.Errorf("%s: order %v, %v, want %v", test.name, got, err, test.want)
		}
	}
}

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
	for _, part := range []string{"two verdicts", `no finding "zz"`, "finding bb has no verdict"} {
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
