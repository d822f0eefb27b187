package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/reuse"
	"github.com/satchel-dev/satchel/trim"
)

// A gap is a share of what was needed that was not kept, and of what was.
type gap struct{ lost, all float64 }

// gaps prints where the names are that the future used and a trim lost: by the
// sources that hold them, by age, and by the rank of their prediction. If each is
// true, every lost name of every question too.
func gaps(qs []*question, models map[string]*reuse.Model, budget float64, each bool) {
	by := map[string]map[string]*gap{}
	sessions := map[string]int{}
	for _, q := range qs {
		sessions[q.s.File]++
	}
	note := func(table, key string, w float64, lost bool) {
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
	for _, q := range qs {
		res, err := trim.Trim(q.past(), trim.Options{Budget: int(max(1500, budget*q.tokens)), Model: models[q.s.Repo]})
		if err != nil {
			continue
		}
		pt := strings.Join(texts(res.Messages), "\n")
		c := reuse.Open(q.past())
		c.Predict(models[q.s.Repo])
		rank := ranks(c)
		at := map[string]*reuse.Entity{}
		for i := range c.Entities {
			at[c.Entities[i].Name] = &c.Entities[i]
		}
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
		all := 0.0
		for _, w := range q.refs {
			all += w
		}
		for _, name := range q.order {
			w := q.refs[name] / all / float64(sessions[q.s.File])
			got := windows(pt, name, 400)
			lost := !meets(got, q.windows[name])
			e := at[name]
			if e == nil {
				note("known", "no", w, lost)
				continue
			}
			note("known", "yes", w, lost)
			note("newest", e.Newest.String(), w, lost)
			var ss []string
			for s := range sources[name] {
				ss = append(ss, s)
			}
			slices.Sort(ss)
			note("sources", strings.Join(ss, " "), w, lost)
			note("own", fmt.Sprint(min(e.Own, 4)), w, lost)
			age := len(c.Groups) - 1 - int(e.Last)
			note("age", fmt.Sprintf("%3d", bucket(age)), w, lost)
			note("count", fmt.Sprintf("%3d", bucket(int(e.Count))), w, lost)
			note("rank", fmt.Sprintf("%3d%%", bucket(int(100*rank[name]))), w, lost)
			note("far", fmt.Sprint(q.far[name]), w, lost)
			if each && lost {
				fmt.Printf("%-60s %-40s w %.4f P %.3f rank %.2f age %d own %d(%d) count %d [%s]\n", q.s.File[4:min(64, len(q.s.File))], name, w, e.P, rank[name], age, e.Own, len(c.Groups)-1-int(e.LastOwn), e.Count, strings.Join(ss, " "))
			}
		}
	}
	var tables []string
	for t := range by {
		tables = append(tables, t)
	}
	slices.Sort(tables)
	n := float64(len(sessions))
	for _, t := range tables {
		var keys []string
		for k := range by[t] {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(by[t][b].lost, by[t][a].lost), strings.Compare(a, b)) })
		for _, k := range keys[:min(len(keys), 14)] {
			g := by[t][k]
			fmt.Printf("%-8s %-40s needed %5.2f lost %5.2f (%.0f%%)\n", t, k, 100*g.all/n, 100*g.lost/n, 100*g.lost/g.all)
		}
	}
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
