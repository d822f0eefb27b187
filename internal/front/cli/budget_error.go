package cli

import (
	"fmt"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/render"
)

// A budgetError is a budget that cannot hold what has to stay, in the words of a
// command.
type budgetError struct {
	text, hint string
	over       *satchel.OverflowError // nil if the command counts otherwise
}

func (e *budgetError) Error() string { return e.text }

func (e *budgetError) Unwrap() error {
	if e.over == nil {
		return nil
	}
	return e.over
}

// packTooSmall returns the error for a pack whose pinned paths and context files
// exceed the budget.
func packTooSmall(over *satchel.OverflowError, pins, kept int) error {
	what := "the shortest pack"
	if kept > 0 {
		what = "a pack with " + render.Plural(kept, "pinned context file")
	}
	hint := fmt.Sprintf("use --budget %d or more", over.Need)
	if pins > 0 {
		what = "a pack with " + render.Plural(pins, "pinned path")
		if kept > 0 {
			what += " and " + render.Plural(kept, "pinned context file")
		}
		hint += "; or pin less"
	}
	if kept > 0 {
		hint += "; satchel context list shows the size of context files"
	}
	text := fmt.Sprintf("a budget of %s tokens is too small: %s takes %s", thousands(over.Limit), what, thousands(over.Need))
	return &budgetError{text: text, hint: hint, over: over}
}
