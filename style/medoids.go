package style

import (
	"slices"
	"strings"
)

// medoids divides texts into n groups of what is alike, and returns the middle one of
// each, in the order of the list.
func medoids(texts []string, n int) []int {
	if len(texts) <= n {
		all := make([]int, len(texts))
		for i := range all {
			all[i] = i
		}
		return all
	}
	d := distances(texts)
	middle := []int{best(d, all(len(texts)))}
	for len(middle) < n { // the farthest from those that are chosen
		far, at := -1.0, 0
		for i := range texts {
			near := 2.0
			for _, m := range middle {
				near = min(near, d[i][m])
			}
			if near > far {
				far, at = near, i
			}
		}
		middle = append(middle, at)
	}
	for range 10 {
		groups := make([][]int, n)
		for i := range texts {
			k := 0
			for g := range middle {
				if d[i][middle[g]] < d[i][middle[k]] {
					k = g
				}
			}
			groups[k] = append(groups[k], i)
		}
		next := make([]int, n)
		for g := range groups {
			next[g] = middle[g]
			if len(groups[g]) > 0 {
				next[g] = best(d, groups[g])
			}
		}
		if slices.Equal(next, middle) {
			break
		}
		middle = next
	}
	slices.Sort(middle)
	return slices.Compact(middle)
}

// best returns the member of a group that is nearest to the others.
func best(d [][]float64, group []int) int {
	at, least := group[0], -1.0
	for _, i := range group {
		sum := 0.0
		for _, k := range group {
			sum += d[i][k]
		}
		if least < 0 || sum < least {
			at, least = i, sum
		}
	}
	return at
}

func all(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// distances are how little texts have in common, 0 to 1: the share of their rows of
// three bytes that only one of them has.
func distances(texts []string) [][]float64 {
	sets := make([][]uint32, len(texts))
	for i, s := range texts {
		s = "  " + strings.ToLower(s) + " "
		for k := 0; k+3 <= len(s); k++ {
			sets[i] = append(sets[i], uint32(s[k])<<16|uint32(s[k+1])<<8|uint32(s[k+2]))
		}
		slices.Sort(sets[i])
		sets[i] = slices.Compact(sets[i])
	}
	d := make([][]float64, len(texts))
	for i := range d {
		d[i] = make([]float64, len(texts))
		for k := range i {
			d[i][k] = 1 - overlap(sets[i], sets[k])
			d[k][i] = d[i][k]
		}
	}
	return d
}

// overlap returns the share of the members of two sorted lists that both have.
func overlap(a, b []uint32) float64 {
	both := 0
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch {
		case a[i] < b[k]:
			i++
		case a[i] > b[k]:
			k++
		default:
			both, i, k = both+1, i+1, k+1
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}
