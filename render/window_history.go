package render

import (
	"fmt"
	"math"
	"strings"
)

// A Point is the size of a context after a turn.
type Point struct {
	Turn      int  `json:"turn"`
	Tokens    int  `json:"tokens"`
	Compacted bool `json:"compacted,omitempty"` // a compaction came before it
	Injected  bool `json:"injected,omitempty"`  // satchel gave something in it
}

// The marks of a history.
const (
	markCompacted = "⟂"
	markInjected  = "●"
)

var levels = []rune("▁▂▃▄▅▆▇█")

// level draws a size as one of eight heights, and what exceeds the window as an
// exclamation mark.
func level(n, window int) string {
	switch {
	case n <= 0 || window <= 0:
		return string(levels[0])
	case n > window:
		return "!"
	}
	i := int(math.Ceil(float64(n)/float64(window)*float64(len(levels)))) - 1
	return string(levels[max(0, min(i, len(levels)-1))])
}

// HistoryLine returns how the context grew, on one line of at most width cells:
// turns with the height of the context after them, and compactions with what
// they freed. Where there is no room for all turns, some that are evenly spaced
// are shown; first, last and compactions stay longest.
//
//	1▁ 5▂ 9▃ 13▅ 17▇ ⟂compact(-118k) 18▂ 22▄ 26▆
func HistoryLine(points []Point, window, width int) string {
	if len(points) == 0 || width <= 0 {
		return ""
	}
	width = min(width, mostCells)
	entry := func(i int) string {
		p := points[i]
		s := fmt.Sprint(p.Turn) + level(p.Tokens, window)
		if p.Injected {
			s += markInjected
		}
		if p.Compacted && i > 0 {
			s = fmt.Sprintf("%scompact(%s) %s", markCompacted, Compact(p.Tokens-points[i-1].Tokens), s)
		}
		return s
	}
	last := len(points) - 1
	// An entry takes three cells at least, and most lines hold all of a few
	// compactions.
	for n := min(len(points), (width+1)/3); n > 0; n -= 1 + n/32 {
		show := make([]bool, len(points))
		for k := range n {
			show[spaced(k, n, last)] = true
		}
		total := -1
		for i, p := range points {
			if p.Compacted && i > 0 {
				show[i], show[i-1] = true, true // the height that it came down from, too
			}
		}
		var words []string
		for i := range points {
			if show[i] {
				words = append(words, entry(i))
				total += 1 + Width(words[len(words)-1])
			}
			if total > width {
				break
			}
		}
		if total <= width {
			return strings.Join(words, " ")
		}
	}
	// Not even the compactions fit: the newest of what there is.
	line := ""
	for i := last; i >= 0; i-- {
		next := strings.TrimSpace(entry(i) + " " + line)
		if Width(next) > width {
			break
		}
		line = next
		for i > 1 && !points[i-1].Compacted {
			i-- // on to the next compaction
		}
	}
	return line
}

// spaced returns the k-th of n places that are evenly spaced from 0 to last; a
// single one is the last.
func spaced(k, n, last int) int {
	if n <= 1 {
		return last
	}
	return int((int64(k)*int64(last) + int64(n-1)/2) / int64(n-1))
}

// A ChartStyle says how the lines of a chart look.
type ChartStyle struct {
	Cells     int    // of a bar, at most
	Percent   int    // cells of a percentage, at least
	Compacted string // the mark of a turn that a compaction came before
}

// HistoryChartIn returns a line for each point, in a style and at most width cells wide.
//
//	Turn  1: [██░░░░░░░░░░░░░░░░░░]   8%
//	Turn 11: [██████░░░░░░░░░░░░░░]  28%  ⟂ compacted
func HistoryChartIn(points []Point, window, width int, style ChartStyle) string {
	digits := 2
	for _, p := range points {
		digits = max(digits, len(fmt.Sprint(p.Turn)))
	}
	tails := make([]string, len(points))
	most := 0
	for i, p := range points {
		percent := percentFull(p.Tokens, window)
		tails[i] = fmt.Sprintf(" %*s", style.Percent, PercentFull(percent))
		if p.Compacted {
			tails[i] += "  " + style.Compacted
		}
		if p.Injected {
			tails[i] += "  " + markInjected
		}
		most = max(most, Width(tails[i]))
	}
	cells := min(style.Cells, width-len("Turn : []")-digits-most)
	var b strings.Builder
	for i, p := range points {
		line := fmt.Sprintf("Turn %*d:", digits, p.Turn)
		if cells > 0 {
			line += " [" + FillBar(p.Tokens, window, cells) + "]"
		}
		b.WriteString(Shorten(line+tails[i], width) + "\n")
	}
	return b.String()
}
