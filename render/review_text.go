package render

import (
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// reviewWidth is where the words of findings are wrapped.
const reviewWidth = 100

// ReviewText returns a Review for a person, without color; [PaintReview] colors it.
// Lines that begin in the first column are ours, and none of a finding does.
func ReviewText(r *Review) string {
	var b strings.Builder
	for _, f := range r.listed() {
		r.text(&b, f)
	}
	fmt.Fprintf(&b, "%s in %s. Looked at: %s.\n", r.count(), r.size(), r.Coverage.looked())
	if s := r.filtered(); s != "" {
		b.WriteString("Filtered: " + s + ".")
		if !r.All {
			b.WriteString(" satchel review --all shows them.")
		}
		b.WriteString("\n")
	}
	for _, q := range r.Open {
		b.WriteString("Open: " + clean.Inline(q.Text))
		if q.Path != "" {
			b.WriteString(" (" + quotePath(q.Path) + ")")
		}
		b.WriteString("\n")
	}
	for _, g := range r.Incomplete {
		b.WriteString("Incomplete: " + clean.Inline(g.What) + ": " + clean.Inline(g.Why) + "\n")
	}
	if r.Spent != nil {
		b.WriteString(r.Spent.String() + "\n")
	}
	return b.String()
}

// text writes one finding.
func (r *Review) text(b *strings.Builder, f *finding.Finding) {
	fmt.Fprintf(b, "%s  %s  %d %%  %s  %s", strings.ToUpper(string(f.Severity)), categoryWords(f.Category), f.Confidence, standsAt(f), clean.Inline(f.ID))
	if list := r.notes(f); len(list) > 0 {
		b.WriteString("   (" + strings.Join(list, "; ") + ")")
	}
	b.WriteString("\n")
	wrapped(b, f.Title)
	width := 0
	for _, l := range f.Lines {
		width = max(width, len(fmt.Sprint(l.Number)))
	}
	for _, l := range f.Lines {
		fmt.Fprintf(b, "  %*d %s%s\n", width, l.Number, l.Mark, visibleLine(l.Text))
	}
	if n := f.To - f.From + 1 - len(f.Lines); n > 0 && len(f.Lines) > 0 {
		fmt.Fprintf(b, "  %*s and %s\n", width, "", Plural(n, "more line"))
	}
	said := f.Consequence
	if f.Trigger != "" {
		said += " Trigger: " + f.Trigger
	}
	wrapped(b, said)
	wrapped(b, f.Body)
	if f.Fix != "" {
		if f.Replacement != "" {
			wrapped(b, "Fix: these lines instead")
			for line := range strings.Lines(f.Replacement) {
				b.WriteString("    " + visibleLine(line) + "\n")
			}
		} else {
			wrapped(b, "Fix: "+f.Fix)
		}
	}
	for _, e := range standing(f) {
		wrapped(b, fmt.Sprintf("Evidence: %s:%d %s", quotePath(e.Path), e.Line, visibleLine(e.Quote)))
	}
}

// visibleLine is a line of code, whose tabs stay.
func visibleLine(s string) string {
	s, _ = clean.Visible(strings.TrimRight(s, "\r\n"))
	return strings.ReplaceAll(s, "\n", " ")
}

// wrapped writes a text in lines that two spaces begin. Lines of it that begin with
// white space, as code does, stay as they are.
func wrapped(b *strings.Builder, s string) {
	s, _ = clean.Visible(s)
	for line := range strings.Lines(strings.TrimSpace(s)) {
		line = strings.TrimRight(line, " \t\n")
		if Width(line) <= reviewWidth || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			b.WriteString(strings.TrimRight("  "+line, " ") + "\n")
			continue
		}
		at := 0
		for i, word := range strings.Fields(line) {
			w := Width(word)
			switch {
			case i == 0:
				b.WriteString("  ")
				at = 2
			case at+1+w > reviewWidth:
				b.WriteString("\n  ")
				at = 2
			default:
				b.WriteString(" ")
				at++
			}
			b.WriteString(word)
			at += w
		}
		b.WriteString("\n")
	}
}

// PaintReview colors what [ReviewText] wrote: a step over the finished lines.
func PaintReview(text string) string { return paintLines(text, reviewColor) }

func reviewColor(line string) string {
	const bold, dim, red, green, yellow = "1", "2", "31", "32", "33"
	switch word, _, _ := strings.Cut(line, " "); word {
	case "CRITICAL", "HIGH":
		return bold + ";" + red
	case "MEDIUM":
		return bold + ";" + yellow
	case "LOW", "Incomplete:":
		return bold
	case "":
	default:
		return dim
	}
	number, rest, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
	if number != "" && strings.Trim(number, "0123456789") == "" {
		switch {
		case strings.HasPrefix(rest, "+"):
			return green
		case strings.HasPrefix(rest, "-"):
			return red
		}
	}
	return ""
}
