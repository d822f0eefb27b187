package trim

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
	"github.com/satchel-dev/satchel/trim/subject"
)

// header begins the first line of every digest, so that a later trim knows its
// own work.
const header = "[Earlier conversation, condensed by satchel:"

const preamble = header + ` its current state. "…" was left out: "satchel session fetch @name" shows it.]`

// stub takes the place of a digest that has no room for a line.
const stub = "[Earlier conversation left out by satchel]"

// The headings of a digest. A line of anything but the user's words that looks like
// one is shown behind a backslash: a file that was read must not speak for the user.
const (
	headUser     = "[User]"
	headPlan     = "[Plan"
	headClient   = "[Client]"
	headFiles    = "[Files, newest first]"
	headCommands = "[Commands, newest last]"
	headAgent    = "[Agent]"
	headSummary  = "[Summary of what came before]"
)

// escaped returns a line as it may stand in a digest.
func escaped(line string) string {
	text := strings.TrimLeft(line, " \t\\")
	for _, head := range [...]string{headUser, headPlan, headClient, headFiles, headCommands, headAgent, headSummary, "[Call]", "[Result]", "[Earlier conversation"} {
		if strings.HasPrefix(text, head) {
			return "\\" + line
		}
	}
	return line
}

// escapedText is [escaped] for each line of a text.
func escapedText(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = escaped(lines[i])
	}
	return strings.Join(lines, "\n")
}

// planHeading says how old the plan is, if the user has spoken since.
func (t *cutter) planHeading() string {
	n := 0
	for p := range t.conv.Parts {
		if part := &t.conv.Parts[p]; p > t.subjects.Plan.Part && part.Source == reuse.User && t.conv.Messages[part.Message].Kind == transcript.Prompt {
			n++
		}
	}
	if n == 0 {
		return headPlan + "]"
	}
	return headPlan + ", of before the last " + countOf(n, "message") + " of the user]"
}

// gap stands for what was left out.
const gap = "…"

// digest writes what is before the part that stays in place, by subject, or "" if
// there is nothing before it.
func (t *cutter) digest() string {
	if t.first == 0 {
		return ""
	}
	var b strings.Builder
	t.writeKind(&b, headSummary, ofSummary)
	t.writeWords(&b)
	if t.plan != "" {
		b.WriteString("\n" + t.planHeading() + "\n" + escapedText(t.plan))
	}
	t.writeKind(&b, headClient, ofClient)
	t.writeFiles(&b)
	t.writeCommands(&b)
	t.writeKind(&b, headAgent, ofAnswer)
	t.writePinned(&b)
	if b.Len() == 0 {
		return stub
	}
	return preamble + b.String()
}

// writeWords writes the user's words, in order.
func (t *cutter) writeWords(b *strings.Builder) {
	for _, u := range t.words {
		if u.any() {
			b.WriteString("\n" + headUser + "\n")
			if u.note != "" {
				b.WriteString("(" + u.note + ")\n")
			}
			u.write(b, t.handle(u.part))
		}
	}
}

// writeKind writes the units of a kind, in order, below a heading.
func (t *cutter) writeKind(b *strings.Builder, heading string, k kind) {
	some := false
	for _, u := range t.units {
		if u.kind != k || !u.any() {
			continue
		}
		if !some {
			b.WriteString("\n" + heading)
		}
		b.WriteString("\n")
		if some {
			b.WriteString("\n")
		}
		some = true
		u.write(b, t.handle(u.part))
	}
}

// wholeNote is the note of a file that was written whole.
const wholeNote = "written whole"

// writeFiles writes the files, the newest first. All that were changed are named.
func (t *cutter) writeFiles(b *strings.Builder) {
	files := slices.Clone(t.topics)
	files = slices.DeleteFunc(files, func(t *topic) bool { return t.file == nil })
	slices.SortStableFunc(files, func(a, b *topic) int { return cmp.Compare(b.file.Last, a.file.Last) })
	var others []string
	some := false
	for _, top := range files {
		if !top.open {
			if f := top.file; f.Edits > 0 && f.Edited < t.first || f.By != "" {
				others = append(others, f.Path)
			}
			continue
		}
		if !some {
			b.WriteString("\n" + headFiles)
			some = true
		}
		b.WriteString("\n" + escapedText(strings.Join(fileHeading(top.file), "\n")))
		if notes := t.fileNotes(top.file); len(notes) > 0 {
			b.WriteString("\n(" + strings.Join(notes, "; ") + ")")
		}
		t.writeUnits(b, top)
	}
	if len(others) > 0 {
		if !some {
			b.WriteString("\n" + headFiles)
		}
		n := t.roomFor(others)
		b.WriteString("\nAlso changed: " + byFolder(others[:n]))
		if more := len(others) - n; more > 0 {
			fmt.Fprintf(b, "; and %d more", more)
		}
	}
}

// alsoShare is the most that the names of files take of the budget of which nothing
// but the name is shown.
const alsoShare = 0.15

// roomFor returns how many of some paths are named, one at least.
func (t *cutter) roomFor(paths []string) int {
	room := float64(t.o.Budget) * alsoShare
	for i, p := range paths {
		if room -= reuse.Size(p) + 1; room < 0 {
			return max(i, 1)
		}
	}
	return len(paths)
}

// byFolder lists paths, each folder once.
func byFolder(paths []string) string {
	var folders []string
	names := make(map[string][]string)
	for _, p := range paths {
		dir, name := path.Split(p)
		if names[dir] == nil {
			folders = append(folders, dir)
		}
		names[dir] = append(names[dir], name)
	}
	out := make([]string, len(folders))
	for i, dir := range folders {
		out[i] = dir + strings.Join(names[dir], ", ")
	}
	return strings.Join(out, "; ")
}

// fileNotes says what became of a file.
func (t *cutter) fileNotes(f *subject.File) (out []string) {
	if f.Edits > 1 {
		out = append(out, countOf(f.Edits, "edit"))
	}
	if f.Deleted {
		out = append(out, "deleted")
	}
	if f.By != "" {
		out = append(out, "then "+changedBy(f.By, f.Perhaps))
	}
	return out
}

// changedBy says what else than an edit changed a file.
func changedBy(command string, perhaps bool) string {
	text := "changed by: " + clipped(command, aboutCommand)
	if perhaps {
		return "perhaps " + text
	}
	return text
}

// fileHeading names a file as the agent's own calls do: the tool, and the field with
// the path.
func fileHeading(f *subject.File) []string {
	if f.Key == "" {
		return []string{f.Path}
	}
	return []string{f.Tool, f.Key + ": " + f.Path}
}

// writeUnits writes the units of a file: what edits came to, the oldest first, and
// then what was read.
func (t *cutter) writeUnits(b *strings.Builder, top *topic) {
	reads := false
	for _, u := range top.units {
		if u.kind == ofRegion || !u.any() {
			continue
		}
		if u.kind == ofWas || u.note == "" && !t.hasGone(top, u) {
			b.WriteString("\n@@")
		}
		if u.note != "" {
			b.WriteString("\n(" + u.note + ")")
		}
		b.WriteByte('\n')
		u.write(b, t.handle(u.part))
		reads = true
	}
	said := false
	for _, u := range regions(top) {
		switch {
		case u.note != "": // each says that it may no longer stand
			b.WriteString("\n(" + u.note + ")")
			said = false
		case reads && !said:
			b.WriteString("\n(as read)")
			said = true
		}
		b.WriteByte('\n')
		u.write(b, t.handle(u.part))
		reads = true
	}
}

// regions returns what is shown of the reads of a file: what was read before an edit
// before what was read after it, as the numbers of its lines are others then, and
// between two edits in the order of the file.
func regions(top *topic) []*unit {
	var out []*unit
	for _, u := range slices.Backward(top.units) {
		if u.kind == ofRegion && u.any() {
			out = append(out, u)
		}
	}
	slices.SortStableFunc(out, func(a, b *unit) int {
		return cmp.Or(cmp.Compare(top.file.ChangedAfter(b.part), top.file.ChangedAfter(a.part)), cmp.Compare(a.number(), b.number()))
	})
	return out
}

// hasGone reports whether what a change took out stands right before it.
func (t *cutter) hasGone(top *topic, u *unit) bool {
	i := slices.Index(top.units, u)
	return i > 0 && top.units[i-1].kind == ofWas && top.units[i-1].part == u.part && top.units[i-1].any()
}

// writeCommands writes the commands with how they ended, the newest last.
func (t *cutter) writeCommands(b *strings.Builder) {
	commands := slices.Clone(t.topics)
	commands = slices.DeleteFunc(commands, func(t *topic) bool { return t.command == nil || !t.open })
	slices.SortStableFunc(commands, func(a, b *topic) int { return cmp.Compare(a.command.Last().Call, b.command.Last().Call) })
	for i, top := range commands {
		if i == 0 {
			b.WriteString("\n" + headCommands)
		}
		c := top.command
		b.WriteString("\n" + escaped(oneLine(c.Tool)))
		if top.call.any() {
			b.WriteByte('\n')
			top.call.write(b, t.handle(top.call.part))
		}
		if notes := t.runNotes(c); len(notes) > 0 {
			b.WriteString("\n(" + strings.Join(notes, "; ") + ")")
		}
		if u := top.lastOutput(); u != nil && !u.any() {
			b.WriteString("\n" + gap + " " + t.handle(u.part))
		}
		for _, u := range top.units {
			if u.kind == ofCall || !u.any() {
				continue
			}
			if u.note != "" {
				b.WriteString("\n(" + u.note + ")")
			}
			b.WriteByte('\n')
			u.write(b, t.handle(u.part))
		}
	}
}

// runNotes says how often a command ran and how it ended.
func (t *cutter) runNotes(c *subject.Command) (out []string) {
	failed, n := 0, 0
	for i, r := range c.Runs {
		if !r.Polls {
			n++
		}
		if r.Failed && i < len(c.Runs)-1 {
			failed++
		}
	}
	last := c.Last()
	if n > 1 {
		text := fmt.Sprintf("%d runs", n)
		switch {
		case failed > 0 && !last.Failed:
			text += fmt.Sprintf(", %d failed before", failed)
		case failed > 0:
			text += fmt.Sprintf(", %d failed", failed+1)
		}
		out = append(out, text)
	}
	switch {
	case last.Status != 0:
		out = append(out, fmt.Sprintf("exit %d", last.Status))
	case last.Failed:
		out = append(out, "failed")
	case last.Result < 0:
		out = append(out, "no result was recorded")
	}
	if last == t.subjects.Broken {
		out = append(out, "still open")
	}
	return out
}

// writePinned writes what has to stay, in order.
func (t *cutter) writePinned(b *strings.Builder) {
	for p := range t.conv.Parts {
		if part := &t.conv.Parts[p]; part.Group < t.first && t.isPinned(p) && !blank(part.Text) {
			text := part.Text
			if part.Source.Result() || part.Source == reuse.Call {
				text = escapedText(text)
			}
			b.WriteString("\n" + pinnedHead(part.Source) + "\n" + text)
		}
	}
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// pinnedHead says who speaks in a part that has to stay.
func pinnedHead(s reuse.Source) string {
	switch s {
	case reuse.User:
		return headUser
	case reuse.Meta:
		return headClient
	case reuse.Answer:
		return headAgent
	case reuse.Call:
		return "[Call]"
	}
	return "[Result]"
}
