package subject

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// A Plan is what the agent last wrote down to do.
type Plan struct {
	Items []Item // in order; nil if it is a text
	Text  string
	Part  int // that holds it, or its last change: a call, or an answer with a list of checks
	Group int // in which it begins

	kept bool // by a tool
}

// An Item is a thing to do.
type Item struct{ Text, Status string }

// Done reports whether there is nothing left to do about it.
func (i *Item) Done() bool {
	switch strings.ToLower(i.Status) {
	case "completed", "complete", "done", "cancelled", "canceled":
		return true
	}
	return false
}

// Begun reports whether it is being done.
func (i *Item) Begun() bool { return strings.HasPrefix(strings.ToLower(i.Status), "in") }

// The tools by which agents keep a list of what is to be done as a whole, and those
// that keep it item by item.
var (
	planTool  = lazy.Regexp(`(?i)todo|(?:^|[_-])plan$|plan_?mode|task_?tracker|set_?plan|plan_?update|update_?plan`)
	checkLine = lazy.Regexp(`^\s*(?:[-*+]|\d+[.)])\s+\[([ xX~>/-])\]\s+(.*)`)
	taskID    = lazy.Regexp(`#(\d+)|[Tt]ask (\d+)|"id": ?"?(\d+)`)
)

// leastChecks is how many lines a list of checks has at least.
const leastChecks = 2

// tasks is a plan that is kept item by item.
type tasks struct {
	order  []string
	first  int  // group
	part   int  // of the last change
	newest bool // it is what the agent planned last
	by     map[string]*Item
}

// plan takes a deed that keeps a plan, and reports whether it is one.
func (o *opener) plan(d *deed) bool {
	switch name := d.block.Name; {
	case name == "TaskCreate" || name == "TaskUpdate":
		o.task(d)
		return true
	case name == "TaskList" || name == "TaskGet":
		return true
	case !planTool().MatchString(name):
		return false
	}
	if d.failed { // it was refused
		return false
	}
	var in map[string]any
	if json.Unmarshal(d.block.Input, &in) != nil {
		return false
	}
	p := &Plan{Part: d.call, Group: d.group, kept: true}
	emptied := false
	for _, key := range []string{"todos", "plan", "items", "task_list", "tasks"} {
		v := in[key]
		if s, ok := v.(string); ok && json.Unmarshal([]byte(s), &v) != nil {
			p.Text = s
			continue
		}
		list, isList := v.([]any)
		emptied = emptied || isList && len(list) == 0
		for _, x := range list {
			if item, ok := itemOf(x); ok {
				p.Items = append(p.Items, item)
			}
		}
		if len(p.Items) > 0 {
			break
		}
	}
	if len(p.Items) > 0 {
		p.Text = ""
	}
	switch {
	case len(p.Items) > 0 || strings.TrimSpace(p.Text) != "":
		o.s.Plan, o.tasks.newest = p, false
	case emptied:
		o.s.Plan, o.tasks.newest = nil, false
	}
	return true
}

func itemOf(v any) (Item, bool) {
	if s, ok := v.(string); ok {
		return Item{Text: s}, s != ""
	}
	m, _ := v.(map[string]any)
	var i Item
	for _, key := range []string{"content", "step", "title", "subject", "text", "task", "description"} {
		if s, ok := m[key].(string); ok && s != "" {
			i.Text = s
			break
		}
	}
	i.Status, _ = m["status"].(string)
	if done, ok := m["completed"].(bool); ok && i.Status == "" {
		i.Status = map[bool]string{true: "completed", false: "pending"}[done]
	}
	return i, i.Text != ""
}

// task takes a call that adds or changes an item.
func (o *opener) task(d *deed) {
	var in struct {
		TaskID  any    `json:"taskId"`
		Subject string `json:"subject"`
		Status  string `json:"status"`
	}
	if d.failed || json.Unmarshal(d.block.Input, &in) != nil {
		return
	}
	t := &o.tasks
	if t.by == nil {
		t.by, t.first = make(map[string]*Item), d.group
	}
	if d.block.Name == "TaskCreate" {
		id := ""
		if m := taskID().FindStringSubmatch(d.text); m != nil {
			id = m[1] + m[2] + m[3]
		}
		if id == "" || t.by[id] != nil {
			id = "new " + in.Subject
		}
		t.by[id] = &Item{in.Subject, "pending"}
		t.order = append(t.order, id)
	} else if item := t.by[textOf(in.TaskID)]; item != nil {
		if in.Status != "" {
			item.Status = in.Status
		}
		if in.Subject != "" {
			item.Text = in.Subject
		}
	}
	t.part, t.newest = d.call, len(t.order) > 0
}

// listTasks makes the plan of what is kept item by item, if that is the newest.
func (o *opener) listTasks() {
	t := &o.tasks
	if !t.newest {
		return
	}
	p := &Plan{Part: t.part, Group: t.first, kept: true}
	for _, id := range t.order {
		if item := t.by[id]; item.Status != "deleted" && item.Text != "" {
			p.Items = append(p.Items, *item)
		}
	}
	o.s.Plan = nil
	if len(p.Items) > 0 {
		o.s.Plan = p
	}
}

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return ""
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// checklist takes a list of checks in an answer for a plan, unless a tool keeps one
// that is not done.
func (o *opener) checklist(p int) {
	part := &o.c.Parts[p]
	if was := o.s.Plan; o.tasks.newest || was != nil && was.kept && len(was.Undone()) > 0 {
		return
	}
	if !strings.Contains(part.Text, "] ") {
		return
	}
	var items []Item
	for line := range strings.Lines(part.Text) {
		if m := checkLine().FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			items = append(items, Item{m[2], map[string]string{" ": "pending", "x": "completed", "X": "completed"}[m[1]]})
			items[len(items)-1].Status = cmp.Or(items[len(items)-1].Status, "in_progress")
		}
	}
	if len(items) >= leastChecks {
		o.s.Plan = &Plan{Items: items, Part: p, Group: part.Group}
	}
}

// Undone returns the items that are not done.
func (p *Plan) Undone() []Item {
	return slices.DeleteFunc(slices.Clone(p.Items), func(i Item) bool { return i.Done() })
}
