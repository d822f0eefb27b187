// Package cutting has what every way to cut a session needs, that of package trim
// and those of other designs: counting messages, masking them, shortening their
// results, and saying in a line what one is about.
//
// It decides nothing. No promise is made about it yet.
package cutting

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/transcript"
)

// Newest is what a budget must hold at least, for a satchel.OverflowError.
const Newest = "the newest messages"

// Masked returns the messages as mask leaves them. Those that it does not change
// are shared.
func Masked(ms []transcript.Message, mask func(transcript.Block) transcript.Block) []transcript.Message {
	if mask == nil {
		return ms
	}
	out := slices.Clone(ms)
	for i := range out {
		for b := range out[i].Blocks {
			was := &ms[i].Blocks[b]
			is := mask(*was)
			if is.Text == was.Text && is.Name == was.Name && bytes.Equal(is.Input, was.Input) && bytes.Equal(is.Raw, was.Raw) {
				continue
			}
			if &out[i].Blocks[0] == &ms[i].Blocks[0] {
				out[i].Blocks = slices.Clone(out[i].Blocks)
			}
			out[i].Blocks[b] = is
		}
	}
	return out
}

// Results returns a message with its results run through cut. Images in
// results stay.
func Results(m transcript.Message, cut func(string) string) transcript.Message {
	cloned := false
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Type != transcript.Result {
			continue
		}
		if s := cut(b.Text); s != b.Text && len(s) < len(b.Text) {
			if !cloned {
				m.Blocks, cloned = slices.Clone(m.Blocks), true
				b = &m.Blocks[i]
			}
			b.Text, b.Raw = s, nil
		}
	}
	return m
}

// Middle keeps the two ends of a text, of together about most bytes.
func Middle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head := most / 2
	for head > 0 && !runeStart(text[head]) {
		head--
	}
	tail := len(text) - most/2
	for tail < len(text) && !runeStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n\n[... %d characters compressed (%d tokens) ...]\n\n%s",
		text[:head], clip.UTF16Len(text[head:tail]), RoughTokens(text), text[tail:])
}

func runeStart(b byte) bool { return b&0xc0 != 0x80 }

// RoughTokens is a rough estimate of the tokens of a text: a token for every 3.5
// characters of fenced code blocks and every 4 of the rest, each rounded up.
// Characters are UTF-16 units, as in the language of the design that it is from.
func RoughTokens(text string) int {
	rest := clip.UTF16Len(text)
	code := 0
	for {
		from := strings.Index(text, "```")
		if from < 0 {
			break
		}
		to := strings.Index(text[from+3:], "```")
		if to < 0 {
			break
		}
		n := clip.UTF16Len(text[from : from+3+to+3])
		code += int(math.Ceil(float64(n) / 3.5))
		rest -= n
		text = text[from+3+to+3:]
	}
	return (rest+3)/4 + code
}

// Said returns the text blocks of a message, joined by newlines.
func Said(m *transcript.Message) string {
	var parts []string
	for i := range m.Blocks {
		if m.Blocks[i].Type == transcript.Text {
			parts = append(parts, m.Blocks[i].Text)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts, "\n")
}

// maxTitle is the longest title, in characters; a terminal cuts it further.
const maxTitle = 160

// Headline returns the first line of a text that says something: no ruler and
// no lone tag.
func Headline(s string) string {
	tag := ""
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if strings.IndexFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
			continue
		}
		if line[0] == '<' && line[len(line)-1] == '>' && !strings.ContainsAny(line, " \t") {
			tag = cmp.Or(tag, line)
			continue
		}
		return clip.Runes(line, maxTitle)
	}
	return tag
}
