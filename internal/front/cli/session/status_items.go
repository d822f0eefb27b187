package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
)

// sectionColors are the colors of sections in the bar, in the line below it and in the
// writeItems. They are the terminal's own, so they are readable on its background. Red is
// left for warnings.
var sectionColors = map[string]string{"system": "34", "tools": "36", "injected": "33", "files": "32", "tool output": "35", "chat": "94", "thinking": "95"}

// paintSection paints a text in the colour of a section; what belongs to none is dim.
func paintSection(t *sheet, name, text string) string {
	if code := sectionColors[name]; code != "" {
		return t.Paint.Paint(code, text)
	}
	return t.Paint.Dim(text)
}

// The columns of the items are as wide as their contents, except the kind: a longer name
// of a tool moves to the item. If less than leastItem would be left for the items, state
// and action go below them. 80 cells are enough.
const (
	kindCells = 8
	leastItem = 14
)

// mostTool bounds the name of a tool, which a session may make as long as it likes;
// the providers take 128 characters at most.
const mostTool = 128

// toolKinds say what a tool does; the kind of another is its name.
var toolKinds = []string{"read", "bash", "search", "edit", "inject"}

// An itemRow is an item as the table shows it.
type itemRow struct {
	section, kind, tool, name, copies, size, age, state, action string
	path                                                        bool // the end of the name says most
}

func rowOf(it *recordings.Piece) itemRow {
	r := itemRow{section: it.Section, kind: clean.Inline(it.Kind), name: clean.Inline(it.Name), size: countText(it.Tokens.Tokens, it.Tokens.Error),
		age: fmt.Sprintf("%dt", it.Age), state: stateText(&it.Piece), action: it.Action, path: it.Kind == "read" || it.Kind == "edit"}
	if it.Copies > 1 {
		r.copies = fmt.Sprintf(" ×%d", it.Copies)
	}
	tool := base.FitWidth(clean.Inline(it.Tool), mostTool)
	lower := strings.ToLower(it.Tool)
	switch mcp := strings.HasPrefix(lower, "mcp_"); {
	case mcp && slices.Contains(toolKinds, it.Kind), it.Kind == "inject" && strings.Contains(lower, "satchel"):
		r.tool = tool
	case mcp:
		r.kind, r.tool = "mcp", tool
	case tool != "" && render.Width(r.kind) > kindCells:
		r.kind, r.tool = "tool", tool
	}
	r.kind = base.FitWidth(r.kind, kindCells)
	return r
}

// item returns the text of the item column, cut to a number of cells.
func (r *itemRow) item(cells int) string {
	head := ""
	if r.tool != "" {
		head = strings.TrimRight(r.tool+" "+r.name, " ")
		if render.Width(head+r.copies) <= cells {
			return head + r.copies
		}
		head = r.tool + " "
	}
	room := max(1, cells-render.Width(head+r.copies))
	if r.path {
		return head + render.Truncate(r.name, room) + r.copies
	}
	return strings.TrimLeft(head+base.FitWidth(r.name, room)+r.copies, " ")
}

// leastName is how much of a name has to have room behind its tool; else the tool
// has a line of its own.
const leastName = 8

// apart reports whether a tool has a line of its own.
func (r *itemRow) apart(cells int) bool {
	return r.tool != "" && render.Width(r.tool+r.copies)+min(1+render.Width(r.name), 1+leastName) > cells
}

func writeItems(t *sheet, items []recordings.Piece) {
	if len(items) == 0 {
		return
	}
	head := itemRow{kind: "kind", name: "item", size: "tokens", age: "age", state: "state", action: "action"}
	rows := []itemRow{head}
	var kind, name, size, age, state, action int
	for i := range items {
		r := rowOf(&items[i])
		rows = append(rows, r)
		state, action = max(state, render.Width(r.state)), max(action, render.Width(r.action))
	}
	last := 0 // cells of state and action, which are left out where no item has a state
	if state > 0 {
		state, action = max(state, len(head.state)), max(action, len(head.action))
		last = 2 + state + 2 + action
	} else {
		rows[0].state, rows[0].action = "", ""
	}
	for i := range rows {
		r := &rows[i]
		kind, size, age = max(kind, render.Width(r.kind)), max(size, render.Width(r.size)), max(age, render.Width(r.age))
		name = max(name, render.Width(r.item(mostCells)))
	}
	digits := max(2, len(fmt.Sprint(len(items))))
	left := digits + 1 + kind + 1
	room := t.Width - left - 1 - size - 1 - age
	below := room-last < leastItem
	if !below {
		room -= last
	}
	room = min(max(room, leastName), name)
	for i, r := range rows {
		number, paint := "#", t.Paint.Dim
		if i > 0 {
			number, paint = fmt.Sprint(i), func(s string) string { return s }
		}
		start := paint(fmt.Sprintf("%*s ", digits, number)) + paintSection(t, r.section, render.Pad(r.kind, kind)) + " "
		if r.apart(room) {
			for tool := r.tool; tool != ""; start = strings.Repeat(" ", left) {
				var line string
				line, tool = breakLine(tool, max(1, t.Width-left))
				t.WriteString(t.cutToWidth(start+line) + "\n")
			}
			r.tool = ""
		}
		rest := fmt.Sprintf("%s %*s %*s", render.Pad(r.item(room), room), size, r.size, age, r.age)
		if !below {
			rest += "  " + render.Pad(r.state, state) + "  " + r.action
		}
		t.WriteString(t.cutToWidth(start+paint(strings.TrimRight(rest, " "))) + "\n")
		if below && i > 0 && r.state != "" {
			t.indented(digits+1, strings.Join(nonEmpty(r.state, r.action), ": "))
		}
	}
}

// mostCells is wider than anything that is to fit a line.
const mostCells = 1 << 20
