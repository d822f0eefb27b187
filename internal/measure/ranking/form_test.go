package ranking

import "testing"

func TestIsTemplate(t *testing.T) {
	for name, want := range map[string]bool{
		".github/ISSUE_TEMPLATE.md":                       true,
		".github/ISSUE_TEMPLATE/bug_report.yml":           true,
		".github/pull_request_template.md":                true,
		"ISSUE_TEMPLATE.md":                               true,
		"docs/PULL_REQUEST_TEMPLATE/release.md":           true,
		".gitlab/issue_templates/Bug.md":                  true,
		".github/workflows/test.yml":                      false,
		"docs/templates.md":                               false,
		"src/issue_template/render.go":                    false,
		"docsy/ISSUE_TEMPLATE.md":                         false,
		"vendor/x/.github/ISSUE_TEMPLATE/a.md":            false,
		".github/ISSUE_TEMPLATE/deeper/than/they/look.md": false,
	} {
		if got := isTemplate(name); got != want {
			t.Errorf("isTemplate(%q) = %v, want %v", name, got, want)
		}
	}
}
