package render

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// A Window is a context window and what fills it. It may be over-full, and
// any of its numbers absurd: a negative one counts as 0, and no picture of it
// is ever wider than asked for.
type Window struct {
	Tokens   int       `json:"tokens"` // its size; 0 or less means unknown
	Sections []Section `json:"sections"`
}

// A Section is a named part of what fills a window.
type Section struct {
	Name   string `json:"name"`
	Short  string `json:"short,omitempty"` // for a bar; empty means the first four characters of Name
	Tokens int    `json:"tokens"`

	// Compressible sections hold what could be said with fewer tokens.
	Compressible bool `json:"compressible,omitempty"`

	// Reserved sections are drawn as room: nothing stands there yet.
	Reserved bool `json:"reserved,omitempty"`

	Items []SectionItem `json:"items,omitempty"`
}

// A SectionItem is a part of a Section.
type SectionItem struct {
	Label     string `json:"label"`
	Tokens    int    `json:"tokens"`
	Truncated bool   `json:"truncated,omitempty"`
}

// Used returns the tokens of all sections.
func (w *Window) Used() int {
	sum := 0
	for i := range w.Sections {
		n := max(w.Sections[i].Tokens, 0)
		if n > math.MaxInt-sum {
			return math.MaxInt
		}
		sum += n
	}
	return sum
}

// Free returns the tokens that are left; 0 if the window is full or unknown.
func (w *Window) Free() int { return max(0, max(w.Tokens, 0)-w.Used()) }

// Percent returns how full the window is, to the nearest, halves up; it may be
// more than 100. Of a window that is unknown it is 0.
func (w *Window) Percent() int { return percentFull(w.Used(), w.Tokens) }

// mostPercent is where a percentage stops counting.
const mostPercent = 999_999

func percentFull(used, window int) int {
	if used <= 0 || window <= 0 {
		return 0
	}
	return int(min(math.Floor(float64(used)/float64(window)*100+0.5), mostPercent))
}

// PercentFull writes how full a window is: 42%, or 112% ! if it is over-full.
func PercentFull(percent int) string {
	if percent > 100 {
		return fmt.Sprintf("%d%% !", percent)
	}
	return fmt.Sprintf("%d%%", max(percent, 0))
}

// Compact writes a number in few cells: 980, 14.2k, 142k, 1.2M.
func Compact(n int) string {
	switch {
	case n == math.MinInt:
		return "-" + Compact(math.MaxInt)
	case n < 0:
		return "-" + Compact(-n)
	case n < 1_000:
		return fmt.Sprint(n)
	case n < 99_950:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	case n < 999_500:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0fG", float64(n)/1e9)
}

// The fillings of bars. They differ in shape, so that no colour is needed.
const (
	fillUsed = "█"
	fillFree = "░"
)

// FillBar returns a bar of exactly so many cells, full in proportion to used. It
// is empty only if nothing is used, and full only if everything is.
func FillBar(used, window, cells int) string {
	cells = min(max(cells, 0), mostCells)
	full := 0
	switch {
	case used <= 0 || window <= 0:
	case used >= window:
		full = cells
	default:
		full = int(float64(used)/float64(window)*float64(cells) + 0.5)
		full = min(max(full, 1), max(cells-1, 0))
	}
	return strings.Repeat(fillUsed, full) + strings.Repeat(fillFree, cells-full)
}

// mostCells bounds the width of a picture; no terminal has so many columns.
const mostCells = 100_000

// StackedBar returns a bar of exactly so many cells in which each section has
// its part, with its short name in it, and the rest of the window is free:
//
//	[sys|tool|███files███|██chat██|░░░░░░░free░░░░░░░]
//
// Widths are shared by largest remainder; a section that holds anything has at
// least one cell. Where there is no room for all, the smallest become one part,
// named +. A window that is over-full has no free part. Fewer than 3 cells show
// as much of the brackets as fits.
func StackedBar(w *Window, cells int) string {
	return PaintedBar(w, cells, func(_, part string) string { return part })
}

// PaintedBar returns the bar of [StackedBar] with each part as paint returns it,
// which may add to it what takes no cells. It is given the name of the section; it
// is empty for what is free, and for the part of several sections.
func PaintedBar(w *Window, cells int, paint func(section, part string) string) string {
	cells = min(max(cells, 0), mostCells)
	if cells < 3 {
		return "[]"[:min(cells, 2)]
	}
	inner := cells - 2
	parts := barParts(w)
	if len(parts) == 0 {
		return "[" + strings.Repeat(fillFree, inner) + "]"
	}
	parts = merged(parts, (inner+1)/2)
	widths := share(inner-(len(parts)-1), parts)
	var b strings.Builder
	b.WriteByte('[')
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('|')
		}
		fill := fillUsed
		if p.Reserved {
			fill = fillFree
		}
		b.WriteString(paint(p.Name, centered(p.Short, widths[i], fill)))
	}
	b.WriteByte(']')
	return b.String()
}

// barParts returns the sections that hold something, and what is free.
func barParts(w *Window) []Section {
	var parts []Section
	for _, s := range w.Sections {
		if s.Tokens > 0 {
			parts = append(parts, Section{Name: s.Name, Short: shortName(&s), Tokens: s.Tokens, Reserved: s.Reserved})
		}
	}
	if n := w.Free(); n > 0 {
		parts = append(parts, Section{Short: "free", Tokens: n, Reserved: true})
	}
	return parts
}

func shortName(s *Section) string {
	if s.Short != "" {
		return clean.Inline(s.Short)
	}
	return clip(clean.Inline(s.Name), 4)
}

// merged makes one part of the smallest, so that there are at most n.
func merged(parts []Section, n int) []Section {
	if len(parts) <= n {
		return parts
	}
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(parts[b].Tokens, parts[a].Tokens) })
	keep := make([]bool, len(parts))
	for _, i := range order[:n-1] {
		keep[i] = true
	}
	var out []Section
	rest := Section{Short: "+"}
	for i, p := range parts {
		if keep[i] {
			out = append(out, p)
		} else if rest.Tokens += p.Tokens; rest.Tokens < 0 {
			rest.Tokens = math.MaxInt
		}
	}
	if last := len(out) - 1; last >= 0 && out[last].Reserved {
		return append(out[:last], rest, out[last]) // what is free stays at the end
	}
	return append(out, rest)
}

// share divides cells between parts, of which there are no more than cells.
func share(cells int, parts []Section) []int {
	weights := make([]float64, len(parts))
	for i := range parts {
		weights[i] = float64(parts[i].Tokens)
	}
	out := budget.Apportion(cells, weights)
	for i := range out {
		if out[i] > 0 {
			continue
		}
		// From the widest, which misses it least.
		from := 0
		for j := range out {
			if out[j] > out[from] {
				from = j
			}
		}
		out[from]--
		out[i]++
	}
	return out
}

// centered returns a text in the middle of a filling, cut to exactly so many
// cells.
func centered(text string, cells int, fill string) string {
	text = clip(text, cells)
	left := (cells - Width(text)) / 2
	return strings.Repeat(fill, left) + text + strings.Repeat(fill, cells-left-Width(text))
}

// clip returns the beginning of a text that takes at most so many cells.
func clip(text string, cells int) string {
	n := 0
	for i, r := range text {
		if n += runeWidth(r); n > cells {
			return text[:i]
		}
	}
	return text
}

// Shorten cuts a text to so many cells, with an ellipsis if something went.
func Shorten(text string, cells int) string {
	switch {
	case Width(text) <= cells:
		return text
	case cells <= 0:
		return ""
	}
	return clip(text, cells-1) + "…"
}

// WindowLineIn returns one line of at most width cells, with numbers as number writes
// them; a width of 0 or less means no limit.
//
//	[42% | sys:2% files:30% chat:10% | 116k free]
//
// Sections that hold nothing are left out; those without room become an
// ellipsis, the smallest first.
func WindowLineIn(w *Window, width int, number func(int) string) string {
	head := "[" + PercentFull(w.Percent())
	tail := " | " + number(w.Free()) + " free]"
	if over := w.Used() - max(w.Tokens, 0); over > 0 && w.Tokens > 0 {
		tail = " | " + number(over) + " over]"
	}
	type word struct {
		text   string
		tokens int
	}
	var words []word
	for i := range w.Sections {
		s := &w.Sections[i]
		if s.Tokens > 0 {
			words = append(words, word{shortName(s) + ":" + percentText(s.Tokens, w.Tokens), s.Tokens})
		}
	}
	cut := false
	for {
		var texts []string
		for _, x := range words {
			texts = append(texts, x.text)
		}
		if cut {
			texts = append(texts, "…")
		}
		line := head + tail
		if len(texts) > 0 {
			line = head + " | " + strings.Join(texts, " ") + tail
		}
		if width <= 0 || Width(line) <= width {
			return line
		}
		if len(words) == 0 {
			return Shorten(line, width)
		}
		least := 0
		for i := range words {
			if words[i].tokens <= words[least].tokens {
				least = i
			}
		}
		words, cut = slices.Delete(words, least, least+1), true
	}
}

// percentText writes a share of the window: 0.4 % is <1%, not 0%.
func percentText(n, window int) string {
	switch p := percentFull(n, window); {
	case window <= 0:
		return "?"
	case p == 0 && n > 0:
		return "<1%"
	default:
		return fmt.Sprintf("%d%%", p)
	}
}

// WindowWarning says that a window is nearly full; it is empty up to the
// threshold of a note.
func WindowWarning(percent int, t budget.Thresholds) string {
	full := float64(percent) / 100
	switch {
	case percent > 100:
		return fmt.Sprintf("critical: the context is %d%% of its window: the excess will be refused or cut", percent)
	case full > t.Warn:
		return fmt.Sprintf("critical: the context is %d%% full: compact now", percent)
	case full > t.Note:
		return fmt.Sprintf("warning: the context is %d%% full: a compaction is near", percent)
	}
	return ""
}

// An advisor recommends something about the sections of some names.
type advisor struct {
	names   []string // empty means every section that is compressible
	tokens  int      // above so many
	percent int      // and above so much of the window
	say     string
}

// advisors are the rules of hawk's visualizer; the first that a section meets
// speaks. The names are those of hawk and of a session's sections.
var advisors = []advisor{
	{names: []string{"conversation", "chat"}, percent: 20, say: "consider compacting it"},
	{names: []string{"tool_results"}, tokens: 5_000, say: "older results can be cut to the parts in use"},
	{names: []string{"tool output"}, tokens: 5_000, percent: 10, say: "older results can be cut to the parts in use"},
	{names: []string{"readonly_context"}, tokens: 8_000, say: "remove files that are no longer needed"},
	{percent: 15, say: "it can be compressed"},
}

// WindowAdvice recommends what to do about the sections, one line each.
func WindowAdvice(w *Window) []string {
	var out []string
	for i := range w.Sections {
		s := &w.Sections[i]
		for _, a := range advisors {
			if len(a.names) > 0 && !slices.Contains(a.names, s.Name) || len(a.names) == 0 && !s.Compressible {
				continue
			}
			if s.Tokens <= a.tokens || a.percent > 0 && (w.Tokens <= 0 || float64(s.Tokens) <= float64(w.Tokens)*float64(a.percent)/100) {
				continue
			}
			out = append(out, fmt.Sprintf("%s takes %s tokens (%s of the window): %s", clean.Inline(s.Name), Compact(s.Tokens), percentText(s.Tokens, w.Tokens), a.say))
			break
		}
	}
	return out
}
