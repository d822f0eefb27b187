package rank

import (
	"slices"
	"strings"
	"testing"
)

func TestForm(t *testing.T) {
	f := Form{}
	f.Add("**Describe the bug**\r\nA clear and concise description of the spinner.\r\n\n```sh\n$ python -m client.help\nimport client\n```\n")
	f.Add("name: Bug\nbody:\n  - type: checkboxes\n    attributes:\n      label: Affected components\n      options:\n        - label: \"[JSON schema](https://example.org/json_schema/)\"\n      value: |\n        Read our CONTRIBUTING guide\n")
	for _, c := range []struct{ task, want string }{
		{"Spinner stops\n\n**Describe the bug**\nIt stops.\n", "Spinner stops\n\nIt stops.\n"},
		{"Describe the bug\nDescribe the bug\n", "Describe the bug\n"}, // the title stays
		{"x\n- [ ] [JSON schema](https://example.org/json_schema/)\n", "x\n"},
		{"x\n### Affected Components\nread our contributing GUIDE!\nread our guide\n", "x\nread our guide\n"},
		{"x\n```\nimport client\n$ python -m client.help\n```\n", "x\n```\nimport client\n```\n"},
		{"x\nBug\n", "x\nBug\n"}, // one word proves nothing
		{"", ""},
	} {
		if got := f.strip(c.task); got != c.want {
			t.Errorf("of %q remains %q, want %q", c.task, got, c.want)
		}
	}
	q := AnalyzeFor("Spinner stops\n\nA clear and concise description of the spinner.\n\n- [ ] [JSON schema](https://example.org/json_schema/)\n\npython -m client.help\n", f)
	if strings.Contains(q.Text, "concise") || slices.Contains(q.Files, "client.help") {
		t.Errorf("the form is in the query: text %q, files %q", q.Text, q.Files)
	}
}

// FuzzForm: what remains are lines of the task in their order, the title among
// them; without a form all of them remain.
func FuzzForm(f *testing.F) {
	f.Add("title\na b\n```\nc d e f\n```\n", "a b\nlabel: c d e f")
	f.Fuzz(func(t *testing.T, task, template string) {
		if got := (Form{}).strip(task); got != task {
			t.Fatalf("an empty form makes %q of %q", got, task)
		}
		form := Form{}
		form.Add(template)
		got := slices.Collect(strings.Lines(form.strip(task)))
		all := slices.Collect(strings.Lines(task))
		for _, line := range got {
			i := slices.Index(all, line)
			if i < 0 {
				t.Fatalf("the line %q of %q is new or out of order", line, task)
			}
			all = all[i+1:]
		}
		title := strings.TrimSpace(task)
		title, _, _ = strings.Cut(title, "\n")
		if title = strings.TrimSpace(title); title != "" && !strings.HasPrefix(strings.TrimSpace(form.strip(task)), title) {
			t.Fatalf("the title %q is gone from %q", title, form.strip(task))
		}
		AnalyzeFor(task, form)
	})
}
