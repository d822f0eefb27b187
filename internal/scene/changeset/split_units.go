package changeset

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
)

// A unit is a group of files that stay together: the files of a folder, or as many as
// fit into one task.
type unit struct {
	dir   string
	files []int
	cost  int
}

const (
	mostUnits   = 400  // to divide; neighbours are joined until this limit holds
	cutWeight   = 0.15 // what cutting a folder in two costs, in squares of a task's share
	mostLoad    = 1.35 // of a task's share, after moving units by their links
	linkRatio   = 2.0  // how much more the links to another task must weigh
	movesPasses = 2
)

// splitFiles divides files, which have these costs, into at most n groups; each
// is ascending, and they are in the order of their best files.
//
// Folders in path order are cut into n runs of about the same cost, rather
// between folders far apart than within one. Then a folder moves to the run that
// it is linked to much more than to its own, as long as no run gets too long.
func splitFiles(files []change.Scored, costs []int, n int, links []link) [][]int {
	if len(files) == 0 {
		return nil
	}
	n = min(n, len(files))
	total := 0
	for _, c := range costs {
		total += c
	}
	share := max(1, total/n)
	units := newUnits(files, costs, n, share)
	group := cutRuns(units, n, share)
	moveLinked(units, group, n, share, links, len(files))
	out := make([][]int, n)
	for k, u := range units {
		out[group[k]] = append(out[group[k]], u.files...)
	}
	for _, g := range out {
		slices.Sort(g)
	}
	slices.SortFunc(out, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return out
}

// newUnits makes units of folders, in path order: at least n, and none that is
// much larger than a part of a share unless it is a single file.
func newUnits(files []change.Scored, costs []int, n, share int) []unit {
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	// A test is next to the file that it tests.
	key := func(i int) (dir, stem string) {
		p := files[i].Path
		stem = strings.ToLower(path.Base(p))
		if at := strings.IndexByte(stem, '.'); at > 0 {
			stem = stem[:at]
		}
		stem = strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(stem, "_test"), "test"), "test_")
		return path.Dir(p), stem
	}
	slices.SortFunc(order, func(a, b int) int {
		ad, as := key(a)
		bd, bs := key(b)
		return cmp.Or(compareDirs(ad, bd), cmp.Compare(as, bs), cmp.Compare(files[a].Path, files[b].Path), cmp.Compare(a, b))
	})
	most := max(1, share/4)
	var units []unit
	for _, i := range order {
		dir, _ := key(i)
		if k := len(units) - 1; k >= 0 && units[k].dir == dir && units[k].cost+costs[i] <= most {
			units[k].files = append(units[k].files, i)
			units[k].cost += costs[i]
			continue
		}
		units = append(units, unit{dir, []int{i}, costs[i]})
	}
	for len(units) > max(mostUnits, n) {
		units = joinUnits(units, max(mostUnits, n))
	}
	for k := 0; k < len(units) && len(units) < n; { // few folders: divide them
		u := units[k]
		if len(u.files) == 1 {
			k++
			continue
		}
		half := len(u.files) / 2
		a, b := unit{dir: u.dir, files: u.files[:half]}, unit{dir: u.dir, files: u.files[half:]}
		for _, i := range a.files {
			a.cost += costs[i]
		}
		b.cost = u.cost - a.cost
		units = slices.Insert(units, k+1, b)
		units[k] = a
	}
	return units
}

// compareDirs orders folders so that what is below one follows it at once.
func compareDirs(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}

// joinUnits joins neighbours, the lightest pairs first, about halving what is
// too much.
func joinUnits(units []unit, most int) []unit {
	type pair struct{ at, cost, apart int }
	pairs := make([]pair, 0, len(units))
	for k := 1; k < len(units); k++ {
		pairs = append(pairs, pair{k, units[k-1].cost + units[k].cost, -sharedDirs(units[k-1].dir, units[k].dir)})
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.apart, b.apart), cmp.Compare(a.at, b.at))
	})
	joined := make([]bool, len(units)+1) // with the one before
	n := len(units)
	for _, p := range pairs {
		if n <= most {
			break
		}
		if joined[p.at-1] || joined[p.at+1] || joined[p.at] {
			continue
		}
		joined[p.at] = true
		n--
	}
	var out []unit
	for k, u := range units {
		if joined[k] {
			last := &out[len(out)-1]
			last.files = append(slices.Clip(last.files), u.files...)
			last.cost += u.cost
			last.dir = commonDir([]string{last.dir, u.dir})
			continue
		}
		out = append(out, u)
	}
	return out
}

// sharedDirs counts the folders that two paths have in common from the root on.
func sharedDirs(a, b string) int {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(as) && n < len(bs) && as[n] == bs[n] {
		n++
	}
	return n
}

// cutRuns cuts units into n runs, such that the squares of what they are off
// their share, and what the cuts part, sum up to the least.
func cutRuns(units []unit, n, share int) []int {
	m := len(units)
	sums := make([]float64, m+1)
	for k, u := range units {
		sums[k+1] = sums[k] + float64(u.cost)/float64(share)
	}
	cut := make([]float64, m+1) // of a cut before unit k
	for k := 1; k < m; k++ {
		a, b := units[k-1].dir, units[k].dir
		depth := max(strings.Count(a, "/"), strings.Count(b, "/")) + 1
		cut[k] = cutWeight * float64(sharedDirs(a, b)) / float64(depth)
	}
	best := make([][]float64, n+1)
	from := make([][]int, n+1)
	for j := range best {
		best[j] = make([]float64, m+1)
		from[j] = make([]int, m+1)
		for k := range best[j] {
			best[j][k] = math.Inf(1)
		}
	}
	best[0][0] = 0
	for j := 1; j <= n; j++ {
		for k := j; k <= m; k++ {
			for i := j - 1; i < k; i++ {
				off := sums[k] - sums[i] - 1
				if v := best[j-1][i] + off*off + cut[i]; v < best[j][k] {
					best[j][k], from[j][k] = v, i
				}
			}
		}
	}
	group := make([]int, m)
	for j, k := n, m; j > 0; j-- {
		i := from[j][k]
		for u := i; u < k; u++ {
			group[u] = j - 1
		}
		k = i
	}
	return group
}

// moveLinked moves units to the group that they are linked to most.
func moveLinked(units []unit, group []int, n, share int, links []link, files int) {
	if len(links) == 0 {
		return
	}
	of := make([]int, files)
	for k, u := range units {
		for _, i := range u.files {
			of[i] = k
		}
	}
	// Links of a unit to others, in the order of the links, so that sums of
	// weights are always the same.
	near := make([][]link, len(units))
	for _, l := range links {
		if a, b := of[l.a], of[l.b]; a != b {
			near[a] = append(near[a], link{a, b, l.weight})
			near[b] = append(near[b], link{b, a, l.weight})
		}
	}
	load, size := make([]int, n), make([]int, n)
	for k, u := range units {
		load[group[k]] += u.cost
		size[group[k]]++
	}
	for range movesPasses {
		for k, u := range units {
			pull := make([]float64, n)
			for _, l := range near[k] {
				pull[group[l.b]] += l.weight
			}
			for other := range units { // a folder's own files hold it
				if other != k && units[other].dir == u.dir {
					pull[group[other]] += importLink * float64(len(units[other].files))
				}
			}
			own, best := group[k], group[k]
			for g := range pull {
				if pull[g] > pull[best] && float64(load[g]+u.cost) <= mostLoad*float64(share) {
					best = g
				}
			}
			if best != own && size[own] > 1 && pull[best] > linkRatio*pull[own]+importLink {
				load[own] -= u.cost
				size[own]--
				load[best] += u.cost
				size[best]++
				group[k] = best
			}
		}
	}
}
