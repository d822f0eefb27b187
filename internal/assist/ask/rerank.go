package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
)

// MostCandidates is how many candidates are graded at once.
const MostCandidates = 60

// longestCandidate is how many tokens one is shown with at most.
const longestCandidate = 45

// A RerankCandidate is what a model is told of a piece of the repository that may be
// shown for a task.
type RerankCandidate struct {
	Path string
	Name string // such as that of a function; may be empty
	Line string // its signature, or its first line
}

// Rerank asks how much each of some candidates matters to a task, the likeliest
// first. Only the first MostCandidates are shown.
func Rerank(task string, list []RerankCandidate) *Ask {
	a := &Ask{Name: "rerank", System: rerankSystem, Schema: schemaOf(gradesSchema)}
	var lines strings.Builder
	secrets := 0
	for i, c := range list[:min(MostCandidates, len(list))] {
		t, found := clean.Excerpt(c.Path, []byte(strings.TrimSpace(c.Name+" "+c.Line)))
		secrets += len(found)
		a.beside(c.Path, Part)
		lines.WriteString(shortened(strconv.Itoa(i+1)+" "+clean.Inline(c.Path), t.Inline()) + "\n")
	}
	var w wording
	w.said("The task:", task)
	w.line("Grade the candidates.")
	a.Shared = "Candidates: id, path, and the name and first line of what stands there.\n" + render.Fenced("", lines.String())
	a.Question = w.take()
	a.Receipt.Redacted = secrets + w.secrets
	a.Receipt.Tokens = countOf(a.Shared) + countOf(a.Question)
	return a
}

// shortened returns a head and as much of a text as a candidate may take. A head that
// is too long by itself loses its middle folders.
func shortened(head string, t clean.Text) string {
	for countOf(head) > longestCandidate-4 {
		parts := strings.Split(head, "/")
		if len(parts) < 3 {
			head = clean.Line(head).Shorten(len(head) / 2).String()
			continue
		}
		head = strings.Join(append(parts[:len(parts)/2:len(parts)/2], parts[len(parts)/2+1:]...), "/")
	}
	line := head + ": " + t.String()
	if t.IsZero() || countOf(line) <= longestCandidate {
		return strings.TrimSuffix(line, ": ")
	}
	s, ok, _ := pack.Within(longestCandidate, pack.Range{First: 100, Most: t.Len()}, func(limit int) (pack.Layout[string], error) {
		line := head + ": " + t.Shorten(limit).String()
		return pack.Layout[string]{Shown: line, Size: countOf(line)}, nil
	})
	if !ok {
		return head
	}
	return s
}

// What submit takes for grades.
var gradesSchema = object("grades", list(object("id", number, "grade", whole(0, 3))))

// A Grade is how much a candidate matters: 0 is nothing, 3 most.
type Grade struct {
	ID    int `json:"id"` // place in the list, from 1
	Grade int `json:"grade"`
}

// ErrFewGrades means that a model graded fewer than half of the candidates: its
// answer is of no use, and the order of before holds.
var ErrFewGrades = errors.New("fewer than half of the candidates were graded")

// ReadGrades reads what a model submitted to a [Rerank] of n candidates: grades by
// their places, from 0. Ids that are no candidate's go, and the second grade of one.
func ReadGrades(a *Ask, input json.RawMessage, n int) (grades map[int]int, err error) {
	var v struct {
		Grades []Grade `json:"grades"`
	}
	err = a.Read(input, &v)
	n = min(n, MostCandidates)
	grades = map[int]int{}
	for _, g := range v.Grades {
		_, twice := grades[g.ID-1]
		switch {
		case g.ID < 1 || g.ID > n:
			err = lost(err, "there is no candidate %d", g.ID)
		case twice:
			err = lost(err, "candidate %d is graded twice", g.ID)
		default:
			grades[g.ID-1] = g.Grade
		}
	}
	if left := n - len(grades); left > 0 {
		err = fault(err, "%d of %d candidates have no grade", left, n)
	}
	return grades, err
}

// ApplyGrades returns the order of n candidates that follows from grades of some of
// them: those change places among each other, the best first, as before where grades
// are the same; the others stay where they are. The error is [ErrFewGrades], with
// numbers, if fewer than half of those that were shown are graded; the order is then
// that of before.
func ApplyGrades(grades map[int]int, n int) (order []int, err error) {
	order = make([]int, n)
	var graded []int
	for i := range order {
		order[i] = i
		if _, ok := grades[i]; ok {
			graded = append(graded, i)
		}
	}
	if asked := min(n, MostCandidates); 2*len(graded) < asked {
		return order, fmt.Errorf("%w: %d of %d", ErrFewGrades, len(graded), asked)
	}
	best := slices.Clone(graded)
	slices.SortStableFunc(best, func(a, b int) int { return grades[b] - grades[a] })
	for k, place := range graded {
		order[place] = best[k]
	}
	return order, nil
}
