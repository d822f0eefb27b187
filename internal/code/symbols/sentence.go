package symbols

import (
	"bytes"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/clip"
)

// Sentence returns the first sentence of a comment or documentation string, or
// its first paragraph if that is shorter, on one line.
func Sentence(comment []byte) string {
	comment = comment[:min(len(comment), 4<<10)]
	var b strings.Builder
	for line := range bytes.Lines(comment) {
		if bytes.HasPrefix(line, []byte("//go:")) || bytes.HasPrefix(line, []byte("// +")) {
			continue
		}
		text := unmark(line)
		if len(text) == 0 {
			if b.Len() > 0 {
				break
			}
			continue
		}
		if text[0] == '@' || bytes.HasPrefix(text, []byte(`\param`)) { // tags of javadoc, doxygen
			if b.Len() > 0 {
				break
			}
			if !bytes.HasPrefix(text, []byte("@brief ")) {
				continue
			}
			text = text[len("@brief "):]
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		end := stop(text)
		b.Write(text[:end])
		if end < len(text) || text[end-1] == '.' || b.Len() > maxSentence {
			break
		}
	}
	return clip.Bytes(strings.ToValidUTF8(b.String(), "\uFFFD"), maxSentence)
}

// stop returns the length of the first sentence of text.
func stop(text []byte) int {
	for i, c := range text {
		if c == '.' && i+1 < len(text) && text[i+1] == ' ' && i > 2 && text[i-1] != '.' && text[i-2] != '.' && text[i-2] != ' ' {
			return i + 1
		}
	}
	return len(text)
}

// unmark strips what makes a line a comment, and XML tags around it.
func unmark(line []byte) []byte {
	line = bytes.TrimSpace(line)
	line = bytes.TrimLeft(line, "/*#!;%-\"'`|={")
	line = bytes.TrimSpace(line)
	line = bytes.TrimSuffix(line, []byte("*/"))
	line = bytes.TrimRight(line, "*\"'`=#-} \t")
	for _, tag := range [...]string{"<summary>", "</summary>", "<p>"} {
		line = bytes.ReplaceAll(line, []byte(tag), nil)
	}
	for i, c := range line {
		if c < ' ' || c == 0x7f {
			line = bytes.Clone(line)
			for j := i; j < len(line); j++ {
				if line[j] < ' ' || line[j] == 0x7f {
					line[j] = ' '
				}
			}
			break
		}
	}
	return bytes.TrimSpace(line)
}
