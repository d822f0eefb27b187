package trim

import (
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// What a provider adds to the text, in tokens: near what o200k models take.
// Claude takes about 70 for a call; anchoring on reported usage corrects for
// that.
const (
	perMessage = 4
	perBlock   = 8
	perCall    = 17
	perImage   = 1500
)

// A meter counts messages.
type meter struct {
	count func(string) int
}

func newMeter(count func(string) int) *meter {
	if count == nil {
		count = tokens.O200k().Count
	}
	return &meter{count}
}

// exact counts by Options.Count.
func (m *meter) exact(ms []transcript.Message) int {
	n, _ := m.both(ms)
	return n
}

// both counts and estimates.
func (m *meter) both(ms []transcript.Message) (exact int, size float64) {
	for i := range ms {
		exact, size = exact+perMessage, size+perMessage
		for b := range ms[i].Blocks {
			blk := &ms[i].Blocks[b]
			text := textOf(blk)
			exact += overhead(blk) + m.count(text)
			size += float64(overhead(blk)) + reuse.Size(text)
		}
	}
	return exact, size
}

// size estimates.
func (m *meter) size(ms []transcript.Message) float64 {
	n := 0.0
	for i := range ms {
		n += messageSize(&ms[i])
	}
	return n
}

func messageSize(m *transcript.Message) float64 {
	n := float64(perMessage)
	for b := range m.Blocks {
		n += blockSize(&m.Blocks[b])
	}
	return n
}

func blockSize(b *transcript.Block) float64 {
	return float64(overhead(b)) + reuse.Size(textOf(b))
}

// overhead returns the tokens of a block besides its text.
func overhead(b *transcript.Block) int {
	switch b.Type {
	case transcript.Call:
		return perBlock + perCall
	case transcript.Image:
		return perImage
	}
	return perBlock + perImage*b.Images
}

// textOf returns the text of a block, as it is counted.
func textOf(b *transcript.Block) string {
	switch b.Type {
	case transcript.Call:
		return b.Name + "\n" + reuse.CallText(b)
	case transcript.Image:
		return ""
	case transcript.Other:
		return string(b.Raw)
	}
	return b.Text
}
