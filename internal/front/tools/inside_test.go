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
		{"read", `{"path":"b/a.go:4:6"}`, "    4  func A() {}", "package"},
		{"read", `{"path":"a.go#L3-L4"}`, "    3  // A is the second.", "package"},
		{"read", `{"path":"a.go:3-99"}`, ", lines 3-4 of 4;", "package"},
		{"read", `{"path":"a.go:99"}`, "!a.go:99: the file has only 4 lines", ""},
		{"read", `{"path":"docs"}`, "!docs: a folder, not a file", ""},
		{"read", `{"path":"docs/auht.md"}`, "!did you mean docs/auth.md?", ""},
		{"read", `{"path":"b/keys/id_rsa"}`, "!files of its kind hold secrets", ""},
		{"read", `{"path":".env"}`, "!files of its kind hold secrets", "ghp"},
		{"read", `{"path":"vendor/x/x.go"}`, "!only a user can include it", "func"},
		{"blame", `{"path":".env","from":1}`, "!files of its kind hold secrets", "ghp"},
		{"blame", `{"path":"a.go","from":1,"to":4}`, "a: the second", "ghp"},
		{"blame", `{"path":"a.go","from":1,"to":400}`, "!want at most 60", ""},
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
		{"read", `{"path":"keys/id_rsa","rev":"HEAD~1"}`, "!files of its kind hold secrets", ""},
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

// TestInsideRevisions: a model of our own asking reads commits that the change reaches,
// however it spells others.
func TestInsideRevisions(t *testing.T) {
	if testing.Short() {
		t.Skip("asks git about 50 revisions")
	}
	r := gittest.New(t)
	gittest.Isolate(t)
	commit := func(text string) string {
		r.Write("a.go", "package a\n\n// "+text+"\n")
		return r.Commit("a: " + text)
	}
	first, second := commit("first"), commit("second")
	commit("lost")
	lost := r.Head()
	r.Git("reset", "-q", "--hard", second)
	r.Git("checkout", "-q", "-b", "other")
	other := commit("elsewhere")
	r.Git("checkout", "-q", "-")
	r.Git("tag", "v1", first)
	r.Git("branch", "near", first)
	r.Git("config", "branch.main.remote", ".")
	r.Git("config", "branch.main.merge", "refs/heads/other")
	r.Write("a.go", "package a\n\n// hidden\n")
	r.Git("stash", "-q")
	stash := strings.TrimSpace(r.Git("rev-parse", "refs/stash"))
	third := commit("third")
	r.Git("update-ref", "ORIG_HEAD", lost)
	e, err := engine.Open(t.Context(), &engine.Options{Dir: r.Dir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	tree := strings.TrimSpace(r.Git("rev-parse", lost+"^{tree}"))
	blob := strings.TrimSpace(r.Git("rev-parse", lost+":a.go"))

	refused := []string{
		"stash", "refs/stash", "stash@{0}", "stash^", stash, stash[:8], "HEAD@{1}", "HEAD@{0}", "@{1}", "@{-1}", "@{u}", "@{upstream}", "main@{yesterday}",
		"ORIG_HEAD", "FETCH_HEAD", "other", "refs/heads/other", "heads/other", other, other[:8], lost, lost[:8], lost + "^0", tree, tree[:8], blob, blob[:8], "--all", "-1",
		":/lost", ":/hidden", "HEAD^{/second}", ":/", "HEAD^{tree}", "HEAD:a.go", ":a.go", ":0:a.go", "HEAD^9", "nosuch", "", "other...HEAD", "*", "refs/heads/*", "HEAD other", "HEAD\nother", "^HEAD",
	}
	allowed := []string{"HEAD", "@", "HEAD~1", "HEAD^", "@~2", "v1", "near", first, first[:8], third, "v1^0"}
	for i, h := range []*Host{
		{Guarded: true, Change: engine.DiffRequest{Range: first + "..HEAD"}},
		{Guarded: true}, // the work tree
		{Guarded: true, Change: engine.DiffRequest{Commit: "HEAD"}},
	} {
		h.Path = func(name string) (string, error) { return path.Clean(name), nil }
		ask := func(tool string, args map[string]any) (string, error) {
			raw, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range Of(Inside) {
				if one.Name == tool {
					return one.Answer(t.Context(), h, e, raw, DefaultBudget)
				}
			}
			t.Fatalf("there is no tool %s", tool)
			return "", nil
		}
		calls := func(rev string) map[string]map[string]any {
			if i > 0 { // the arguments are read in the same way
				return map[string]map[string]any{"read": {"path": "a.go", "rev": rev}}
			}
			return map[string]map[string]any{
				"read": {"path": "a.go", "rev": rev}, "search": {"query": "package", "rev": rev}, "diff": {"range": rev + "..", "detail": "standard"},
				"diff ": {"base": rev, "detail": "standard"}, "diff  ": {"range": "HEAD.." + rev, "detail": "standard"},
				"diff   ": {"range": rev + "...HEAD", "detail": "standard"}, "diff    ": {"range": rev + "^!", "detail": "standard"},
			}
		}
		for _, rev := range refused {
			for tool, args := range calls(rev) {
				if rev == "" {
					continue // nothing is named
				}
				got, err := ask(strings.TrimSpace(tool), args)
				if err == nil {
					t.Errorf("%s %v is answered:\n%s", tool, args, got)
				} else if msg := err.Error(); !strings.Contains(msg, "only the commits that are compared") && !strings.Contains(msg, "dash") {
					t.Errorf("%s %v: %v", tool, args, err)
				}
			}
		}
		for _, rev := range allowed {
			for tool, args := range calls(rev) {
				if got, err := ask(strings.TrimSpace(tool), args); err != nil || strings.Contains(got, "hidden") || strings.Contains(got, "lost") || strings.Contains(got, "elsewhere") {
					t.Errorf("%s %v = %s, %v", tool, args, got, err)
				}
			}
		}
	}
	// The work tree is not part of a change between commits.
	h := &Host{Guarded: true, Change: engine.DiffRequest{Range: first + "..HEAD"}, Path: func(name string) (string, error) { return path.Clean(name), nil }}
	for _, one := range Of(Inside) {
		for _, rev := range []string{"worktree", "staged", "unstaged", "untracked", "HEAD", first} {
			if one.Name != "diff" {
				continue
			}
			if got, err := one.Answer(t.Context(), h, e, json.RawMessage(`{"range":"`+rev+`","detail":"standard"}`), DefaultBudget); err == nil || !strings.Contains(err.Error(), "work tree") {
				t.Errorf("diff of %s = %s, %v", rev, got, err)
			}
		}
	}
	// A client of the server may name any revision.
	h = &Host{Path: func(name string) (string, error) { return path.Clean(name), nil }}
	for _, one := range Of(Outside) {
		if one.Name == "read" {
			if got, err := one.Answer(t.Context(), h, e, json.RawMessage(`{"path":"a.go","rev":"other"}`), DefaultBudget); err != nil || !strings.Contains(got, "elsewhere") {
				t.Errorf("read of another branch = %s, %v", got, err)
			}
		}
	}
	// What was reviewed by the user's own wish is read, a stash too.
	h = &Host{Path: h.Path, Guarded: true, Change: engine.DiffRequest{Commit: stash}}
	for _, one := range Of(Inside) {
		if one.Name == "read" {
			if got, err := one.Answer(t.Context(), h, e, json.RawMessage(`{"path":"a.go","rev":"`+stash+`"}`), DefaultBudget); err != nil || !strings.Contains(got, "hidden") {
				t.Errorf("read of the stash that is reviewed = %s, %v", got, err)
			}
		}
	}
}
