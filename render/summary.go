package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// Sizes of the summary: lines of at most 80 cells, which fit the narrowest
// terminal in use, and as many files as fit one screen with the rest.
const (
	summaryWidth = 80
	summaryFiles = 15
	barWidth     = 30
)

// Summary writes the table of a Pack for a person: how much of the budget is
// used, by which files, and what was left out. With color, it uses the eight
// colors of a terminal; whether to is for the caller to say.
func Summary(w io.Writer, p *satchel.Pack, color bool) error {
	var b strings.Builder
	paint := func(code, s string) string {
		if !color || s == "" {
			return s
		}
		return "\x1b[" + code + "m" + s + "\x1b[0m"
	}
	const dim, bold, yellow = "2", "1", "33"

	rows := summarize(p)
	fmt.Fprintf(&b, "%s  %s\n", budgetBar(p, paint), paint(dim, clean.Inline(p.Method)))
	if p.Match != "" {
		code := map[satchel.Match]string{satchel.MatchWeak: yellow, satchel.MatchNone: yellow}[p.Match]
		line := wrap("match", "match", strings.Split(Match(p.Match, p.MatchWhy), " "), " ")
		if code != "" {
			line = paint(code, strings.TrimSuffix(line, "\n")) + "\n"
		}
		b.WriteString(line)
	}
	if len(rows) > 0 {
		numbers := 2 + len("tokens") + 2 + len("share")
		detail := 0
		for _, r := range rows {
			detail = max(detail, len(r.detail))
		}
		path := len("file")
		for _, r := range rows {
			path = max(path, Width(r.path))
		}
		path = min(path, summaryWidth-detail-2-numbers)
		line := func(name, det, tokens, share string) string {
			return fmt.Sprintf("%s  %s  %6s  %5s", Pad(Truncate(name, path), path), Pad(det, detail), tokens, share)
		}
		b.WriteString(paint(dim, line("file", "detail", "tokens", "share")) + "\n")
		for _, r := range rows {
			s := line(r.path, r.detail, thousands(r.tokens), percent(r.tokens, p.Used))
			switch {
			case r.rest:
				s = paint(dim, s)
			case r.dirty:
				s = paint(yellow, s)
			}
			b.WriteString(s + "\n")
		}
	}
	if len(p.Sections) > 0 {
		var s []string
		for _, c := range p.Sections {
			s = append(s, clean.Inline(c.Name)+" "+thousands(c.Tokens))
		}
		b.WriteString(wrap(paint(bold, "sections"), "sections", s, between))
	}
	if len(p.Omitted) > 0 {
		r := newReceipt(p, nil)
		var s []string
		for _, c := range r.reasons {
			s = append(s, thousands(c.n)+" "+c.why)
		}
		b.WriteString(wrap(paint(bold, "left out"), "left out", s, between))
	}
	for i, n := range p.Diagnostics {
		if i == maxNotes {
			fmt.Fprintf(&b, "%s  %d more\n", paint(bold, "note"), len(p.Diagnostics)-maxNotes)
			break
		}
		fmt.Fprintf(&b, "%s  %s\n", paint(bold, "note"), noteText(n))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// budgetBar returns "██████░░░░ 15,012 of 16,000 tokens (94%)".
func budgetBar(p *satchel.Pack, paint func(code, s string) string) string {
	if p.Budget <= 0 {
		return thousands(p.Used) + " tokens, no limit"
	}
	code := "32" // green
	if p.Used > p.Budget {
		code = "31" // red
	}
	full := min(barWidth, max(0, (p.Used*barWidth+p.Budget/2)/p.Budget))
	return paint(code, strings.Repeat("█", full)) + strings.Repeat("░", barWidth-full) +
		fmt.Sprintf(" %s of %s tokens (%s)", thousands(p.Used), thousands(p.Budget), percent(p.Used, p.Budget))
}

type summaryRow struct {
	path   string
	detail string // such as "full 3, outline 2"
	tokens int
	dirty  bool
	rest   bool // stands for all other files
}

// summarize adds up the entries by file, largest first.
func summarize(p *satchel.Pack) []summaryRow {
	type sum struct {
		path   string
		tokens int
		counts [satchel.Full + 1]int
		dirty  bool
	}
	var sums []*sum
	by := make(map[string]*sum)
	for i := range p.Entries {
		e := &p.Entries[i]
		s := by[e.Ref.Path]
		if s == nil {
			s = &sum{path: e.Ref.Path}
			by[e.Ref.Path] = s
			sums = append(sums, s)
		}
		s.tokens += e.Tokens
		if e.Detail >= 0 && e.Detail <= satchel.Full {
			s.counts[e.Detail]++
		}
		s.dirty = s.dirty || e.Dirty
	}
	slices.SortFunc(sums, func(a, b *sum) int {
		return cmp.Or(cmp.Compare(b.tokens, a.tokens), strings.Compare(a.path, b.path))
	})
	var rows []summaryRow
	rest := summaryRow{rest: true}
	for i, s := range sums {
		if i >= summaryFiles && len(sums) > summaryFiles+1 {
			rest.tokens += s.tokens
			continue
		}
		var words []string
		total := 0
		for d := satchel.Full; d > satchel.Omitted; d-- {
			total += s.counts[d]
			if n := s.counts[d]; n > 0 {
				words = append(words, d.String()+" "+strconv.Itoa(n))
			}
		}
		if total == 1 {
			words[0] = strings.TrimSuffix(words[0], " 1")
		}
		rows = append(rows, summaryRow{path: quotePath(s.path), detail: strings.Join(words, ", "), tokens: s.tokens, dirty: s.dirty})
	}
	if n := len(sums) - len(rows); n > 0 {
		rest.path = thousands(n) + " more files"
		rows = append(rows, rest)
	}
	return rows
}

// between stands between the words of a list.
const between = " · "

// wrap returns "label  word · word …" in lines of at most summaryWidth cells.
func wrap(label, bare string, words []string, between string) string {
	var b strings.Builder
	b.WriteString(label + "  ")
	at := Width(bare) + 2
	for i, w := range words {
		if i > 0 {
			if at+Width(between)+Width(w) > summaryWidth {
				b.WriteString("\n" + strings.Repeat(" ", Width(bare)+2))
				at = Width(bare) + 2
			} else {
				b.WriteString(between)
				at += Width(between)
			}
		}
		b.WriteString(w)
		at += Width(w)
	}
	return b.String() + "\n"
}

// thousands returns n with commas: 12,345.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func percent(n, of int) string {
	if of <= 0 {
		return ""
	}
	switch p := 100 * float64(n) / float64(of); {
	case p > 0 && p < 1:
		return "<1%"
	default:
		return fmt.Sprintf("%.0f%%", p)
	}
}
