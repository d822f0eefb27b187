// Package hunks offers the hunks of a measured changeset as Items, and lays a diff
// out of them: those that fit a budget, and what comes on the pages after.
//
// Start with [NewLayout] and [Layout.Candidates].
package hunks

import (
	"path"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// A Layout decides what is shown of a report: everything, what fits a budget,
// or what comes after that.
type Layout struct {
	req    *changeset.Request
	Report *change.Report
	files  []shownFile // of Report.Files
	pieces []piece     // in reading order: by file, most relevant first, then by hunk
	count  *tokens.Encoding
	breaks []render.DiffBreak
	digest string // see sum
}

// A shownFile is what a layout knows of a changed file besides what is reported.
type shownFile struct {
	line       string // why it is told in one line; "" if its hunks are worth reading
	from, to   int    // its pieces
	olds, news []satchel.Symbol
}

// A piece is what is shown or not: a part of a file's hunks, or the line of a file
// whose hunks are not worth reading.
type piece struct {
	change.Part
	line   bool
	weight float64    // what showing all of it is worth
	shown  *shownText // see textOf
}

// NewLayout divides the changed files of a run.
func NewLayout(x *changeset.Run) *Layout {
	files := make([]shownFile, len(x.Report.Files))
	for i := range files {
		s := x.Definitions(i)
		files[i] = shownFile{line: x.Line(i), olds: s.Olds, news: s.News}
	}
	return newLayout(x.Req, &x.Report, files)
}

func newLayout(req *changeset.Request, r *change.Report, files []shownFile) *Layout {
	s := &Layout{req: req, Report: r, files: files, count: tokens.O200k()}
	var parts []change.Part
	for i := range r.Files {
		f := &s.files[i]
		f.from = len(s.pieces)
		if f.line != "" {
			s.pieces = append(s.pieces, piece{Part: change.Part{Hunk: satchel.Hunk{File: i}}, line: true})
		} else {
			parts = change.AppendParts(parts[:0], i, &r.Files[i].File)
			for _, p := range parts {
				s.pieces = append(s.pieces, piece{Part: p})
			}
		}
		f.to = len(s.pieces)
	}
	s.weigh()
	s.breaks = s.broken()
	return s
}

// broken returns what the changes break, in the order of the report. Nobody
// outside relies on tests, and generated or vendored code is not ours to break.
// What files deleted from one folder exported stands together.
func (s *Layout) broken() []render.DiffBreak {
	deleted := map[string]int{}
	for i := range s.Report.Files {
		if f := &s.Report.Files[i]; f.Status == change.Deleted {
			deleted[path.Dir(f.Path)]++
		}
	}
	folders := map[string]int{} // place in out
	var out []render.DiffBreak
	for i := range s.Report.Files {
		f := &s.Report.Files[i]
		if f.Class == string(outline.Test) || s.files[i].line != "" && f.Class != string(outline.Source) {
			continue
		}
		var edits []change.Edit
		for k := range f.Edits {
			if f.Edits[k].Breaks() {
				edits = append(edits, f.Edits[k])
			}
		}
		if len(edits) == 0 {
			continue
		}
		dir := path.Dir(f.Path)
		if f.Status != change.Deleted || deleted[dir] < 2 {
			out = append(out, render.DiffBreak{Path: f.Path, Edits: edits})
			continue
		}
		at, ok := folders[dir]
		if !ok {
			at = len(out)
			folders[dir] = at
			out = append(out, render.DiffBreak{Path: dir + "/"})
		}
		out[at].Edits = append(out[at].Edits, edits...)
		out[at].Deleted++
	}
	return out
}
