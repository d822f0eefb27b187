package trim

import (
	"hash/maphash"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// A Staleness says whether the result of a tool may go, and why: what a later message has of it.
type Staleness uint8

// What may go, and what is needed. A read of a file that was edited since is needed: its other lines are
// what the next edit quotes.
const (
	Needed    Staleness = iota
	Repeated            // the same text comes again
	SameError           // the same error comes again
	Reread              // the file is read again, all of it or the same part
	Rewritten           // the file is written whole
)

// minClean is the shortest result, in bytes, that a marker is shorter than for
// certain. The marker of an error that comes again is shorter.
const (
	minClean = 200
	minError = 100
)

// Tools cut what they read: Claude Code and pi at 2,000 lines, pi at 50 kB too. A
// read of a whole file that comes near either may lack what an earlier read of a
// part shows.
const (
	cutLines = 1_990
	cutBytes = 48 << 10
)

// Stale returns for each block of a conversation why it may go. It is the one rule:
// what [Clean] replaces, what [Stats] counts and what an [Inventory] marks follow
// from it.
//
// Paths are compared as they are written: two that only look alike must not be taken
// for one file.
func Stale(blocks []transcript.Block) []Staleness {
	var s seen
	results := make([]int, len(blocks))
	for i := range blocks {
		results[i] = s.add(&blocks[i])
	}

	s.finish()
	out := make([]Staleness, len(blocks))
	for i, r := range results {
		out[i] = s.why(r)
	}
	return out
}

// A seen is what is remembered of blocks to know which results may go: a hundred
// bytes or so of each result, and none of its text. Hashes are keyed: nobody can
// write two texts that are taken for one.
type seen struct {
	seed    maphash.Seed
	calls   map[string]seenCall // that have no result yet, by id
	results []seenResult
	newest  map[uint64]int32 // texts, parts of files, files → the newest block that has them
	blocks  int32
}

type seenCall struct {
	at         int32
	path, clip string
	reads      bool
	writes     string // the file that it writes whole
}

// A seenResult is a result that a later one may repeat.
type seenResult struct {
	at    int32  // its block, from 1
	text  uint64 // hashes
	part  uint64 // of a read: of the file and what is read of it; else 0
	file  uint64
	error bool
}

// What is remembered of a file, beside its hash.
const (
	wholeRead = 1 + iota
	wholeWritten
)

// add takes the next block. It returns the number of a result that may go one day,
// from 1, and 0 for any other block.
func (s *seen) add(b *transcript.Block) (number int) {
	if s.calls == nil {
		s.seed, s.calls, s.newest = maphash.MakeSeed(), make(map[string]seenCall), make(map[uint64]int32)
	}
	s.blocks++
	switch b.Type {
	case transcript.Call:
		c := seenCall{at: s.blocks}
		c.path, c.clip, c.reads = reuse.Reads(b)
		if path, ok := reuse.Writes(b); ok {
			c.writes = path
		}
		s.calls[b.ID] = c
	case transcript.Result:
		c := s.calls[b.ID]
		delete(s.calls, b.ID)
		if !b.Failed {
			s.write(c)
		}
		return s.result(b, c)
	}
	return 0
}

// finish ends the conversation: calls that have no result yet did not fail.
func (s *seen) finish() {
	for _, c := range s.calls {
		s.write(c)
	}
}

func (s *seen) write(c seenCall) {
	if c.writes != "" {
		key := s.hash("file", c.writes) + wholeWritten
		s.newest[key] = max(s.newest[key], c.at)
	}
}

func (s *seen) result(b *transcript.Block, c seenCall) (number int) {
	least, kind := minClean, "text"
	if b.Failed {
		least, kind = minError, "error"
	}
	if b.Images > 0 || len(b.Text) < least {
		return 0
	}
	r := seenResult{at: s.blocks, text: s.hash(kind, b.Text), error: b.Failed}
	s.newest[r.text] = r.at

	if c.reads && !b.Failed {
		r.part, r.file = s.hash("part", c.path, c.clip), s.hash("file", c.path)
		s.newest[r.part] = r.at
		if c.clip == "" && len(b.Text) < cutBytes && strings.Count(b.Text, "\n") < cutLines {
			s.newest[r.file+wholeRead] = r.at
		}
	}
	s.results = append(s.results, r)
	return len(s.results)
}

// why says why a result may go, by its number.
func (s *seen) why(number int) Staleness {
	if number == 0 {
		return Needed
	}
	r := &s.results[number-1]
	read, written := s.reread(r), s.newest[r.file+wholeWritten]
	switch {
	case s.newest[r.text] > r.at && r.error:
		return SameError
	case s.newest[r.text] > r.at:
		return Repeated
	case r.part == 0:
		return Needed
	case read > r.at && read > written:
		return Reread
	case written > r.at:
		return Rewritten
	}
	return Needed
}

// reread is the newest block that has what a read has.
func (s *seen) reread(r *seenResult) int32 {
	return max(s.newest[r.part], s.newest[r.file+wholeRead])
}

func (s *seen) hash(words ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	for _, w := range words {
		h.WriteString(w)
		h.WriteByte(0)
	}
	return h.Sum64()
}
