package subject

import (
	"fmt"
	"strings"
	"testing"
)

func TestPlan(t *testing.T) {
	todo := func(items ...string) did {
		var list []any
		for _, x := range items {
			text, status, _ := strings.Cut(x, "=")
			list = append(list, in{"content", text, "status", status, "activeForm", "Doing " + text})
		}
		return did{name: "TodoWrite", in: in{"todos", list}, out: "Todos have been modified successfully"}
	}
	create := func(id, subject string) did {
		return did{name: "TaskCreate", in: in{"subject", subject, "description", "about #9"}, out: "Task #" + id + " created successfully: " + subject}
	}
	update := func(id, status string) did {
		return did{name: "TaskUpdate", in: in{"taskId", id, "status", status}, out: "Updated task #" + id + " status"}
	}
	for _, c := range []struct {
		name  string
		deeds []did
		want  string
	}{
		{"none", []did{bash("ls", "")}, ""},
		{"of Claude Code", []did{todo("a=completed", "b=in_progress", "c=pending")}, "a=completed b=in_progress c=pending"},
		{"the newest", []did{todo("a=pending"), todo("a=completed", "b=pending")}, "a=completed b=pending"},
		{"emptied", []did{todo("a=pending"), {name: "TodoWrite", in: in{"todos", []any{}}, out: "ok"}}, ""},
		{"read", []did{todo("a=pending"), {name: "TodoRead", in: in{}, out: "[]"}}, "a=pending"},
		{"refused", []did{todo("a=pending"), fail(todo("b=pending"), "InputValidationError")}, "a=pending"},
		{"of Codex", []did{{name: "update_plan", in: in{"explanation", "why", "plan", []any{in{"step", "a", "status", "completed"}, in{"step", "b", "status", "pending"}}}, out: "Plan updated"}}, "a=completed b=pending"},
		{"in a string", []did{{name: "todo_write", in: in{"todos", `[{"content":"a","status":"pending"}]`}, out: "ok"}}, "a=pending"},
		{"words alone", []did{{name: "set_plan", in: in{"items", []any{"a", "b"}}, out: "ok"}}, "a= b="},
		{"done or not", []did{{name: "todo", in: in{"items", []any{in{"text", "a", "completed", true}, in{"text", "b", "completed", false}}}, out: "ok"}}, "a=completed b=pending"},
		{"item by item", []did{create("1", "a"), create("2", "b"), update("1", "completed"), update("2", "in_progress")}, "a=completed b=in_progress"},
		{"an item that goes", []did{create("1", "a"), create("2", "b"), update("1", "deleted")}, "b=pending"},
		{"all items go", []did{create("1", "a"), update("1", "deleted")}, ""},
		{"an item that nobody made", []did{todo("a=pending"), update("7", "completed")}, "a=pending"},
		{"an item that was refused", []did{create("1", "a"), fail(create("2", "b"), "no")}, "a=pending"},
		{"items after a list", []did{todo("x=pending"), create("1", "a")}, "a=pending"},
		{"a list after items", []did{create("1", "a"), todo("x=pending")}, "x=pending"},
		{"agreed", []did{{name: "ExitPlanMode", in: in{"plan", "1. do it"}, out: "User has approved your plan"}}, "1. do it"},
		{"not agreed", []did{fail(did{name: "ExitPlanMode", in: in{"plan", "1. do it"}}, "The user doesn't want to proceed")}, ""},
		{"a list of checks", []did{{says: "Plan:\n- [x] a\n- [ ] b\n1. [~] c"}}, "a=completed b=pending c=in_progress"},
		{"one check", []did{{says: "- [x] a"}}, ""},
		{"a list of checks beside a plan", []did{todo("a=pending"), {says: "Tests:\n- [ ] x\n- [ ] y"}}, "a=pending"},
		{"a list of checks after a plan", []did{todo("a=completed"), {says: "- [ ] x\n- [ ] y"}}, "x=pending y=pending"},
		{"no JSON of a plan", []did{{name: "TodoWrite", in: "x", out: "ok"}}, ""},
		{"no plan", []did{{name: "plan_route", in: in{"plan", []any{"a"}}, out: "ok"}}, ""},
	} {
		p, got := opened(c.deeds...).Plan, ""
		if p != nil {
			var all []string
			for _, i := range p.Items {
				all = append(all, i.Text+"="+i.Status)
			}
			got = strings.Join(all, " ") + p.Text
		}
		if got != c.want {
			t.Errorf("%s: plan is %q, want %q", c.name, got, c.want)
		}
	}
	p := opened(todo("a=completed", "b=Cancelled", "c=pending")).Plan
	if got := fmt.Sprint(p.Undone()); got != "[{c pending}]" {
		t.Errorf("Undone() = %s", got)
	}
}
