package index

import (
	"strings"
	"testing"
)

// rulesOf reads files, each "PATH: line\nline".
func rulesOf(t testing.TB, x *Index, files ...string) *Rules {
	t.Helper()
	r := x.newRules()
	for _, f := range files {
		name, text, _ := strings.Cut(f, ": ")
		r.add("", name, []byte(text))
	}
	return r
}

func TestRules(t *testing.T) {
	for _, tt := range []struct{ files, path, want string }{
		{".cursorignore: *.log", "a/b.log", ".cursorignore"},
		{".cursorignore: *.log\n!b.log", "a/b.log", ""},
		{".cursorignore: a/\n!a/b.log", "a/b.log", ".cursorignore"}, // below a folder that is left out
		{".cursorignore: a/*\n!a/b.log", "a/b.log", ""},
		{".cursorignore: !b.log\n*.log", "b.log", ".cursorignore"}, // the last one decides
		{".cursorignore: a/", "a", ""},
		{".cursorignore: /a", "b/a", ""},
		{".cursorignore: # a\n\\#b", "#b", ".cursorignore"},
		{".cursorignore: a  \r", "a", ".cursorignore"},
		{".cursorignore: a\\ ", "a ", ".cursorignore"},
		{".cursorignore: [!x].go", "a.go", ".cursorignore"},
		{".cursorignore: [!x].go", "x.go", ""},
		{".cursorignore: \\[!x].go", "[!x].go", ".cursorignore"},
		{".cursorignore: \ufeffa", "a", ".cursorignore"},
		{"s/.cursorignore: a", "s/t/a", "s/.cursorignore"},
		{"s/.cursorignore: /a", "s/t/a", ""},
		{"s/.cursorignore: a", "a", ""},
		{".cursorignore: a|s/.cursorignore: !a", "s/a", ""},
		{".cursorignore: a|.claudeignore: !a", "a", ".cursorignore"}, // another tool's file keeps nothing
		{".aiexclude: ", "a/b", ".aiexclude"},
		{"s/.aiexclude: \n", "s/b", "s/.aiexclude"},
		{"s/.aiexclude: \n", "b", ""},
		{".aiexclude: *.go\n!a.go", "a.go", ".aiexclude"},
		{".aiignore: ", "a", ""},
		{".satchel.toml: exclude = [\"a\", 1]", "s/a", ".satchel.toml"},
		{".satchel.toml: exclude = \"a\"", "a", ".satchel.toml"},
		{".satchel.toml: exclude = [", "a", ""},
		{`.claude/settings.json: {"permissions":{"deny":["Read(./a/**)","Edit(b)","Read(~/c)","Read"]}}`, "a/x", ".claude/settings.json"},
		{`.claude/settings.json: {"permissions":{"deny":["Read(./a/**)","Edit(b)","Read(~/c)","Read"]}}`, "s/a/x", ""},
		{`.claude/settings.json: {"permissions":{"deny":["Edit(b)","Read(~/c)","Read","Read(//c)"]}}`, "b", ""},
		{`.claude/settings.json: {"permissions":{"deny":["Edit(b)","Read(~/c)","Read","Read(//c)"]}}`, "c", ""},
		{`.claude/settings.json: {"permissions":{"deny":["Read(.env)"]}}`, "s/.env", ".claude/settings.json"},
		{`.claude/settings.json: {"permissions":{"deny":[1,"Read(a)"]}}`, "a", ".claude/settings.json"},
		{`.claude/settings.json: {"permissions":`, "a", ""},
	} {
		x, err := Open(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := rulesOf(t, x, strings.Split(tt.files, "|")...).LeavesOut(tt.path); got != tt.want {
			t.Errorf("%q leaves out %q by %q, want %q", tt.files, tt.path, got, tt.want)
		}
	}
}

// TestRulesAreBounded: a hostile file is read up to a limit, and that is said.
func TestRulesAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	x, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := rulesOf(t, x, ".cursorignore: "+strings.Repeat("*a*a*a*a*a*b\n", 3*maxRules))
	if n := len(r.sets[".cursorignore"]); n != maxRules || len(r.Diagnostics) != 1 {
		t.Errorf("%d rules, diagnostics %v, want %d and 1", n, r.Diagnostics, maxRules)
	}
	r.LeavesOut(strings.Repeat(strings.Repeat("a", 100)+"/", 20))
	files := make([]string, 2*maxRuleFiles)
	for i := range files {
		files[i] = strings.Repeat("d/", i) + ".aiexclude: x"
	}
	if r = rulesOf(t, x, files...); len(r.sets[".aiexclude"]) != maxRuleFiles || len(r.Diagnostics) != 1 {
		t.Errorf("%d files, diagnostics %v", len(r.sets[".aiexclude"]), r.Diagnostics)
	}
}

// FuzzRules: whatever a file holds, it only leaves out what is there, and another file
// never takes that in again.
func FuzzRules(f *testing.F) {
	f.Add(".cursorignore", "a\n!a/b\n**/[!x]", "a/b/c")
	f.Add("s/.aiexclude", "", "s/x")
	f.Add(".claude/settings.json", `{"permissions":{"deny":["Read(a)"]}}`, "a")
	f.Add(".satchel.toml", "exclude = ['a']", "a")
	f.Fuzz(func(t *testing.T, name, text, path string) {
		x, err := Open(Options{Exclude: []string{"never"}})
		if err != nil {
			t.Fatal(err)
		}
		r := x.newRules()
		r.add("", ".agentignore", []byte("also\n"))
		before := r.LeavesOut(path)
		r.add("", name, []byte(text))
		if r.LeavesOut(path) == "" && before != "" {
			t.Errorf("%q with %q takes in %q", name, text, path)
		}
		if at, by := r.match(path); by != nil && (at == "" || !strings.HasPrefix(path, at)) {
			t.Errorf("%q of %q is left out by %q", at, path, by.text)
		}
	})
}
