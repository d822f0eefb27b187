package state

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// A step is an item of a plan.
type step struct {
	text, status string
	id           string // where the agent keeps a list of tasks
}

// maxStep is how much of an item is compared, in characters.
const maxStep = 150

// plans notes the newest plan: the items that the agent ticks off, and the text
// that was agreed on, if that is newer.
func (f *Facts) plans(es []event) {
	var newest []step
	at := -1
	var tasks taskList
	var agreed *event
	for i := range es {
		e := &es[i]
		switch e.action {
		case planning:
			if steps, ok := stepsOf(e.input); ok {
				newest, at = steps, e.message
			}
		case tasking:
			if e.input.kind == object {
				tasks.apply(e)
				if len(tasks.order) > 0 {
					newest, at = tasks.steps(), e.message
				}
			}
		case agreeing:
			if e.input.said("plan") != "" {
				agreed = e
			}
		}
	}

	for _, s := range newest {
		s.text = first(normal(s.text), maxStep)
		f.steps = append(f.steps, s)
	}
	if agreed != nil && at < agreed.message {
		f.agreed = normalAll(strings.Split(agreed.input.said("plan"), "\n"))
	}
}

// stepsOf returns the items of a call that writes a whole plan.
func stepsOf(in *node) ([]step, bool) {
	var list *node
	for _, k := range []string{"todos", "plan", "items", "task_list", "tasks"} {
		v := in.get(k)
		if v.kind == str { // some clients write the list as text
			if n, err := decode(json.NewDecoder(bytes.NewReader([]byte(v.text))), 0); err == nil {
				v = n
			}
		}
		if v.kind == array {
			list = v
		}
	}
	if list == nil || len(list.items) == 0 {
		return nil, false
	}
	var out []step
	for _, n := range list.items {
		if n.kind == object {
			out = append(out, step{text: n.said("content", "step", "title", "subject", "text"), status: n.said("status")})
		}
	}
	return out, true
}

// A taskList is the list of tasks that the agent keeps by calls for one task
// each.
type taskList struct {
	order []string // ids
	tasks map[string]*step
}

var taskID = regexp.MustCompile(`#(\d+)|[Tt]ask (\d+)|"id": ?"?(\d+)`)

func (t *taskList) apply(e *event) {
	if t.tasks == nil {
		t.tasks = map[string]*step{}
	}
	switch e.tool {
	case "TaskCreate":
		id := strconv.Itoa(len(t.order) + 1)
		if m := taskID.FindStringSubmatch(e.result); m != nil {
			id = m[1] + m[2] + m[3]
		}
		t.tasks[id] = &step{e.input.said("subject"), "pending", id}
		t.order = append(t.order, id)
	case "TaskUpdate":
		s := t.tasks[e.input.said("taskId")]
		if s == nil {
			return
		}
		if v := e.input.said("status"); v != "" {
			s.status = v
		}
		if v := e.input.said("subject"); v != "" {
			s.text = v
		}
	}
}

func (t *taskList) steps() []step {
	var out []step
	for _, id := range t.order {
		if s := t.tasks[id]; s.status != "deleted" {
			out = append(out, *s)
		}
	}
	return out
}
