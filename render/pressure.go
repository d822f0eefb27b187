package render

import (
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/tokens"
)

// pressureCells is how many cells a bar has.
const pressureCells = 20

// PressureBar returns the bar of a percentage: twenty cells, of which each
// stands for five percent and is full or empty. Percentages outside 0 to 100
// are shown as the nearest of them.
func PressureBar(percent int) string {
	full := max(0, min(percent, 100)) / (100 / pressureCells)
	return strings.Repeat("█", full) + strings.Repeat("░", pressureCells-full)
}

// PressureText returns what stands below the words of a report for a terminal: how
// many tokens that are and how well they are known, for how many more turns they
// leave room, and what a trim would free. Lines end in a newline.
func PressureText(p budget.Pressure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s tokens\n%s: %s\n", thousands(p.Used.Tokens), thousands(p.Window), CountSource(p.Used), CountMethod(p.Used))
	switch {
	case p.Turns == 0:
		b.WriteString("the window is full\n")
	case p.Turns == 1:
		b.WriteString("room for about 1 more turn like the last ones\n")
	case p.Turns > 1:
		fmt.Fprintf(&b, "room for about %s more turns like the last ones\n", thousands(p.Turns))
	}
	if p.Frees > 0 {
		fmt.Fprintf(&b, "a trim would free about %s tokens\n", thousands(p.Frees))
	}
	return b.String()
}

// CountSource says in a word who counted: provider, or estimated if anything of it
// is.
func CountSource(c tokens.Count) string {
	if c.Error == 0 && strings.HasPrefix(c.Method, "usage") {
		return "provider"
	}
	return "estimated"
}

// CountMethod says how a number of tokens was found and how far off it may be.
func CountMethod(c tokens.Count) string {
	if c.Error == 0 {
		return c.Method
	}
	if c.Error < 0.0005 {
		return c.Method + ", under ±0.1 %"
	}
	digits := 0
	if c.Error < 0.0995 {
		digits = 1
	}
	return fmt.Sprintf("%s, ±%.*f %%", c.Method, digits, 100*c.Error)
}
