package subject

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	alpha = "alpha := first(of, many, things)"
	beta  = "beta := second(of, many, things)"
	gamma = "gamma := third(of, many, things)"
	delta = "delta := fourth(of, many, things)"
)

func TestCompose(t *testing.T) {
	for _, c := range []struct {
		name  string
		deeds []did
		want  []string
	}{
		{"one", []did{edit("a.go", "x", "y")}, []string{`a.go 1`, `  "x" -> "y"`}},
		{"in an earlier new text", []did{edit("a.go", "x", alpha+"\n"+beta), edit("a.go", beta, gamma)},
			[]string{`a.go 2`, `  "x" -> "` + alpha + `\n` + gamma + `"`}},
		{"a short text in an earlier new text", []did{edit("a.go", "x", alpha), edit("a.go", "first", "last")},
			[]string{`a.go 2`, `  "x" -> "alpha := last(of, many, things)"`}},
		{"an earlier new text inside the old", []did{edit("a.go", alpha, beta), edit("a.go", "{\n"+beta+"\n}", "{\n"+gamma+"\n}")},
			[]string{`a.go 2`, `  "{\n` + alpha + `\n}" -> "{\n` + gamma + `\n}"`}},
		{"two earlier new texts inside the old", []did{edit("a.go", "1", alpha), edit("a.go", "2", beta), edit("a.go", alpha+"\n"+beta, gamma)},
			[]string{`a.go 3`, `  "1\n2" -> "` + gamma + `"`}},
		{"over the end of an earlier one", []did{edit("a.go", "1", alpha+"\n"+beta), edit("a.go", beta+"\n"+gamma, delta)},
			[]string{`a.go 2`, `  "1\n` + gamma + `" -> "` + alpha + `\n` + delta + `"`}},
		{"over the beginning of an earlier one", []did{edit("a.go", "1", beta+"\n"+gamma), edit("a.go", alpha+"\n"+beta, delta)},
			[]string{`a.go 2`, `  "` + alpha + `\n1" -> "` + delta + `\n` + gamma + `"`}},
		{"undone", []did{edit("a.go", alpha, beta), edit("a.go", beta, alpha)}, []string{`a.go 2`}},
		{"the newest stands last", []did{edit("a.go", "1", alpha), edit("a.go", "2", beta), edit("a.go", alpha, gamma)},
			[]string{`a.go 3`, `  "2" -> "` + beta + `"`, `  "1" -> "` + gamma + `"`}},
		{"elsewhere", []did{edit("a.go", "1", alpha), edit("a.go", gamma, delta)},
			[]string{`a.go 2`, `  "1" -> "` + alpha + `"`, `  "` + gamma + `" -> "` + delta + `"`}},
		{"written whole", []did{edit("a.go", "1", alpha), write("a.go", beta+"\n"+gamma), edit("a.go", gamma, delta)},
			[]string{`a.go 3`, `  "" -> "` + beta + `\n` + delta + `" whole`}},
		{"written whole again", []did{write("a.go", alpha), write("a.go", beta)}, []string{`a.go 2`, `  "" -> "` + beta + `" whole`}},
		{"what does not apply stands alone", []did{write("a.go", alpha), edit("a.go", gamma, delta)},
			[]string{`a.go 2`, `  "" -> "` + alpha + `" whole`, `  "` + gamma + `" -> "` + delta + `"`}},
		{"all in every hunk, and elsewhere", []did{edit("a.go", "1", "one(oldName)"), edit("a.go", "2", "two(oldName, oldName)"),
			{name: "Edit", in: in{"file_path", "a.go", "old_string", "oldName", "new_string", "newName", "replace_all", true}, out: "ok"}},
			[]string{`a.go 3`, `  "1" -> "one(newName)"`, `  "2" -> "two(newName, newName)"`, `  "oldName" -> "newName"`}},
		{"all of a file written whole", []did{write("a.go", "oldName oldName"),
			{name: "edit", in: in{"filePath", "a.go", "oldString", "oldName", "newString", "newName", "replaceAll", true}, out: "ok"}},
			[]string{`a.go 2`, `  "" -> "newName newName" whole`}},
		{"several replacements", []did{write("a.go", "oldName oldName"),
			{name: "replace", in: in{"file_path", "a.go", "old_string", "oldName", "new_string", "newName", "expected_replacements", 2}, out: "ok"}},
			[]string{`a.go 2`, `  "" -> "newName newName" whole`}},
		{"several at once", []did{{name: "MultiEdit", in: in{"file_path", "a.go", "edits", []any{
			in{"old_string", "1", "new_string", alpha + beta}, in{"old_string", beta, "new_string", gamma}, in{"old_string", "3", "new_string", "4"}}}, out: "ok"}},
			[]string{`a.go 1`, `  "1" -> "` + alpha + gamma + `"`, `  "3" -> "4"`}},
		{"several at once, the new text first", []did{{name: "edit", in: in{"path", "a.go", "edits", []any{
			in{"newText", "2", "oldText", "1"}, in{"newText", "4", "oldText", "3"}}}, out: "ok"}},
			[]string{`a.go 1`, `  "1" -> "2"`, `  "3" -> "4"`}},
		{"blocks of Cline", []did{{name: "replace_in_file", in: in{"path", "a.go", "diff",
			"------- SEARCH\n1\n=======\n2\n+++++++ REPLACE\n\n------- SEARCH\n3\n=======\n+++++++ REPLACE\n"}, out: "ok"}},
			[]string{`a.go 1`, `  "1" -> "2"`, `  "3" -> ""`}},
		{"blocks of Roo", []did{{name: "apply_diff", in: in{"path", "a.go", "diff",
			"<<<<<<< SEARCH\n:start_line:3\n-------\n1\n=======\n2\n>>>>>>> REPLACE"}, out: "ok"}},
			[]string{`a.go 1`, `  "1" -> "2"`}},
		{"a patch of several files", []did{codexPatch("*** Update File: a.go", "@@ func a", " 1", "-2", "+3", "@@", "-4", "+5", "*** Add File: b.go", "+package b", "+", "*** Delete File: c.go")},
			[]string{`a.go 1`, `  "1\n2" -> "1\n3"`, `  "4" -> "5"`, `b.go 1`, `  "" -> "package b\n" whole`, `c.go 1 deleted`}},
		{"a patch on a patch", []did{codexPatch("*** Update File: a.go", "@@", "-1", "+"+alpha, "+"+beta), codexPatch("*** Update File: a.go", "@@", " "+alpha, "-"+beta, "+"+gamma)},
			[]string{`a.go 2`, `  "1" -> "` + alpha + `\n` + gamma + `"`}},
		{"a patch that moves", []did{codexPatch("*** Update File: a.go", "*** Move to: b.go", "@@", "-1", "+2")}, []string{`b.go 1`, `  "1" -> "2"`}},
		{"a patch that only moves", []did{edit("a.go", "1", "2"), codexPatch("*** Update File: a.go", "*** Move to: b.go")}, []string{`b.go 2`, `  "1" -> "2"`}},
		{"what follows a patch in a script", []did{{name: "shell", in: in{"command", []string{"bash", "-lc", "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.go\n@@\n-1\n+2\n*** End Patch\nEOF\ngo test ./..."}},
			out: "Exit code: 1\nWall time: 1 seconds\nOutput:\nSuccess. Updated the following files:\nM a.go\nFAIL"}},
			[]string{`a.go 1`, `  "1" -> "2"`}},
		{"a file that holds a patch", []did{write("a.md", "*** Begin Patch\n*** Update File: b.go\n@@\n-1\n+2\n*** End Patch")},
			[]string{`a.md 1`, `  "" -> "*** Begin Patch\n*** Update File: b.go\n@@\n-1\n+2\n*** End Patch" whole`}},
		{"deleted and written", []did{write("a.go", alpha), codexPatch("*** Delete File: a.go"), write("a.go", beta)}, []string{`a.go 3`, `  "" -> "` + beta + `" whole`}},
		{"deleted by a tool", []did{write("a.go", alpha), {name: "delete_file", in: in{"path", "a.go"}, out: "ok"}}, []string{`a.go 2 deleted`}},
		{"inserted", []did{{name: "str_replace_based_edit_tool", in: in{"command", "insert", "path", "a.go", "insert_line", 3, "insert_text", alpha}, out: "ok"}},
			[]string{`a.go 1`, `  "" -> "` + alpha + `"`}},
		{"nobody knows what it does", []did{edit("a.go", "1", alpha), {name: "str_replace_based_edit_tool", in: in{"command", "undo_edit", "path", "a.go"}, out: "ok"}, edit("a.go", alpha, beta)},
			[]string{`a.go 3`, `  "1" -> "` + alpha + `" by str_replace_based_edit_tool`, `  "` + alpha + `" -> "` + beta + `"`}},
		{"a cell of a notebook", []did{{name: "NotebookEdit", in: in{"notebook_path", "a.ipynb", "cell_id", "1", "new_source", alpha}, out: "ok"}, {name: "NotebookEdit", in: in{"notebook_path", "a.ipynb", "cell_id", "1", "new_source", beta}, out: "ok"}},
			[]string{`a.ipynb 2`, `  "" -> "` + alpha + `" by NotebookEdit`, `  "" -> "` + beta + `"`}},
		{"failed", []did{edit("a.go", "1", alpha), fail(edit("a.go", alpha, beta), "String to replace not found in file."), edit("a.go", alpha, gamma)},
			[]string{`a.go 2`, `  "1" -> "` + gamma + `"`}},
		{"without a result", []did{edit("a.go", "1", alpha), {name: "Edit", in: in{"file_path", "a.go", "old_string", alpha, "new_string", beta}, none: true}},
			[]string{`a.go 1`, `  "1" -> "` + alpha + `"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(strings.Join(c.want, "\n")+"\n", state(opened(c.deeds...))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestRefused: clients say in many ways that an edit did not come about.
func TestRefused(t *testing.T) {
	for _, out := range []string{
		"<tool_use_error>String to replace not found in file.</tool_use_error>", "Error: old_string not found", "apply_patch verification failed: Failed to find expected lines in a.go",
		"The user doesn't want to proceed with this tool use. The tool use was rejected", "User rejected this edit", "Failed to edit, could not find the string to replace.", "Exit code: 1\nWall time: 0 seconds\nOutput:\nInvalid Context",
		"[replace_in_file for 'a.go'] Result:\nThe tool execution failed with the following error:\n<error>", "no match for old_str", "Could not find the exact text in a.go. The old text must match exactly.", "File has not been read yet. Read it first before writing to it.",
		"No replacement was performed, old_str `x` did not appear verbatim in a.go.", "Found 2 matches of the string to replace, but replace_all is false.",
	} {
		s := opened(did{name: "edit", in: in{"path", "a.go", "oldText", "1", "newText", alpha}, out: out})
		if len(s.Files) > 0 || s.Broken == nil || !s.Broken.Command.Edit {
			t.Errorf("%q: taken for done: %s", out, state(s))
		}
	}
	for _, out := range []string{
		"", "The file a.go has been updated. Here's the result of running `cat -n` on a snippet", "Successfully replaced 1 block(s) in a.go.", "Edit applied successfully.", "Applied 1 edit\n<diagnostics>\nERROR [3:1] undefined: x", "a.go: error handling added",
		"Success. Updated the following files:\nM a.go", "Successfully modified file: a.go (1 replacements).",
	} {
		if s := opened(did{name: "edit", in: in{"path", "a.go", "oldText", "1", "newText", alpha}, out: out}); len(s.Files) != 1 || s.Broken != nil {
			t.Errorf("%q: taken for refused", out)
		}
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		name  string
		deeds []did
		want  string
	}{
		{"relative and absolute", []did{edit("/repo/a/x.go", "1", "2"), edit("/repo/y.go", "1", "2"), bash("cat a/x.go", "package x")}, "/repo/a/x.go /repo/y.go"},
		{"in any order", []did{bash("cat a/x.go", "package x"), edit("/repo/y.go", "1", "2"), edit("/repo/a/x.go", "1", "2")}, "/repo/a/x.go /repo/y.go"},
		{"as written", []did{edit("./a/../x.go", "1", "2"), edit("x.go", "2", "3")}, "x.go"},
		{"the same name in other folders", []did{edit("/repo/a/x.go", "1", "2"), edit("/repo/b/x.go", "1", "2"), edit("/repo/c/y.go", "1", "2"), bash("cat x.go", "package x")}, "/repo/a/x.go /repo/b/x.go /repo/c/y.go x.go"},
		{"the same name below", []did{edit("/repo/docs/README.md", "1", "2"), edit("/repo/src/a.go", "1", "2"), edit("/repo/src/b.go", "1", "2"), edit("README.md", "1", "2")}, "/repo/docs/README.md /repo/src/a.go /repo/src/b.go README.md"},
		{"where the agent stood", []did{bash("cd /repo/docs && ls", "README.md"), edit("/repo/docs/README.md", "1", "2"), edit("/repo/src/a.go", "1", "2"), edit("/repo/src/b.go", "1", "2"), bash("cd /repo/docs && cat README.md", "# x")}, "/repo/docs/README.md /repo/src/a.go /repo/src/b.go"},
		{"one folder down", []did{bash("cat x.go", "package x"), bash("cd sub && cat x.go", "package sub"), bash("cat sub/x.go", "package sub")}, "x.go sub/x.go"},
		{"a folder that the call names", []did{{name: "exec_command", in: in{"cmd", "cat x.go", "workdir", "/repo"}, out: "package x"}, {name: "exec_command", in: in{"cmd", "cat x.go", "workdir", "/repo"}, out: "package x"},
			{name: "exec_command", in: in{"cmd", "cat x.go", "workdir", "/repo/sub"}, out: "package sub"}, codexPatch("*** Update File: sub/x.go", "@@", "-1", "+2")}, "x.go sub/x.go"},
		{"of Windows", []did{edit(`C:\repo\a\x.go`, "1", "2"), edit(`C:\repo\y.go`, "1", "2"), edit(`a\x.go`, "2", "3")}, `C:\repo\a\x.go C:\repo\y.go`},
		{"ends alike", []did{edit("/repo/ax.go", "1", "2"), edit("x.go", "1", "2")}, "/repo/ax.go x.go"},
	} {
		var got []string
		for _, f := range opened(c.deeds...).Files {
			got = append(got, f.Path)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: files %q, want %s", c.name, got, c.want)
		}
	}
}

func TestStale(t *testing.T) {
	s := opened(read("a.go", alpha+"\n"+beta+"\n"+gamma), edit("a.go", alpha+"\n"+beta, beta+"\n"+delta), edit("a.go", gamma, "x"), edit("a.go", "x", gamma))
	f := s.Files[0]
	for line, want := range map[string]bool{alpha: true, beta: false, gamma: false, delta: false} {
		if got := f.Stale(f.Reads[0], key(line)); got != want {
			t.Errorf("Stale(%q) = %v, want %v", line, got, want)
		}
	}
	if got := f.ChangedAfter(f.Reads[0]); got != 3 {
		t.Errorf("ChangedAfter = %d, want 3", got)
	}
	s = opened(read("a.go", alpha), write("a.go", alpha), read("a.go", alpha))
	if f := s.Files[0]; !f.Stale(f.Reads[0], key(alpha)) || f.Stale(f.Reads[1], key(alpha)) || f.ChangedAfter(f.Reads[1]) != 0 {
		t.Error("what was read before a file was written whole does not stand, what was read since does")
	}
}
