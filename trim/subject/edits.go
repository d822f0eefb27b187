package subject

import (
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// An Edit is one change of a file as a call asks for it.
type Edit struct {
	Path     string
	To       string // where the file is moved to, or ""
	Old, New string
	Whole    bool // New is the whole file
	All      bool // every Old is replaced
	Deleted  bool
	Patch    bool // it is asked for as a patch
	Blind    bool // what New replaces is not written in the call
	Unknown  bool // what it does to the file is not written in the call
}

// The names that agents' tools have for the text that goes, the text that comes,
// and the whole text of a file.
var (
	oldKeys   = map[string]bool{"old_string": true, "oldString": true, "oldText": true, "old_str": true, "search": true}
	newKeys   = map[string]bool{"new_string": true, "newString": true, "newText": true, "new_str": true, "replace": true, "insert_text": true, "new_source": true}
	wholeKeys = map[string]bool{"content": true, "contents": true, "file_text": true}
)

// patchBegins is how patches of Codex's form begin.
const patchBegins = "*** Begin Patch"

// editsOf returns what a call changes, nil if it is not one that changes files.
func editsOf(name string, fields []reuse.Field, use reuse.Use) (edits []Edit) {
	for _, f := range fields {
		if !oldKeys[f.Key] && !newKeys[f.Key] && !wholeKeys[f.Key] && strings.Contains(f.Value, patchBegins) {
			edits = append(edits, patch(f.Value)...)
		}
	}
	if len(edits) > 0 {
		return edits
	}
	if !use.Edits || use.Path == "" || len(use.Path) > maxPath {
		return nil
	}
	var one Edit
	hasOld, hasNew := false, false
	flush := func() {
		if hasOld || hasNew {
			one.Path = use.Path
			edits = append(edits, one)
		}
		one, hasOld, hasNew = Edit{}, false, false
	}
	for _, f := range fields {
		switch {
		case oldKeys[f.Key]:
			if hasOld {
				flush()
			}
			one.Old, hasOld = f.Value, true
		case newKeys[f.Key]:
			if hasNew {
				flush()
			}
			one.New, hasNew = f.Value, true
			one.Blind = f.Key == "new_source"
		case wholeKeys[f.Key]:
			flush()
			edits = append(edits, Edit{Path: use.Path, New: f.Value, Whole: true})
		case f.Key == "replace_all" || f.Key == "replaceAll" || f.Key == "allow_multiple":
			one.All = f.Value == "true"
		case f.Key == "expected_replacements":
			n, _ := strconv.Atoi(f.Value)
			one.All = n > 1
		case f.Key == "diff" && strings.Contains(f.Value, "SEARCH"):
			for _, m := range searchReplace().FindAllStringSubmatch(f.Value, -1) {
				edits = append(edits, Edit{Path: use.Path, Old: m[1], New: m[2]})
			}
		}
	}
	flush()
	switch {
	case len(edits) > 0:
	case deletes().MatchString(name):
		edits = []Edit{{Path: use.Path, Deleted: true}}
	default:
		edits = []Edit{{Path: use.Path, Unknown: true}}
	}
	return edits
}

// deletes finds the names of tools that delete a file.
var deletes = lazy.Regexp(`(?i)^(?:delete|remove)_?file$`)

// Text reports whether a field of an edit holds text of its file.
func Text(key string) bool {
	return oldKeys[key] || newKeys[key] || wholeKeys[key] || key == "diff" || key == "input" || key == "patch" || key == "replace_all"
}

// searchReplace finds the changes in the blocks that Cline and Roo write.
var searchReplace = lazy.Regexp(`(?s)(?:<{5,}|-{5,}) ?SEARCH>?\n(?::start_line:\s*\d+\n)?(?::end_line:\s*\d+\n)?(?:-{5,}\n)?(.*?)\n?={5,}\n(.*?)\n?(?:>{5,}|\+{5,}) ?REPLACE`)

// patchFile finds the lines of a patch that begin a file, and where it is moved to.
var patchFile = lazy.Regexp(`^\*\*\* (Update File|Add File|Delete File|Move to): (.+)$`)

// patch takes a patch of Codex's form apart.
func patch(text string) []Edit {
	_, text, _ = strings.Cut(text, patchBegins)
	var out []Edit
	var was, is []string
	cur := Edit{}
	flush := func() {
		e := cur
		e.Old, e.New = strings.Join(was, "\n"), strings.Join(is, "\n")
		if e.Path != "" && !e.Deleted && (e.Whole && len(is) > 0 || e.Old != e.New) {
			out = append(out, e)
		}
		was, is = nil, nil
	}
	moved := -1
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if m := patchFile().FindStringSubmatch(line); m != nil && len(m[2]) <= maxPath {
			flush()
			name := strings.TrimSpace(m[2])
			if m[1] == "Move to" {
				cur.To, moved = name, len(out)
				continue
			}
			out = finishMove(out, cur, moved)
			cur, moved = Edit{Path: name, Patch: true, Whole: m[1] == "Add File", Deleted: m[1] == "Delete File"}, -1
			if cur.Deleted {
				out = append(out, cur)
			}
			continue
		}
		switch {
		case line == "*** End Patch":
			flush()
			return finishMove(out, cur, moved)
		case cur.Path == "":
		case strings.HasPrefix(line, "*** "), strings.HasPrefix(line, "@@"):
			flush()
		case strings.HasPrefix(line, "+"):
			is = append(is, line[1:])
		case strings.HasPrefix(line, "-"):
			was = append(was, line[1:])
		case line != "" || len(was)+len(is) > 0:
			line = strings.TrimPrefix(line, " ")
			was, is = append(was, line), append(is, line)
		}
	}
	flush()
	return finishMove(out, cur, moved)
}

// finishMove leaves it to the last edit of a file to move it, with one that does
// nothing else if there is none.
func finishMove(out []Edit, cur Edit, from int) []Edit {
	if cur.To == "" || from < 0 {
		return out
	}
	if len(out) == from {
		return append(out, Edit{Path: cur.Path, To: cur.To, Patch: true})
	}
	for i := from; i < len(out)-1; i++ {
		out[i].To = ""
	}
	return out
}

// refused finds how clients that do not mark failures say that an edit did not come
// about; done, how they say that it did although something else of the call failed.
var (
	refused = lazy.Regexp(`(?i)^\W*(?:<tool_use_error>|error\b|failed\b|apply_patch verification failed|patch (?:rejected|failed)|invalid (?:patch|context)|the (?:user|tool) (?:doesn't|does not|denied|rejected|execution failed|call was rejected)|user (?:denied|rejected)|` +
		`(?:string to replace|old_string|old text|search (?:text|block|pattern)|could not find|file has not been read|file not found|no such file|(?:found )?(?:no|\d+|multiple) (?:match|matches|occurrences|replacement)|permission denied|unable to|cannot\b|can't\b|rejected by user|request(?:ed)? (?:permission|interrupted)))|` +
		`(?:^|\n)(?:This is likely because the SEARCH block|The SEARCH block content does(?:n't| not) match|The tool execution failed with the following error)`)
	done = lazy.Regexp(`(?m)^Success\. Updated the following files:`)
)

// refusedHead is how far from its beginning a result says that an edit was refused, in
// bytes.
const refusedHead = 400

// came reports whether the edits of a deed came about.
func (d *deed) came() bool {
	if d.result < 0 { // nobody knows
		return false
	}
	if done().MatchString(d.text[:min(len(d.text), 2*refusedHead)]) {
		return true
	}
	return !d.failed && !refused().MatchString(d.text[:min(len(d.text), refusedHead)])
}
