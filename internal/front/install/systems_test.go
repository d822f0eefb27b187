package install

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/agents"
)

// entriesOn are the entries that an agent has in its first settings file on a system.
func entriesOn(a *agents.Agent, goos string) []entry {
	e := &agents.Env{Getenv: func(string) string { return "" }, GOOS: goos, Exists: func(string) bool { return false }, Dir: "/p"}
	return entriesOf(a.Settings(a, e, agents.Project)[0].Entries)
}

// TestSystems: what one system wrote is ours on the other. What does not work there
// gets the line that does, in its place, with what the user changed around it; nothing
// stands there twice, and taking it out leaves what was there before.
func TestSystems(t *testing.T) {
	for _, name := range []string{"claude", "codex", "gemini", "copilot", "qwen"} {
		a := agents.ByName(name)
		unix, windows := entriesOn(a, "linux"), entriesOn(a, "windows")
		for _, before := range []string{"{}\n", "{\r\n  \"hooks\": {\r\n    \"Other\": [\r\n    ]\r\n  }\r\n}\r\n", "\ufeff{\"a\": 1}"} {
			for _, tt := range []struct {
				from, to []entry
				mends    bool
			}{
				{unix, unix, false},
				{windows, windows, false},
				{windows, unix, false},
				{unix, windows, !a.Hooks.Beside},
			} {
				from, err := addEntries([]byte(before), tt.from)
				if err != nil {
					t.Fatal(err)
				}
				text := []byte(strings.ReplaceAll(strings.ReplaceAll(string(from.text), `: 10000`, `: 12345`), `: 10`, `: 12`)) // the user's own patience
				to, err := addEntries(text, tt.to)
				after, added := to.text, to.entries
				if err != nil || len(to.made) > 0 || len(to.kept) > 0 {
					t.Fatalf("%s: %v, made %q, kept %q", name, err, to.made, to.kept)
				}
				if (len(added) > 0) != tt.mends || (string(after) != string(text)) != tt.mends {
					t.Errorf("%s: %d entries added, %t changed, want %t:\n%s", name, len(added), string(after) != string(text), tt.mends, after)
				}
				if strings.Count(string(after), "satchel hook ") != strings.Count(string(text), "satchel hook ") || strings.Count(string(after), ": 12") != strings.Count(string(text), ": 12") {
					t.Errorf("%s: a hook stands there twice, or lost what the user changed:\n%s", name, after)
				}
				root, err := parseJSON(after)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range tt.to {
					if here, stale, _ := e.present(root); !here || stale != nil {
						t.Errorf("%s: %s is not there, or does not work here:\n%s", name, e.What, after)
					}
				}
				for _, whose := range [][]entry{unix, windows} { // either system takes it out
					back, err := removeEntries(after, whose, from.made)
					want := before
					if e := tt.from[0]; e.Frame && before != "{}\n" { // what a file has to begin with stays beside what is the user's
						want = string(insert([]byte(before), mustParse(t, before), mustParse(t, before), e.Path[0], e.Value))
					}
					if err != nil || string(back.text) != want {
						t.Errorf("%s: taken out: %q, %v, want %q", name, back.text, err, want)
					}
				}
			}
		}
	}
}

// TestSystemsBeside: settings that know no line for Windows get one beside the other.
func TestSystemsBeside(t *testing.T) {
	a := agents.ByName("codex")
	windows := entriesOn(a, "windows")
	text, err := addEntries(nil, windows)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text.text)) {
		if !strings.Contains(line, "commandWindows") {
			lines = append(lines, line)
		}
	}
	old := strings.Join(lines, "")
	if same, err := addEntries([]byte(old), entriesOn(a, "linux")); err != nil || string(same.text) != old {
		t.Errorf("it works elsewhere, and is changed there: %v\n%s", err, same.text)
	}
	to, err := addEntries([]byte(old), windows)
	after, added := to.text, to.entries
	if err != nil || len(added) != len(windows) || strings.Count(string(after), `"commandWindows": "satchel hook codex ; exit 0 # || exit 0"`) != len(windows) {
		t.Errorf("%d of %d have a line for Windows now, %v:\n%s", len(added), len(windows), err, after)
	}
}

// TestSystemsOwnLine: a line for Windows that the user wrote beside ours stays, and is
// no fault. One of ours that does not work there gets the one that does in its place,
// or in the field that is missing.
func TestSystemsOwnLine(t *testing.T) {
	const own = `"C:\\tools\\satchel.exe hook x ; exit 0"`
	for _, tt := range []struct {
		agent, before string
		want          string // "" if it stays
	}{
		{"codex", `{"command": SH, "commandWindows": ` + own + `}`, ""},
		{"codex", `{"command": WINDOWS, "commandWindows": ` + own + `}`, ""},
		{"codex", `{"command": SH, "commandWindows": ""}`, ""},
		{"codex", `{"command": SH, "commandWindows": WINDOWS}`, ""},
		{"codex", `{"command": WINDOWS}`, ""},
		{"codex", `{"command": SH, "commandWindows": SH}`, `{"command": SH, "commandWindows": WINDOWS}`},
		{"codex", `{"command": WINDOWS, "commandWindows": SH}`, `{"command": WINDOWS, "commandWindows": WINDOWS}`},
		{"codex", `{"command": SH}`, `{"command": SH, "commandWindows": WINDOWS}`},
		{"copilot", `{"bash": SH, "powershell": ` + own + `}`, ""},
		{"copilot", `{"bash": SH}`, `{"bash": SH, "powershell": WINDOWS}`},
		{"claude", `{"command": SH}`, `{"command": WINDOWS}`},
		{"claude", `{"command": SH, "commandWindows": ` + own + `}`, `{"command": WINDOWS, "commandWindows": ` + own + `}`}, // which it does not know
	} {
		a := agents.ByName(tt.agent)
		list := entriesOn(a, "windows")
		e := list[slices.IndexFunc(list, func(e entry) bool { return e.List })]
		settings := func(handler string) string {
			lines := strings.NewReplacer("SH", quoteJSON(e.Lines.All[0]), "WINDOWS", quoteJSON(e.Lines.All[1]))
			return `{"` + e.Path[0] + `": {"` + e.Path[1] + `": [{"hooks": [` + lines.Replace(handler) + `]}]}}`
		}
		before, want := settings(tt.before), settings(cmp.Or(tt.want, tt.before))
		to, err := addEntries([]byte(before), []entry{e})
		after, added := to.text, to.entries
		if err != nil || string(after) != want || (len(added) > 0) != (tt.want != "") {
			t.Errorf("%s: %s\nbecomes %s\nwant    %s\n%d entries were changed, %v", tt.agent, before, after, want, len(added), err)
		}
		here, stale, _ := e.present(mustParse(t, before))
		if here != (tt.want == "") || (stale != nil) != (tt.want != "") {
			t.Errorf("%s: %s\nis there: %t, is to be mended: %t", tt.agent, before, here, stale != nil)
		}
		if back, err := removeEntries([]byte(before), []entry{e}, nil); err != nil || strings.Contains(string(back.text), "satchel") {
			t.Errorf("%s: %s\ntaken out: %s, %v", tt.agent, before, back.text, err)
		}
	}
}

func mustParse(t *testing.T, text string) *node {
	t.Helper()
	root, err := parseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return root
}
