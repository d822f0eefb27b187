package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// A receipt says what was left out.
type receipt struct {
	reasons []count // how many omissions there are for each reason
	names   []omitted
	seen    string // what stands in the window of a session already
	match   string
	notes   []string
	commit  string
	shot    string // id of the snapshot
}

type count struct {
	why string
	n   int
}

// omitted names what was left out of one file.
type omitted struct {
	where  string // path:from-to,from-to
	tokens int
}

// A printed receipt names so many omissions and notes; JSON lists them all. A
// small budget gets fewer names, and long paths do: all names but the first
// three may take a hundredth of it, as far as their length tells.
const (
	maxNames    = 10
	minNames    = 3
	namesShare  = 100
	seenShare   = 25 // what the reader has to look for in its window is worth more
	bytesOfWord = 4  // a token of a path
	ofRange     = 4  // tokens
	maxNotes    = 5
	shortCommit = 12
)

// compareOmitted orders omissions, best first: changed files without any hunk in the pack,
// then pieces of files, then whole files, whose scores are on another scale.
func compareOmitted(a, b *satchel.Omission) int {
	whole := func(o *satchel.Omission) int {
		switch {
		case o.Ref.Kind == satchel.KindDiff && o.Ref.From == 0:
			return -1
		case o.Ref.Kind == satchel.KindFile:
			return 1
		}
		return 0
	}
	if c := cmp.Or(cmp.Compare(whole(a), whole(b)), cmp.Compare(b.Score, a.Score)); c != 0 {
		return c
	}
	if c := a.Ref.Compare(b.Ref); c != 0 {
		return c
	}
	return strings.Compare(a.Why, b.Why)
}

func newReceipt(p *satchel.Pack, diags []satchel.Diagnostic) receipt {
	r := receipt{commit: short(p.Rev, shortCommit), shot: clean.Inline(p.Snapshot), match: matchLine(p)}
	by := make(map[string]int)
	// The best of those that were ranked, best first.
	ranked := make([]*satchel.Omission, 0, maxNames+1)
	for i := range p.Omitted {
		o := &p.Omitted[i]
		by[clean.Inline(o.Why)]++
		if o.Why == satchel.WhyShown || o.Why == satchel.WhyCopy || o.Why == satchel.WhySeen || o.Why == satchel.WhyNoMatch || o.Why == satchel.WhyUnrelated || o.Score == 0 && o.Why != satchel.WhyNoRoom && o.Why != satchel.WhyNamed {
			continue
		}
		if len(ranked) == maxNames && compareOmitted(ranked[maxNames-1], o) <= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(ranked, o, func(x, o *satchel.Omission) int {
			return cmp.Or(compareOmitted(x, o), -1) // equal ones stay in order
		})
		ranked = slices.Insert(ranked, at, o)
		ranked = ranked[:min(len(ranked), maxNames)]
	}
	for why, n := range by {
		r.reasons = append(r.reasons, count{why, n})
	}
	slices.SortFunc(r.reasons, func(a, b count) int {
		return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.why, b.why))
	})

	r.seen = seenLines(p)

	// Ranges of one file stand on one line.
	at := make(map[string]int)
	ranges := make(map[string][]satchel.Range)
	taken := 0
	for k, o := range ranked {
		i, ok := at[o.Ref.Path]
		if taken += ofRange; !ok {
			taken += len(o.Ref.Path)/bytesOfWord + ofRange
		}
		if p.Budget > 0 && k >= minNames && taken > p.Budget/namesShare {
			break
		}
		if !ok {
			i = len(r.names)
			at[o.Ref.Path] = i
			r.names = append(r.names, omitted{where: o.Ref.Path})
		}
		r.names[i].tokens += o.Tokens
		if o.Ref.From > 0 && !o.Ref.Old {
			ranges[o.Ref.Path] = append(ranges[o.Ref.Path], satchel.Range{From: o.Ref.From, To: o.Ref.To})
		}
	}
	for i := range r.names {
		n := &r.names[i]
		n.where = quotePath(n.where) + joinRanges(ranges[n.where])
	}

	notes := withDiagnostics(p.Diagnostics, diags)
	for i, n := range notes {
		if i == maxNotes {
			r.notes = append(r.notes, fmt.Sprintf("%d more notes", len(notes)-maxNotes))
			break
		}
		r.notes = append(r.notes, noteText(n))
	}
	return r
}

// noteText returns a diagnostic on one line.
func noteText(n satchel.Diagnostic) string {
	if n.Path == "" {
		return clean.Inline(n.Text)
	}
	return quotePath(n.Path) + ": " + clean.Inline(n.Text)
}

// seenLines names the lines that are not shown since the reader has them; "" if
// there are none.
func seenLines(p *satchel.Pack) string {
	var paths []string
	ranges := make(map[string][]satchel.Range)
	for i := range p.Omitted {
		o := &p.Omitted[i]
		if o.Why != satchel.WhySeen {
			continue
		}
		if _, ok := ranges[o.Ref.Path]; !ok {
			paths = append(paths, o.Ref.Path)
		}
		if ranges[o.Ref.Path] = append(ranges[o.Ref.Path], satchel.Range{From: o.Ref.From, To: o.Ref.To}); o.Ref.From == 0 {
			ranges[o.Ref.Path] = nil // the whole file
		}
	}
	if len(paths) == 0 {
		return ""
	}
	var named []string
	taken := 0
	for k, path := range paths[:min(len(paths), maxNames)] {
		where := quotePath(path) + joinRanges(ranges[path])
		taken += len(where)/bytesOfWord + ofRange
		if p.Budget > 0 && k >= minNames && taken > p.Budget/seenShare {
			break
		}
		named = append(named, where)
	}
	if more := len(paths) - len(named); more > 0 {
		named = append(named, Plural(more, "more file"))
	}
	return satchel.WhySeen + ": " + strings.Join(named, ", ")
}

// joinRanges returns ":10-42,60-80", with ranges that touch made one.
func joinRanges(rs []satchel.Range) string {
	slices.SortFunc(rs, func(a, b satchel.Range) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	var b strings.Builder
	for i := 0; i < len(rs); {
		r := rs[i]
		for i++; i < len(rs) && rs[i].From <= r.To+1; i++ {
			r.To = max(r.To, rs[i].To)
		}
		if b.Len() == 0 {
			b.WriteByte(':')
		} else {
			b.WriteByte(',')
		}
		b.WriteString(r.String())
	}
	return b.String()
}

// counts returns "312 no room, 40 ignored".
func (r *receipt) counts() string {
	var s []string
	for _, c := range r.reasons {
		s = append(s, fmt.Sprintf("%d %s", c.n, c.why))
	}
	return strings.Join(s, ", ")
}

// lines returns the lines of the receipt, which are the same in Markdown, XML
// and plain text. None of them is empty or starts with a mark of any format.
func (r *receipt) lines() []string {
	var s []string
	if r.match != "" {
		s = append(s, "match "+r.match)
	}
	if len(r.reasons) > 0 {
		s = append(s, "left out: "+r.counts())
	}
	if r.seen != "" {
		s = append(s, r.seen)
	}
	if len(r.names) > 0 {
		s = append(s, "satchel show PATH:FROM-TO prints more (tokens):")
	}
	for _, n := range r.names {
		l := "- " + n.where
		if n.tokens > 0 {
			l += fmt.Sprintf(" %d", n.tokens)
		}
		s = append(s, l)
	}
	for _, n := range r.notes {
		s = append(s, "note: "+n)
	}
	if r.commit != "" {
		s = append(s, "commit "+r.commit)
	}
	if r.shot != "" {
		s = append(s, "snapshot "+r.shot)
	}
	return s
}

// Match says whether a repository has what a task is about, and why, on one line.
func Match(m satchel.Match, why string) string {
	if why == "" {
		return string(m)
	}
	return string(m) + ": " + clean.Inline(why)
}

// matchLine is the match as a receipt says it: why a strong one is strong stands in
// what follows from it.
func matchLine(p *satchel.Pack) string {
	if p.Match == satchel.MatchStrong {
		return string(p.Match)
	}
	return Match(p.Match, p.MatchWhy)
}
