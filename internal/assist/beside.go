package assist

import (
	"context"
	"fmt"
	"sync"

	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/world/llm"
)

// sideBySide does n things: the first until it calls first or ends, then all others
// beside it, no more at once than subagents may be. do is called once for each.
func (d *Desk) sideBySide(n int, do func(i int, first func())) {
	var all sync.WaitGroup
	slots := make(chan struct{}, d.atOnce())
	begun := make(chan struct{})
	var once sync.Once
	first := func() { once.Do(func() { close(begun) }) }
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			if i == 0 {
				defer first()
				do(i, first)
				return
			}
			do(i, func() {})
		})
		if i == 0 {
			<-begun
		}
	}
	all.Wait()
}

// watchFirst calls first when something of an answer comes, and passes all on.
func watchFirst(watch func(Progress), first func()) func(Progress) {
	return func(p Progress) {
		if p.Delta != (llm.Delta{}) && p.Delta.Bytes > 0 {
			first()
		}
		if watch != nil {
			watch(p)
		}
	}
}

// aside runs one of several conversations, for as long as one may take.
func (d *Desk) aside(ctx context.Context, run *Run, a *ask.Ask) (*Outcome, error) {
	limited, cancel := context.WithTimeout(ctx, subTimeout)
	defer cancel()
	out, err := run.Do(limited, a)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("it took longer than %v", subTimeout)
	}
	return out, err
}
