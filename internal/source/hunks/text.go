package hunks

import (
	"bytes"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/render"
)

// A shownText is the text of a part as it may be shown.
type shownText struct {
	text    string
	exact   bool // it is byte for byte that of the patch
	clipped int  // bytes of long lines that are left out
}

// textOf returns the lines of a part as they may be shown: secrets redacted, and
// what a terminal would obey spelled out.
func (s *Layout) textOf(p *piece) *shownText {
	if p.shown == nil {
		text := redactPatch(s.Report.Files[p.File].Path, p.Body)
		text, _ = clean.VisiblePatch(text)
		text, clipped := clipLines(text)
		p.shown = &shownText{text, text == p.Body, clipped}
	}
	return p.shown
}

// longestLine is how many bytes of a line are shown: longer ones are data in
// practice, and cannot be divided.
const longestLine = 2000

// clipLines cuts lines that are too long, and returns how many bytes went.
func clipLines(text string) (string, int) {
	if !hasLongLine(text) {
		return text, 0
	}
	var b strings.Builder
	clipped := 0
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		if len(body) <= longestLine {
			b.WriteString(line)
			continue
		}
		clipped += len(body) - longestLine
		b.WriteString(strings.ToValidUTF8(body[:longestLine], ""))
		b.WriteString("… " + render.Plural(len(body)-longestLine, "byte") + " more\n")
	}
	return b.String(), clipped
}

func hasLongLine(text string) bool {
	for len(text) > longestLine {
		n := strings.IndexByte(text, '\n')
		if n < 0 || n > longestLine {
			return true
		}
		text = text[n+1:]
	}
	return false
}

// redactPatch takes the secrets out of lines that have a mark each: they are
// looked for without the marks, as they stand in the file.
func redactPatch(path, body string) string {
	if body == "" {
		return body
	}
	plain := make([]byte, 0, len(body))
	for line := range strings.Lines(body) {
		plain = append(plain, line[1:]...)
	}
	clean, found := secrets.RedactExcerpt(path, plain)
	if len(found) == 0 {
		return body
	}
	var b strings.Builder
	for line := range strings.Lines(body) {
		n := bytes.IndexByte(clean, '\n') + 1
		if n == 0 {
			n = len(clean)
		}
		b.WriteByte(line[0])
		b.Write(clean[:n])
		clean = clean[n:]
	}
	return b.String()
}
