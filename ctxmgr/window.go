package ctxmgr

import (
	"math"
	"slices"
	"sync"

	"github.com/satchel-dev/satchel/dialect/hawk"
	"github.com/satchel-dev/satchel/render"
)

// A ContextVisualizer shows what fills a context window. Its zero value is a
// window of unknown size. Pictures hold no colour: [ContextSection.Color] is for
// callers that paint.
type ContextVisualizer struct {
	MaxTokens int

	// Sections are those of the last Update, with their percentages. They may be
	// read and changed while no method runs.
	Sections []ContextSection

	mu   sync.Mutex
	last *ContextSnapshot
}

// A ContextSection is a named part of the window.
type ContextSection struct {
	Name         string // system_prompt, memory, conversation, tool_results, reserved, repo_map, readonly_context, or any other
	Tokens       int    // a negative number counts as 0
	Percentage   float64
	Color        string
	Items        []VizContextItem
	Compressible bool
}

// A VizContextItem is a part of a section.
type VizContextItem struct {
	Label     string
	Tokens    int
	Role      string // carried, not shown
	Truncated bool
}

// A ContextSnapshot is the size of a context after a turn.
type ContextSnapshot struct {
	Turn, TotalTokens int
	Percentage        float64 // 0 to 100, and more if the window is over-full
	Compacted         bool    // it is less than the snapshot before
}

// NewContextVisualizer returns a visualizer of a window of so many tokens.
func NewContextVisualizer(maxTokens int) *ContextVisualizer {
	return &ContextVisualizer{MaxTokens: maxTokens}
}

// Update replaces the sections by copies, with their percentages of the window.
func (cv *ContextVisualizer) Update(sections []ContextSection) {
	own := slices.Clone(sections)
	cv.mu.Lock()
	defer cv.mu.Unlock()
	for i := range own {
		own[i].Items = slices.Clone(own[i].Items)
		own[i].Percentage = percentage(own[i].Tokens, cv.MaxTokens)
	}
	cv.Sections = own
}

func percentage(tokens, window int) float64 {
	if tokens <= 0 || window <= 0 {
		return 0
	}
	return float64(tokens) / float64(window) * 100
}

// window is what render draws.
func (cv *ContextVisualizer) window() *render.Window {
	cv.mu.Lock()
	defer cv.mu.Unlock()
	w := &render.Window{Tokens: cv.MaxTokens, Sections: make([]render.Section, len(cv.Sections))}
	for i := range cv.Sections {
		s := &cv.Sections[i]
		w.Sections[i] = render.Section{Name: s.Name, Short: hawk.Short(s.Name), Tokens: s.Tokens, Compressible: s.Compressible, Reserved: s.Name == "reserved"}
		for _, it := range s.Items {
			w.Sections[i].Items = append(w.Sections[i].Items, render.SectionItem{Label: it.Label, Tokens: it.Tokens, Truncated: it.Truncated})
		}
	}
	return w
}

// RenderBar returns two lines, with bars of exactly width cells but at least ten:
// how full the window is, and by what.
func (cv *ContextVisualizer) RenderBar(width int) string { return hawk.Bar(cv.window(), width) }

// RenderCompact returns one line.
func (cv *ContextVisualizer) RenderCompact() string { return hawk.Line(cv.window()) }

// RenderDetailed returns a table of sections and their items.
func (cv *ContextVisualizer) RenderDetailed() string { return hawk.Table(cv.window()) }

// HistoryChart returns a line for each snapshot, with bars of exactly width cells
// but at least ten. The mark stands where hawk's example has it: at the turn after
// which the context was compacted, the last one before it is smaller.
func (cv *ContextVisualizer) HistoryChart(snapshots []ContextSnapshot, width int) string {
	const window = 100_000 // a snapshot knows its percentage, not its window
	points := make([]render.Point, len(snapshots))
	for i, s := range snapshots {
		points[i] = render.Point{Turn: s.Turn, Compacted: compactedAfter(snapshots, i)}
		if s.Percentage > 0 { // not if it is NaN
			points[i].Tokens = int(min(math.Round(s.Percentage*window/100), math.MaxInt32))
		}
	}
	return hawk.Chart(points, window, width)
}

// compactedAfter reports whether the context was compacted after snapshot i. A
// snapshot says so of itself if it is not the smaller one already, as those that a
// caller marks by hand, or the next one says so.
func compactedAfter(snapshots []ContextSnapshot, i int) bool {
	smaller := func(k int) bool { return k > 0 && snapshots[k].Percentage < snapshots[k-1].Percentage }
	return snapshots[i].Compacted && !smaller(i) || i+1 < len(snapshots) && snapshots[i+1].Compacted && smaller(i+1)
}

// TakeSnapshot returns the size of the context after a turn, and remembers it
// for the next snapshot.
func (cv *ContextVisualizer) TakeSnapshot(turn int) ContextSnapshot {
	used := cv.window().Used()
	cv.mu.Lock()
	defer cv.mu.Unlock()
	s := ContextSnapshot{Turn: turn, TotalTokens: used, Percentage: percentage(used, cv.MaxTokens), Compacted: cv.last != nil && used < cv.last.TotalTokens}
	cv.last = &s
	return s
}

// WarnIfCritical says that the window is nearly full, above 85 % and 95 %; it is
// empty below.
func (cv *ContextVisualizer) WarnIfCritical() string {
	return hawk.Warning(cv.window().Percent())
}

// Recommend says what could be done about sections, one line each.
func (cv *ContextVisualizer) Recommend() []string { return render.WindowAdvice(cv.window()) }
