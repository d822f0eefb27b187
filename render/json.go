package render

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/satchel-dev/satchel"
)

// jsonText writes a Pack as JSON that decodes into a satchel.Pack: cleaned, in
// the order of the output, and without the task. Each entry, omission and note
// stands on a line of its own.
func jsonText(p *satchel.Pack, used int, sections []satchel.Section) ([]part, error) {
	tally := make(tally)
	entries := make([]satchel.Entry, 0, len(p.Entries))
	for _, e := range ordered(p.Entries) {
		c := *e
		c.Ref.Path, c.Title, c.Lang, c.Blob = Clean(c.Ref.Path), Clean(c.Title), Clean(c.Lang), Clean(c.Blob)
		var changed Changes
		c.Text, changed = CleanText(c.Text)
		tally.add(e.Ref.Path, changed)
		entries = append(entries, c)
	}
	paths := make([]satchel.PathLine, len(p.Paths))
	for i, l := range p.Paths {
		paths[i] = satchel.PathLine{Path: Clean(l.Path), Score: l.Score}
	}
	omitted := make([]satchel.Omission, len(p.Omitted))
	for i, o := range p.Omitted {
		o.Ref.Path, o.Why = Clean(o.Ref.Path), Clean(o.Why)
		omitted[i] = o
	}
	notes := withNotes(p.Notes, tally.notes())
	for i, n := range notes {
		if i == 0 {
			notes = append([]satchel.Note(nil), notes...)
		}
		notes[i] = satchel.Note{Path: Clean(n.Path), Text: Clean(n.Text)}
	}
	if sections == nil {
		sections = []satchel.Section{}
	}

	// Stable things first, what changes with every Pack last.
	j := jsonWriter{ps: parts{section: "frame"}}
	j.ps.say("{\n")
	j.field("version", p.Version)
	list(&j, "entries", func(e satchel.Entry) string { return section(e.Ref.Kind) }, entries)
	list(&j, "paths", named[satchel.PathLine]("paths"), paths)
	list(&j, "omitted", nil, omitted)
	list(&j, "notes", named[satchel.Note]("receipt"), notes)
	j.field("rev", Clean(p.Rev))
	j.field("budget", p.Budget)
	j.field("used", used)
	j.field("method", Clean(p.Method))
	j.field("sections", sections)
	j.ps.say(`"snapshot":`, j.encode(Clean(p.Snapshot)), "\n}\n")
	return j.ps.list, j.err
}

type jsonWriter struct {
	ps  parts
	buf bytes.Buffer
	err error
}

// encode returns v as JSON on one line.
func (j *jsonWriter) encode(v any) string {
	j.buf.Reset()
	enc := json.NewEncoder(&j.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && j.err == nil {
		j.err = fmt.Errorf("write a pack as JSON: %w", err)
	}
	return string(bytes.TrimRight(j.buf.Bytes(), "\n"))
}

func (j *jsonWriter) field(name string, v any) {
	j.ps.say(`"`, name, `":`, j.encode(v), ",\n")
}

// list writes an array, one value a line, each in the section that of names.
// Without of, the array is not counted.
func list[T any](j *jsonWriter, name string, of func(T) string, values []T) {
	j.ps.say(`"`, name, "\":[\n")
	was := j.ps.section
	for i, v := range values {
		end := ",\n"
		if i == len(values)-1 {
			end = "\n"
		}
		if of == nil {
			j.ps.list = append(j.ps.list, part{section: was, text: j.encode(v) + end, free: true})
			continue
		}
		j.ps.section = of(v)
		j.ps.say(j.encode(v), end)
	}
	j.ps.section = was
	j.ps.say("],\n")
}

func named[T any](name string) func(T) string { return func(T) string { return name } }
