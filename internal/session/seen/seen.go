// Package seen knows which lines of files stand in the window of an agent's session:
// what its tools answered, what it wrote itself and what was put beside its prompts,
// since its last compaction.
//
// A session is not trusted. A line counts as seen only if its text, as the file has
// it now, literally stands there, with its neighbours and below the file's path; so
// a session that claims to have shown what it did not can only hide what it spells
// out. What is too much, torn or of an unknown form is not looked at: then more is
// shown, never less.
//
// Start with [Open].
package seen

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/transcript"
)

// Bounds. A window of a million tokens has about four megabytes of text; the file
// beside it holds everything since the session began.
const (
	maxFile  = 256 << 20 // bytes of a session
	maxHasty = 32 << 20  // the same, for one who cannot wait: some 0.2 s
	maxText  = 16 << 20  // bytes of its newest texts, and of the calls that they answer
	textCost = 256       // what a text takes besides, however short it is
	maxAbout = 4 << 10   // bytes of a call that may name a file
	maxSame  = 32        // places in a text where the same line stands
	maxNotes = 3         // what is said of what could not be read
)

// What makes lines seen: so many in a row that say something. A brace, a blank line
// and a return stand everywhere.
const (
	leastRun    = 3
	leastLetter = 3 // in a line that says something
)

// A Window is the texts of a session that a model would be sent next.
type Window struct {
	texts []*text
	bytes int
	named map[string][]*text // by path
}

// A text is one of them.
type text struct {
	about string // what the call said that it answers
	body  string
	lines []string
	bare  []string         // lines without the numbers that tools put before them
	at    map[string][]int // where each line that says something stands; nil until it is asked for
}

// cost is what it costs to hold a text, and to look for a path in it. One call may
// have many texts, so that each of them counts what the call said.
func (t *text) cost() int { return len(t.about) + len(t.body) + textCost }

func newWindow() *Window { return &Window{named: map[string][]*text{}} }

// Open reads the window of a session. What could not be read is told in the
// diagnostics. Of a session that is too long, for one in haste before others, nothing
// counts as seen.
func Open(ctx context.Context, path string, hasty bool) (*Window, []satchel.Diagnostic, error) {
	f, err := sessions.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	most := int64(maxFile)
	if hasty {
		most = maxHasty
	}
	if f.Size > most {
		note := fmt.Sprintf("the session is larger than %d MB: its contents are not looked at", most>>20)
		return newWindow(), []satchel.Diagnostic{{Text: note}}, nil
	}
	w, diags, err := Read(ctx, f, f.Size)
	if err != nil {
		return nil, nil, fmt.Errorf("read session %s: %w", path, err)
	}
	return w, append(f.Diagnostics, diags...), nil
}

// Read reads the window of a session from the first size bytes of its file.
func Read(ctx context.Context, r io.ReaderAt, size int64) (*Window, []satchel.Diagnostic, error) {
	w := newWindow()
	calls := map[string]string{}
	s, err := transcript.Scan(r, size, func(m *transcript.Message) error {
		if m.Sent {
			w.add(m, calls)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, nil, err
	}
	var diags []satchel.Diagnostic
	for i, d := range s.Diagnostics {
		if i == maxNotes {
			break
		}
		diags = append(diags, satchel.Diagnostic{Text: "the session: " + d.Text})
	}
	return w, diags, nil
}

// add takes the texts of a message. calls has what the calls before it said.
func (w *Window) add(m *transcript.Message, calls map[string]string) {
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; b.Type {
		case transcript.Call:
			said := spoken(b.Input)
			about := strings.Join(said, "\n")
			about = about[:min(len(about), maxAbout)]
			calls[b.ID] = about
			for _, body := range said { // what the agent writes into a file, it has seen
				w.put(about, body)
			}
		case transcript.Result:
			w.put(calls[b.ID], b.Text)
		case transcript.Text:
			if m.Role == transcript.User {
				w.put("", b.Text)
			}
		}
	}
}

// put adds a text, and forgets the oldest if there are too many.
func (w *Window) put(about, body string) {
	if strings.Count(body, "\n")+1 < leastRun || len(body) > maxText {
		return
	}
	t := &text{about: about, body: body}
	w.texts = append(w.texts, t)
	for w.bytes += t.cost(); w.bytes > maxText; w.texts = w.texts[1:] {
		w.bytes -= w.texts[0].cost()
	}
}

// spoken returns the strings of what a tool was called with.
func spoken(input json.RawMessage) (list []string) {
	d := json.NewDecoder(bytes.NewReader(input))
	for {
		t, err := d.Token()
		if err != nil {
			return list
		}
		if s, ok := t.(string); ok {
			list = append(list, s)
		}
	}
}

// Lines reports which of the lines of a file, or of a part of it, are seen. The
// lines have no line ends.
func (w *Window) Lines(path string, lines []string) []bool {
	seen := make([]bool, len(lines))
	for _, t := range w.about(path) {
		t.mark(lines, seen)
	}
	return seen
}

// about returns the texts that name a file.
func (w *Window) about(path string) []*text {
	list, ok := w.named[path]
	if !ok {
		for _, t := range w.texts {
			if names(t.about, path) || names(t.body, path) {
				list = append(list, t)
			}
		}
		w.named[path] = list
	}
	return list
}

// names reports whether a text names a path, alone or as the end of a longer one.
func names(text, path string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], path)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(path)
		if (i == 0 || !inName(text[i-1])) && (end == len(text) || !inName(text[end]) && text[end] != '/') {
			return true
		}
		from = end
	}
}

// inName reports whether a byte before or behind a path makes it another one.
func inName(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// numbered is what tools put before the lines of a file, or of a change.
var numbered = lazy.Regexp(`^(?:\s*\d+(?:→|\t|\s?[|:] ?)|[+ ])`)

// split takes a text apart, once.
func (t *text) split() {
	if t.at != nil {
		return
	}
	t.at = map[string][]int{}
	t.lines = strings.Split(t.body, "\n")
	t.bare = make([]string, len(t.lines))
	for i, line := range t.lines {
		line = strings.TrimSuffix(line, "\r")
		t.lines[i] = line
		t.bare[i] = line[len(numbered().FindString(line)):]
		for _, s := range []string{line, t.bare[i]} {
			if at := t.at[s]; says(s) && len(at) < maxSame && (len(at) == 0 || at[len(at)-1] != i) {
				t.at[s] = append(at, i)
			}
		}
	}
}

// says reports whether a line says something.
func says(line string) bool {
	n := 0
	for _, r := range line {
		if unicode.IsLetter(r) {
			if n++; n >= leastLetter {
				return true
			}
		}
	}
	return false
}

// has reports whether a line of the text is a line of a file.
func (t *text) has(at int, line string) bool { return t.lines[at] == line || t.bare[at] == line }

// mark marks the lines of a file that stand in the text in a row.
func (t *text) mark(lines []string, seen []bool) {
	t.split()
	for i := 0; i < len(lines); {
		from, to := 0, 0
		for _, p := range t.at[lines[i]] {
			if a, b := t.run(lines, i, p); b-a > to-from {
				from, to = a, b
			}
		}
		if to == from {
			i++
			continue
		}
		for k := from; k < to; k++ {
			seen[k] = true
		}
		i = to
	}
}

// run returns the lines around line i of a file that are those around line p of the
// text; none if too few of them say something.
func (t *text) run(lines []string, i, p int) (from, to int) {
	from, to = i, i
	telling := 0
	for d := p - i; to < len(lines) && to+d < len(t.lines) && t.has(to+d, lines[to]); to++ {
		if says(lines[to]) {
			telling++
		}
	}
	for d := p - i; from > 0 && from+d > 0 && t.has(from-1+d, lines[from-1]); from-- {
		if says(lines[from-1]) {
			telling++
		}
	}
	if telling < leastRun {
		return i, i
	}
	return from, to
}
