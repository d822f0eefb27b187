package assist

import (
	"fmt"
	"sync"
	"time"

	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/render"
)

// watch returns a function that shows progress: on a terminal in one line, otherwise in
// a line for each call. Readers that work in parallel may call it at the same time.
func (a *app) watch() func(assist.Progress) {
	if a.Settings.Quiet {
		return nil
	}
	type call struct {
		label string
		turn  int
	}
	var mu sync.Mutex
	var last call
	var said time.Time
	return func(p assist.Progress) {
		mu.Lock()
		defer mu.Unlock()
		now := call{p.Label, p.Turn}
		if !a.Env.StderrTTY || a.Getenv("TERM") == "dumb" {
			if now != last {
				last = now
				p.Delta = llm.Delta{}
				a.Say("%s", progressLine(p))
			}
			return
		}
		if t := time.Now(); now != last || t.Sub(said) > spoken {
			last, said = now, t
			a.Bar.Line(progressLine(p))
		}
	}
}

// spoken is how often a line is rewritten at most.
const spoken = 100 * time.Millisecond

func progressLine(p assist.Progress) string {
	s := fmt.Sprintf("%s  turn %d", p.Label, p.Turn)
	if p.Spent.Usage.Input > 0 {
		s += fmt.Sprintf("  %s in", render.Thousands(p.Spent.Usage.Input))
	}
	if p.Spent.Usage.Cached > 0 {
		s += fmt.Sprintf(" (%s cached)", render.Thousands(p.Spent.Usage.Cached))
	}
	if p.Spent.Usage.Output > 0 {
		s += fmt.Sprintf("  %s out", render.Thousands(p.Spent.Usage.Output))
	}
	if p.Spent.USD > 0 {
		s += fmt.Sprintf("  $%.2f", p.Spent.USD)
	}
	switch {
	case p.Delta.Quiet >= time.Second:
		s += fmt.Sprintf("  waiting %d s", int(p.Delta.Quiet.Seconds()))
	case p.Delta.Bytes > 0:
		s += fmt.Sprintf("  %s bytes", render.Thousands(p.Delta.Bytes))
	}
	return s
}
