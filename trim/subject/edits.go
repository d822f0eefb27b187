package subject

import (
	"regexp"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// An Edit is one change of a file as a call asks for it.
type Edit struct {
	Path     string
	Old, New string
	Whole    bool // New is the whole file
	All      bool // every Old is replaced
	Deleted  bool
	Patch    bool // it is asked for as a patch
	Unknown  bool // what it does to the file is not written in the call
}

// The names that agents' tools have for the text that goes, the text that comes,
// and the whole text of a file.
var (
	oldKeys   = map[string]bool{"old_string": true, "oldString": true, "oldText": true, "old_str": true, "search": true}
	newKeys   = map[string]bool{"new_string": true, "newString": true, "newText": true, "new_str": true, "replace": true, "insert_text": true, "new_source": true}
	wholeKeys = map[string]bool{"content": true, "contents": true, "file_text": true}
)

// editsOf returns what a call changes, and whether it is one that changes files.
func editsOf(call *transcript.Block) (edits []Edit, ok bool) {
	fields := reuse.Fields(call)
	for _, f := range fields {
		if strings.Contains(f.Value, "*** Begin Patch") {
			edits = append(edits, patch(f.Value)...)
		}
	}
	if len(edits) > 0 {
		return edits, true
	}
	use := reuse.UseOf(call)
	if !use.Edits || use.Path == "" {
		return nil, false
	}
	var one Edit
	half := 0 // of one: 1 has the old text, 2 the new one
	flush := func() {
		if half != 0 {
			one.Path = use.Path
			edits = append(edits, one)
		}
		one, half = Edit{}, 0
	}
	for _, f := range fields {
		switch {
		case oldKeys[f.Key]:
			if half&1 != 0 || half == 3 {
				flush()
			}
			one.Old = f.Value
			half |= 1
		case newKeys[f.Key]:
			if half&2 != 0 {
				flush()
			}
			one.New = f.Value
			half |= 2
		case wholeKeys[f.Key]:
			flush()
			edits = append(edits, Edit{Path: use.Path, New: f.Value, Whole: true})
		case (f.Key == "replace_all" || f.Key == "replaceAll") && f.Value == "true":
			one.All = true
		case f.Key == "diff" && strings.Contains(f.Value, "SEARCH"):
			for _, m := range searchReplace.FindAllStringSubmatch(f.Value, -1) {
				edits = append(edits, Edit{Path: use.Path, Old: m[1], New: m[2]})
			}
		}
	}
	flush()
	if len(edits) == 0 {
		edits = []Edit{{Path: use.Path, Unknown: true}}
	}
	return edits, true
}

// Text reports whether a field of an edit holds text of its file.
func Text(key string) bool {
	return oldKeys[key] || newKeys[key] || wholeKeys[key] || key == "diff" || key == "input" || key == "patch" || key == "replace_all"
}

// searchReplace finds the changes in the blocks that Cline and Roo write.
var searchReplace = regexp.MustCompile(`(?s)<{5,} ?SEARCH\n(.*?)\n?={5,}\n(.*?)\n?>{5,} ?REPLACE`)

// patch takes a patch of Codex's form apart.
func patch(text string) []Edit {
	var out []Edit
	var was, is []string
	cur := Edit{}
	flush := func() {
		if cur.Path == "" || cur.Deleted || len(was)+len(is) == 0 {
			return
		}
		e := cur
		e.Old, e.New = strings.Join(was, "\n"), strings.Join(is, "\n")
		if strings.TrimSpace(e.Old+e.New) != "" {
			out = append(out, e)
		}
		was, is = nil, nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if m := patchFile.FindStringSubmatch(line); m != nil {
			flush()
			was, is = nil, nil
			cur = Edit{Path: strings.TrimSpace(m[2]), Patch: true, Whole: m[1] == "Add", Deleted: m[1] == "Delete"}
			if cur.Deleted {
				out = append(out, cur)
			}
			continue
		}
		switch {
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
	return out
}

var patchFile = regexp.MustCompile(`^\*\*\* (Update|Add|Delete) File: (.+)$`)

// editKey names what edits are of, so that a later one mends a failed one.
func editKey(edits []Edit) string { return "edit " + edits[0].Path }
