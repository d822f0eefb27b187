package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clip"
)

// A Difference is what changed from one snapshot to another about one item, or
// about the snapshot as a whole.
type Difference struct {
	What string   `json:"what"` // added, removed, changed, or request
	Ref  string   `json:"ref,omitempty"`
	From *Item    `json:"from,omitempty"`
	To   *Item    `json:"to,omitempty"`
	How  []string `json:"how,omitempty"` // what is different about it, in words
}

// Compare says what changed from a to b: first what was asked for, then the
// items by path and lines. Equal records have no difference.
func Compare(a, b *Record) []Difference {
	var out []Difference
	if how := compareRequests(a, b); len(how) > 0 {
		out = append(out, Difference{What: "request", How: how})
	}
	type place struct {
		kind     Kind
		path     string
		from, to int
		nth      int // of equal places
	}
	index := func(r *Record) (map[place]*Item, []place) {
		at := make(map[place]*Item)
		equal := make(map[place]int)
		var order []place
		for i := range r.Items {
			it := &r.Items[i]
			p := place{kind: it.Kind, path: it.Path, from: it.From, to: it.To}
			equal[p]++
			p.nth = equal[p] - 1
			at[p] = it
			order = append(order, p)
		}
		return at, order
	}
	before, old := index(a)
	after, new := index(b)
	places := slices.Clone(old)
	for _, p := range new {
		if before[p] == nil {
			places = append(places, p)
		}
	}
	slices.SortFunc(places, func(p, q place) int {
		return cmp.Or(strings.Compare(p.path, q.path), cmp.Compare(p.from, q.from), cmp.Compare(p.to, q.to),
			strings.Compare(string(p.kind), string(q.kind)), cmp.Compare(p.nth, q.nth))
	})
	for _, p := range places {
		from, to := before[p], after[p]
		switch {
		case from == nil:
			out = append(out, Difference{What: "added", Ref: to.Ref(), To: to})
		case to == nil:
			out = append(out, Difference{What: "removed", Ref: from.Ref(), From: from})
		default:
			if how := compareItems(from, to); len(how) > 0 {
				out = append(out, Difference{What: "changed", Ref: from.Ref(), From: from, To: to, How: how})
			}
		}
	}
	return out
}

func compareRequests(a, b *Record) []string {
	var how []string
	say := func(what string, x, y any) {
		if x, y := fmt.Sprint(x), fmt.Sprint(y); x != y {
			how = append(how, fmt.Sprintf("%s: %s → %s", what, orNone(x), orNone(y)))
		}
	}
	ra, rb := a.Request, b.Request
	ra = cmp.Or(ra, new(Request))
	rb = cmp.Or(rb, new(Request))
	say("task", clip.First(ra.Task, 200), clip.First(rb.Task, 200))
	if ra.Task != rb.Task && clip.First(ra.Task, 200) == clip.First(rb.Task, 200) {
		how = append(how, "task: it differs after its beginning")
	}
	say("revision", ra.Rev, rb.Rev)
	say("commit", a.Commit, b.Commit)
	say("pinned", strings.Join(ra.Pinned, " "), strings.Join(rb.Pinned, " "))
	say("paths", strings.Join(ra.Paths, " "), strings.Join(rb.Paths, " "))
	say("include", strings.Join(ra.Include, " "), strings.Join(rb.Include, " "))
	say("detail", ra.Detail, rb.Detail)
	say("budget", a.Budget, b.Budget)
	say("used", a.Used, b.Used)
	say("strategy", a.Strategy, b.Strategy)
	if oa, ob := output(a), output(b); oa.Blob != ob.Blob {
		how = append(how, fmt.Sprintf("the text as it was written: %s → %s", count(int(oa.Size), "byte"), count(int(ob.Size), "byte")))
	}
	return how
}

// output is what a record says of the text that was written; nothing of one that was
// taken by hand.
func output(r *Record) Output {
	if r.Output == nil {
		return Output{}
	}
	return *r.Output
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func compareItems(a, b *Item) []string {
	var how []string
	if a.Blob != b.Blob {
		how = append(how, "its bytes")
	}
	if a.Detail != b.Detail {
		how = append(how, fmt.Sprintf("detail %s → %s", a.Detail, b.Detail))
	}
	if !slices.Equal(a.Lines, b.Lines) {
		how = append(how, fmt.Sprintf("lines shown %s → %s", ranges(a.Lines), ranges(b.Lines)))
	}
	if x, y := a.Score.Value(), b.Score.Value(); x != y {
		how = append(how, fmt.Sprintf("score %.2f → %.2f", x, y))
	}
	if a.Role != b.Role {
		how = append(how, fmt.Sprintf("role %s → %s", a.Role, b.Role))
	}
	if a.Dirty != b.Dirty {
		how = append(how, map[bool]string{true: "now uncommitted", false: "now committed"}[b.Dirty])
	}
	if a.Redacted != b.Redacted {
		how = append(how, fmt.Sprintf("secrets redacted %d → %d", a.Redacted, b.Redacted))
	}
	return how
}

func ranges(list []satchel.Range) string {
	if len(list) == 0 {
		return "none"
	}
	var b strings.Builder
	for i, r := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d-%d", r.From, r.To)
	}
	return b.String()
}

// An Answer says what a snapshot knows about a path.
type Answer struct {
	Path        string               `json:"path"`
	Items       []Item               `json:"items,omitempty"`   // what was shown of it
	Omitted     []satchel.Omission   `json:"omitted,omitempty"` // what was not, and why
	Diagnostics []satchel.Diagnostic `json:"notes,omitempty"`
}

// Empty reports whether the record says nothing.
func (a *Answer) Empty() bool { return len(a.Items)+len(a.Omitted)+len(a.Diagnostics) == 0 }

// Why returns all that the record says about a path, about what lies below it,
// or about a part of it, written PATH:FROM-TO. The answer to a path that the
// record does not mention is empty: it was never a candidate.
func (r *Record) Why(path string) Answer {
	a := Answer{Path: path}
	path = string([]rune(path)) // as it is recorded: U+FFFD for each byte that is not UTF-8
	below := strings.TrimSuffix(path, "/") + "/"
	about := func(p string) bool { return p == path || strings.HasPrefix(p, below) }
	for i := range r.Items {
		if about(r.Items[i].Path) || r.Items[i].Ref() == path {
			a.Items = append(a.Items, r.Items[i])
		}
	}
	for _, o := range r.Omitted {
		// A folder that was left out speaks for everything in it.
		if about(o.Ref.Path) || o.Ref.String() == path || strings.HasSuffix(o.Ref.Path, "/") && strings.HasPrefix(path, o.Ref.Path) {
			a.Omitted = append(a.Omitted, o)
		}
	}
	for _, n := range r.Said() {
		if about(n.Path) {
			a.Diagnostics = append(a.Diagnostics, n)
		}
	}
	return a
}
