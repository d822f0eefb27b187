package render

import (
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/text/clean"
	fences "github.com/satchel-dev/satchel/internal/text/markdown"
)

// ReviewMarkdown returns a Review as Markdown. The words of a finding make no heading
// and leave no block open.
func ReviewMarkdown(r *Review) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Review of %s\n\n**%s** in %s. Looked at: %s.\n", codeSpan(r.Source), r.count(), r.size(), r.Coverage.looked())
	if r.Summary != "" {
		b.WriteString("\n" + prose(r.Summary) + "\n")
	}
	for _, f := range r.listed() {
		fmt.Fprintf(&b, "\n## %s: %s\n\n", strings.ToUpper(string(f.Severity)), prose(clean.Inline(f.Title)))
		fmt.Fprintf(&b, "%s · %s · %d %% · %s\n", codeSpan(standsAt(f)), categoryWords(f.Category), f.Confidence, codeSpan(f.ID))
		if list := r.notes(f); len(list) > 0 {
			b.WriteString("(" + prose(strings.Join(list, "; ")) + ")\n")
		}
		if s := strings.TrimRight(linesBlock(f)+findingWords(f), "\n"); s != "" {
			b.WriteString("\n" + s + "\n")
		}
		if f.Replacement != "" {
			b.WriteString("\n**Fix**: these lines instead\n\n" + Fenced("", replacement(f)))
		}
	}
	b.WriteString(r.markdownTail())
	return b.String()
}

// markdownTail is what stands behind the findings.
func (r *Review) markdownTail() string {
	var b strings.Builder
	if s := r.filtered(); s != "" {
		b.WriteString("\nFiltered: " + s + ".\n")
	}
	for _, q := range r.Open {
		b.WriteString("\n**Open**: " + prose(clean.Inline(q.Text)))
		if q.Path != "" {
			b.WriteString(" (" + codeSpan(q.Path) + ")")
		}
		b.WriteString("\n")
	}
	for _, g := range r.Incomplete {
		b.WriteString("\n**Incomplete**: " + prose(clean.Inline(g.What)) + ": " + prose(clean.Inline(g.Why)) + "\n")
	}
	if r.Spent != nil {
		b.WriteString("\n" + r.Spent.String() + "\n")
	}
	return b.String()
}

// linesBlock shows the lines of a finding as a patch does.
func linesBlock(f *finding.Finding) string {
	if len(f.Lines) == 0 {
		return ""
	}
	var code strings.Builder
	for _, l := range f.Lines {
		code.WriteString(l.Mark + visibleLine(l.Text) + "\n")
	}
	return Fenced("diff", code.String()) + "\n"
}

// findingWords are what a finding says, without its title and its replacement.
func findingWords(f *finding.Finding) string {
	var b strings.Builder
	add := func(label, s string) {
		if s != "" {
			b.WriteString(label + prose(s) + "\n\n")
		}
	}
	add("", f.Consequence)
	add("**Trigger**: ", f.Trigger)
	add("", f.Body)
	if f.Replacement == "" {
		label := "**Fix**: "
		if strings.HasPrefix(f.Fix, "```") {
			label = "**Fix**:\n\n"
		}
		add(label, f.Fix)
	}
	for _, e := range standing(f) {
		fmt.Fprintf(&b, "**Evidence**: %s %s\n\n", codeSpan(fmt.Sprintf("%s:%d", quotePath(e.Path), e.Line)), codeSpan(e.Quote))
	}
	return b.String()
}

// replacement is what takes the place of a finding's lines.
func replacement(f *finding.Finding) string {
	s, _ := clean.Visible(f.Replacement)
	return s + "\n"
}

// prose returns words that others wrote such that they make no heading, rule, table
// or quote of ours, and close every block of code that they open.
func prose(s string) string {
	s, _ = clean.Visible(s)
	var b strings.Builder
	var f fences.Fences
	open := ""
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\n")
		was := f.Open()
		part := f.Line([]byte(line))
		if part == fences.Fence && !was {
			open = line[:len(line)-len(strings.TrimLeft(line, " "))] + ticksOf(line)
		}
		if body := strings.TrimLeft(line, " "); part == fences.Prose && body != "" && strings.ContainsRune("#=|<", rune(body[0])) || part == fences.Prose && underlines(body) {
			line = line[:len(line)-len(body)] + `\` + body
		}
		b.WriteString(line + "\n")
	}
	if f.Open() {
		b.WriteString(open + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// underlines reports whether a line may underline the one before as a heading.
func underlines(s string) bool {
	return s != "" && strings.Trim(s, "- \t") == "" && strings.HasPrefix(s, "-") && len(strings.TrimSpace(s)) > 1
}

func ticksOf(line string) string {
	s := strings.TrimLeft(line, " \t")
	return s[:len(s)-len(strings.TrimLeft(s, s[:1]))]
}

// codeSpan returns text as a span of code on one line.
func codeSpan(s string) string {
	s = clean.Inline(strings.ReplaceAll(s, "\t", " "))
	if s == "" {
		return ""
	}
	mark := "`"
	for strings.Contains(s, mark) {
		mark += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return mark + s + mark
}
