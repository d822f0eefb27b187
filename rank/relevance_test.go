package rank

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestRelevance judges prompts as they were measured in real repositories.
func TestRelevance(t *testing.T) {
	for _, tt := range []struct {
		prompt   string
		evidence Evidence
		relevant bool
	}{
		{"Deprecate axis in GroupBy cumulative transformers", Evidence{Known: 2.56, Cover: 2.10, Terms: 5, Defs: 0.50, Lead: 6.54}, true},
		{"quote qop options in Digest Auth", Evidence{Known: 2.96, Cover: 2.18, Terms: 4, Defs: 0.38, Lead: 8.30}, true},
		{"Removing a default header of a session", Evidence{Known: 1.49, Cover: 1.17, Terms: 3, Defs: 0.40, Lead: 8.06}, true},
		{"help me plan a wedding speech", Evidence{Unknown: 2, Lead: 3.36}, false},
		{"good job, take the rest of the day off", Evidence{Lead: 4.33}, false},
		{"one rare word", Evidence{Known: 0.9, Cover: 0.9, Terms: 1, Lead: 3}, false},
		{"fix Retry backoff, with one Retry", Evidence{Known: 0.9, Exact: 1, Terms: 1, Lead: 3}, true},
		{"where is Config read, with fifty of them", Evidence{Known: 0.1, Exact: 0.02, Terms: 1}, true},
		{"where is Config read, with a hundred of them", Evidence{Known: 0.1, Exact: 0.01, Terms: 1}, false},
		{"explain Order to me, which is a word of small talk", Evidence{Exact: 1}, true},
		{"open dial.go", Evidence{Files: 1}, true},
		{"open README.md, of which there are many", Evidence{Files: 0.2}, false},
	} {
		if got := tt.evidence.Relevance(); (got >= RelevantFrom) != tt.relevant {
			t.Errorf("%s: %.2f", tt.prompt, got)
		}
	}
	// More that speaks for it never speaks against it.
	less := Evidence{Known: 1, Cover: 0.5, Terms: 2, Defs: 0.2, Lead: 2}
	more := less
	for range 20 {
		more.Known += 0.5
		more.Cover += 0.5
		more.Terms++
		more.Defs += 0.2
		more.Lead++
		if less.Relevance() > more.Relevance() {
			t.Errorf("%+v is less relevant than %+v", more, less)
		}
		less = more
	}
}

// TestExact tells names from prose in prompts.
func TestExact(t *testing.T) {
	for _, tt := range []struct {
		prompt string
		want   []string
	}{
		{"fix Retry backoff", []string{"Retry"}},
		{"Retry is broken. Backoff too: Both are", nil},
		{"explain dialThroughProxy and dial_twice", []string{"dialThroughProxy", "dial_twice"}},
		{"what does dial(address) do?", []string{"dial"}},
		{"rename `dial` to `the`", []string{"dial"}},
		{"say it in German, PLEASE", []string{"German"}},
		{"thanks, that works", nil},
		{"", nil},
	} {
		if got := Analyze(tt.prompt).Exact; !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.prompt, got, tt.want)
		}
	}
	if got := Analyze(strings.Repeat("fooBar fooBaz ", 5)).Exact; len(got) != 2 {
		t.Errorf("%q", got)
	}
	many := Analyze(func() (s string) {
		for i := range 500 {
			s += fmt.Sprintf("nameNumber%c%c ", 'A'+i/26, 'A'+i%26)
		}
		return s
	}())
	if len(many.Exact) != maxExact {
		t.Errorf("%d names", len(many.Exact))
	}
}
