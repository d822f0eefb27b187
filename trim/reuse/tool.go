package reuse

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/transcript"
)

// A Source says where a piece of text comes from.
type Source uint8

// The sources. The results of tools are last.
const (
	User    Source = iota // a person's words, and summaries of earlier ones
	Meta                  // put in by the client
	Answer                // the model's text
	Call                  // the input of a tool
	Read                  // a file, or a part of one
	Command               // what a program printed
	Search                // a list of files or of matching lines
	write                 // the receipt of a change
	other                 // of any other tool
)

// Result reports whether a source is the result of a tool.
func (s Source) Result() bool { return s >= Read }

func (s Source) String() string {
	return [...]string{"user", "meta", "answer", "call", "read", "command", "search", "write", "other"}[s]
}

// The names that agents give their tools.
var (
	readTool    = lazy.Regexp(`(?i)^(read|view|cat|open|fs_?read|get_?file|load_?file)|read_?file|_view$`)
	writeTool   = lazy.Regexp(`(?i)write|edit|create|patch|replace|insert|delete_?file|apply_?diff`)
	searchTool  = lazy.Regexp(`(?i)grep|glob|search|^find|^ls$|^list|_list|codebase|query`)
	commandTool = lazy.Regexp(`(?i)bash|shell|exec|^run|terminal|command|python|process`)

	// Commands that show a file, and commands that search.
	showsFile = lazy.Regexp(`(?:^|[;(]|&&|-lc\s+['"]?)\s*(?:cat|sed -n|head|tail|nl|bat|less)\b([^|;&<>\n]*)`)
	searches  = lazy.Regexp(`^\s*(?:cd [^;&]*&&\s*)?(?:rg|grep|find|ls|fd|ag|git grep|git ls-files|tree)\b`)
	patched   = lazy.Regexp(`\*\*\* (?:Update|Add|Delete) File: ([^\n]+)`)
)

// A tool is what a call does: the kind of its result, and the file it is about.
type tool struct {
	source Source
	path   string // "" if none or unknown
	edits  bool   // changes the file
	whole  bool   // reads it from end to end
	clip   string // the part that it reads, as given
}

// toolOf tells what a call does from its name and input.
func toolOf(name string, fields []Field) tool {
	t := tool{source: other, whole: true}
	command := ""
	for _, f := range fields {
		switch f.Key {
		case "file_path", "filePath", "path", "filename", "notebook_path", "target_file", "absolute_path", "relative_workspace_path", "file":
			if t.path == "" && len(f.Value) < 300 && !strings.ContainsRune(f.Value, '\n') {
				t.path = f.Value
			}
		case "offset", "limit", "view_range", "start_line", "end_line", "range", "start", "end":
			t.whole = false
			t.clip += f.Key + "=" + f.Value + " "
		case "command":
			if name == "str_replace_based_edit_tool" || name == "str_replace_editor" {
				if f.Value == "view" {
					t.source = Read
				} else {
					t.source, t.edits = write, true
				}
				continue
			}
			if command != "" {
				command += " "
			}
			command += f.Value
		case "cmd", "script", "code":
			command += f.Value
		}
		if t.path == "" && strings.Contains(f.Value, "*** Begin Patch") {
			if m := patched().FindStringSubmatch(f.Value); m != nil {
				t.path, t.source, t.edits = strings.TrimSpace(m[1]), write, true
			}
		}
	}
	switch {
	case t.source != other:
	case commandTool().MatchString(name) || command != "" && t.path == "":
		t.source = Command
		t.path = ""
		if len(command) > 400 {
			command = command[:400]
		}
		if path := shown(command); path != "" {
			t.source, t.path, t.whole, t.clip = Read, path, false, command
		} else if searches().MatchString(command) {
			t.source = Search
		}
	case writeTool().MatchString(name):
		t.source, t.edits = write, t.path != ""
	case readTool().MatchString(name):
		t.source = Read
	case searchTool().MatchString(name):
		t.source = Search
	}
	return t
}

// commandLine returns the command line that fields of a call ask for, or "".
func commandLine(fields []Field) string {
	line, words := "", []string(nil)
	for _, f := range fields {
		switch f.Key {
		case "command":
			words = append(words, f.Value)
		case "cmd", "script", "code":
			line = f.Value
		}
	}
	switch {
	case len(words) == 1:
		line = words[0]
	case len(words) > 2 && (words[1] == "-lc" || words[1] == "-c"):
		line = words[len(words)-1]
	case len(words) > 1:
		line = strings.Join(words, " ")
	}
	return line
}

// shown returns the file that a command prints, or "".
func shown(command string) string {
	m := showsFile().FindStringSubmatch(command)
	if m == nil {
		return ""
	}
	args := strings.Fields(m[1])
	if len(args) == 0 {
		return ""
	}
	path := strings.Trim(args[len(args)-1], `'")`)
	if strings.HasPrefix(path, "-") || !strings.ContainsAny(path, "./") {
		return ""
	}
	return path
}

// CallText writes a call as text: its fields, each as "key: value", without the
// tool's name.
func CallText(b *transcript.Block) string { return callText(leaves(b.Input)) }

func callText(fs []Field) string {
	var b strings.Builder
	for i, f := range fs {
		if i > 0 {
			b.WriteByte('\n')
		}
		if f.Key != "" {
			b.WriteString(f.Key)
			b.WriteString(": ")
		}
		b.WriteString(f.Value)
	}
	return b.String()
}

// Reads reports whether a call reads a file by its path, and which part of it;
// an empty clip is the whole file.
func Reads(call *transcript.Block) (path, clip string, ok bool) {
	t := toolOf(call.Name, leaves(call.Input))
	return t.path, t.clip, t.source == Read && t.path != "" && !commandTool().MatchString(call.Name)
}

// Writes reports whether a call writes a file from its first byte to its last,
// and which one.
func Writes(call *transcript.Block) (path string, ok bool) {
	if !writeTool().MatchString(call.Name) {
		return "", false
	}
	fs := leaves(call.Input)
	t := toolOf(call.Name, fs)
	if !t.edits || t.path == "" {
		return "", false
	}
	for _, f := range fs {
		switch f.Key {
		case "content", "contents", "file_text":
			ok = true
		case "old_string", "oldString", "oldText", "old_str", "insert_line", "line", "diff", "patch":
			return "", false
		}
	}
	return t.path, ok
}

// A Use is what a call does to a file.
type Use struct {
	Source Source // of its result
	Path   string // "" if none or unknown
	Clip   string // the part that is read; "" is the whole file
	Edits  bool   // it changes the file
	Line   string // the command line, if it runs one
}

// UseOf tells what a call does from its name and input.
func UseOf(call *transcript.Block) Use { return UseAs(call.Name, leaves(call.Input)) }

// UseAs is [UseOf] for the name of a tool and the fields of its input.
func UseAs(name string, fields []Field) Use {
	t := toolOf(name, fields)
	u := Use{Source: t.source, Path: t.path, Clip: t.clip, Edits: t.edits}
	if t.source != write && !strings.HasPrefix(name, "str_replace") { // whose command is a verb
		u.Line = commandLine(fields)
	}
	return u
}

// ShortPath returns the last two elements of a path. Agents name a file now from
// the root and now from where they stand, so paths that are short alike are taken
// for one file.
func ShortPath(path string) string { return base(path) }
