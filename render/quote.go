package render

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/text/clean"
)

// quotePath returns a path as a single word: cleaned, and in double quotes if
// it holds a space, a quote or the like, or starts with something that means
// something in Markdown.
func quotePath(path string) string {
	s := clean.Inline(path)
	plain := s != "" && s == path && !strings.ContainsAny(s, " \"'`\\<>&|:,*") && !strings.ContainsAny(s[:1], "#~-=+!")
	if plain {
		return s
	}
	s = strings.ReplaceAll(s, `\u{`, "\x00")
	s = strings.ReplaceAll(s, `\`, `\\`)
	s = strings.ReplaceAll(s, "\x00", `\u{`)
	return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
}
