package outline

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPage keeps docs/languages.md equal to the table; -update writes it.
func TestPage(t *testing.T) {
	var full, braces, part, none []string
	for i := range table {
		l := &table[i]
		name := l.name
		if name == "rustlike" { // our name for several
			name = strings.ReplaceAll(l.extensions, " ", ", ")
		}
		switch {
		case l.outline.find == nil:
			none = append(none, name)
		case l.grammar:
			full = append(full, name)
		case l.outline.braces:
			braces = append(braces, name)
		default:
			part = append(part, name)
		}
	}
	text := fmt.Sprintf("# Languages\n\nsatchel finds the definitions, comments, imports and tests of these languages.\n\n"+
		"- by a grammar: %s\n- by braces and keywords: %s\n- line by line: %s\n\n"+
		"It recognizes these and shows their text without an outline: %s.\n\nIt searches and shows any other text file too.\n",
		strings.Join(full, ", "), strings.Join(braces, ", "), strings.Join(part, ", "), strings.Join(none, ", "))
	const file = "../../../docs/languages.md"
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), text); diff != "" {
		t.Errorf("docs/languages.md differs; -update writes it (-page +test):\n%s", diff)
	}
}
