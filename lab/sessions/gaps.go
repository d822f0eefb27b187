package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/trim"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// A gap is a share of what was needed that was not kept, and of what was.
type gap struct{ lost, all float64 }

// gapTables hold gaps by what is asked of a name, and by the answer.
type gapTables map[string]map[string]*gap

func (by gapTables) note(table, key string, w float64, lost bool) {
	t := by[table]
	if t == nil {
		t = map[string]*gap{}
		by[table] = t
	}
	if t[key] == nil {
		t[key] = &gap{}
	}
	t[key].all += w
	if lost {
		t[key].lost += w
	}
}

// print prints the largest gaps of each table, as shares of n sessions.
func (by gapTables) print(n float64) {
	for _, t := range slices.Sorted(maps.Keys(by)) {
		keys := slices.SortedFunc(maps.Keys(by[t]), func(a, b string) int {
			return cmp.Or(cmp.Compare(by[t][b].lost, by[t][a].lost), strings.Compare(a, b))
		})
		for _, k := range keys[:min(len(keys), 14)] {
			g := by[t][k]
			fmt.Printf("%-8s %-40s needed %5.2f lost %5.2f (%.0f%%)\n", t, k, 100*g.all/n, 100*g.lost/n, 100*g.lost/g.all)
		}
	}
}

// gaps prints where the names are that the future used and a trim lost: by the
// sources that hold them, by age, and by the rank of their prediction. If each is
// true, every lost name of every question too.
func gaps(qs []*question, models map[string]*reuse.Model, budget float64, each bool) {
	by := gapTables{}
	sessions := map[string]int{}
	for _, q := range qs {
		sessions[q.s.File]++
	}
	for _, q := range qs {
		model := models[q.s.Repo]
		res, err := trim.Trim(q.past(), trim.Options{Budget: int(max(1500, budget*q.tokens)), Model: model})
		if err != nil {
			continue
		}
		c := reuse.Open(q.past())
		c.Predict(model)
		q.gaps(by, c, strings.Join(texts(res.Messages), "\n"), sessions[q.s.File], each)
	}
	by.print(float64(len(sessions)))
}

// gaps notes what of the names that the question asks for a trimmed text lost. All
// questions of a session weigh as much as one.
func (q *question) gaps(by gapTables, c *reuse.Conversation, trimmed string, questions int, each bool) {
	rank, sources := ranks(c), sourcesOf(c)
	at := map[string]*reuse.Entity{}
	for i := range c.Entities {
		at[c.Entities[i].Name] = &c.Entities[i]
	}
	all := 0.0
	for _, name := range q.order {
		all += q.refs[name]
	}

	for _, name := range q.order {
		w := q.refs[name] / all / float64(questions)
		lost := !meets(windows(trimmed, name, 400), q.windows[name])
		e := at[name]
		if e == nil {
			by.note("known", "no", w, lost)
			continue
		}
		held := strings.Join(slices.Sorted(maps.Keys(sources[name])), " ")
		age := len(c.Groups) - 1 - int(e.Last)
		by.note("known", "yes", w, lost)
		by.note("newest", e.Newest.String(), w, lost)
		by.note("sources", held, w, lost)
		by.note("own", fmt.Sprint(min(e.Own, 4)), w, lost)
		by.note("age", fmt.Sprintf("%3d", bucket(age)), w, lost)
		by.note("count", fmt.Sprintf("%3d", bucket(int(e.Count))), w, lost)
		by.note("rank", fmt.Sprintf("%3d%%", bucket(int(100*rank[name]))), w, lost)
		by.note("far", fmt.Sprint(q.far[name]), w, lost)
		if each && lost {
			fmt.Printf("%-60s %-40s w %.4f P %.3f rank %.2f age %d own %d(%d) count %d [%s]\n", q.s.File[4:min(64, len(q.s.File))], name, w, e.P, rank[name], age, e.Own, len(c.Groups)-1-int(e.LastOwn), e.Count, held)
		}
	}
}

// sourcesOf returns the sources that hold each name.
func sourcesOf(c *reuse.Conversation) map[string]map[string]bool {
	sources := map[string]map[string]bool{}
	for p := range c.Parts {
		for i := c.Parts[p].From; i < c.Parts[p].To; i++ {
			for _, r := range c.Refs(&c.Lines[i]) {
				n := c.Entities[r].Name
				if sources[n] == nil {
					sources[n] = map[string]bool{}
				}
				sources[n][c.Parts[p].Source.String()] = true
			}
		}
	}
	return sources
}

// ranks returns where each name stands by what it is predicted to be worth: 0
// for the first, 1 for the last.
func ranks(c *reuse.Conversation) map[string]float64 {
	es := make([]*reuse.Entity, len(c.Entities))
	for i := range es {
		es[i] = &c.Entities[i]
	}
	slices.SortStableFunc(es, func(a, b *reuse.Entity) int { return cmp.Compare(b.P*b.Rarity, a.P*a.Rarity) })
	out := make(map[string]float64, len(es))
	for i, e := range es {
		out[e.Name] = float64(i) / float64(len(es))
	}
	return out
}

// bucket rounds a number down to 0, 1, 2, 5, 10, 20, 50, …
func bucket(n int) int {
	for f := 1; ; f *= 10 {
		for _, k := range []int{1, 2, 5} {
			if n < f*k {
				switch {
				case f*k == 1:
					return 0
				case k == 1:
					return f / 10 * 5
				case k == 2:
					return f
				}
				return f * 2
			}
		}
	}
}
