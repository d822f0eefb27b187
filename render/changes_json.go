package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// diffVersion is the version of the JSON form of a Diff.
const diffVersion = 3

// A jsonDiff is the JSON form of a Diff. Files are in the order of the report. The budget
// covers all of it but the omissions, which are listed in full and come last.
type jsonDiff struct {
	Version     int                  `json:"version"`
	Source      string               `json:"source"`
	From        string               `json:"from,omitempty"`
	To          string               `json:"to,omitempty"`
	Profile     string               `json:"profile"`
	Task        string               `json:"task,omitempty"`
	Size        string               `json:"size"`
	Guidance    string               `json:"guidance"`
	All         jsonTotals           `json:"all"`
	Shown       jsonTotals           `json:"shown"`
	Files       []jsonFile           `json:"files"`
	Breaks      []jsonBreak          `json:"breaks,omitempty"`
	Tests       []satchel.Related    `json:"tests,omitempty"`
	Related     []satchel.Related    `json:"related,omitempty"`
	Diagnostics []satchel.Diagnostic `json:"diagnostics,omitempty"`
	Cursor      *Cursor              `json:"cursor,omitempty"`
	Budget      int                  `json:"budget,omitempty"`
	Used        int                  `json:"used,omitempty"`
	Method      string               `json:"method,omitempty"`
	Omitted     []jsonLeftOut        `json:"omitted"`
}

type jsonTotals struct {
	Files   int `json:"files"`
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

type jsonFile struct {
	Path       string        `json:"path"`
	OldPath    string        `json:"old_path,omitempty"`
	Status     change.Status `json:"status"`
	Similarity int           `json:"similarity,omitempty"`
	OldMode    string        `json:"old_mode,omitempty"` // octal, as git writes it
	NewMode    string        `json:"new_mode,omitempty"`
	Untracked  bool          `json:"untracked,omitempty"`
	Binary     bool          `json:"binary,omitempty"`
	Unread     string        `json:"unread,omitempty"` // why its contents were not compared, such as "object missing"
	Class      string        `json:"class,omitempty"`
	Lang       string        `json:"lang,omitempty"`
	Added      int           `json:"added"`
	Removed    int           `json:"removed"`
	Score      float64       `json:"score"` // the relevance, 0..1
	Additions  satchel.Score `json:"additions,omitempty"`
	Reasons    []string      `json:"reasons"`
	Edits      []change.Edit `json:"edits,omitempty"`
	Line       string        `json:"line,omitempty"`   // why the file is told in one line
	Header     string        `json:"header,omitempty"` // of the patch
	Hunks      []jsonHunk    `json:"hunks,omitempty"`
}

type jsonHunk struct {
	Hunk     int            `json:"hunk"`
	Part     int            `json:"part,omitempty"`
	Parts    int            `json:"parts,omitempty"`
	OldFrom  int            `json:"old_from"`
	OldLines int            `json:"old_lines"`
	NewFrom  int            `json:"new_from"`
	NewLines int            `json:"new_lines"`
	Added    int            `json:"added"`
	Removed  int            `json:"removed"`
	Section  string         `json:"section,omitempty"`
	Detail   satchel.Detail `json:"detail"`
	Patch    bool           `json:"patch"` // header, ranges and text are a patch
	Text     string         `json:"text,omitempty"`
}

type jsonBreak struct {
	Path  string   `json:"path"`
	Names []string `json:"names"` // -removed, ~changed
}

// A jsonLeftOut is a hunk, a part of one, or a whole file (without hunk) that is
// not shown in full.
type jsonLeftOut struct {
	Path    string         `json:"path"`
	Hunk    int            `json:"hunk,omitempty"`
	Part    int            `json:"part,omitempty"` // if the hunk is in parts
	From    int            `json:"from,omitempty"` // lines of the new file; of the old one if nothing was added
	To      int            `json:"to,omitempty"`
	Added   int            `json:"added"`
	Removed int            `json:"removed"`
	Lines   int            `json:"lines"` // of the patch that are left out
	Bytes   int            `json:"bytes"` // the same
	Why     string         `json:"why"`
	Shown   satchel.Detail `json:"shown"` // what is shown instead: trimmed, outline, mention, omitted
}

func newJSONLeftOut(o *satchel.Omission) jsonLeftOut {
	j := jsonLeftOut{Path: clean.Inline(o.Ref.Path), Lines: o.Lines, Bytes: o.Bytes, Why: clean.Inline(o.Why), Shown: o.Shown}
	if h := o.Hunk; h != nil {
		j.Hunk, j.Added, j.Removed = h.Number, h.Added, h.Removed
		if h.Parts > 1 {
			j.Part = h.Part
		}
		if o.Ref.From > 0 {
			l := h.Lines()
			j.From, j.To = l.From, l.To
		}
	}
	return j
}

// DiffJSON returns a Diff as one JSON document, and the part of it that a budget
// covers: all but the list of omissions. Without a budget all files are listed
// with all that is known; with one, those of which something is shown, with
// what breaks of their edits.
func DiffJSON(d *Diff) (text, counted string, err error) {
	w := &diffWriter{d: d, layout: &d.Layout}
	r := d.Report
	size, guidance := w.sizes()
	j := &jsonDiff{
		Version: diffVersion, Source: clean.Inline(r.Source), From: clean.Inline(r.From), To: clean.Inline(r.To), Profile: r.Profile, Task: clean.Inline(r.Task),
		Size: string(size), Guidance: guidance,
		All: jsonTotals(r.All), Shown: jsonTotals(r.Shown),
		Files: []jsonFile{}, Cursor: d.Next, Budget: d.Budget, Used: d.Used, Method: d.Method,
	}
	if d.Next != nil {
		c := *d.Next
		c.Path, c.Text = clean.Inline(c.Path), clean.Inline(c.Text)
		j.Cursor = &c
	}
	j.Files = d.jsonFiles()
	if !d.Rest {
		j.Breaks = jsonBreaks(d)
		j.Tests, j.Related = cleanRelated(RelatedWithin(r.Tests, d.Budget)), cleanRelated(RelatedWithin(r.Related, d.Budget))
		for _, n := range r.Diagnostics {
			j.Diagnostics = append(j.Diagnostics, satchel.Diagnostic{Path: clean.Inline(n.Path), Text: clean.Inline(n.Text)})
		}
	}
	omitted := make([]jsonLeftOut, len(d.Omitted))
	for i := range d.Omitted {
		omitted[i] = newJSONLeftOut(&d.Omitted[i])
	}
	list, err := encodeLines(omitted)
	if err != nil {
		return "", "", err
	}
	j.Omitted = []jsonLeftOut{} // put in below, a line each
	if counted, err = indented(j); err != nil {
		return "", "", err
	}
	text = counted
	if len(omitted) > 0 {
		// The last [] of the document is that of the omissions.
		at := bytes.LastIndex([]byte(counted), []byte("[]"))
		text = counted[:at] + list + counted[at+2:]
	}
	return text, counted, nil
}

// jsonFiles returns the files that are listed.
func (d *Diff) jsonFiles() []jsonFile {
	shown := make(map[*change.Scored]*DiffFile, len(d.Files))
	for i := range d.Files {
		shown[d.Files[i].Scored] = &d.Files[i]
	}
	files := []jsonFile{}
	for i := range d.Report.Files {
		f := &d.Report.Files[i]
		s := shown[f]
		if s == nil && (d.Standard && d.Budget > 0 || !d.Standard && i >= d.Listed) {
			continue
		}
		x := jsonFile{
			Path: clean.Inline(f.Path), OldPath: clean.Inline(f.OldPath), Status: f.Status, Similarity: f.Similarity,
			OldMode: octal(f.OldMode), NewMode: octal(f.NewMode), Untracked: f.Untracked, Binary: f.Binary, Unread: f.Unread, Class: f.Class, Lang: f.Lang,
			Added: f.Added, Removed: f.Removed, Score: round3(f.Relevance), Reasons: cleanAll(f.Reasons),
		}
		if d.Budget <= 0 || d.Debug {
			for _, s := range f.Score {
				x.Additions = append(x.Additions, satchel.Reason{Why: clean.Inline(s.Why), Add: round3(s.Add)})
			}
		}
		for k := range f.Edits {
			if d.Budget <= 0 || f.Edits[k].Breaks() {
				x.Edits = append(x.Edits, cleanEdit(f.Edits[k]))
			}
		}
		if s != nil {
			x.Line = s.Line
			s.jsonHunks(&x)
		}
		files = append(files, x)
	}
	return files
}

// jsonHunks adds what is shown of the hunks.
func (f *DiffFile) jsonHunks(x *jsonFile) {
	for _, h := range joined(f.Hunks) {
		if h.patch() && x.Header == "" {
			x.Header, _ = clean.VisiblePatch(f.Header)
		}
		if h.Number == 0 {
			continue
		}
		y := jsonHunk{
			Hunk: h.Number, OldFrom: h.OldFrom, OldLines: h.OldLines, NewFrom: h.NewFrom, NewLines: h.NewLines,
			Added: h.Added, Removed: h.Removed, Section: h.section, Detail: h.detail, Patch: h.patch(), Text: h.text,
		}
		if h.Parts > 1 && !h.patch() {
			y.Part, y.Parts = h.Part, h.Parts
		}
		x.Hunks = append(x.Hunks, y)
	}
}

func jsonBreaks(d *Diff) (out []jsonBreak) {
	for i := range d.Breaks {
		b := &d.Breaks[i]
		out = append(out, jsonBreak{clean.Inline(b.Path), breakNames(b.Edits)})
	}
	return out
}

func cleanEdit(e change.Edit) change.Edit {
	for _, s := range []*string{&e.Kind, &e.Name, &e.Parent, &e.OldName, &e.Path, &e.Signature, &e.OldSignature} {
		*s = clean.Inline(*s)
	}
	e.Added, e.Removed = cleanAll(e.Added), cleanAll(e.Removed)
	return e
}

func cleanAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = clean.Inline(s)
	}
	return out[:len(list):len(list)]
}

// encodeLines returns a list with an element a line.
func encodeLines[T any](list []T) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteString("[\n")
	for i := range list {
		b.WriteString("    ")
		if err := e.Encode(&list[i]); err != nil {
			return "", err
		}
		if i < len(list)-1 {
			b.Truncate(b.Len() - 1)
			b.WriteString(",\n")
		}
	}
	b.WriteString("  ]")
	return b.String(), nil
}

// indented returns v as a document of lines.
func indented(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.String(), err
}

func octal(mode uint32) string {
	if mode == 0 {
		return ""
	}
	return fmt.Sprintf("%06o", mode)
}

// round3 keeps three decimals: more says nothing, and takes tokens.
func round3(v float64) float64 { return math.Round(v*1000) / 1000 }

// DiffDocument is the Go type behind what [DiffJSON] writes, for those who describe it.
func DiffDocument() reflect.Type { return reflect.TypeFor[jsonDiff]() }

// ReviewDocument is the Go type behind what [ReviewJSON] writes.
func ReviewDocument() reflect.Type { return reflect.TypeFor[jsonReview]() }
