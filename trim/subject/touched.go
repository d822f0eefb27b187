package subject

import (
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// Of goes through messages. See [Open].
func Of(messages []transcript.Message) *Subjects { return Open(reuse.Split(messages)) }

// Touched returns the files that were read, and those that edits changed, each once,
// in order of first appearance. A file that was changed is not among those that
// were read.
func (s *Subjects) Touched() (read, modified []string) {
	for _, f := range s.Files {
		switch {
		case f.Edits > 0:
			modified = append(modified, f.Path)
		case len(f.Reads) > 0:
			read = append(read, f.Path)
		}
	}
	return read, modified
}
