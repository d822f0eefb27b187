package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/render"
)

// A spot is a line of one side of a file, as the patch has it.
type spot struct {
	number, other int // of its side, and what the other side counts there
	hunk          int
	mark          byte
	text          string
	printed       int // line of the printed patch
}

// spots returns the lines of the hunks of a file on a side. It reads the patch in
// another way than package finding does.
func spots(f *change.File, side finding.Side) (list []spot) {
	printed := strings.Count(f.Header, "\n")
	for k := range f.Hunks {
		h := &f.Hunks[k]
		printed++
		old, now := h.OldFrom-1, h.NewFrom-1
		for _, l := range strings.SplitAfter(h.Body, "\n") {
			if l == "" {
				continue
			}
			printed++
			if l[0] != '+' && l[0] != '\\' {
				old++
			}
			if l[0] != '-' && l[0] != '\\' {
				now++
			}
			s := spot{hunk: k, mark: l[0], text: strings.TrimRight(l[1:], "\r\n"), printed: printed}
			switch {
			case l[0] == '\\' || l[0] == '+' && side == finding.Old || l[0] == '-' && side == finding.New:
				continue
			case side == finding.New:
				s.number, s.other = now, old
			default:
				s.number, s.other = old, now
			}
			list = append(list, s)
		}
	}
	return list
}

// A question is a line of a hunk that is asked about in wrong ways.
type question struct {
	where   string
	files   []change.File
	file    *change.File
	side    finding.Side
	lines   []spot // of the file on the side
	at      spot
	sibling *change.File
	dice    uint32
	text    func(string, finding.Side) (string, bool)
}

// newQuestion chooses a line of a hunk: one that was added, or removed if none was;
// not always the same one, and none without a letter.
func newQuestion(where string, files []change.File, i, k int, text func(string, finding.Side) (string, bool)) (*question, bool) {
	f := &files[i]
	h := fnv.New32a()
	fmt.Fprint(h, where, f.Path, k)
	q := &question{where: where, files: files, file: f, dice: h.Sum32(), text: text}
	for _, side := range []finding.Side{finding.New, finding.Old} {
		q.side, q.lines = side, spots(f, side)
		var may []spot
		for _, s := range q.lines {
			if s.hunk == k && s.mark != ' ' && strings.ContainsFunc(s.text, func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }) {
				may = append(may, s)
			}
		}
		if len(may) == 0 {
			continue
		}
		q.at = may[int(q.dice)%len(may)]
		if len(q.at.text) > 400 { // longer ones are cut as they are shown
			return nil, false
		}
		for d := 1; d < len(files); d++ {
			if s := &files[(i+d)%len(files)]; s.Path != f.Path && len(s.Hunks) > 0 && s.OldPath != f.Path {
				q.sibling = s
				break
			}
		}
		return q, true
	}
	return nil, false
}

// same reports whether a line is a quote, but for space around it.
func same(line, quote string) bool { return strings.TrimSpace(line) == strings.TrimSpace(quote) }

// places are the numbers of the lines that are the quote.
func places(lines []spot, quote string) (list []int) {
	for _, s := range lines {
		if same(s.text, quote) {
			list = append(list, s.number)
		}
	}
	return list
}

const wide = 15 // nearer than this, the nearest place is meant

// ask asks in every wrong way.
func (q *question) ask(c *finding.Change, t *tally) {
	base := finding.Finding{
		Path: q.file.Path, Side: q.side, From: q.at.number, To: q.at.number + int(q.dice>>8)%8, Quote: q.at.text,
		Severity: finding.High, Confidence: 90, Title: "x", Category: "other",
	}
	say := func(kind string, with func(*finding.Finding)) {
		f := base
		with(&f)
		q.judge(kind, f, c.Resolve(f), t)
	}
	off := 1 + int(q.dice)%30
	if q.dice&1 == 1 && q.at.number > off {
		off = -off
	}
	say("off by 1–30", func(f *finding.Finding) { f.From += off; f.To += off })
	say("other side's number", func(f *finding.Finding) { f.From = q.at.other; f.To = f.From })
	say("number of a view", func(f *finding.Finding) { f.From = q.at.printed; f.To = f.From })
	say("space trimmed", func(f *finding.Finding) { f.Quote = strings.TrimSpace(f.Quote) })
	say("mark before it", func(f *finding.Finding) { f.Quote = string(q.at.mark) + f.Quote })
	if twice, ok := q.twice(); ok {
		say("stands twice", func(f *finding.Finding) {
			f.Quote, f.From = twice.text, twice.number+1-2*int(q.dice&1)
			f.To = f.From
		})
	}
	if q.sibling != nil {
		say("another file", func(f *finding.Finding) { f.Path = q.sibling.Path })
	}
	say("invented quote", func(f *finding.Finding) { f.Quote = invent(f.Quote) })
	say("invented path", func(f *finding.Finding) { f.Path = "made/up/" + f.Path + "x" })
}

// twice returns a line of the file's hunks that stands there several times.
func (q *question) twice() (spot, bool) {
	n := len(q.lines)
	for i := range n {
		s := q.lines[(i+int(q.dice))%n]
		if strings.TrimSpace(s.text) != "" && len(places(q.lines, s.text)) > 1 {
			return s, true
		}
	}
	return spot{}, false
}

// invent changes a quote such that nobody wrote it.
func invent(s string) string {
	mid := len(s) / 2
	for mid > 0 && s[mid]&0xc0 == 0x80 {
		mid--
	}
	return s[:mid] + "Qz9" + s[mid:]
}

// judge counts one answer.
func (q *question) judge(kind string, asked, got finding.Finding, t *tally) {
	r := t.row(kind)
	r.asked++
	if bad := outside(q.files, got); bad != "" {
		t.outside++
		t.note("%s: %s: a comment outside of a hunk: %s", q.where, kind, bad)
	}
	if got.Anchor == finding.Exact && !q.stands(got, asked.Quote) {
		t.wrongExact++
		t.note("%s: %s: not exact: %s:%d %q", q.where, kind, got.Path, got.From, asked.Quote)
	}
	if kind == "invented quote" {
		r.exists++
		if got.Anchor == finding.Unverified {
			r.right++
		} else {
			t.invented++
			t.note("%s: %q is %s at %s:%d", q.where, asked.Quote, got.Anchor, got.Path, got.From)
		}
		return
	}
	truth, exists, blind := q.truth(kind, asked)
	switch {
	case blind:
		r.blind++
		return
	case !exists:
		r.none++
		if got.Anchor == finding.Exact || got.Anchor == finding.Moved {
			r.guessed++
		}
		return
	}
	r.exists++
	if got.Path == q.file.Path && got.From == truth && got.Side == q.side && (got.Anchor == finding.Exact || got.Anchor == finding.Moved) {
		r.right++
		return
	}
	t.note("%s: %s: %s:%d %s %q is said to be at %s:%d %s %s (%s), want %d", q.where, kind, asked.Path, asked.From, asked.Side, asked.Quote, got.Path, got.From, got.Side, got.Anchor, got.Why, truth)
}

// truth returns the line that was meant, whether anybody could know it, and whether
// the quote stands at the wrong number as well, so that it looks right.
func (q *question) truth(kind string, asked finding.Finding) (line int, exists, blind bool) {
	line = q.at.number
	if kind == "stands twice" {
		line = asked.From - 1 + 2*int(q.dice&1)
	}
	if kind == "another file" || kind == "invented path" {
		count := 0
		for i := range q.files {
			f := &q.files[i]
			if f == q.sibling && kind == "another file" {
				if len(places(spots(f, finding.New), asked.Quote))+len(places(spots(f, finding.Old), asked.Quote)) > 0 {
					return line, false, true
				}
				text, _ := q.text(f.Path, finding.New)
				if lines := strings.Split(text, "\n"); asked.From <= len(lines) && asked.From > 0 && same(lines[asked.From-1], asked.Quote) {
					return line, false, true
				}
				continue
			}
			count += len(places(spots(f, q.side), asked.Quote))
		}
		return line, count == 1 && len(strings.TrimSpace(asked.Quote)) >= 12, false
	}
	all := places(q.lines, asked.Quote)
	distance := func(n int) int { return max(n-asked.From, asked.From-n) }
	for _, n := range all {
		if n == asked.From && n != line {
			return line, false, true
		}
	}
	if len(all) == 1 {
		return line, true, false
	}
	if distance(line) >= wide {
		return line, false, false
	}
	for _, n := range all {
		if n != line && distance(n) <= distance(line) {
			return line, false, false
		}
	}
	return line, true, false
}

// stands reports whether the line that is said to be exact is the quote, by the patch.
func (q *question) stands(got finding.Finding, quote string) bool {
	for i := range q.files {
		if q.files[i].Path != got.Path {
			continue
		}
		for _, s := range spots(&q.files[i], got.Side) {
			if s.number == got.From && (same(s.text, quote) || same(string(s.mark)+s.text, quote)) {
				return true
			}
		}
	}
	return false
}

// outside returns the comment for GitHub that would stand outside of a hunk, "" if
// there is none.
func outside(files []change.File, f finding.Finding) string {
	f.State = finding.Visible
	text, err := render.ReviewGitHub(&render.Review{Findings: []finding.Finding{f}})
	if err != nil {
		return err.Error()
	}
	var doc struct {
		Comments []struct {
			Path, Side string
			Line       int
			StartLine  int `json:"start_line"`
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return err.Error()
	}
	for _, c := range doc.Comments {
		start := c.Line
		if c.StartLine > 0 {
			start = c.StartLine
		}
		inside := false
		for i := range files {
			for k := range files[i].Hunks {
				h := &files[i].Hunks[k]
				from, n := h.NewFrom, h.NewLines
				if c.Side == "LEFT" {
					from, n = h.OldFrom, h.OldLines
				}
				inside = inside || files[i].Path == c.Path && start <= c.Line && start >= from && c.Line < from+n
			}
		}
		if !inside {
			return fmt.Sprintf("%s %s %d-%d", c.Path, c.Side, start, c.Line)
		}
	}
	return ""
}
