package transcript

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// Calls that Cline and Roo write as XML into the text of an answer.

// clineTools are the tools that Cline and Roo offer as XML.
var clineTools = map[string]bool{
	"execute_command": true, "read_file": true, "write_to_file": true, "replace_in_file": true, "apply_diff": true,
	"insert_content": true, "search_and_replace": true, "search_files": true, "list_files": true, "edit_file": true,
	"list_code_definition_names": true, "browser_action": true, "use_mcp_tool": true, "access_mcp_resource": true,
	"ask_followup_question": true, "attempt_completion": true, "new_task": true, "switch_mode": true, "condense": true,
	"plan_mode_respond": true, "act_mode_respond": true, "load_mcp_documentation": true, "fetch_instructions": true,
	"codebase_search": true, "update_todo_list": true, "web_fetch": true, "web_search": true, "generate_image": true,
	"run_slash_command": true, "new_rule": true, "report_bug": true, "use_skill": true, "focus_chain": true,
}

var xmlOpen = lazy.Regexp(`<([a-z][a-z_]*)>`)

// calls takes the text of an answer apart. The XML of a call becomes its Raw.
func (d *clineDecoder) calls(n int, text string) (blocks []Block) {
	rest := text
	var ends xmlEnds
	for from := 0; ; {
		at := xmlOpen().FindStringSubmatchIndex(rest[from:])
		if at == nil {
			break
		}
		start, name := from+at[0], rest[from+at[2]:from+at[3]]
		inner := from + at[1]
		if !clineTools[name] {
			from = inner
			continue
		}
		end := ends.find(rest[inner:], name)
		if end < 0 {
			from = inner
			continue
		}
		stop := inner + end + len("</"+name+">")
		call := clineCall{"xml" + strconv.Itoa(n) + "-" + strconv.Itoa(len(d.open)), name, d.b.sent}
		d.open = append(d.open, call)
		if start > 0 {
			blocks = append(blocks, Block{Type: Text, Text: rest[:start]})
		}
		blocks = append(blocks, Block{Type: Call, ID: call.id, Name: name, Input: xmlInput(rest[inner : inner+end]), Raw: quote(rest[start:stop])})
		rest, from = rest[stop:], 0
	}
	if rest != "" {
		blocks = append(blocks, Block{Type: Text, Text: rest})
	}
	return blocks
}

// xmlEnds finds where elements end. It remembers of which names no end is left,
// so that a text full of beginnings is gone through once.
type xmlEnds map[string]bool

// find returns where the closing tag of an element begins whose content begins
// with s, or -1. Content is not escaped and may hold tags of the same name: it
// ends at the last closing tag before the next opening one, else at the last.
func (e *xmlEnds) find(s, name string) int {
	if (*e)[name] {
		return -1
	}
	if next := strings.Index(s, "<"+name+">"); next >= 0 {
		if end := strings.LastIndex(s[:next], "</"+name+">"); end >= 0 {
			return end
		}
	}
	end := strings.LastIndex(s, "</"+name+">")
	if end < 0 {
		if *e == nil {
			*e = xmlEnds{}
		}
		(*e)[name] = true
	}
	return end
}

// maxParameters bounds the parameters of one call, whose names anybody may make
// up; tools have up to six.
const maxParameters = 64

// xmlInput reads the parameters of a call: its elements.
func xmlInput(s string) json.RawMessage {
	var in object
	seen := map[string]bool{}
	var ends xmlEnds
	for len(seen)+len(ends) < maxParameters {
		at := xmlOpen().FindStringSubmatchIndex(s)
		if at == nil {
			break
		}
		name := s[at[2]:at[3]]
		end := ends.find(s[at[1]:], name)
		if end < 0 {
			s = s[at[1]:]
			continue
		}
		if !seen[name] {
			seen[name] = true
			in.str(name, strings.TrimSuffix(strings.TrimPrefix(s[at[1]:at[1]+end], "\n"), "\n"))
		}
		s = s[at[1]+end+len("</"+name+">"):]
	}
	return in.bytes()
}
