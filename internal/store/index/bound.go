package index

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
)

// untrackedShare limits the untracked files of a repository to this part of the most
// files: more are not work in progress, but output without an ignore rule.
const untrackedShare = 4

// spareListed is how many files more than the most are listed of a revision, since
// rules leave out some.
const spareListed = 50_000

// bound leaves out files of a listing that is too long to be looked at, and says so.
func (m *viewBuilder) bound() {
	if m.source.repo != nil && m.listing.workTree {
		m.boundTo(m.opts.MaxFiles/untrackedShare, "untracked files", func(e *entry) bool { return e.untracked })
	}
	m.boundTo(m.opts.MaxFiles, "files", func(*entry) bool { return true })
}

// boundTo leaves out entries of a kind beyond the most: first what a rule would leave
// out by its name, then what lies deepest, since the shape of a repository shows near
// its root, and data and what is generated lie deep.
func (m *viewBuilder) boundTo(most int, what string, of func(*entry) bool) {
	l := &m.listing
	all := 0
	for i := range l.entries {
		if of(&l.entries[i]) {
			all++
		}
	}
	if all <= most {
		return
	}
	const levels = 64 // deeper is as deep as that
	depth := func(e *entry) int {
		switch {
		case slices.Contains(m.pinned, e.path):
			return 0
		case m.byPath(e).why != "":
			return levels + 1
		}
		return 1 + min(strings.Count(e.path, "/"), levels-1)
	}
	at := make([]uint8, len(l.entries))
	var room [levels + 2]int
	for i := range l.entries {
		if of(&l.entries[i]) {
			at[i] = uint8(depth(&l.entries[i]))
			room[at[i]]++
		}
	}
	left := most
	for d := range room { // of each depth, the first by path have it
		room[d] = min(room[d], left)
		left -= room[d]
	}
	kept := make([]entry, 0, len(l.entries)-all+most)
	for i := range l.entries {
		if of(&l.entries[i]) {
			if room[at[i]] == 0 {
				continue
			}
			room[at[i]]--
		}
		kept = append(kept, l.entries[i])
	}
	l.entries = kept
	l.diags = append(slices.Clip(l.diags), satchel.Diagnostic{Text: fmt.Sprintf("%d of %d %s are not read, the deepest ones: max-files is %d", all-most, all, what, most)})
}
