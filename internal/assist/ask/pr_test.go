package ask

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/change"
)

// breaks makes a report in which n exported functions are gone.
func breaks(n int) *change.Report {
	f := changed("api.go", "source", 3)
	for i := range n {
		f.Edits = append(f.Edits, change.Edit{Action: change.Removes, Kind: "func", Name: fmt.Sprintf("Gone%d", i), Exported: true, OldSide: true})
	}
	f.Edits = append(f.Edits,
		change.Edit{Action: change.Renames, Kind: "func", Name: "New", OldName: "T.Old", Exported: true},
		change.Edit{Action: change.Signature, Kind: "func", Name: "Sig", Exported: true},
		change.Edit{Action: change.Body, Kind: "func", Name: "Same", Exported: true},
		change.Edit{Action: change.Removes, Kind: "func", Name: "inner"},
	)
	test := changed("api_test.go", "test", 3)
	test.Edits = []change.Edit{{Action: change.Removes, Kind: "func", Name: "TestGone", Exported: true}}
	return reportOf(f, test)
}

// What others can use and is gone stands in the result, however little of the change
// the model saw and whatever it said.
func TestExportsStandInTheResult(t *testing.T) {
	r := breaks(300)
	list := Exports(r)
	if len(list) != 302 {
		t.Fatalf("%d exports, want 302", len(list))
	}
	if d := cmp.Diff(list[300:], []Export{{"api.go", "Old", "renames function T.Old to New"}, {"api.go", "Sig", "changes signature of Sig"}}); d != "" {
		t.Error(d)
	}
	a, err := PR(r, PROptions{CommitOptions: CommitOptions{Budget: 3000}})
	if err != nil {
		t.Fatal(err)
	}
	if a.Receipt.Tokens > 3000 {
		t.Errorf("%d tokens of 3000", a.Receipt.Tokens)
	}
	body := Append("Gone1 is gone, and Gone10x; Old too.\n", "## Not as it was", list)
	l := AppendEntries(Log{Entries: []LogEntry{{"Removed", "`Gone1` is gone", []string{"a"}}}}, list)
	for _, e := range list {
		if !names(body, e.Name) {
			t.Errorf("%s is not in the description", e.Name)
		}
		if n := len(entriesNaming(l, e.Name)); n != 1 {
			t.Errorf("%s is in %d entries", e.Name, n)
		}
	}
	for _, not := range []string{"TestGone", "inner", "Same"} {
		if names(body, not) {
			t.Errorf("%s is in the description", not)
		}
	}
	if strings.Count(body, "Gone1 ") != 1 || !strings.Contains(body, "- `api.go` removes function Gone0, Gone2, ") {
		t.Errorf("description\n%.300s", body)
	}
	if got := Append("Old, Sig and all", "## X", list[300:]); got != "Old, Sig and all" {
		t.Errorf("nothing is left to say: %q", got)
	}
}

func entriesNaming(l Log, name string) (list []LogEntry) {
	for _, e := range l.Entries {
		if names(e.Text, name) {
			list = append(list, e)
		}
	}
	return list
}

const template = `<!-- tell us -->
Thanks!

## What

<!-- what is it? -->

## How tested
- [ ] unit tests
- [x] by hand

` + "```\n# no heading\n- [x] in a fence\n```\n" + `
### Checklist ###
1. [X] docs
`

func TestTemplate(t *testing.T) {
	var headings []string
	for _, s := range SectionsOf(template) {
		headings = append(headings, s.Heading)
	}
	if d := cmp.Diff([]string{"What", "How tested", "Checklist"}, headings); d != "" {
		t.Error(d)
	}
	got := FillTemplate(template, Description{Body: "Intro.", Sections: []Section{
		{"## what", "It is new.\n- [x] done by me"}, {"Elsewhere", "More."}, {"What", "A second time."},
	}})
	want := "Intro.\n\n## Elsewhere\n\nMore.\n\n## What\n\nA second time.\n\n## What\n\nIt is new.\n- [ ] done by me\n\n## How tested\n\n- [ ] unit tests\n- [ ] by hand\n- [ ] in a fence\n\n## Checklist\n\n1. [ ] docs\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestFactsOfAPart(t *testing.T) {
	r := reportOf(changed("a.go", "source", 4), changed("b.go", "source", 4))
	titles := []string{"one", "two"}
	a, err := Facts(r, FactsOptions{Part: Slice{1, titles, []string{"a.go"}}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Facts(r, FactsOptions{Part: Slice{2, titles, []string{"b.go"}}})
	if err != nil {
		t.Fatal(err)
	}
	if a.Shared != b.Shared || !strings.Contains(a.Question, `+newName0("a.go", 0)`) || strings.Contains(a.Question, `"b.go", `) {
		t.Errorf("question\n%s", a.Question)
	}
	fact := `{"paths":["a.go","b.go"],"what":"w","names":[],"user_visible":true,"breaking":false}`
	list, err := ReadFacts(a, []byte(`{"facts":[`+fact+`,`+strings.Replace(fact, `"a.go",`, ``, 1)+`]}`), []string{"a.go"})
	if err == nil || len(list) != 1 || !cmp.Equal(list[0].Paths, []string{"a.go"}) {
		t.Errorf("facts %+v, %v", list, err)
	}

	// The message about all of it is made of the facts, those that matter most if
	// there is no room for all.
	many := make([]Fact, 200)
	for i := range many {
		many[i] = Fact{Paths: []string{"a.go"}, What: fmt.Sprintf("thing %d does what it did not do before", i), Breaking: i == 199}
	}
	c, err := Commit(r, CommitOptions{Facts: many, Budget: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(c.Shared, "- thing 199 does") || c.Receipt.Tokens > 2000 || !strings.Contains(fmt.Sprint(c.Receipt.Diagnostics), "facts about parts") {
		t.Errorf("%d tokens, %v:\n%s", c.Receipt.Tokens, c.Receipt.Diagnostics, c.Shared)
	}
	if c, err = Commit(r, CommitOptions{Facts: many[:3]}); err != nil || !strings.Contains(c.Shared, "- thing 2 does") || len(c.Receipt.Diagnostics) > 0 {
		t.Errorf("%v:\n%s", err, c.Shared)
	}
}
