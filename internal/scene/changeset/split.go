package changeset

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// splitVersion is the version of a Split's JSON form.
const splitVersion = 2

// A Split is a changeset divided into tasks for readers who work side by side.
type Split struct {
	Version     int                  `json:"version"`
	Source      string               `json:"source"`
	Files       int                  `json:"files"`
	Added       int                  `json:"added"`
	Removed     int                  `json:"removed"`
	Tasks       []SplitTask          `json:"tasks"`
	Diagnostics []satchel.Diagnostic `json:"diagnostics,omitempty"`
}

// A SplitTask is what one reader reads.
type SplitTask struct {
	Title   string   `json:"title"` // one line: where, and what is done there
	Files   []string `json:"files"` // most relevant first
	Added   int      `json:"added"`
	Removed int      `json:"removed"`

	// Budget is about how many tokens showing its files in standard detail takes,
	// or what the request allows each task if that is less.
	Budget int `json:"budget"`
}

// MostTasks is the largest number of tasks of a Split.
const MostTasks = 100

// Divide divides a changeset into n tasks of about the same length, fewer only if there
// are fewer files. A task holds related files: of one folder, with imports of each other,
// or often changed together. Each file is in one task. The errors are the same as those
// that [Measure] returns.
func Divide(ctx context.Context, w *project.Project, req Request, n int) (*Split, error) {
	if n < 1 || n > MostTasks {
		return nil, fmt.Errorf("split into %d tasks: want 1 to %d", n, MostTasks)
	}
	req.Detail = DiffStandard // the same files in one line
	x, err := Measure(ctx, w, &req)
	if err != nil {
		return nil, err
	}
	r := &x.Report
	costs := make([]int, len(r.Files))
	for i := range r.Files {
		costs[i] = readingCost(&r.Files[i], x.Line(i))
	}
	out := &Split{Version: splitVersion, Source: r.Source, Files: r.Shown.Files, Added: r.Shown.Added, Removed: r.Shown.Removed, Tasks: []SplitTask{}, Diagnostics: r.Diagnostics}
	for _, files := range splitFiles(r.Files, costs, n, x.links()) {
		out.Tasks = append(out.Tasks, newTask(r.Files, costs, files, req.Budget))
	}
	return out, nil
}

// readingCost is about how many tokens a file takes in standard detail.
func readingCost(f *change.Scored, line string) int {
	const heading = 110
	n := len(f.Path) / 3
	if line != "" {
		return n + 20
	}
	for i := range f.Hunks {
		n += len(f.Hunks[i].Body)/tokens.CodeBytes + 20
	}
	return n + heading
}

// newTask describes the task of some files.
func newTask(all []change.Scored, costs []int, files []int, limit int) SplitTask {
	const frame = 400 // head, and what the estimate may be off
	t := SplitTask{Title: taskTitle(all, files), Files: []string{}, Budget: frame}
	for _, i := range files {
		f := &all[i]
		t.Files = append(t.Files, f.Path)
		t.Added += f.Added
		t.Removed += f.Removed
		t.Budget += costs[i] + costs[i]/5
	}
	if limit > 0 {
		t.Budget = min(t.Budget, limit)
	}
	return t
}

// taskTitle says where the files are, and what is done to them. They are most
// relevant first.
func taskTitle(all []change.Scored, files []int) string {
	weights := map[string]int{}
	var dirs []string
	for _, i := range files {
		d := path.Dir(all[i].Path)
		if weights[d] == 0 {
			dirs = append(dirs, d)
		}
		weights[d] += 1 + all[i].Added + all[i].Removed
	}
	where := commonDir(dirs)
	if len(dirs) > 1 && strings.Count(where, "/") == 0 {
		slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b)) })
		where = strings.Join(dirs[:min(2, len(dirs))], ", ")
		if len(dirs) > 2 {
			where += " and " + render.Plural(len(dirs)-2, "more folder")
		}
	}
	var does []string
	for _, breaks := range []bool{true, false} {
		for _, i := range files {
			for k := range all[i].Edits {
				e := &all[i].Edits[k]
				if len(does) == 2 || e.Name == "" || e.Breaks() != breaks || !breaks && e.Action != change.Adds {
					continue
				}
				if l := e.Label(); !slices.Contains(does, l) {
					does = append(does, l)
				}
			}
		}
	}
	title := where
	if title == "." {
		title = "top folder"
	}
	if len(does) > 0 {
		title += ": " + strings.Join(does, ", ")
	}
	return clean.Line(strings.ReplaceAll(title, "\n", " ")).Shorten(160).String()
}

// commonDir returns the deepest folder that holds all of the folders.
func commonDir(dirs []string) string {
	common := dirs[0]
	for _, d := range dirs[1:] {
		for common != "." && d != common && !strings.HasPrefix(d, common+"/") {
			common = path.Dir(common)
		}
	}
	return common
}

// A link says that two files of a changeset belong together.
type link struct {
	a, b   int
	weight float64
}

// links returns the imports between the files of the report, and how usual it was
// that they changed together.
func (x *Run) links() []link {
	if x.View == nil {
		return nil
	}
	at := map[string]int{}
	paths := make([]string, len(x.Report.Files))
	for i := range x.Report.Files {
		paths[i] = x.Report.Files[i].Path
		at[paths[i]] = i
	}
	var out []link
	for _, e := range signal.Imports(x.View, paths) {
		out = append(out, link{e[0], e[1], importLink})
	}
	h := x.history()
	index := make([]int, len(h.Paths)) // of the report, plus one
	for k, p := range h.Paths {
		if i, ok := at[p]; ok {
			index[k] = i + 1
		}
	}
	together := map[[2]int]int{}
	for _, c := range h.Commits {
		if len(c) < 2 || len(c) > linkedFiles {
			continue
		}
		for k, f := range c {
			for _, g := range c[k+1:] {
				if a, b := index[f]-1, index[g]-1; a >= 0 && b >= 0 && a != b {
					together[[2]int{min(a, b), max(a, b)}]++
				}
			}
		}
	}
	for k, n := range together {
		out = append(out, link{k[0], k[1], togetherLink * math.Log2(float64(1+n))})
	}
	slices.SortFunc(out, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b), cmp.Compare(a.weight, b.weight))
	})
	return out
}

// Weights of links. A folder holds files together more than either: a unit moves
// to another task only for links that outweigh those to its own.
const (
	importLink   = 1.0
	togetherLink = 1.0
	linkedFiles  = 20 // a commit that changes more says nothing about pairs
)
