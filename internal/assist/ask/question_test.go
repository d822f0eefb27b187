package ask

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
)

func TestQuestion(t *testing.T) {
	p := &satchel.Pack{
		Paths: []satchel.PathLine{{Path: "a.go"}},
		Entries: []satchel.Entry{
			{Ref: satchel.Ref{Kind: satchel.KindFile, Path: "low.go"}, Text: satchel.Clean("", strings.Repeat("low\n", 500)), Lines: []satchel.Range{{From: 1, To: 500}}},
			{
				Ref: satchel.Ref{Kind: satchel.KindFile, Path: "a.go"}, Score: satchel.Score{{Why: "match", Add: 3}}, Lang: "go",
				Text: satchel.Clean("", "func A() {\n⋮\n}\n"), Lines: []satchel.Range{{From: 7, To: 7}, {From: 19, To: 19}},
			},
		},
	}
	a, err := Question(p, "where?\n```", QuestionOptions{Budget: 400})
	if err != nil {
		t.Fatal(err)
	}
	if want := "a.go:7,19 (match)\n```go\n7  func A() {\n⋮\n19  }\n```\n"; !strings.Contains(a.Shared, want) {
		t.Errorf("no %q in\n%s", want, a.Shared)
	}
	if strings.Contains(a.Shared, "low\n") || a.Receipt.Tokens > 400 {
		t.Errorf("%d tokens:\n%s", a.Receipt.Tokens, a.Shared)
	}
	if want := []Shown{{Path: "a.go", How: Part}}; !cmp.Equal(a.Receipt.Beside, want) {
		t.Errorf("receipt %v, want %v", a.Receipt.Beside, want)
	}
	checkFences(t, a.Question)
}

// Each answer is what a model may give instead of what the schema asks for.
func TestReadAnswer(t *testing.T) {
	a := &Ask{Schema: schemaOf(answerSchema)}
	one := `{"text":"A","cites":[{"path":"a.go","from":1,"to":2,"quote":"x","ok":true}]}`
	for _, test := range []struct {
		name, raw string
		claims    int
		missing   int
		fault     string // a part of it; "" means none
	}{
		{"right", `{"claims":[` + one + `],"not_found":["b"]}`, 1, 1, ""},
		{"nothing found", `{"claims":[],"not_found":["b"]}`, 0, 1, ""},
		{"says nothing", `{"claims":[],"not_found":[]}`, 0, 0, "both empty"},
		{"an empty claim", `{"claims":[{"text":" ","cites":[]},` + one + `],"not_found":[]}`, 1, 0, "a claim is empty"},
		{"torn", `{"not_found":["b"],"claims":[` + one + `,{"text":"B","cites":[{"path":"p"}`, 1, 1, "cut"},
	} {
		got, err := ReadAnswer(a, []byte(test.raw))
		if len(got.Claims) != test.claims || len(got.NotFound) != test.missing {
			t.Errorf("%s: %+v", test.name, got)
		}
		if (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%s: %v, want %q", test.name, err, test.fault)
		}
		for i := range got.Claims {
			if got.Claims[i].Sourced() {
				t.Errorf("%s: the model says by itself that its source is right", test.name)
			}
		}
	}
}

func TestCheckAnswer(t *testing.T) {
	file := []string{"package p", "", "func Retry(n int) error {", "\treturn again(n)", "}", "", "func Other() {", "\treturn again(n)", "}", "x := fetch(one)"}
	lines := func(path string) ([]string, bool) { return file, path == "a.go" }
	for _, test := range []struct {
		name string
		cite Cite
		want Cite
	}{
		{"right", Cite{"a.go", 3, 5, "func Retry(n int) error {", false}, Cite{"a.go", 3, 5, "", true}},
		{"in the range", Cite{"a.go", 3, 5, "return again(n)", false}, Cite{"a.go", 3, 5, "", true}},
		{"with its number", Cite{"a.go", 3, 3, "3  func Retry(n int) error {", false}, Cite{"a.go", 3, 3, "", true}},
		{"moved", Cite{"a.go", 9, 11, "func Retry(n int) error {", false}, Cite{"a.go", 3, 5, "", true}},
		{"two places", Cite{"a.go", 1, 1, "return again(n)", false}, Cite{"a.go", 1, 1, "", false}},
		{"invented", Cite{"a.go", 3, 3, "func Invented() {", false}, Cite{"a.go", 3, 3, "", false}},
		{"no such file", Cite{"b.go", 3, 3, "func Retry(n int) error {", false}, Cite{"b.go", 3, 3, "", false}},
		{"a brace", Cite{"a.go", 5, 5, "}", false}, Cite{"a.go", 5, 5, "", false}},
		{"nothing", Cite{"a.go", 2, 2, "", false}, Cite{"a.go", 2, 2, "", false}},
		{"far outside", Cite{"a.go", 1 << 40, 1 << 41, "x := fetch(one)", false}, Cite{"a.go", 10, 10, "", true}},
		{"negative", Cite{"a.go", -7, -9, "x := fetch(one)", false}, Cite{"a.go", 10, 10, "", true}},
		{"said to be right", Cite{"a.go", 3, 3, "invented text", true}, Cite{"a.go", 3, 3, "", false}},
	} {
		a := Answer{Claims: []Claim{{Text: "x", Cites: []Cite{test.cite}}}}
		n := CheckAnswer(&a, lines)
		got := a.Claims[0].Cites[0]
		got.Quote = ""
		if got != test.want || (n == 0) != test.want.OK {
			t.Errorf("%s: %+v, %d without a source, want %+v", test.name, got, n, test.want)
		}
	}
}
