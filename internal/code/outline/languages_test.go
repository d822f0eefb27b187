package outline

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// lacking returns what a row lacks that the program asks about every language with a
// grammar.
func lacking(l *language, sample bool) []string {
	var out []string
	for _, f := range []struct {
		field string
		have  bool
	}{
		{"extensions", l.extensions != ""},
		{"syntax: how comments and strings are written", l.syntax != nil},
		{"words: what it reserves", len(l.words) > 0},
		{"outline: what finds its definitions", l.outline.find != nil},
		{"tests: how the names of its test files look", l.tests != nil},
		{"Visibility: what can be used from outside", l.Visibility != Visibility{} || l.name == "ruby"},
		{"a sample: testdata/golden/" + l.name + ".txtar", sample},
	} {
		if !f.have {
			out = append(out, f.field)
		}
	}
	return out
}

func TestRowsAreWhole(t *testing.T) {
	for i := range table {
		l := &table[i]
		if l.extensions+l.basenames+l.prefixes+l.programs == "" && l.name != "matlab" { // whose files are known by their text
			t.Errorf("%s: the row lacks extensions, basenames, prefixes or programs: no file is ever of it", l.name)
		}
		if i > 0 && table[i-1].name >= l.name {
			t.Errorf("%s stands after %s: rows are ordered by name", l.name, table[i-1].name)
		}
		if f := l.Family; f != "" && byName[f] == nil {
			t.Errorf("%s: its family %q is no language", l.name, f)
		}
		if !l.grammar {
			continue
		}
		_, err := os.Stat("testdata/golden/" + l.name + ".txtar")
		for _, what := range lacking(l, err == nil) {
			t.Errorf("%s: the row lacks %s", l.name, what)
		}
	}
}

// TestRowsShareNothing: a name, an extension or a program is claimed by one language.
func TestRowsShareNothing(t *testing.T) {
	claims := map[string]string{}
	claim := func(kind, words, by string) {
		for w := range strings.FieldsSeq(words) {
			if other := claims[kind+w]; other != "" {
				t.Errorf("%s %q belongs to %s and %s", kind, w, other, by)
			}
			claims[kind+w] = by
		}
	}
	for i := range table {
		l := &table[i]
		claim("language ", l.name, l.name)
		claim("extension ", l.extensions, l.name)
		claim("file ", l.basenames, l.name)
		claim("prefix ", l.prefixes, l.name)
		claim("program ", l.programs, l.name)
	}
}

func TestLackingNamesWhatIsMissing(t *testing.T) {
	l := &language{name: "nova", extensions: "nv", syntax: &cSyntax, words: cWords, grammar: true}
	got := strings.Join(lacking(l, false), "; ")
	for _, want := range []string{"outline", "tests", "Visibility", "testdata/golden/nova.txtar"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacking() = %q, does not name %s", got, want)
		}
	}
	if slices.Contains(lacking(l, false), "extensions") {
		t.Errorf("lacking() = %q names extensions, which are there", got)
	}
}
