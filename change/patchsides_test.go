package change_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/change"
)

// TestPatchSecrets: what the patch alone tells of definitions has no secrets, and
// a changed secret is a change all the same.
func TestPatchSecrets(t *testing.T) {
	// Assembled here, so that no scanner finds them in this file.
	token := "gh" + "p_" + "x7Kq2mVtB9sLr4WnYc6HdJ3pFzGa8RvTeQ1u"
	other := "gh" + "p_" + "R8vTeQ1uFzGa3pHdJ6cYnW4rLs9BtVm2qK7x"
	tests := []struct{ name, path, lang, old, now, want string }{
		{"a parameter", "a.py", "python", "def g(a):\n    pass\n", "def g(a, token=\"" + token + "\"):\n    pass\n", "changes signature of g"},
		{"what was there", "a.py", "python", "def g(token=\"" + token + "\"):\n    pass\n", "", "removes function g"},
		{"a constant", "a.go", "go", "package a\n\nconst Token = \"\"\n", "package a\n\nconst Token = \"" + token + "\"\n", "changes constant Token"},
		{"another secret", "a.go", "go", "package a\n\nconst Token = \"" + other + "\"\n", "package a\n\nconst Token = \"" + token + "\"\n", "changes constant Token"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := make([]change.Scored, 1)
			files[0].File, files[0].Lang = patch(tt.path, tt.old, tt.now), tt.lang
			change.Describe(files, nil)

			var labels []string
			for i := range files[0].Edits {
				labels = append(labels, files[0].Edits[i].Label())
			}
			if got := strings.Join(labels, "; "); got != tt.want {
				t.Errorf("the edits are %q, want %q", got, tt.want)
			}

			text, err := json.Marshal(files[0].Edits)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "gh"+"p_") || !strings.Contains(string(text), "[secret:github-token") {
				t.Errorf("the edits tell %s", text)
			}
		})
	}
}
