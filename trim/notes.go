package trim

import (
	"fmt"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// diagnostics says what a reader of the accounts would not expect: what had to be cut
// although it should stay, and what of the input was not understood.
func (t *cutter) diagnostics() []satchel.Diagnostic {
	var diags []satchel.Diagnostic
	note := func(n int, what, whats, text string) {
		if n == 1 {
			diags = append(diags, satchel.Diagnostic{Text: "1 " + what + text})
		} else if n > 1 {
			diags = append(diags, satchel.Diagnostic{Text: fmt.Sprintf("%d %s%s", n, whats, text)})
		}
	}
	c := t.conv
	if len(t.inPlace) > 0 || t.inputs > 0 {
		text := "the newest messages take more than their share of the budget, and were cut"
		if t.inputs > 0 {
			text += fmt.Sprintf("; in the inputs of their calls strings are cut to %d characters", t.inputs)
		}
		diags = append(diags, satchel.Diagnostic{Text: text})
	}
	prompts := 0
	for _, u := range t.words {
		if u.missing() > 0 {
			prompts++
		}
	}
	if n := len(t.words); n > 0 && !t.showsUser() {
		diags = append(diags, satchel.Diagnostic{Text: fmt.Sprintf("the budget is too small for the user's words: none of %s is shown", countOf(n, "message"))})
	} else {
		note(prompts, "message", "messages", " of the user had no room to stay whole")
	}
	images, unknown := 0, 0
	for g := range t.first {
		for i := c.Groups[g].From; i < c.Groups[g].To; i++ {
			for b := range t.in[i].Blocks {
				switch blk := &t.in[i].Blocks[b]; blk.Type {
				case transcript.Image:
					images++
				case transcript.Other:
					unknown++
				default:
					images += blk.Images
				}
			}
		}
	}
	note(images, "image", "images", " left out: a digest is text")
	note(unknown, "block", "blocks", " of an unknown kind left out")
	return append(diags, misfits(t.in)...)
}

// showsUser reports whether anything that the user said is in the result, in the digest
// or verbatim.
func (t *cutter) showsUser() bool {
	if len(t.prompted) > 0 {
		return true
	}
	for p := range t.conv.Parts {
		if part := &t.conv.Parts[p]; part.Source == reuse.User && !t.isSummary(p) && (part.Group >= t.first || t.isPinned(p)) {
			return true
		}
	}
	return false
}

// misfits says what of a conversation no provider would take, which a trim
// mends.
func misfits(ms []transcript.Message) []satchel.Diagnostic {
	var diags []satchel.Diagnostic
	open := make(map[string]int) // calls without a result
	waiting, orphans := 0, 0
	for i := range ms {
		for b := range ms[i].Blocks {
			blk := &ms[i].Blocks[b]
			switch blk.Type {
			case transcript.Call:
				open[blk.ID]++
				waiting++
			case transcript.Result:
				if open[blk.ID] == 0 {
					orphans++
					continue
				}
				open[blk.ID]--
				waiting--
			}
		}
	}
	if n := len(ms); n > 0 { // they may be running
		waiting -= len(callsOf(&ms[n-1]))
	}
	if waiting > 0 {
		diags = append(diags, satchel.Diagnostic{Text: countOf(waiting, "call") + " without a recorded result"})
	}
	if orphans > 0 {
		diags = append(diags, satchel.Diagnostic{Text: countOf(orphans, "result") + " without a call"})
	}
	return diags
}
