package cutting

import (
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// What a provider adds to the text, in tokens: near what o200k models take.
// Claude takes about 70 for a call; anchoring on reported usage corrects for
// that.
const (
	PerMessage = 4
	PerBlock   = 8
	perCall    = 17
	perImage   = 1500
)

// A Meter counts messages, overheads included.
type Meter struct {
	Count func(string) int // of a text
}

// NewMeter returns one that counts texts by count; nil means in o200k_base.
func NewMeter(count func(string) int) *Meter {
	if count == nil {
		count = tokens.O200k().Count
	}
	return &Meter{count}
}

// Exact counts.
func (m *Meter) Exact(ms []transcript.Message) int {
	n, _ := m.Both(ms)
	return n
}

// Both counts and estimates.
func (m *Meter) Both(ms []transcript.Message) (exact int, size float64) {
	for i := range ms {
		exact, size = exact+PerMessage, size+PerMessage
		for b := range ms[i].Blocks {
			blk := &ms[i].Blocks[b]
			text := TextOf(blk)
			exact += Overhead(blk) + m.Count(text)
			size += float64(Overhead(blk)) + reuse.Size(text)
		}
	}
	return exact, size
}

// Size estimates.
func (m *Meter) Size(ms []transcript.Message) float64 {
	n := 0.0
	for i := range ms {
		n += MessageSize(&ms[i])
	}
	return n
}

// MessageSize estimates the tokens of a message.
func MessageSize(m *transcript.Message) float64 {
	n := float64(PerMessage)
	for b := range m.Blocks {
		n += BlockSize(&m.Blocks[b])
	}
	return n
}

// BlockSize estimates those of a block.
func BlockSize(b *transcript.Block) float64 {
	return float64(Overhead(b)) + reuse.Size(TextOf(b))
}

// Overhead returns the tokens of a block besides its text.
func Overhead(b *transcript.Block) int {
	switch b.Type {
	case transcript.Call:
		return PerBlock + perCall
	case transcript.Image:
		return perImage
	}
	return PerBlock + perImage*b.Images
}

// TextOf returns the text of a block, as it is counted.
func TextOf(b *transcript.Block) string {
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
