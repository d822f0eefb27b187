package terms

// longestCompared is how many bytes of a word [Distance] compares, so that a hostile word
// costs no time.
const longestCompared = 100

// Distance returns the number of edits that turn a into b: bytes inserted, deleted or
// replaced, or neighbours swapped (optimal string alignment). Only the first 100 bytes of
// each count.
func Distance(a, b string) int {
	a, b = a[:min(len(a), longestCompared)], b[:min(len(b), longestCompared)]
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
