package state

import (
	"regexp"
	"strings"
)

// A fileEdit is what a call does to one file.
type fileEdit struct {
	path  string
	hunks []hunk
	whole bool // it is written from its first line to its last
}

// A hunk replaces a text by another.
type hunk struct{ before, after string }

// The fields in which agents say what an edit replaces, and by what.
var (
	beforeKeys = []string{"old_string", "oldString", "oldText", "old_str", "search"}
	afterKeys  = []string{"new_string", "newString", "newText", "new_str", "replace"}
)

var conflict = regexp.MustCompile(`(?s)<{5,} ?SEARCH\n(.*?)\n?={5,}\n(.*?)\n?>{5,} ?REPLACE`)

// hunksOf returns the replacements that the input of an edit names.
func hunksOf(in *node) []hunk {
	var out []hunk
	one := func(n *node) {
		before, was := n.str(beforeKeys...)
		after, is := n.str(afterKeys...)
		if was || is {
			out = append(out, hunk{before, after})
		}
	}
	if in.kind != object {
		return nil
	}
	one(in)
	for _, k := range []string{"edits", "changes"} {
		for _, n := range in.get(k).items {
			if n.kind == object {
				one(n)
			}
		}
	}
	if d, ok := in.str("diff"); ok {
		for _, m := range conflict.FindAllStringSubmatch(d, -1) {
			out = append(out, hunk{m[1], m[2]})
		}
	}
	return out
}

const (
	patchBegins = "*** Begin Patch"
	patchEnds   = "*** End Patch"
)

var patchedFile = regexp.MustCompile(`^\*\*\* (Update|Add|Delete) File: (.+)`)

// patched takes apart a patch with its own headings ("*** Update File: PATH").
func patched(patch string) []fileEdit {
	var out []fileEdit
	var before, after []string
	flush := func() {
		if len(out) > 0 && strings.TrimSpace(strings.Join(before, "")+strings.Join(after, "")) != "" {
			e := &out[len(out)-1]
			e.hunks = append(e.hunks, hunk{lines(before), lines(after)})
		}
		before, after = nil, nil
	}
	for l := range strings.SplitSeq(patch, "\n") {
		m := patchedFile.FindStringSubmatch(l)
		switch {
		case m != nil:
			flush()
			out = append(out, fileEdit{path: strings.TrimSpace(m[2]), whole: m[1] == "Add"})
		case strings.HasPrefix(l, patchEnds):
			flush()
			return out
		case strings.HasPrefix(l, "*** "), strings.HasPrefix(l, "@@"):
			flush()
		case len(out) == 0:
		case strings.HasPrefix(l, "+"):
			after = append(after, l[1:])
		case strings.HasPrefix(l, "-"):
			before = append(before, l[1:])
		case l != "":
			before, after = append(before, l[1:]), append(after, l[1:])
		case len(before)+len(after) > 0:
			before, after = append(before, ""), append(after, "")
		}
	}
	flush()
	return out
}

// lines joins lines, without the empty ones at the end.
func lines(ls []string) string { return strings.TrimRight(strings.Join(ls, "\n"), "\n") }
