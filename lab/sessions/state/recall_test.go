package state

import "testing"

func TestEdit(t *testing.T) {
	before := "func Load(path string) error {\n\treturn nil\n}"
	after := "func Load(path string) error {\n\tf, err := os.Open(path)\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer f.Close()\n\treturn decode(f)\n}"
	ms := new(talk).edit("/src/load.go", before, after).ms
	for _, c := range []struct {
		name, shown string
		want        float64
	}{
		{"all of it", after, 1},
		{"with the numbers of lines", "10: f, err := os.Open(path)\n11: if err != nil {\n12: return err\n13: }\n14: defer f.Close()", 1},
		{"as a patch", "+\tf, err := os.Open(path)\n+\tif err != nil {\n+\t\treturn err\n+\t}\n+\tdefer f.Close()", 1},
		{"less than three fifths", "\tf, err := os.Open(path)\n\tif err != nil {\n\t\treturn err", 0},
		{"with something else between", "\tf, err := os.Open(path)\n\tif err != nil {\n…\n\t\treturn err\n\t}\n\tdefer f.Close()", 0},
		{"what was there before", before, 0},
	} {
		t.Run(c.name, func(t *testing.T) { wantShare(t, ms, digest(c.shown), Edit, c.want) })
	}
}

// TestEditForms: agents write edits in several ways.
func TestEditForms(t *testing.T) {
	shown := digest("the second line is new\nthe third line is new")
	const patch = "*** Begin Patch\n*** Update File: src/a.txt\n@@\n the first line\n+the second line is new\n+the third line is new\n*** End Patch\nEOF"
	for name, s := range map[string]*talk{
		"fields":  new(talk).calls("edit", "ok", false, "path", "src/a.txt", "oldText", "the first line", "newText", "the first line\nthe second line is new\nthe third line is new"),
		"list":    new(talk).calls("MultiEdit", "ok", false, "file_path", "src/a.txt", "edits", []map[string]string{{"old_string": "x", "new_string": "the second line is new\nthe third line is new"}}),
		"patch":   new(talk).calls("apply_patch", "ok", false, "input", patch),
		"command": new(talk).calls("shell", "ok", false, "command", []string{"bash", "-lc", "apply_patch <<'EOF'\n" + patch}),
		"diff":    new(talk).calls("replace_in_file", "ok", false, "path", "src/a.txt", "diff", "<<<<<<< SEARCH\nx\n=======\nthe second line is new\nthe third line is new\n>>>>>>> REPLACE"),
		"editor":  new(talk).calls("str_replace_editor", "ok", false, "command", "str_replace", "path", "src/a.txt", "old_str", "x", "new_str", "the second line is new\nthe third line is new"),
		"whole":   new(talk).calls("Write", "ok", false, "file_path", "src/a.txt", "content", "the second line is new\nthe third line is new"),
	} {
		t.Run(name, func(t *testing.T) {
			wantShare(t, s.ms, shown, Edit, 1)
			wantShare(t, s.ms, digest("changed: a.txt"), File, 1)
		})
	}
	failed := new(talk).calls("Edit", "String to replace not found in file.", true, "file_path", "a.txt", "old_string", "x", "new_string", "the second line is new")
	wantShare(t, failed.ms, shown, Edit, -1)
}

// TestEditLast: only the last edit of a file counts, and of ten files.
func TestEditLast(t *testing.T) {
	s := new(talk).edit("/a.go", "one", "the first version").edit("/b.go", "one", "another file").edit("/a.go", "one", "the second version")
	wantShare(t, s.ms, digest("the first version"), Edit, 0)
	wantShare(t, s.ms, digest("the second version"), Edit, 0.5)
	many := new(talk)
	for _, p := range "abcdefghijklmnop" {
		many.edit("/"+string(p), "x", "version of file "+string(p))
	}
	wantShare(t, many.ms, digest("version of file a"), Edit, 0)
	wantShare(t, many.ms, digest("version of file p"), Edit, 0.1)
}

func TestFiles(t *testing.T) {
	s := new(talk).edit("/home/me/src/load.go", "x", "something new")
	for shown, want := range map[string]float64{
		"src/load.go is done": 1,
		"load.go":             1,
		"reload.go":           0,
		"load.golden":         0,
		"pre-load.go":         0,
		"nothing":             0,
	} {
		wantShare(t, s.ms, digest(shown), File, want)
	}
}

func TestCheck(t *testing.T) {
	s := new(talk).
		run("cd /src && npm test 2>&1 | tail -5", "Tests: 3 failed, 9 passed", true).
		run("ls", "a.go", false).
		run("npm test", "… and so on\nTests: 12 passed", false)
	for shown, want := range map[string]float64{
		"$ npm test\nTests: 12 passed":                    1,
		"$ npm test\nsome\nlines\nTests: 12 passed":       1,
		"Tests: 12 passed\n$ npm test":                    0, // the line stands before the command
		"$ npm test\nTests: 3 failed, 9 passed":           0, // an older run
		"$ npm test":                                      0,
		"npm test: 12 passed; Tests: 12 passed\nnpm test": 1, // in one line
	} {
		wantShare(t, s.ms, digest(shown), Check, want)
	}
}

func TestError(t *testing.T) {
	s := new(talk).run("make build", "cc main.c\nmain.c:3: error: no such type\nmake: stopped", true)
	wantShare(t, s.ms, digest("cc main.c\nmain.c:3: error: no such type\nmake: stopped"), Error, 1)
	wantShare(t, s.ms, digest("main.c:3: error: no such type"), Error, 0)
	s.run("make build 2>&1 | tail -3", "cc main.c", false)
	wantShare(t, s.ms, nil, Error, -1) // mended by the same command
	s.calls("Edit", "tool_use_error: String to replace not found in file.", true, "file_path", "/a.go", "old_string", "x", "new_string", "y")
	wantShare(t, s.ms, digest("tool_use_error: String to replace not found in file."), Error, 1)
	s.edit("/a.go", "z", "y")
	wantShare(t, s.ms, nil, Error, -1) // mended by an edit of the same file
}

// TestErrorSoft: a check without an exit status fails if its end tells so.
func TestErrorSoft(t *testing.T) {
	s := new(talk).run("npm run lint", "x\nFound 3 errors", false)
	wantShare(t, s.ms, digest("x\nFound 3 errors"), Error, 1)
	s = new(talk).run("npm run lint", "x\nFound 0 errors", false)
	wantShare(t, s.ms, nil, Error, -1)
}

func TestPlan(t *testing.T) {
	s := new(talk).calls("TodoWrite", "ok", false, "todos", []map[string]string{
		{"content": "Write the parser", "status": "completed"},
		{"content": "Write the printer", "status": "in_progress"},
	})
	for shown, want := range map[string]float64{
		"content: Write the parser\nstatus: completed\ncontent: Write the printer\nstatus: in_progress": 1,
		"[x] Write the parser\n[>] Write the printer":                                                   1,
		"status: completed\n- Write the parser\nstatus: in_progress\n- Write the printer":               1,
		"[x] Write the parser\n[ ] Write the printer":                                                   0,
		"Write the parser\nWrite the printer":                                                           0,
		"[x] Write the parser":                                                                          0,
	} {
		wantShare(t, s.ms, digest(shown), Plan, want)
	}
}

// TestPlanTasks: a list of tasks is put together from calls for one task each.
func TestPlanTasks(t *testing.T) {
	s := new(talk).
		calls("TaskCreate", "Task #1 created", false, "subject", "Write the parser").
		calls("TaskCreate", "Task #2 created", false, "subject", "Write the printer").
		calls("TaskUpdate", "ok", false, "taskId", "1", "status", "completed")
	wantShare(t, s.ms, digest("1. Write the parser (completed)\n…\n…\n…\n2. Write the printer (pending)"), Plan, 1)
	wantShare(t, s.ms, digest("TaskUpdate\ntaskId: 1\nstatus: completed\n…\n…\nsubject: Write the parser\n…\n…\n…\nsubject: Write the printer"), Plan, 1)
	wantShare(t, s.ms, digest("Write the parser (pending)\nWrite the printer"), Plan, 0)
}

// TestPlanAgreed: a plan that was agreed on is newer than a list.
func TestPlanAgreed(t *testing.T) {
	plan := "# The plan\nFirst the parser\nThen the printer\nLast the documents"
	s := new(talk).calls("ExitPlanMode", "approved", false, "plan", plan)
	wantShare(t, s.ms, digest(plan), Plan, 1)
	wantShare(t, s.ms, digest("First the parser\n…\nThen the printer"), Plan, 0)
}

func TestRule(t *testing.T) {
	s := new(talk).user("Please add a test. Never change the public API! It has users.\n- only the standard library, please\n- thanks")
	for shown, want := range map[string]float64{
		"Never change the public API! … - only the standard library, please": 1,
		"Never change the\n public API!":                                     0.5,
		"the public API must not change":                                     0,
	} {
		wantShare(t, s.ms, digest(shown), Rule, want)
	}
	wantShare(t, new(talk).user("Please add a test for it.").ms, nil, Rule, -1)
	wantShare(t, new(talk).says("I must never do that again.").ms, nil, Rule, -1)
}
