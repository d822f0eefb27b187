package terms

// longestCompared is how many bytes of a word [Distance] looks at, so that a hostile
// one costs no time.
const longestCompared = 100

// Distance is the number of bytes to insert, delete or replace to get from a to b
// (Levenshtein). Only their first 100 bytes count.
func Distance(a, b string) int {
	a, b = a[:min(len(a), longestCompared)], b[:min(len(b), longestCompared)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
