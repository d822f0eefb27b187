package signal

import (
	"math"
	"strings"

	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/rank"
)

// citations are the commits that a task refers to: each list by one reference.
type citations struct {
	byNumber map[uint64][]int32 // commits whose messages refer to the same
	byID     [][]int32
}

func (m *Measurement) newCitations(h *index.History) *citations {
	c := &citations{byNumber: make(map[uint64][]int32, len(m.Query.Numbers))}
	for _, t := range m.Query.Numbers {
		c.byNumber[t] = nil
	}
	if len(m.Query.Commits) == 0 {
		return c
	}
	c.byID = make([][]int32, len(m.Query.Commits))
	for ci := range h.Commits {
		for k, id := range m.Query.Commits {
			if strings.HasPrefix(h.Commits[ci].ID, id) {
				c.byID[k] = append(c.byID[k], int32(ci))
			}
		}
	}
	return c
}

// number takes note of a commit whose message holds a term.
func (c *citations) number(term uint64, commit int32) {
	if list, ok := c.byNumber[term]; ok {
		c.byNumber[term] = append(list, commit)
	}
}

// measureCited credits the files of the commits that the task refers to: "since
// 6d3d2750" and "introduced with #2844" name the place better than words do. The
// fewer files a commit changed, and the fewer commits there are, the more each
// file gets; the best reference counts.
func (m *Measurement) measureCited(h *index.History, fileOf []int32, cited *citations) {
	col := m.Table.Column(rank.Cited)
	credit := func(commits []int32) {
		for _, ci := range commits {
			n := 0
			for _, f := range h.Commits[ci].Files {
				if i := fileOf[f]; i >= 0 && primary(m.files[i].Class) {
					n++
				}
			}
			v := float32(1 / math.Sqrt(float64(max(n, 1)*len(commits))))
			for _, f := range h.Commits[ci].Files {
				if i := fileOf[f]; i >= 0 {
					col[i] = max(col[i], v)
				}
			}
		}
	}
	for _, commits := range cited.byNumber {
		credit(commits)
	}
	for _, commits := range cited.byID {
		credit(commits)
	}
}
