package trim

import (
	"crypto/sha256"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
)

// A handle is an @ and letters of the hash of a block's text. Five letters name
// one of twelve million texts, so that in a session of some thousand blocks two
// may be alike; then both have more, up to maxHandle.
const (
	minHandle = 5
	maxHandle = 13
)

// Handle returns the name by which a text that was left out can be asked for:
// an @ and five letters of its hash. Result has longer ones where two blocks of
// the session would have the same.
func Handle(text string) string { return letters(text)[:1+minHandle] }

// letters returns the longest handle of a text; the shorter ones are its
// beginnings.
func letters(text string) string {
	sum := sha256.Sum256([]byte(text))
	h := make([]byte, 0, 1+maxHandle)
	h = append(h, '@')
	// Of the hash's first ten bytes, every five make up to eight letters.
	for _, five := range [2][5]byte{[5]byte(sum[0:5]), [5]byte(sum[5:10])} {
		n := uint64(0)
		for _, c := range five {
			n = n<<8 | uint64(c)
		}
		for range min(minHandle+3*((len(h)-1)/minHandle), maxHandle+1-len(h)) {
			h = append(h, 'a'+byte(n%26))
			n /= 26
		}
	}
	return string(h)
}

// IsHandle reports whether a text could be a handle.
func IsHandle(s string) bool {
	if len(s) < 1+minHandle || len(s) > 1+maxHandle || s[0] != '@' {
		return false
	}
	for i := 1; i < len(s); i++ {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// Named returns the text of a block as a digest shows it, if the block has the
// handle, and the longest handle of that text. See [Handle].
func Named(b *transcript.Block, handle string) (text, longest string, ok bool) {
	if !nameable(b) || !IsHandle(handle) {
		return "", "", false
	}
	if text = cutting.TextOf(b); text == "" {
		return "", "", false
	}
	longest = letters(text)
	return text, longest, strings.HasPrefix(longest, handle)
}

// nameable reports whether blocks of this type have handles.
func nameable(b *transcript.Block) bool {
	switch b.Type {
	case transcript.Text, transcript.Call, transcript.Result, transcript.Thinking:
		return true
	}
	return false
}

// handlesOf returns the handle of each block, "" for those that have none: five
// letters, or as many as no other text has.
func handlesOf(ms []transcript.Message) [][]string {
	all := make([][]string, len(ms))
	first := make(map[string]string) // short → long
	clash := make(map[string]bool)   // short
	for i := range ms {
		all[i] = make([]string, len(ms[i].Blocks))
		for b := range ms[i].Blocks {
			blk := &ms[i].Blocks[b]
			if !nameable(blk) {
				continue
			}
			long := letters(cutting.TextOf(blk))
			short := long[:1+minHandle]
			if was, ok := first[short]; !ok {
				first[short] = long
			} else if was != long {
				clash[short] = true
			}
			all[i][b] = long
		}
	}
	for i := range all {
		for b, long := range all[i] {
			if long != "" && !clash[long[:1+minHandle]] {
				all[i][b] = long[:1+minHandle]
			}
		}
	}
	return all
}
