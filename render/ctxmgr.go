package render

import (
	"fmt"
	"math"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/rank"
)

// The layouts of hawk's context manager, for programs that read them. The
// numbers in them are ours: what is over-full is shown, absurd numbers count as
// 0, and widths are shared by largest remainder.

// ctxMgrNames are the short and long names of hawk's sections.
var ctxMgrNames = map[string][2]string{
	"system_prompt":    {"sys", "System Prompt"},
	"memory":           {"mem", "Memory (yaad)"},
	"conversation":     {"conv", "Conversation"},
	"tool_results":     {"tool", "Tool Results"},
	"reserved":         {"rsv", "Reserved (output)"},
	"repo_map":         {"repo", "Repo Map"},
	"readonly_context": {"ctx", "Read-Only Context"},
}

// CtxMgrShort returns the short name of hawk's section; empty for others, whose
// bars show the first four characters.
func CtxMgrShort(name string) string { return ctxMgrNames[name][0] }

// leastCtxMgr is the narrowest bar that hawk draws.
const leastCtxMgr = 10

// CtxMgrBar returns the two lines of [WindowBar] around bars of exactly so many
// cells, but at least ten.
//
//	Context: [████░░░░░░] 42% used (84,000/200,000)
//	         [s|conv|fre]
func CtxMgrBar(w *Window, cells int) string {
	cells = min(max(cells, leastCtxMgr), mostCells)
	const word = "Context: "
	return fmt.Sprintf("%s[%s] %s used (%s/%s)\n%*s%s", word, FillBar(w.Used(), w.Tokens, cells), PercentFull(w.Percent()), thousands(w.Used()), thousands(max(w.Tokens, 0)),
		len(word), "", StackedBar(w, cells+2))
}

// CtxMgrLine is [WindowLine] with hawk's numbers.
//
//	[42% | sys:2% conv:40% | 116K free]
func CtxMgrLine(w *Window) string { return windowLine(w, 0, wholeThousands) }

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

// CtxMgrTable returns a line for each section and its items, with a bar of one
// cell for each two percent of the window.
func CtxMgrTable(w *Window) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Context Window Usage (%s / %s tokens — %s)\n%s\n", thousands(w.Used()), thousands(max(w.Tokens, 0)), PercentFull(w.Percent()), strings.Repeat("═", 51))
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
		line := fmt.Sprintf("%s %8s %5.1f%%  %s", Pad(brief(name, tableCells), tableCells), thousands(n), min(share*100, mostPercent), strings.Repeat(fill, cells))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	for i := range w.Sections {
		s := &w.Sections[i]
		name := Clean(s.Name)
		if long := ctxMgrNames[s.Name][1]; long != "" {
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
			fmt.Fprintf(&b, "  %s %s %8s%s\n", mark, Pad(brief(Clean(it.Label), tableItemCells), tableItemCells), thousands(max(it.Tokens, 0)), note)
		}
	}
	row("Available", w.Free(), fillFree)
	return b.String()
}

// CtxMgrChart is [HistoryChart] with bars of so many cells, but at least ten,
// and hawk's mark.
//
//	Turn  1: [██░░░░░░░░░░░░░░░░░░]  8%
//	Turn 10: [████████████████░░░░] 78%  ← compacted
func CtxMgrChart(points []Point, window, cells int) string {
	cells = min(max(cells, leastCtxMgr), mostCells)
	return chart(points, window, math.MaxInt, chartStyle{cells: cells, percent: 3, compacted: "← compacted"})
}

// CtxMgrWarning is [WindowWarning] at hawk's thresholds and in its words.
func CtxMgrWarning(percent int) string {
	t := budget.CtxMgrThresholds
	switch full := float64(percent) / 100; {
	case full > t.Warn:
		return fmt.Sprintf("CRIT Context %s full — compacting now", PercentFull(percent))
	case full > t.Note:
		return fmt.Sprintf("⚠ Context %s full — auto-compact will trigger soon", PercentFull(percent))
	}
	return ""
}

// CtxMgrBudget reports how a window is divided beside a conversation, and
// whether that has to be compacted.
func CtxMgrBudget(d *budget.Division, conversation int) string {
	var b strings.Builder
	rule := strings.Repeat("─", 44)
	fmt.Fprintf(&b, "Context Budget (%d tokens total)\n%s\n", d.Window, rule)
	for _, p := range d.Parts {
		fmt.Fprintf(&b, "  %-20s %6d  (%4.1f%%)\n", titled(p.Name), p.Tokens, 100*float64(p.Tokens)/float64(max(d.Window, 1)))
	}
	fmt.Fprintf(&b, "%s\n  %-20s %6d\n", rule, "Remaining", d.Free)
	if conversation > 0 {
		room := d.Tokens(budget.Conversation)
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
	words := strings.Fields(Clean(name))
	for i, w := range words {
		first := []rune(w)[0]
		words[i] = strings.ToUpper(string(first)) + w[len(string(first)):]
	}
	return strings.Join(words, " ")
}

// CtxMgrMemos returns memos with their weights, in their order. The lines of one
// are indented so that none reads as another memo.
//
//	Context (decayed):
//	─────────────────
//	[1.00] 📌 API uses sqlite
//	[0.13] old idea (fading)
func CtxMgrMemos(list []rank.Memo, weights []float64) string {
	var b strings.Builder
	b.WriteString("Context (decayed):\n" + strings.Repeat("─", 17) + "\n")
	for i := range list {
		text, _ := CleanText(list[i].Text)
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

// A CtxMgrFile is a file as [CtxMgrFiles] shows it.
type CtxMgrFile struct{ Path, Text string }

// CtxMgrFiles returns files that must not be changed, each below its whole path
// and lines and in a fence that its text cannot close; "" for none.
//
//	## Read-Only Context Files (do NOT modify these)
//
//	### docs/spec.md:1-2
//	```
//	…
//	```
func CtxMgrFiles(files []CtxMgrFile) string {
	if len(files) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Read-Only Context Files (do NOT modify these)\n")
	for _, f := range files {
		text, _ := CleanText(f.Text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		ref := satchel.Ref{Path: Clean(f.Path)}
		if n := strings.Count(text, "\n"); n > 0 {
			ref.From, ref.To = 1, n
		}
		fence := ticks(longestRun(text, '`') + 1)
		fmt.Fprintf(&b, "\n### %s\n%s\n%s%s\n", ref, fence, text, fence)
	}
	return b.String()
}

// A CtxMgrItem is an item as [CtxMgrItems] shows it.
type CtxMgrItem struct{ Source, Title, Text string }

// CtxMgrItems returns items that providers gave, each below its source and title;
// "" for none.
func CtxMgrItems(items []CtxMgrItem) string {
	if len(items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Relevant Context\n")
	for _, it := range items {
		text, _ := CleanText(it.Text)
		fmt.Fprintf(&b, "\n### [Source: %s] %s\n%s\n", Clean(it.Source), Clean(it.Title), strings.TrimSuffix(text, "\n"))
	}
	return b.String()
}
