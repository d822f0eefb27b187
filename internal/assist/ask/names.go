package ask

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/pack"
)

// A word is a name as code has it, and where it stands in the changed lines.
type word struct {
	text            string
	added, removed  bool // a line has it that was added, or removed
	files, last, at int  // how many files have it; the last one, from 1; its place
}

// words are the code-like words of the changed rows of sheets that have their
// text: those that stand on one side only first, since they came or went, then
// those of more files.
func words(sheets []*sheet) []word {
	seen := map[string]int{}
	var list []word
	for k, s := range sheets {
		for i := range s.rows[:s.loaded] {
			r := &s.rows[i]
			if !r.changes() {
				continue
			}
			eachName(r.text, func(name string) {
				at, ok := seen[name]
				if !ok {
					at = len(list)
					seen[name] = at
					list = append(list, word{text: name, at: at})
				}
				w := &list[at]
				w.added = w.added || r.mark == '+'
				w.removed = w.removed || r.mark == '-'
				if w.last != k+1 {
					w.last = k + 1
					w.files++
				}
			})
		}
	}
	slices.SortFunc(list, func(a, b word) int {
		one := func(w word) int {
			if w.added && w.removed {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(one(a), one(b)), cmp.Compare(b.files, a.files), cmp.Compare(a.at, b.at))
	})
	return list
}

// eachName calls fn for every code-like word of a line: a compound identifier, one
// with a digit, a flag such as --dry-run.
func eachName(line string, fn func(name string)) {
	terms.Words([]byte(line), func(from, to int) {
		w := line[from:to]
		switch {
		case from > 0 && line[from-1] >= '0' && line[from-1] <= '9': // of a number, such as 0x4c
		case from >= 2 && line[from-1] == '-' && line[from-2] == '-':
			for to < len(line) && (line[to] == '-' || line[to] >= 'a' && line[to] <= 'z' || line[to] >= '0' && line[to] <= '9') {
				to++
			}
			fn(strings.TrimRight(line[from-2:to], "-"))
		case len(w) >= 3 && (terms.Compound(w) || strings.ContainsAny(w, "0123456789")):
			fn(w)
		}
	})
}

// missing lists the words that a text does not have, within a number of tokens.
func missing(list []word, text string, room int) string {
	has := map[string]bool{}
	eachName(text, func(name string) { has[name] = true })
	var left []string
	for i := range list {
		if !has[list[i].text] {
			left = append(left, list[i].text)
		}
	}
	if len(left) == 0 {
		return ""
	}
	s, _ := fit(room, pack.Range{First: max(1, room/4), Most: len(left)}, func(limit int) string { return strings.Join(left[:limit], " ") + "\n" })
	return s
}
