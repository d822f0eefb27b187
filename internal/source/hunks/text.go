package hunks

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/text/clean"
)

// A shownText is the text of a part as it may be shown.
type shownText struct {
	text    clean.Text
	exact   bool // it is byte for byte that of the patch
	clipped int  // bytes of long lines that are left out
}

// textOf returns the lines of a part as they may be shown: secrets redacted, and
// what a terminal would obey spelled out.
func (s *Layout) textOf(p *piece) *shownText {
	if p.shown == nil {
		text, clipped := clipLines(clean.Patch(s.Report.Files[p.File].Path, p.Body))
		p.shown = &shownText{text, text.String() == p.Body, clipped}
	}
	return p.shown
}

// longestLine is how many bytes of a line are shown: longer ones are data in
// practice, and cannot be divided.
const longestLine = 2000

// clipLines cuts lines that are too long, and returns how many bytes went.
func clipLines(text clean.Text) (clean.Text, int) {
	if !hasLongLine(text.String()) {
		return text, 0
	}
	var b clean.Builder
	clipped := 0
	for _, line := range text.Split() {
		body := line.TrimNewline()
		if body.Len() <= longestLine {
			b.Write(line)
			continue
		}
		more := body.Len() - longestLine
		clipped += more
		b.Write(clean.Sprintf("%s… %s more\n", body.Cut(longestLine), clean.Count(more, "byte")))
	}
	return b.Text(), clipped
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
