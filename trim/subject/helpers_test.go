package subject

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// An in is the input of a call, in the order in which it is written: keys and values.
type in []any

func (x in) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; i+1 < len(x); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		v, err := json.Marshal(x[i+1])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", x[i], v)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// A did is a call with its result.
type did struct {
	name   string
	in     any
	out    string
	failed bool
	none   bool // no result was recorded
	says   string
}

// open returns the subjects of calls, each in a step of its own.
func opened(deeds ...did) *Subjects { return Open(reuse.Open(messages(deeds...))) }

func messages(deeds ...did) []transcript.Message {
	ms := []transcript.Message{{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: "go on"}}}}
	for i, d := range deeds {
		a := transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer}
		if d.says != "" {
			a.Blocks = append(a.Blocks, transcript.Block{Type: transcript.Text, Text: d.says})
		}
		if d.name != "" {
			input, err := json.Marshal(d.in)
			if err != nil {
				panic(err)
			}
			a.Blocks = append(a.Blocks, transcript.Block{Type: transcript.Call, ID: strconv.Itoa(i), Name: d.name, Input: input})
		}
		ms = append(ms, a)
		if d.name != "" && !d.none {
			ms = append(ms, transcript.Message{Role: transcript.User, Kind: transcript.Results,
				Blocks: []transcript.Block{{Type: transcript.Result, ID: strconv.Itoa(i), Text: d.out, Failed: d.failed}}})
		}
	}
	return ms
}

func edit(path, old, now string) did {
	return did{name: "Edit", in: in{"file_path", path, "old_string", old, "new_string", now}, out: "The file " + path + " has been updated."}
}

func write(path, text string) did {
	return did{name: "Write", in: in{"file_path", path, "content", text}, out: "File created successfully at: " + path}
}

func read(path, text string) did {
	return did{name: "Read", in: in{"file_path", path}, out: text}
}

func bash(command, out string) did {
	return did{name: "Bash", in: in{"command", command}, out: out}
}

func codexPatch(lines ...string) did {
	return did{name: "apply_patch", in: in{"input", "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"}, out: "Success. Updated the following files:\nM x"}
}

// fail returns a deed that failed.
func fail(d did, out string) did {
	d.out, d.failed = out, true
	return d
}

// state writes files as tests want them: a line for each file and each hunk.
func state(s *Subjects) string {
	var b strings.Builder
	for _, f := range s.Files {
		fmt.Fprintf(&b, "%s %d", f.Path, f.Edits)
		if f.Deleted {
			b.WriteString(" deleted")
		}
		if f.By != "" {
			b.WriteString(" by " + f.By)
		}
		b.WriteByte('\n')
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, "  %q -> %q", h.Old, h.New)
			if h.Whole {
				b.WriteString(" whole")
			}
			if h.By != "" {
				b.WriteString(" by " + h.By)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func key(line string) uint64 { return reuse.Key(line) }
