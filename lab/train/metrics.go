package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/rank"
)

// metrics sums the quality of rankings over tasks, by group: reported issues and
// commits, and of each the languages.
type metrics struct {
	groups map[string]*quality
}

func newMetrics() *metrics { return &metrics{map[string]*quality{}} }

// quality is that of the tasks of one group. Acc@k is strict: every file that the
// task needed is among the first k.
type quality struct {
	n, acc1, acc5, acc10, mrr float64
	several, several5         float64
}

// add adds a task, whose files a model ranks.
func (m *metrics) add(s *sample, model *rank.Model) {
	scores := s.scores(model)
	within := func(k int) (n int) {
		o := order(scores)
		for _, i := range o[:min(k, len(o))] {
			if s.files[i].right {
				n++
			}
		}
		return n
	}
	q := quality{n: 1}
	all := len(s.task.Gold)
	for k, to := range map[int]*float64{1: &q.acc1, 5: &q.acc5, 10: &q.acc10} {
		if within(k) == all {
			*to = 1
		}
	}
	if all > 1 {
		q.several, q.several5 = 1, q.acc5
	}
	for p, i := range order(scores) {
		if s.files[i].right {
			q.mrr = 1 / float64(p+1)
			break
		}
	}
	set := "tasks"
	if s.task.Commit != "" {
		set = "commits"
	}
	for _, g := range []string{set, set + " " + s.task.Language} {
		if m.groups[g] == nil {
			m.groups[g] = new(quality)
		}
		m.groups[g].sum(q, 1)
	}
}

func (q *quality) sum(x quality, by float64) {
	for _, f := range []struct{ to, add *float64 }{
		{&q.n, &x.n}, {&q.acc1, &x.acc1}, {&q.acc5, &x.acc5}, {&q.acc10, &x.acc10}, {&q.mrr, &x.mrr},
		{&q.several, &x.several}, {&q.several5, &x.several5},
	} {
		*f.to += *f.add * by
	}
}

// macro is the mean of the languages of commits, each of which counts the same.
func (m *metrics) macro() (out quality) {
	for _, name := range slices.Sorted(maps.Keys(m.groups)) {
		if q := m.groups[name]; strings.HasPrefix(name, "commits ") {
			out.sum(*q, 1/q.n)
		}
	}
	return out
}

const header = "                                 tasks  Acc@1  Acc@5 Acc@10    MRR several@5"

// print prints the groups; without detail, the sums alone.
func (m *metrics) print(name string, detail bool) {
	fmt.Printf("%s\n%s\n", name, header)
	for _, g := range slices.Sorted(maps.Keys(m.groups)) {
		if detail || g == "tasks" || g == "commits" {
			m.groups[g].print(g)
		}
	}
	macro := m.macro()
	macro.print("commits, mean of languages")
}

func (q *quality) print(name string) {
	p := func(x, n float64) float64 { return 100 * x / max(n, 1) }
	fmt.Printf("  %-30s %6.0f %6.1f %6.1f %6.1f %6.3f %6.1f\n", name,
		q.n, p(q.acc1, q.n), p(q.acc5, q.n), p(q.acc10, q.n), q.mrr/max(q.n, 1), p(q.several5, q.several))
}
