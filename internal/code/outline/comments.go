package outline

import (
	"bytes"

	"github.com/satchel-dev/satchel"
)

// CommentLines returns the lines that hold nothing but comments, as far as the
// beginnings of lines tell.
func CommentLines(lang string, text []byte) []satchel.Range {
	line, open, end := "//", "/*", "*/"
	switch lang {
	case "python", "ruby", "bash", "make", "cmake", "perl", "r", "yaml", "toml", "elixir", "julia", "nim", "starlark", "dockerfile":
		line, open, end = "#", "", ""
	case "hcl", "php":
		line = "#"
	case "lua", "sql", "haskell", "ada", "elm":
		line, open, end = "--", "", ""
	case "html", "xml", "markdown", "vue", "svelte":
		line, open, end = "", "<!--", "-->"
	}
	var out []satchel.Range
	inside := false
	n := 0
	for raw := range bytes.Lines(text) {
		n++
		l := bytes.TrimSpace(raw)
		comment := inside
		switch {
		case inside:
			if at := bytes.Index(l, []byte(end)); at >= 0 {
				inside = false
				comment = len(bytes.TrimSpace(l[at+len(end):])) == 0
			}
		case line != "" && bytes.HasPrefix(l, []byte(line)), line == "#" && open != "" && bytes.HasPrefix(l, []byte("//")):
			comment = true
		case open != "" && bytes.HasPrefix(l, []byte(open)):
			at := bytes.Index(l[len(open):], []byte(end))
			inside = at < 0
			comment = inside || len(bytes.TrimSpace(l[len(open)+at+len(end):])) == 0
		}
		if !comment {
			continue
		}
		if k := len(out) - 1; k >= 0 && out[k].To == n-1 {
			out[k].To = n
		} else {
			out = append(out, satchel.Range{From: n, To: n})
		}
	}
	return out
}
