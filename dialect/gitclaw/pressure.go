package gitclaw

import (
	"fmt"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/render"
)

// The words of a report of pressure, byte for byte as the design prints them, so
// that a comment written by either reads the same.
const (
	pressureNoted  = "\nℹ️ Older conversation turns are being summarized to preserve context quality."
	pressureWarned = "\n⚠️ Context is nearly full. Consider starting a new issue for fresh context, or I'll start compressing older conversation turns."
)

// pressureLine returns the bar, the percentage and the words of the level.
func pressureLine(p budget.Pressure) string {
	s := fmt.Sprintf("📊 Context: %s %d%%", render.PressureBar(p.Percent), p.Percent)
	switch p.Level {
	case budget.Noted:
		s += pressureNoted
	case budget.Warned:
		s += pressureWarned
	}
	return s
}

// PressureComment returns what is appended to an agent's comment: nothing below
// the first threshold, else an empty line and the report in small print.
func PressureComment(p budget.Pressure) string {
	if p.Level == budget.Hidden {
		return ""
	}
	return "\n\n<sub>" + pressureLine(p) + "</sub>"
}

// PressureText returns the report for a terminal: the same words, then what
// [render.PressureText] has to say. It says nothing below the first threshold unless
// always is set.
func PressureText(p budget.Pressure, always bool) string {
	if p.Level == budget.Hidden && !always {
		return ""
	}
	return pressureLine(p) + "\n" + render.PressureText(p)
}
