package ask

import (
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// An Export is something that can be used from outside, and is gone or not as it was.
type Export struct {
	Path string `json:"path"`
	Name string `json:"name"` // that others know it by: of what was renamed, the old one
	What string `json:"what"` // in a few words
}

// Exports returns what a change removes or changes of what others can use, the most
// relevant file first. Tests, and code that is generated or not ours, export nothing.
func Exports(r *change.Report) (list []Export) {
	for i := range r.Files {
		f := &r.Files[i]
		if f.Class == string(outline.Test) || f.Folded() != "" {
			continue
		}
		for k := range f.Edits {
			e := &f.Edits[k]
			if !e.Breaks() || e.Name == "" {
				continue
			}
			list = append(list, Export{
				Path: clean.Inline(f.Path), Name: clean.LineOf(f.Path, e.KnownAs()).String(), What: clean.LineOf(f.Path, e.Label()).String(),
			})
		}
	}
	return list
}

// unsaid returns the exports that a text does not name.
func unsaid(text string, list []Export) (left []Export) {
	for _, e := range list {
		if !names(text, e.Name) {
			left = append(left, e)
		}
	}
	return left
}

// names reports whether a text has a name as a word of its own.
func names(text, name string) bool {
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		to := i + len(name)
		if (i == 0 || !wordByte(text[i-1])) && (to == len(text) || !wordByte(text[to])) {
			return true
		}
		from = i + 1
	}
	return false
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// Append adds to a text, below a heading, the exports that it does not name. The result
// names everything that was removed or changed for others, whatever the model said.
func Append(text, heading string, list []Export) string {
	left := unsaid(text, list)
	if len(left) == 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(strings.TrimRight(text, "\n"))
	if b.Len() > 0 {
		b.WriteString("\n\n")
	}
	b.WriteString(heading + "\n\n")
	for _, e := range grouped(left) {
		b.WriteString("- `" + strings.ReplaceAll(e.Path, "`", "'") + "` " + strings.ReplaceAll(e.What, "`", "'") + "\n")
	}
	return b.String()
}

// AppendEntries adds to a log the exports that none of its entries names: in Removed
// what is gone, in Changed the rest.
func AppendEntries(l Log, list []Export) Log {
	var all strings.Builder
	for i := range l.Entries {
		all.WriteString(l.Entries[i].Text + "\n")
	}
	for _, e := range grouped(unsaid(all.String(), list)) {
		section := "Changed"
		if strings.HasPrefix(e.What, string(change.Removes)) {
			section = "Removed"
		}
		l.Entries = append(l.Entries, LogEntry{Section: section, Text: e.Path + " " + e.What})
	}
	return l
}

// mostGrouped is how many exports one line names.
const mostGrouped = 12

// grouped joins what became of several exports of one file in the same way, so that
// its What names all of them.
func grouped(list []Export) (out []Export) {
	at := map[string]int{}
	for _, e := range list {
		i := strings.LastIndexByte(e.What, ' ')
		what, last := e.What[:max(i, 0)], e.What[i+1:]
		key := e.Path + "\x00" + what
		if !strings.HasSuffix(last, e.Name) { // it does not end in the name
			out = append(out, e)
			continue
		}
		if n, ok := at[key]; ok && strings.Count(out[n].What, ", ") < mostGrouped-1 {
			out[n].What += ", " + last
			continue
		}
		at[key] = len(out)
		out = append(out, e)
	}
	return out
}
