package trim_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// TestOneRule: whoever asks what may go gets one answer. Clean replaces it, Stats
// count it, and an Inventory marks nothing else.
func TestOneRule(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	rnd := rand.New(rand.NewSource(1))
	reasons := make(map[trim.Staleness]int)
	for range 200 {
		ms := []transcript.Message{prompt("go")}
		for i, n := 0, 2+rnd.Intn(12); i < n; i++ {
			id, path := fmt.Sprint("c", i), fmt.Sprint("dir/", rnd.Intn(2), ".go")
			c, r := read(id, path), result(id, numbered(1, 20+rnd.Intn(4)))
			switch rnd.Intn(6) {
			case 0:
				c = call(id, "read", map[string]any{"path": path, "offset": rnd.Intn(2)})
			case 1:
				r.Text = numbered(1, 2200+rnd.Intn(2)) // as long as tools cut
			case 2:
				c, r.Text = call(id, "write", map[string]any{"path": path, "content": "x"}), "written"
				r.Failed = rnd.Intn(4) == 0
			case 3:
				c, r.Text = edit(id, path), "edited"
			case 4:
				c, r.Failed = bash(id, "make"), rnd.Intn(2) == 0
			}
			ms = append(ms, answer("", c), results(r))
		}
		ms = append(ms, answer("done"))

		var blocks []transcript.Block
		var v trim.Inventory
		for i := range ms {
			ms[i].Sent = true
			v.Add(&ms[i])
			blocks = append(blocks, ms[i].Blocks...)
		}
		stale, at := trim.Stale(blocks), 0
		counts := make(map[trim.Staleness]int)
		for i, m := range trim.Clean(ms) {
			for b := range m.Blocks {
				if changed := m.Blocks[b].Text != ms[i].Blocks[b].Text; changed != (stale[at] != trim.Needed) {
					t.Fatalf("Clean makes %q of message %d, Stale says %d", m.Blocks[b].Text, i, stale[at])
				}
				counts[stale[at]]++
				reasons[stale[at]]++
				at++
			}
		}

		c := v.Contents(tokens.Model{}, &transcript.Session{})
		if c.Duplicates.Count != counts[trim.Repeated]+counts[trim.SameError] || c.Stats.Stale.Count != counts[trim.Reread]+counts[trim.Rewritten] {
			t.Fatalf("%d duplicates and %d stale reads are counted of %v", c.Duplicates.Count, c.Stats.Stale.Count, counts)
		}
		for _, it := range c.Items {
			if (it.State == trim.Duplicate || it.State == trim.Outdated) && counts[trim.Needed] == len(blocks) {
				t.Fatalf("the inventory marks %+v, though nothing may go", it)
			}
		}
	}
	for why := trim.Needed; why <= trim.Rewritten; why++ {
		if reasons[why] < 10 {
			t.Errorf("reason %d came up %d times", why, reasons[why])
		}
	}
	if s := strings.Repeat("x", 300); trim.Stale([]transcript.Block{result("", s), result("", s)})[0] != trim.Repeated {
		t.Error("results without a call are not compared")
	}
}
