package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// What was put beside the last prompts is kept below the repository's satchel
// folder, a line of JSON each: a hook adds one in a single write, so that nothing
// is torn if two do, and a file that has become long is replaced by its end. A
// record is no reason to keep an agent waiting, so nothing here waits: what cannot
// be written at once is not written.

const (
	lastFolder  = "last"
	lastName    = "prompts.jsonl"
	lastLong    = 64 << 10 // bytes, from which on the file is made shorter
	lastMost    = 1 << 20  // bytes that are read: more than hooks write
	lastLine    = 8 << 10  // bytes of a record: a longer one names fewer files
	promptRunes = 120      // of a prompt that are kept
)

// A Given is what was put beside a prompt, or why nothing was.
type Given struct {
	Time     time.Time     `json:"time"`
	Client   string        `json:"client"`
	Session  string        `json:"session,omitempty"` // as the client names it
	Prompt   string        `json:"prompt"`            // its beginning, secrets redacted
	Match    satchel.Match `json:"match,omitempty"`
	MatchWhy string        `json:"match_why,omitempty"`
	Why      string        `json:"why,omitempty"`  // why nothing was given
	Tokens   int           `json:"tokens"`         // of the texts, headings not counted
	Files    []GivenFile   `json:"files"`          // best first
	More     int           `json:"more,omitempty"` // files that are not listed
}

// A GivenFile is what was put beside a prompt of one file.
type GivenFile struct {
	Path   string          `json:"path"`
	Lines  []satchel.Range `json:"lines,omitempty"`
	Tokens int             `json:"tokens"`
}

// Show adds what was given of files.
func (g *Given) Show(entries []satchel.Entry) {
	at := make(map[string]int)
	for i := range entries {
		x := &entries[i]
		name := x.Ref.Path
		if !x.Ref.Kind.OfFile() {
			name = x.Ref.String()
		}
		k, ok := at[name]
		if !ok {
			k = len(g.Files)
			at[name] = k
			g.Files = append(g.Files, GivenFile{Path: name})
		}
		f := &g.Files[k]
		f.Lines = append(f.Lines, x.Lines...)
		f.Tokens += x.Tokens
		g.Tokens += x.Tokens
	}
	for i := range g.Files {
		slices.SortFunc(g.Files[i].Lines, func(a, b satchel.Range) int { return cmp.Compare(a.From, b.From) })
	}
}

// shortPrompt is the beginning of a prompt on one line, with secrets redacted
// before anything is cut.
func shortPrompt(prompt string) string {
	runes := []rune(strings.Join(strings.Fields(clean.New("", prompt).String()), " "))
	if len(runes) <= promptRunes {
		return string(runes)
	}
	return string(runes[:promptRunes-1]) + "…"
}

// lastDir is where the record is, "" if there is no place for it.
func (k *Kept) lastDir() string {
	if k.memory.Path == "" || k.memory.Lost != nil {
		return ""
	}
	return filepath.Join(filepath.Dir(k.memory.Path), lastFolder)
}

// RecordPrompt keeps what was put beside a prompt, or why nothing was, and those of
// the prompts before it, keep in all. Of the prompt it keeps the beginning.
func (k *Kept) RecordPrompt(g Given, keep int) error {
	dir := k.lastDir()
	if dir == "" || keep <= 0 {
		return nil
	}
	g.Prompt = shortPrompt(Spoken(g.Prompt))
	if g.Files == nil {
		g.Files = []GivenFile{}
	}
	line, err := json.Marshal(&g)
	for err == nil && len(line) > lastLine && len(g.Files) > 0 {
		n := len(g.Files) / 2
		g.More += len(g.Files) - n
		g.Files = g.Files[:n]
		line, err = json.Marshal(&g)
	}
	if err != nil || len(line) > lastLine {
		return err
	}
	if err := git.MakeOwn(dir); err != nil {
		return err
	}
	// A line ends the one before it, which may be torn.
	long, err := appendLast(filepath.Join(dir, lastName), append([]byte{'\n'}, line...))
	if err != nil || !long {
		return err
	}
	unlock, free, err := index.Lock(dir)
	if err != nil || !free {
		return err // who has it makes the file shorter
	}
	unlock()
	return index.ReplaceFile(dir, lastName, lastMost, func(old []byte) ([]byte, error) {
		lines := bytes.SplitAfter(bytes.TrimSpace(old), []byte("\n"))
		kept := bytes.Join(lines[max(0, len(lines)-keep):], nil)
		for len(kept) > min(keep*lastLine, lastMost/8*7) { // lines that no hook wrote
			_, kept, _ = bytes.Cut(kept, []byte("\n"))
		}
		return kept, nil
	})
}

// appendLast adds a line to a file of the user alone, and reports whether that is
// long now.
func appendLast(name string, line []byte) (long bool, err error) {
	if fi, err := os.Lstat(name); err == nil && (!fi.Mode().IsRegular() || fi.Size() > lastMost) {
		return false, fmt.Errorf("write %s: satchel did not make this file", name)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if _, err := f.Write(line); err != nil {
		return false, err
	}
	fi, err := f.Stat()
	return err == nil && fi.Size() > lastLong, err
}

// LastPrompts returns what was put beside the last prompts, newest first, most of
// them. A line that is damaged is left out and counted.
func (k *Kept) LastPrompts(most int) (list []Given, damaged int, err error) {
	dir := k.lastDir()
	if dir == "" {
		return nil, 0, nil
	}
	b, err := index.ReadFile(dir, lastName, lastMost)
	if err != nil {
		return nil, 0, err
	}
	lines := bytes.Split(b, []byte("\n"))
	for _, line := range slices.Backward(lines) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if len(list) == most {
			break
		}
		var g Given
		if err := json.Unmarshal(line, &g); err != nil || g.Time.IsZero() {
			damaged++
			continue
		}
		list = append(list, g)
	}
	return list, damaged, nil
}
