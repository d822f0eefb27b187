package source

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/rank"
)

// The tree of folders takes this part of a budget at most, and so many folders
// whatever the budget is: it says where things are, and a listing where each is.
const (
	treeShare   = 25
	mostFolders = 60
)

// Tree returns the folders that hold most of the files of sc.Order, with how many
// each holds, itself and below, sorted by path. A folder with nothing in it but one other
// is not listed.
func Tree(sc *scene.Scene) []satchel.Folder {
	files := sc.View.Files()
	count, own := map[string]int{}, map[string]int{} // files below, and in, a folder
	children := map[string][]string{}
	for _, i := range sc.Order {
		dir := folderOf(files[i].Path)
		own[dir]++
		for dir != "" {
			up := folderOf(strings.TrimSuffix(dir, "/"))
			if count[dir]++; count[dir] == 1 {
				children[up] = append(children[up], dir)
			}
			dir = up
		}
	}
	room := math.MaxInt
	if sc.Req.Budget > 0 {
		room = sc.Req.Budget / treeShare
	}
	var list []satchel.Folder
	var open []string // the largest folders that are not listed yet, largest first
	enter := func(dir string) {
		open = append(open, children[dir]...)
		slices.SortFunc(open, func(a, c string) int {
			return cmp.Or(cmp.Compare(count[c], count[a]), strings.Compare(a, c))
		})
		open = open[:min(len(open), mostFolders)] // a folder of others may hold very many
	}
	enter("")
	for len(open) > 0 && len(list) < mostFolders {
		best := open[0]
		open = open[1:]
		for own[best] == 0 && len(children[best]) == 1 {
			best = children[best][0]
		}
		if room -= TokensOf(sc, path.Base(best)) + folderTokens; room < 0 {
			break
		}
		list = append(list, satchel.Folder{Path: best, Files: count[best]})
		enter(best)
	}
	slices.SortFunc(list, func(a, c satchel.Folder) int { return strings.Compare(a.Path, c.Path) })
	return list
}

// folderTokens is what a line of the tree takes besides the name.
const folderTokens = 6

// partShare is the share of the files that makes a folder too large to be one part
// of a repository: its folders are parts then.
const partShare = 0.25

// parts returns the part of the repository that each file of sc.Order is in.
func parts(sc *scene.Scene) map[int32]string {
	files := sc.View.Files()
	below := map[string]int{}
	for _, i := range sc.Order {
		for dir := folderOf(files[i].Path); dir != ""; dir = folderOf(strings.TrimSuffix(dir, "/")) {
			below[dir]++
		}
	}
	large := int(partShare * float64(len(sc.Order)))
	out := make(map[int32]string, len(sc.Order))
	for _, i := range sc.Order {
		p := files[i].Path
		end := 0
		for {
			n := strings.IndexByte(p[end:], '/')
			if n < 0 {
				break
			}
			end += n + 1
			if below[p[:end]] <= large {
				break
			}
		}
		out[i] = p[:end]
	}
	return out
}

// What a file of a part is worth after others of it were taken: the square root of
// what its place is, in fours. Judgement: of a repository of ten parts each is seen,
// and the largest still most.
const (
	spreadPower = 0.5
	spreadFiles = 4
)

// spread is what the file at a place among those of its part loses.
func spread(place int) float64 {
	return rank.Round(-spreadPower * math.Log(1+float64(place)/spreadFiles))
}
