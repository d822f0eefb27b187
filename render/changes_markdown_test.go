package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

// Names of a hostile repository stay names: none of them is markup, ends its cell or
// begins a row.
func TestDiffMarkdown(t *testing.T) {
	file := func(path string, status change.Status, added int, reasons ...string) change.Scored {
		return change.Scored{File: change.File{Path: path, Status: status, Added: added}, Relevance: 0.5, Reasons: reasons}
	}
	r := &change.Report{
		Size: change.Small,
		Files: []change.Scored{
			file("a.go", change.Modified, 1, "core source", "new file"),
			file("b|`c`\n## d @all <img src=x>.go", change.Added, 2, "a|b", "[x](y)"),
		},
		Tests:   []satchel.Related{{Path: "a_test.go", Line: 3, Definition: satchel.Clean("a_test.go", "func TestA(t *testing.T)"), Reasons: []string{"uses what changed", "b", "c"}, Score: 0.4}},
		Related: []satchel.Related{{Path: "b`.go", Reasons: []string{"[x](y)"}, Score: 0.3}, {Score: 0.3}, {Score: 0.3}, {Score: 0.3}, {Score: 0.3}, {Score: 0.3}, {Score: 0.05}, {Score: 0.04}},
	}
	r.All = change.Totals{Files: 2, Added: 3}
	r.Shown = r.All
	d := &Diff{Report: r, Listed: 2, Breaks: []DiffBreak{{Path: "a.go", Edits: []change.Edit{{Action: change.Removes, Name: "Open", Exported: true}}}}}
	want := "**2 files, +3 -0**: small\n\n" +
		"| relevance | file | change | why |\n| ---: | --- | ---: | --- |\n" +
		"| 50% | `a.go` | +1 -0 | core source, new file |\n" +
		"| 50% | " + "``\"b\\|`c`\\u{a}## d @all <img src=x>.go\"``" + " | added, +2 -0 | a\\|b, &#91;x&#93;(y) |\n" +
		"\n**Exported and removed (-) or changed (~)**\n\n- `a.go`: `- Open`\n" +
		"\n**Tests**\n\n- `a_test.go:3 func TestA(t *testing.T)` (uses what changed, b)\n" +
		"\n**Probably changes too**\n\n- ``\"b`.go\"`` (&#91;x&#93;(y))\n" + strings.Repeat("- `\"\"` ()\n", 4) + "- and 2 more\n"
	if got := DiffMarkdown(d); got != want {
		t.Errorf("DiffMarkdown =\n%s\nwant\n%s", got, want)
	}
}

// Of a very large change the first files are shown, many folded, and the rest counted.
func TestDiffMarkdownLarge(t *testing.T) {
	r := &change.Report{Size: change.VeryLarge}
	for i := range 1000 {
		r.Files = append(r.Files, change.Scored{File: change.File{Path: fmt.Sprintf("f%d.go", i), Status: change.Modified}})
	}
	got := DiffMarkdown(&Diff{Report: r, Listed: 1000})
	for want, n := range map[string]int{
		"\n| 0% |":                   openRows + foldedRows,
		"| relevance |":              2,
		"<summary>500 more files</":  1,
		"\n</details>\n\n… and 475 ": 1,
	} {
		if c := strings.Count(got, want); c != n {
			t.Errorf("%q stands %d times, want %d", want, c, n)
		}
	}
}
