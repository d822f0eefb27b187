package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// manifestRepo has a small file to edit, a huge one, who calls them, what they
// call, and noise that speaks of the task's words more than they do.
func manifestRepo(t *testing.T) *gittest.Repo {
	r := newRepository(t)
	var huge strings.Builder
	huge.WriteString("package auth\n\n")
	for i := range 400 {
		fmt.Fprintf(&huge, "// checkRule%d checks rule %d of the policy.\nfunc checkRule%d(n int) int {\n\ttotal := n\n\ttotal += %d\n\ttotal *= 3\n\treturn total\n}\n\n", i, i, i, i)
	}
	huge.WriteString("// refreshLease refreshes the lease of a user.\nfunc refreshLease(user string) error {\n\treturn loadLease(user)\n}\n")
	noise := "package noise\n\n"
	for i := range 60 {
		noise += fmt.Sprintf("// Lease%d is about a lease that is refreshed for a user.\nfunc Lease%d() string { return \"lease refresh user\" }\n\n", i, i)
	}
	r.WriteAll(map[string]string{
		"auth/login.go":      "package auth\n\nimport \"app/store\"\n\n// StartLogin logs in.\nfunc StartLogin(user string) error {\n\tif err := refreshLease(user); err != nil {\n\t\treturn err\n\t}\n\treturn store.SaveSession(user)\n}\n",
		"auth/policy.go":     huge.String(),
		"auth/lease.go":      "package auth\n\n// loadLease loads a lease.\nfunc loadLease(user string) error { return nil }\n",
		"store/session.go":   "package store\n\n// SaveSession keeps a session.\nfunc SaveSession(user string) error { return nil }\n",
		"web/handler.go":     "package web\n\nimport \"app/auth\"\n\nfunc handlePost(user string) error {\n\treturn auth.StartLogin(user)\n}\n",
		"auth/login_test.go": "package auth\n\nimport \"testing\"\n\nfunc TestStart(t *testing.T) {\n\tif StartLogin(\"u\") != nil {\n\t\tt.Fatal()\n\t}\n}\n",
		"noise/noise.go":     noise,
		"vendor/v/v.go":      "package v\n",
	})
	r.Commit("all")
	return r
}

func shown(p *satchel.Pack, path, part string) bool {
	for i := range p.Entries {
		if e := &p.Entries[i]; e.Ref.Path == path && e.Detail >= satchel.Trimmed && strings.Contains(e.Text.String(), part) {
			return true
		}
	}
	return false
}

func TestEdit(t *testing.T) {
	r := manifestRepo(t)
	e := open(t, engine.Options{Dir: r.Dir, NoCache: true})
	pack := func(budget int, task string, edit ...string) *satchel.Pack {
		t.Helper()
		p, err := e.Pack(context.Background(), satchel.Request{Task: task, Edit: edit, Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, test := range []struct {
		budget     int
		task       string
		edit       []string
		path, part string
	}{
		{1500, "refresh the lease of a user", []string{"auth/login.go"}, "auth/login.go", "package auth"},
		{1500, "refresh the lease of a user", []string{"auth/login.go"}, "web/handler.go", "handlePost"},             // a caller
		{1500, "refresh the lease of a user", []string{"auth/login.go"}, "store/session.go", "func SaveSession"},     // a callee
		{1500, "nothing", []string{"auth/login.go"}, "auth/login_test.go", "StartLogin"},                             // a test
		{1500, "nothing", []string{"auth/login.go"}, "auth/policy.go", "func refreshLease"},                          // a callee in a huge file
		{2000, "refresh the lease of a user", []string{"auth/policy.go"}, "auth/policy.go", "func refreshLease"},     // of a huge file
		{2000, "refresh the lease of a user", []string{"auth/policy.go"}, "auth/lease.go", "func loadLease"},         // what that calls
		{2000, "refresh the lease of a user", []string{"auth/policy.go"}, "auth/login.go", "refreshLease(user)"},     // who calls that
		{3000, "fix loadLease please", []string{"web/handler.go"}, "auth/lease.go", "func loadLease"},                // the task names it
		{1500, "", []string{"auth/login.go"}, "auth/login.go", "package auth"},                                       // without a task
		{1500, "", []string{"vendor/v/v.go"}, "vendor/v/v.go", "package v"},                                          // asked for, so no rule hides it
		{600, "refresh the lease of a user", []string{"auth/login.go"}, "auth/login.go", "return store.SaveSession"}, // whole, however small the budget
	} {
		p := pack(test.budget, test.task, test.edit...)
		if !shown(p, test.path, test.part) {
			t.Errorf("task %q, edit %v, budget %d: %s with %q is not shown", test.task, test.edit, test.budget, test.path, test.part)
		}
		if p.Used > test.budget {
			t.Errorf("task %q, edit %v: used %d of %d", test.task, test.edit, p.Used, test.budget)
		}
	}
	// The huge file has an outline and is not shown whole.
	p := pack(2000, "refresh the lease of a user", "auth/policy.go")
	outlined := false
	for i := range p.Entries {
		x := &p.Entries[i]
		if x.Ref.Path == "auth/policy.go" && x.Ref.From == 0 {
			outlined = x.Detail == satchel.Outline
		}
	}
	if !outlined {
		t.Error("the huge file has no outline")
	}
	// Without a limit it is whole.
	if p := pack(0, "refresh the lease of a user", "auth/policy.go"); !shown(p, "auth/policy.go", "checkRule399(") {
		t.Error("without a budget the huge file is not whole")
	}
}

// TestEditAlone: without a task, a pack holds the files to edit and what belongs to them.
func TestEditAlone(t *testing.T) {
	r := manifestRepo(t)
	p, err := open(t, engine.Options{Dir: r.Dir, NoCache: true}).Pack(t.Context(), satchel.Request{Edit: []string{"auth/policy.go"}, Budget: 8000})
	if err != nil {
		t.Fatal(err)
	}
	if !shown(p, "auth/policy.go", "checkRule0(") || !shown(p, "auth/login.go", "refreshLease(user)") {
		t.Errorf("a function of the file and a caller are not shown:\n%+v", p.Entries)
	}
	why := map[string]string{}
	for i := range p.Omitted {
		why[p.Omitted[i].Ref.Path] = p.Omitted[i].Why
	}
	if why["noise/noise.go"] != satchel.WhyUnrelated || len(p.Named)+len(p.Tree) > 0 {
		t.Errorf("left out %v, named %v, tree %v", why, p.Named, p.Tree)
	}
}

func TestEditTooSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r := manifestRepo(t)
	e := open(t, engine.Options{Dir: r.Dir, NoCache: true})
	req := satchel.Request{Task: "refresh the lease", Edit: []string{"auth/login.go", "auth/policy.go"}, Budget: 50}
	_, err := e.Pack(context.Background(), req)
	var over *satchel.OverflowError
	if !errors.As(err, &over) {
		t.Fatalf("a budget of 50: %v, want an OverflowError", err)
	}
	req.Budget = over.Need
	if _, err := e.Pack(context.Background(), req); err != nil {
		t.Errorf("the smallest budget %d: %v", over.Need, err)
	}
	req.Budget = over.Need - 1
	if _, err := e.Pack(context.Background(), req); !errors.As(err, &over) {
		t.Errorf("one token less: %v, want an OverflowError", err)
	}
	for path, want := range map[string]string{"auth": "path to edit auth: a folder: name its files", "../x.go": "path to edit ../x.go: excluded: unreadable", "y.go": "the file does not exist yet"} {
		p, err := e.Pack(context.Background(), satchel.Request{Task: "x", Edit: []string{path}, Budget: 500})
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(p.Diagnostics)
		}
		if !strings.Contains(got, want) {
			t.Errorf("edit %s: %s, want %q", path, got, want)
		}
	}
}
