package tools

import (
	"encoding/json"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// TestInside: what a model of our own asking may ask, and what it is refused.
func TestInside(t *testing.T) {
	r := gittest.New(t)
	gittest.Isolate(t)
	const secret = "ghp_" + "6aJLNNTUxJaP1YlT9O93AdonTHzMOwOTi1xr"
	r.WriteAll(map[string]string{
		"a.go":          "package a\n\n// A is the first.\nfunc A() {}\n",
		".env":          "TOKEN=" + secret + "\n# zebra\n",
		"keys/id_rsa":   "zebra\n",
		"docs/auth.md":  "# Auth\n\nTokens are renewed every hour.\n",
		"vendor/x/x.go": "package x\n\nfunc X() {}\n",
	})
	r.Commit("a: the first\n\nIt has " + secret + " in it.")
	r.Write("a.go", "package a\n\n// A is the second.\nfunc A() {}\n")
	r.Write(".env", "TOKEN="+secret+"\n# zebra zebra\n")
	r.Write("keys/id_rsa", "zebra zebra\n")
	r.Commit("a: the second")
	e, err := engine.Open(t.Context(), &engine.Options{Dir: r.Dir, Asking: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, _, err := e.Memory().Add(t.Context(), "zebra: never rename docs/auth.md or func A", "", true, time.Now()); err != nil {
		t.Fatal(err)
	}
	h := &Host{Guarded: true, Change: engine.DiffRequest{Range: "HEAD~1..HEAD"}, Path: func(name string) (string, error) { return path.Clean(name), nil }}
	for _, tt := range []struct{ tool, args, want, not string }{
		{"read", `{"path":"a.go"}`, "    3  // A is the second.", "first"},
		{"read", `{"path":"a.go:3-4"}`, "    4  func A() {}", "package"},
		{"read", `{"path":"a.go","rev":"HEAD~1"}`, "    3  // A is the first.", "second"},
		{"read", `{"path":".env"}`, "!it holds secrets by its nature", "ghp"},
		{"read", `{"path":"vendor/x/x.go"}`, "!only a user can take it in", "func"},
		{"blame", `{"path":".env","from":1}`, "!it holds secrets by its nature", "ghp"},
		{"blame", `{"path":"a.go","from":1,"to":4}`, "a: the second", "ghp"},
		{"blame", `{"path":"a.go","from":1,"to":400}`, "!60 are the most", ""},
		{"blame", `{"path":"a.go","from":9}`, "!has only", ""},
		{"log", `{}`, "a: the first", "ghp"},
		{"log", `{"paths":["docs"]}`, "a: the first", "second"},
		{"log", `{"count":31}`, "!want 1 to 30", ""},
		{"diff", `{"detail":"standard"}`, "+// A is the second.", "TOKEN"},
		{"search", `{"query":"func A second"}`, "a.go", ""},
		{"docs", `{"query":"how often are tokens of docs/auth.md renewed"}`, "docs/auth.md", "func A"},
		{"map", `{}`, "a.go", "ghp"},
		{"map", `{"paths":["keys"]}`, "!left out (holds secrets)", ""},
		{"search", `{"query":"zebra id_rsa"}`, "", "id_rsa:"},
		{"search", `{"query":"zebra","paths":["keys"]}`, "!left out (holds secrets)", ""},
		{"read", `{"path":"keys/id_rsa","rev":"HEAD~1"}`, "!it holds secrets by its nature", ""},
	} {
		for _, tool := range Of(Inside) {
			if tool.Name != tt.tool {
				continue
			}
			got, err := tool.Answer(t.Context(), h, e, json.RawMessage(tt.args), DefaultBudget)
			want, fails := strings.CutPrefix(tt.want, "!")
			if fails != (err != nil) {
				t.Errorf("%s %s: %v", tt.tool, tt.args, err)
			}
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, want) || tt.not != "" && strings.Contains(got, tt.not) || tt.tool != "search" && strings.Contains(got, "zebra") {
				t.Errorf("%s %s:\n%s\nwant %q and no %q", tt.tool, tt.args, got, want, tt.not)
			}
		}
	}
}
