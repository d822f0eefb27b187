package scene

import (
	"fmt"
	"path"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/rank"
)

// likelyFiles is how many of the best files tell how large a task is: most tasks
// change fewer.
const likelyFiles = 5

// Complexity estimates the size of the task from its words and from the files that it
// is probably about, or that have changed. Documents do not count: nearly any task
// has words of theirs.
func (sc *Scene) Complexity() budget.Complexity {
	c := budget.Complexity{Words: len(strings.Fields(sc.Req.Task))}
	folders := map[string]bool{}
	switch {
	case sc.Change != nil:
		c.Files = len(rank.Analyze(sc.Req.Task).Files)
		for i := range sc.Change.Report.Files[:min(len(sc.Change.Report.Files), likelyFiles)] {
			folders[path.Dir(sc.Change.Report.Files[i].Path)] = true
		}
	case sc.Ranking != nil:
		c.Words, c.Files = len(strings.Fields(sc.Query.Said)), len(sc.Query.Files)
		likely := sc.likely()
		for _, i := range likely {
			folders[path.Dir(sc.View.Files()[i].Path)] = true
		}
		c.Imports = sc.Ranking.ImportsBetween(likely)
	}
	c.Directories = len(folders)
	return c
}

// likely are the files that the task is probably about, best first; none if it
// says nothing about the repository.
func (sc *Scene) likely() (files []int32) {
	if sc.Ranking.Weight() == 0 {
		return nil
	}
	for _, i := range sc.Order {
		if len(files) == likelyFiles {
			break
		}
		if !ranking.IsDocument(&sc.View.Files()[i]) {
			files = append(files, i)
		}
	}
	return files
}

// begin puts the least that an automatic budget comes to in its place, until the
// scene knows how large the task is.
func begin(req *satchel.Request) error {
	a := req.Auto
	if a == nil {
		return nil
	}
	if a.Least <= 0 || a.Least > a.Most || a.Most > budget.MostTokens {
		return fmt.Errorf("automatic budget: %d to %d tokens: want 0 < least <= most", a.Least, a.Most)
	}
	req.Budget = a.Least
	return nil
}

// settle decides an automatic budget. From then on it is one like any other.
func (sc *Scene) settle() {
	if a := sc.Req.Auto; a != nil {
		sc.Req.Budget, sc.Req.Auto = sc.Complexity().Between(a.Least, a.Most), nil
	}
}
