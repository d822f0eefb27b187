package learn

import "hash/fnv"

// Folds is the number of parts of a cross-validation. All examples of a group, such
// as a repository, are in one part.
const Folds = 5

// Fold returns the part that a group is in.
func Fold(group string) int {
	h := fnv.New32a()
	h.Write([]byte(group))
	return int(h.Sum32()>>3) % Folds
}

// A Part is what is tested together, and what is learned from for that: the examples
// of all other parts. Both are indexes of examples in ascending order.
type Part struct{ Learn, Test []int }

// Parts divides examples, whose groups are given, by Fold.
func Parts(groups []string) []Part {
	parts := make([]int, len(groups))
	for i, g := range groups {
		parts[i] = Fold(g)
	}
	return divide(parts, Folds)
}

// LeaveOneOut makes each group a part, in order of first appearance.
func LeaveOneOut(groups []string) []Part {
	parts, seen := make([]int, len(groups)), map[string]int{}
	for i, g := range groups {
		if _, ok := seen[g]; !ok {
			seen[g] = len(seen)
		}
		parts[i] = seen[g]
	}
	return divide(parts, len(seen))
}

// divide makes n parts of examples whose parts are given.
func divide(parts []int, n int) []Part {
	out := make([]Part, n)
	for k := range out {
		for i, p := range parts {
			if p == k {
				out[k].Test = append(out[k].Test, i)
			} else {
				out[k].Learn = append(out[k].Learn, i)
			}
		}
	}
	return out
}
