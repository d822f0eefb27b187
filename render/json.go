package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// A jsonPack is a Pack as JSON that decodes into a satchel.Pack: cleaned, in
// the order of the output, and without the task. Each entry, omission and note
// stands on a line of its own. Stable things come first, what changes with
// every Pack last.
type jsonPack struct {
	body  []part // all but the tail
	diags []satchel.Diagnostic
	err   error
	buf   bytes.Buffer
}

func newJSON(p *satchel.Pack) *jsonPack {
	j := new(jsonPack)
	ps := &parts{section: "frame"}
	ps.say("{\n", `"version":`, j.encode(p.Version), ",\n\"paths\":[\n")
	ps.in("paths")
	for i, l := range p.Paths {
		ps.say(j.encode(satchel.PathLine{Path: clean.Inline(l.Path), Score: l.Score}), comma(i, len(p.Paths)))
	}
	for _, l := range []struct {
		key  string
		list []satchel.Related
	}{{"tests", cleanRelated(p.Tests)}, {"related", cleanRelated(p.Related)}} {
		if len(l.list) == 0 {
			continue
		}
		ps.in("related")
		ps.say("],\n\"" + l.key + "\":[\n")
		for i := range l.list {
			ps.say(j.encode(l.list[i]), comma(i, len(l.list)))
		}
	}
	if len(p.Tree) > 0 {
		ps.in("tree")
		ps.say("],\n\"tree\":[\n")
		for i, f := range p.Tree {
			ps.say(j.encode(satchel.Folder{Path: clean.Inline(f.Path), Files: f.Files}), comma(i, len(p.Tree)))
		}
	}
	ps.in("frame")
	ps.say("],\n\"entries\":[\n")
	tally := make(tally)
	for i, e := range ordered(p) {
		c := *e
		c.Ref.Path, c.Lang, c.Blob = clean.Inline(c.Ref.Path), clean.Inline(c.Lang), clean.Inline(c.Blob)
		c.Title, c.Note = c.Title.Inline(), c.Note.Inline()
		c.Score = slices.Clone(c.Score)
		for k := range c.Score {
			c.Score[k].Why = clean.Inline(c.Score[k].Why) // paths are in it
		}
		tally.add(e.Ref.Path, c.Text.Changed())
		ps.in(e.Ref.Kind.Section())
		j.entry(ps, &c)
		ps.say(comma(i, len(p.Entries)))
	}
	j.diags = tally.diagnostics()
	if len(p.Named) > 0 {
		ps.in("paths")
		ps.say("],\n\"named\":[\n")
		for i, n := range p.Named {
			ps.say(j.encode(clean.Inline(n)), comma(i, len(p.Named)))
		}
	}
	ps.in("receipt")
	ps.say("],\n\"omitted\":[\n")
	ps.flush()
	for i, o := range p.Omitted {
		o.Ref.Path, o.Why = clean.Inline(o.Ref.Path), clean.Inline(o.Why)
		ps.list = append(ps.list, part{section: "receipt", text: j.encode(o) + comma(i, len(p.Omitted)), free: true})
	}
	ps.say("],\n\"diagnostics\":[\n")
	diags := withDiagnostics(p.Diagnostics, j.diags)
	for i, n := range diags {
		ps.say(j.encode(satchel.Diagnostic{Path: clean.Inline(n.Path), Text: clean.Inline(n.Text)}), comma(i, len(diags)))
	}
	ps.say("],\n")
	j.body = slices.Clip(ps.done())
	return j
}

// tail returns the end of the document, which states the counts.
func (j *jsonPack) tail(p *satchel.Pack, used int, sections []satchel.Section) []part {
	if sections == nil {
		sections = []satchel.Section{}
	}
	ps := &parts{section: "receipt"}
	ps.say(
		`"rev":`, j.encode(clean.Inline(p.Rev)),
		",\n\"budget\":", j.encode(p.Budget),
		",\n\"used\":", j.encode(used),
		",\n\"method\":", j.encode(clean.Inline(p.Method)),
		j.match(p),
		",\n\"sections\":", j.encode(sections),
		",\n\"snapshot\":", j.encode(clean.Inline(p.Snapshot)),
		"\n}\n")
	return ps.done()
}

// match is what stands there of the task's match, if there is a task.
func (j *jsonPack) match(p *satchel.Pack) string {
	if p.Match == "" {
		return ""
	}
	return ",\n\"match\":" + j.encode(p.Match) + ",\n\"match_why\":" + j.encode(clean.Inline(p.MatchWhy))
}

func comma(i, n int) string {
	if i < n-1 {
		return ",\n"
	}
	return "\n"
}

// afterText is the member of an entry that stands after its text. Nothing before
// it looks like it, since a quote in a string is escaped.
const afterText = `"tokens":`

// entry writes an entry, whose text is e.Text. The text, which is most of what
// there is, does not go through encoding/json: it takes only four escapes.
func (j *jsonPack) entry(ps *parts, e *satchel.Entry) {
	text := e.Text.String()
	e.Text = satchel.Text{}
	before, after, ok := strings.Cut(j.encode(*e), afterText)
	ps.say(before)
	if ok && text != "" {
		ps.say(`"text":"`)
		escapeJSON(&ps.own, text)
		ps.say(`",`)
	}
	if ok {
		ps.say(afterText, after)
	}
}

// escapeJSON writes clean text as the inside of a JSON string.
func escapeJSON(b *strings.Builder, text string) {
	b.Grow(len(text) + len(text)/8)
	start := 0
	for i := range len(text) {
		e := jsonEscapes[text[i]]
		if e == 0 {
			continue
		}
		b.WriteString(text[start:i])
		b.WriteByte('\\')
		b.WriteByte(e)
		start = i + 1
	}
	b.WriteString(text[start:])
}

var jsonEscapes = [256]byte{'\n': 'n', '\t': 't', '"': '"', '\\': '\\'}

// encode returns v as JSON on one line.
func (j *jsonPack) encode(v any) string {
	j.buf.Reset()
	enc := json.NewEncoder(&j.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && j.err == nil {
		j.err = fmt.Errorf("write a pack as JSON: %w", err)
	}
	return strings.TrimSuffix(j.buf.String(), "\n")
}
