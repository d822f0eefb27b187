package hawk

import (
	"fmt"
	"math"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// The fillings of bars, and the widest bar: no terminal has so many columns.
const (
	fillUsed  = "█"
	fillFree  = "░"
	mostCells = 100_000
)

// mostPercent is where a percentage stops counting.
const mostPercent = 999_999

// names are the short and long names of hawk's sections.
var names = map[string][2]string{
	"system_prompt":    {"sys", "System Prompt"},
	"memory":           {"mem", "Memory (yaad)"},
	"conversation":     {"conv", "Conversation"},
	"tool_results":     {"tool", "Tool Results"},
	"reserved":         {"rsv", "Reserved (output)"},
	"repo_map":         {"repo", "Repo Map"},
	"readonly_context": {"ctx", "Read-Only Context"},
}

// Short returns the short name of hawk's section; empty for others, whose
// bars show the first four characters.
func Short(name string) string { return names[name][0] }

// leastCells is the narrowest bar that hawk draws.
const leastCells = 10

// Bar returns the two lines of [render.WindowBar] around bars of exactly so many
// cells, but at least ten.
//
//	Context: [████░░░░░░] 42% used (84,000/200,000)
//	         [s|conv|fre]
func Bar(w *render.Window, cells int) string {
	cells = min(max(cells, leastCells), mostCells)
	const word = "Context: "
	return fmt.Sprintf("%s[%s] %s used (%s/%s)\n%*s%s", word, render.FillBar(w.Used(), w.Tokens, cells), render.PercentFull(w.Percent()), render.Thousands(w.Used()), render.Thousands(max(w.Tokens, 0)),
		len(word), "", render.StackedBar(w, cells+2))
}

// Line is [render.WindowLine] with hawk's numbers.
//
//	[42% | sys:2% conv:40% | 116K free]
func Line(w *render.Window) string { return render.WindowLineIn(w, 0, wholeThousands) }

func wholeThousands(n int) string {
	switch {
	case n < 1_000:
		return fmt.Sprint(n)
	case n < 999_500:
		return fmt.Sprintf("%.0fK", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// The columns of hawk's table.
const (
	tableCells     = 22
	tableItemCells = 16
	tableBar       = 50 // cells of the whole window
)

// Table returns a line for each section and its items, with a bar of one
// cell for each two percent of the window.
func Table(w *render.Window) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Context Window Usage (%s / %s tokens — %s)\n%s\n", render.Thousands(w.Used()), render.Thousands(max(w.Tokens, 0)), render.PercentFull(w.Percent()), strings.Repeat("═", 51))
	fmt.Fprintf(&b, "%-*s %8s %6s  %s\n%s\n", tableCells, "Section", "Tokens", "%", "Usage", strings.Repeat("─", 49))
	row := func(name string, n int, fill string) {
		share := 0.0
		if w.Tokens > 0 {
			share = float64(n) / float64(w.Tokens)
		}
		cells := 0
		if n > 0 && w.Tokens > 0 {
			cells = int(min(max(share*tableBar+0.5, 1), tableBar))
		}
		line := fmt.Sprintf("%s %8s %5.1f%%  %s", render.Pad(render.Shorten(name, tableCells), tableCells), render.Thousands(n), min(share*100, mostPercent), strings.Repeat(fill, cells))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	for i := range w.Sections {
		s := &w.Sections[i]
		name := clean.Inline(s.Name)
		if long := names[s.Name][1]; long != "" {
			name = long
		}
		fill := fillUsed
		if s.Reserved {
			fill = fillFree
		}
		row(name, max(s.Tokens, 0), fill)
		for j, it := range s.Items {
			mark, note := "├─", ""
			if j == len(s.Items)-1 {
				mark = "└─"
			}
			if it.Truncated {
				note = " [truncated]"
			}
			fmt.Fprintf(&b, "  %s %s %8s%s\n", mark, render.Pad(render.Shorten(clean.Inline(it.Label), tableItemCells), tableItemCells), render.Thousands(max(it.Tokens, 0)), note)
		}
	}
	row("Available", w.Free(), fillFree)
	return b.String()
}

// Chart is [render.HistoryChart] with bars of so many cells, but at least ten,
// and hawk's mark.
//
//	Turn  1: [██░░░░░░░░░░░░░░░░░░]  8%
//	Turn 10: [████████████████░░░░] 78%  ← compacted
func Chart(points []render.Point, window, cells int) string {
	cells = min(max(cells, leastCells), mostCells)
	return render.HistoryChartIn(points, window, math.MaxInt, render.ChartStyle{Cells: cells, Percent: 3, Compacted: "← compacted"})
}

// Warning is [render.WindowWarning] at hawk's thresholds and in its words.
func Warning(percent int) string {
	t := Thresholds
	switch full := float64(percent) / 100; {
	case full > t.Warn:
		return fmt.Sprintf("CRIT Context %s full — compacting now", render.PercentFull(percent))
	case full > t.Note:
		return fmt.Sprintf("⚠ Context %s full — auto-compact will trigger soon", render.PercentFull(percent))
	}
	return ""
}

// Budget reports how a window is divided beside a conversation, and
// whether that has to be compacted.
func Budget(d *budget.Division, conversation int) string {
	var b strings.Builder
	rule := strings.Repeat("─", 44)
	fmt.Fprintf(&b, "Context Budget (%d tokens total)\n%s\n", d.Window, rule)
	for _, p := range d.Parts {
		fmt.Fprintf(&b, "  %-20s %6d  (%4.1f%%)\n", titled(p.Name), p.Tokens, 100*float64(p.Tokens)/float64(max(d.Window, 1)))
	}
	fmt.Fprintf(&b, "%s\n  %-20s %6d\n", rule, "Remaining", d.Free)
	if conversation > 0 {
		room := d.Tokens(Conversation)
		fmt.Fprintf(&b, "\nConversation: %d / %d tokens", conversation, room)
		if conversation > room {
			b.WriteString(" [COMPACT NEEDED]")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// titled writes the words of a name with capitals.
func titled(name string) string {
	words := strings.Fields(clean.Inline(name))
	for i, w := range words {
		first := []rune(w)[0]
		words[i] = strings.ToUpper(string(first)) + w[len(string(first)):]
	}
	return strings.Join(words, " ")
}

// Notes returns notes with their weights, in their order. The lines of one
// are indented so that none reads as another note.
//
//	Context (decayed):
//	─────────────────
//	[1.00] 📌 API uses sqlite
//	[0.13] old idea (fading)
func Notes(list []rank.Note, weights []float64) string {
	var b strings.Builder
	b.WriteString("Context (decayed):\n" + strings.Repeat("─", 17) + "\n")
	for i := range list {
		text, _ := clean.Visible(list[i].Text)
		pin, fading := "", ""
		switch {
		case list[i].Pinned:
			pin = "📌 "
		case weights[i] < rank.FadingBelow:
			fading = " (fading)"
		}
		fmt.Fprintf(&b, "[%.2f] %s%s%s\n", weights[i], pin, strings.ReplaceAll(text, "\n", "\n       "), fading)
	}
	if len(list) == 0 {
		b.WriteString("(empty)\n")
	}
	return b.String()
}

// A File is a file as [Files] shows it.
type File struct{ Path, Text string }

// Files returns files that must not be changed, each below its whole path
// and lines and in a fence that its text cannot close; "" for none.
//
//	## Read-Only Context Files (do NOT modify these)
//
//	### docs/spec.md:1-2
//	```
//	…
//	```
func Files(files []File) string {
	if len(files) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Read-Only Context Files (do NOT modify these)\n")
	for _, f := range files {
		text, _ := clean.Visible(f.Text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		ref := satchel.Ref{Path: clean.Inline(f.Path)}
		if n := strings.Count(text, "\n"); n > 0 {
			ref.From, ref.To = 1, n
		}
		fmt.Fprintf(&b, "\n### %s\n%s", ref, render.Fenced("", text))
	}
	return b.String()
}

// An Item is an item as [Items] shows it.
type Item struct{ Source, Title, Text string }

// Items returns items that providers gave, each below its source and title;
// "" for none.
func Items(items []Item) string {
	if len(items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Relevant Context\n")
	for _, it := range items {
		text, _ := clean.Visible(it.Text)
		fmt.Fprintf(&b, "\n### [Source: %s] %s\n%s\n", clean.Inline(it.Source), clean.Inline(it.Title), strings.TrimSuffix(text, "\n"))
	}
	return b.String()
}
