package base

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/render"
)

// Code colours source text. Each line begins and ends without a colour, for pagers. The
// text does not change.
func (s Brush) Code(text, lang string) string {
	if !s {
		return text
	}
	colors := map[outline.SpanKind]string{outline.Comment: "2", outline.String: "32", outline.Keyword: "35"}
	var b strings.Builder
	at := 0
	for _, span := range outline.Spans(lang, []byte(text)) {
		b.WriteString(text[at:span.From])
		for line := range strings.Lines(text[span.From:span.To]) {
			body := strings.TrimRight(line, "\r\n")
			if body != "" {
				b.WriteString(s.Paint(colors[span.Kind], body))
			}
			b.WriteString(line[len(body):])
		}
		at = span.To
	}
	b.WriteString(text[at:])
	return b.String()
}

// Pack colours the headings of a pack, and the code in Markdown. It works on the text that
// agents read, so that both are equal.
func (s Brush) Pack(text string, format render.Format) string {
	if !s || format != render.Markdown && format != render.Plain {
		return text
	}
	var b, code strings.Builder
	fence, lang := "", ""
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		ticks := body[:len(body)-len(strings.TrimLeft(body, "`"))]
		switch {
		case fence != "" && body != fence:
			code.WriteString(line)
		case fence != "":
			b.WriteString(s.Code(code.String(), lang) + s.Dim(body) + line[len(body):])
			code.Reset()
			fence = ""
		case format == render.Markdown && len(ticks) >= 3:
			fence, lang = ticks, body[len(ticks):]
			b.WriteString(s.Dim(body) + line[len(body):])
		case strings.HasPrefix(body, "### "), strings.HasPrefix(body, "## "), strings.HasPrefix(body, "==== ") && !strings.HasPrefix(body, "==== lines "):
			b.WriteString(s.Bold(body) + line[len(body):])
		case strings.HasPrefix(body, "lines "), strings.HasPrefix(body, "==== lines "):
			b.WriteString(s.Dim(body) + line[len(body):])
		default:
			b.WriteString(line)
		}
	}
	b.WriteString(code.String())
	return b.String()
}
