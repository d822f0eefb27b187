package source

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/render"
)

// The shares are judgement: who asks for one definition wants it whole, and who asks
// for several something beside them.
const (
	exactOne    = 0.85 // of the budget that the first definition may take
	exactOthers = 0.6  // that it may take together with others
	exactFile   = 0.5  // that a whole file may take, if the task names something in another one
)

// exact gives what the task spells so much that it comes first and whole. A
// definition that has no room keeps its best parts whole, and the others in their
// shortest form; the diagnostics say so. list and items are of the same chunks.
func exact(sc *scene.Scene, list []ranking.Chunk, items []satchel.Item, budget int) (gains map[int]satchel.Reason, notes []satchel.Diagnostic) {
	gains = map[int]satchel.Reason{}
	used, others := 0, sc.Ranking.LiftsOthers()
	for n, e := range sc.Ranking.Exact {
		var parts []int
		tokens := 0
		for i := range list {
			if _, ok := gains[i]; !ok && len(items[i].Forms) > 0 && e.Holds(sc.Ranking, &list[i]) {
				parts = append(parts, i)
				tokens += items[i].Forms[0].Tokens
			}
		}
		if len(parts) == 0 { // others have them, or the request does not want them
			continue
		}
		share := exactOthers
		switch {
		case e.IsAll() && others:
			share = exactFile
		case n == 0:
			share = exactOne
		}
		room := int(share*float64(budget)) - used
		if budget <= 0 || tokens <= room {
			for _, i := range parts {
				gains[i] = e.Gain
			}
			used += tokens
			continue
		}
		chosen, whole, taken := signaturesFirst(list, items, parts, room)
		for _, i := range chosen {
			gains[i] = e.Gain
		}
		used += taken
		notes = append(notes, satchel.Diagnostic{
			Path: sc.View.Files()[e.File].Path,
			Text: noRoom(e.What, tokens, len(parts), whole, len(chosen)-whole),
		})
	}
	return gains, notes
}

// noRoom says that a definition takes too many tokens to come first whole, and what comes
// first instead. Other parts of it may follow later.
func noRoom(what string, tokens, parts, whole, signatures int) string {
	text := fmt.Sprintf("%s takes %s, too many to come first whole", what, render.Plural(tokens, "token"))
	switch {
	case parts > 1:
		text += fmt.Sprintf(": first %s of %s parts whole, %s as signatures", render.Thousands(whole), render.Thousands(parts), render.Thousands(signatures))
	case signatures == 1:
		text += ": its signature comes first"
	}
	return text
}

// signaturesFirst keeps the signatures of all parts of a definition, then whole what is
// best and fits the room; it takes the other forms away. Parts without a signature that
// have no room are not chosen; they may come later.
func signaturesFirst(list []ranking.Chunk, items []satchel.Item, parts []int, room int) (chosen []int, whole, taken int) {
	slices.SortStableFunc(parts, func(a, b int) int { return cmp.Compare(list[b].Score, list[a].Score) })
	short := func(it *satchel.Item) int { // its signature, 0 if it has none
		if f := &it.Forms[len(it.Forms)-1]; f.Detail <= satchel.Outline {
			return f.Tokens
		}
		return 0
	}
	for _, i := range parts {
		taken += short(&items[i])
	}
	for _, i := range parts {
		it := &items[i]
		switch more := it.Forms[0].Tokens - short(it); {
		case taken+more <= room:
			whole++
			taken += more
		case short(it) == 0:
			continue
		default:
			it.Forms = it.Forms[len(it.Forms)-1:]
		}
		chosen = append(chosen, i)
	}
	return chosen, whole, taken
}
