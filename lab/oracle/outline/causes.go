package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// shown is how much of a source line is printed, in bytes.
const shown = 160

// print prints the groups of differences, the largest first.
func (t *tally) print(w io.Writer, groups, each int) {
	if groups == 0 {
		return
	}
	byCause := map[string][]difference{}
	for _, d := range t.differences {
		byCause[d.cause] = append(byCause[d.cause], d)
	}
	var causes []string
	for c := range byCause {
		causes = append(causes, c)
	}
	slices.SortFunc(causes, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(byCause[b]), len(byCause[a])), cmp.Compare(a, b))
	})
	for _, c := range causes[:min(groups, len(causes))] {
		ds := byCause[c]
		fmt.Fprintf(w, "\n%d × %s\n", len(ds), c)
		step := max(1, len(ds)/each) // examples from several files
		for i := 0; i < len(ds) && i < each*step; i += step {
			d := ds[i]
			fmt.Fprintf(w, "  %s: %s\n    %s\n", d.where, strings.TrimSpace(d.text[:min(len(d.text), shown)]), d.what)
		}
	}
}

// keep are words that tell one declaration from another; all others are names.
var keep = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`abstract async class const constructor data def default enum export extends extern
		final fn for fun func function get given impl implements implicit in inline interface internal let local mod module namespace new
		object of open override package private protected pub public readonly record return sealed set static struct suspend
		trait type typedef union unsafe using val var virtual where event delegate operator partial lazy init companion if while
		import template case`) {
		keep[w] = true
	}
}

// parts is how many parts of a signature make its shape.
const parts = 6

// shape returns the beginning of a signature with its names blotted out, so that
// declarations that are written alike fall into one group.
func shape(signature string) string {
	var out []string
	word := ""
	end := func() {
		if word == "" {
			return
		}
		if !keep[word] {
			word = "n"
		}
		out = append(out, word)
		word = ""
	}
	for _, r := range signature {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$':
			word += string(r)
		case r <= ' ':
			end()
		default:
			end()
			out = append(out, string(r))
		}
		if len(out) >= parts {
			break
		}
	}
	end()
	return strings.Join(out[:min(len(out), parts)], " ")
}
