package trim

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/satchel-dev/satchel/trim/reuse"
)

// The facts are what is said of a result of which lines are left out: what a
// reader needs to decide whether to fetch the rest.
//
//   - a read: the path and its lines, and whether its file was edited since;
//   - a command: how it began, its exit status, how many lines tell of errors;
//   - a search: how many hits there are, in how many files.
//
// All end with the lines that are shown, of all lines, and the handle, which is
// the beginning of the text's hash.
type facts struct {
	about string // path, command or tool; "" if what is shown of the call says it
	found string // "exit 1, 2 error lines", "57 hits in 12 files", or ""
	lines int

	failed bool
}

// aboutCommand is how many bytes of a command say which one it was.
const aboutCommand = 48

// factsOf returns the facts of a result.
func (t *cutter) factsOf(p int) *facts {
	if t.facts == nil {
		t.facts = make([]*facts, len(t.conv.Parts))
	}
	f := t.facts[p]
	if f != nil {
		return f
	}
	part := &t.conv.Parts[p]
	f = &facts{about: t.about(part), lines: textLines(t.conv, part)}
	switch part.Source {
	case reuse.Command:
		f.found = outcome(t.conv, part)
	case reuse.Search:
		f.found = hits(t.conv, part)
	default:
		switch {
		case part.Failed:
			f.found = "failed"
		case part.Source == reuse.Read && t.editedSince(p):
			f.found = "edited since"
		}
	}
	f.failed = part.Failed || strings.HasPrefix(f.found, "exit ") && !strings.HasPrefix(f.found, "exit 0")
	t.facts[p] = f
	return f
}

// editedSince reports whether a call that did not fail edited the file that a
// part shows, after it was shown.
func (t *cutter) editedSince(p int) bool {
	c := t.conv
	if t.edits == nil {
		t.edits = make(map[string]int)
		failed := make(map[int]bool) // calls
		for i := range c.Parts {
			if part := &c.Parts[i]; part.Source.Result() && part.Failed {
				failed[part.Call] = true
			}
		}
		for i := range c.Parts {
			if part := &c.Parts[i]; part.Edits && part.Path != "" && !failed[i] {
				t.edits[reuse.ShortPath(part.Path)] = i
			}
		}
	}
	path := c.Parts[p].Path
	return path != "" && t.edits[reuse.ShortPath(path)] > p
}

// about says in a few words what a result is of: a file, a command, or a tool.
func (t *cutter) about(part *reuse.Part) string {
	switch {
	case part.Path != "" && part.Source != reuse.Command:
		return part.Path
	case part.Source == reuse.Command && part.Call >= 0:
		if text := commandOf(t.conv.Parts[part.Call].Text); text != "" {
			return text
		}
	}
	return part.Tool
}

// commandOf returns the beginning of the command in the text of a call.
func commandOf(call string) string {
	for line := range strings.Lines(call) {
		key, text, ok := strings.Cut(line, ": ")
		if ok && (key == "command" || key == "cmd" || key == "script") {
			text = oneLine(text)
			if len(text) > aboutCommand {
				text = strings.ToValidUTF8(text[:aboutCommand], "") + "…"
			}
			return text
		}
	}
	return ""
}

// textLines counts the lines of a part that hold something.
func textLines(c *reuse.Conversation, part *reuse.Part) int {
	n := 0
	for i := part.From; i < part.To; i++ {
		if !c.Lines[i].Continues && !blank(c.Lines[i].Text) {
			n++
		}
	}
	return n
}

// exitStatus finds how a program says that a command ended; noErrors, lines that
// count errors and have none.
var (
	exitStatus = regexp.MustCompile(`(?i)\bexit(?:ed with)?[ _](?:code|status)["':= ]+(-?\d{1,3})\b`)
	noErrors   = regexp.MustCompile(`(?i)\b(?:0|no|without) (?:\w+ )?(?:errors?|failures?|failed|warnings?)\b`)
)

// ends of an output are where its exit status stands, in lines.
const statusLines = 3

// outcome says how a command ended and how many lines tell of an error.
func outcome(c *reuse.Conversation, part *reuse.Part) string {
	status, failing := "", 0
	for i := part.From; i < part.To; i++ {
		l := &c.Lines[i]
		if (i < part.From+statusLines || i >= part.To-statusLines) && status == "" && len(l.Text) < 200 {
			if m := exitStatus.FindStringSubmatch(l.Text); m != nil {
				status = "exit " + m[1]
			}
		}
		if l.Failing && !noErrors.MatchString(l.Text) {
			failing++
		}
	}
	if status == "" && part.Failed {
		status = "failed"
	}
	switch {
	case failing == 0:
		return status
	case status != "":
		status += ", "
	}
	return status + countOf(failing, "error")
}

// hits says how much a search found.
func hits(c *reuse.Conversation, part *reuse.Part) string {
	n, files, last := 0, 0, ""
	for i := part.From; i < part.To; i++ {
		l := &c.Lines[i]
		if l.Continues || blank(l.Text) || l.Text == "--" {
			continue
		}
		n++
		if path, rest, ok := strings.Cut(l.Text, ":"); ok && path != last && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			files++
			last = path
		}
	}
	text := countOf(n, "hit")
	if files > 1 {
		text += fmt.Sprintf(" in %d files", files)
	}
	if part.Failed {
		text = "failed, " + text
	}
	return text
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// digestHead is the first line of an elided result in the digest, without the
// mark of a result. The call that is shown before it may have said what it is
// about.
func (t *cutter) digestHead(p int, told bool) string {
	f := t.factsOf(p)
	var b strings.Builder
	if !told && f.about != "" {
		b.WriteString(" " + f.about)
	}
	if f.found != "" {
		b.WriteString(" " + f.found + ",")
	}
	fmt.Fprintf(&b, " %s %s", countOf(f.lines, "line"), t.handle(p))
	return b.String()
}

// middleHead is the first line of an elided result in place.
func (t *cutter) middleHead(p, shown int) string {
	f := t.factsOf(p)
	about := f.about
	if about != "" {
		about += ": "
	}
	if f.found != "" {
		about += f.found + "; "
	}
	return fmt.Sprintf("[%s%d of %d lines; all: %s]", about, shown, f.lines, t.handle(p))
}

// headSize returns the tokens of what is put before the first shown line of a
// part.
func (t *cutter) headSize(p int) float64 {
	if !t.conv.Parts[p].Source.Result() {
		return headerSize
	}
	if t.heads == nil {
		t.heads = make([]float64, len(t.conv.Parts))
	}
	if t.heads[p] == 0 {
		t.heads[p] = t.shape.Head + reuse.Size(t.digestHead(p, true))
	}
	return t.heads[p]
}

// markSize returns the tokens of the first line of a part in place that is cut.
func (t *cutter) markSize(p int) float64 {
	if t.marks == nil {
		t.marks = make([]float64, len(t.conv.Parts))
	}
	if t.marks[p] == 0 {
		t.marks[p] = 1 + reuse.Size(t.middleHead(p, 10))
	}
	return t.marks[p]
}
