package render

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/satchel-dev/satchel"
)

// Brief returns p as it is put beside a prompt that nobody asked to have
// answered by satchel: the Markdown of [Pack] with the most relevant files
// first, since a client may cut the text, and without a receipt.
func Brief(p *satchel.Pack) string {
	v := arrange(p)
	best := make(map[string]float64, len(v.files))
	for i := range p.Entries {
		e := &p.Entries[i]
		k := briefKey(Clean(e.Ref.Path), short(e.Blob, shortBlob), e.Dirty)
		if s, ok := best[k]; !ok || e.Score.Value() > s {
			best[k] = e.Score.Value()
		}
	}
	score := func(f *fileView) float64 { return best[briefKey(f.path, f.blob, f.dirty)] }
	slices.SortStableFunc(v.files, func(a, b fileView) int { return cmp.Compare(score(&b), score(&a)) })
	v.receipt = receipt{}
	var b strings.Builder
	b.WriteString(briefIntro)
	for _, part := range markdown(v) {
		b.WriteString(part.text)
	}
	b.WriteString(briefEnd)
	return b.String()
}

// What stands around a brief: who gives it, and where more is.
const (
	briefIntro = "Context that satchel chose for this prompt; the user did not write it. "
	briefEnd   = "satchel show PATH:FROM-TO prints more of a file.\n"
)

func briefKey(path, blob string, dirty bool) string {
	if dirty {
		blob += " dirty"
	}
	return path + "\x00" + blob
}

// Characters returns the length of a text as clients that run on JavaScript
// count it, in UTF-16 units: never less than the number of its runes.
func Characters(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}
