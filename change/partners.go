package change

// A History is past commits, the newest first.
type History struct {
	Paths   []string // that Commits name, each once
	Commits [][]int32
	// Commits hold the files that each commit changed, as indices into Paths.
}

// Constants of what is usual.
const (
	focusedFiles = 20 // a commit that changes more says nothing about what belongs together
	seldom       = 2  // commits added to the number that changed a file, so that two of two are no habit
	recent       = 20 // newest commits of a file that count: older habits mislead
)

// Partners says how the files of a changeset belong together by history: for each of
// paths, how usual it is that it changes with one of the others (0..1), and how many
// commits changed it before.
//
// How usual b is beside a is n/(m+2), where m commits changed a and n of them b
// too: the newest 20 that changed a, without those of more than 20 files.
func Partners(h *History, paths []string) (usual []float64, churn []int) {
	usual, churn = make([]float64, len(paths)), make([]int, len(paths))
	at := make(map[string]int32, len(paths))
	for i, p := range paths {
		at[p] = int32(i)
	}
	index := make([]int32, len(h.Paths)) // of paths, plus one
	for k, p := range h.Paths {
		if i, ok := at[p]; ok {
			index[k] = i + 1
		}
	}
	focused := make([]int, len(paths)) // commits that changed the file, among few
	together := make([]map[int32]int, len(paths))
	for _, c := range h.Commits {
		for _, f := range c {
			i := index[f] - 1
			if i < 0 {
				continue
			}
			churn[i]++
			if len(c) > focusedFiles || focused[i] == recent {
				continue
			}
			focused[i]++
			for _, g := range c {
				if j := index[g] - 1; j >= 0 && j != i {
					if together[i] == nil {
						together[i] = map[int32]int{}
					}
					together[i][j]++
				}
			}
		}
	}
	for i := range paths {
		for j, n := range together[i] {
			usual[j] = max(usual[j], float64(n)/float64(focused[i]+seldom))
		}
	}
	return usual, churn
}
