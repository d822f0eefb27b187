package engine

import (
	"math"
	"path"
	"slices"

	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/render"
)

// listShare is the part of the budget that the list of the files that are not
// shown may take.
const listShare = 10

// rest returns files that are not shown, most important first as far as their
// part of the budget goes, sorted by path.
func (sel *selection) rest(shown map[string]bool) []string {
	room := math.MaxInt
	if sel.Req.Budget > 0 {
		room = sel.Req.Budget / listShare
	}
	files := sel.View.Files()
	var list []string
	folders := map[string]bool{}
	for _, i := range sel.Order {
		p := files[i].Path
		if shown[p] {
			continue
		}
		var cost int
		if sel.Format == render.JSON {
			cost = source.TokensOf(sel.Scene, p) + 3 // quotes, comma, newline
		} else {
			folder, name := path.Split(p)
			cost = source.TokensOf(sel.Scene, name) + 1
			if !folders[folder] {
				folders[folder] = true
				cost += source.TokensOf(sel.Scene, folder) + 2
			}
		}
		if room -= cost; room < 0 {
			break
		}
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}
