package render

import "strings"

// PaintDiff colors the text of a Diff for a terminal: a step over the finished
// lines, so that what people and models read cannot differ. Lines that come from
// a repository begin with a mark or a space, and so never look like ours.
func PaintDiff(text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	heading := false // between the rules of a file
	for line := range strings.Lines(text) {
		body, end := strings.TrimRight(line, "\r\n"), ""
		end = line[len(body):]
		code := ""
		switch {
		case strings.HasPrefix(body, "━"):
			heading = !heading
			code = "2"
		case heading && strings.HasPrefix(body, "📄"):
			code = "1"
		case heading:
			code = "2"
		default:
			code = lineColor(body)
		}
		if code == "" || body == "" {
			b.WriteString(line)
			continue
		}
		b.WriteString("\x1b[" + code + "m" + body + "\x1b[0m" + end)
	}
	return b.String()
}

// lineColor returns the color of a line outside of headings.
func lineColor(line string) string {
	const bold, dim, red, green, cyan = "1", "2", "31", "32", "36"
	switch {
	case strings.HasPrefix(line, "=== "):
		return bold
	case strings.HasPrefix(line, "diff --git "), strings.HasPrefix(line, "index "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		return dim
	case strings.HasPrefix(line, "@@ "), strings.HasPrefix(line, "["):
		return cyan
	case strings.HasPrefix(line, "+"), strings.HasPrefix(line, "  +"):
		return green
	case strings.HasPrefix(line, "- "):
		return ""
	case strings.HasPrefix(line, "-"), strings.HasPrefix(line, "  -"):
		return red
	}
	return ""
}
