package main

import (
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// What a provider adds to the text, in tokens.
const (
	perMessage = 4
	perBlock   = 8
	perCall    = 17
	perImage   = 1500
)

// blockSize estimates the tokens of a block as package trim does, to the fraction.
func blockSize(b *transcript.Block) float64 {
	switch b.Type {
	case transcript.Image:
		return perImage
	case transcript.Call:
		return perBlock + perCall + reuse.Size(blockText(b))
	case transcript.Other:
		return perBlock + reuse.Size(string(b.Raw))
	}
	return perBlock + float64(perImage*b.Images) + reuse.Size(b.Text)
}

func messageSize(m *transcript.Message) float64 {
	n := float64(perMessage)
	for i := range m.Blocks {
		n += blockSize(&m.Blocks[i])
	}
	return n
}

func messagesSize(ms []transcript.Message) float64 {
	n := 0.0
	for i := range ms {
		n += messageSize(&ms[i])
	}
	return n
}
