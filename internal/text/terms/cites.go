package terms

import (
	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// cites finds what refers to an issue or a change request of the same repository:
// #12, GH-12, and the addresses of hosts. owner/name#12 is another's.
var cites = lazy.Regexp(`(?:^|[^\w/&#])(?:#|(?i:GH-))(\d{1,7})\b|/(?:issues|pull|merge_requests)/(\d{1,7})\b`)

// Numbers calls fn with the term of each issue or change request that a text
// refers to by its number, in order, repetitions included. They are no words: no
// [Analyzer] yields them.
func Numbers(text string, fn func(term uint64)) {
	for _, m := range cites().FindAllStringSubmatchIndex(text, -1) {
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		fn(hash(KindWord, []byte("#"+text[from:to])))
	}
}
