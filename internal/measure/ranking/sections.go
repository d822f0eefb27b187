package ranking

import (
	"cmp"
	"context"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/document"
	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/rank"
)

// A sectionPlace is a section of a document, and its lines without the heading.
type sectionPlace struct {
	d        *docFile
	s        *document.Section
	from, to int
}

// rank measures, scores and orders the sections of the documents.
func (s *docSearch) rank(ctx context.Context) error {
	list, texts := sectionTexts(s.docs)
	matches := signal.Sections(s.out.Terms, texts, s.weights)
	rows, fresh := s.measure(list, matches)
	if s.o.Similar != nil {
		if err := s.measureMeaning(ctx, list, rows); err != nil {
			return err
		}
	}

	scores := rank.Documents(rows, s.weights)
	s.out.Sections = make([]DocSection, 0, len(list))
	for i, p := range list {
		if rows[i].Words == 0 && rows[i].Linked == 0 && rows[i].Similarity == 0 {
			continue
		}
		s.out.Sections = append(s.out.Sections, DocSection{
			Item:  satchel.Item{Ref: satchel.Ref{Kind: satchel.KindDoc, Path: p.d.path, From: p.from, To: p.to}},
			Score: scores[i], Doc: p.d.path, Row: rows[i], Fresh: fresh[i], Terms: matches[i].Terms,
			place: p.d, section: p.s,
		})
	}
	slices.SortFunc(s.out.Sections, func(a, b DocSection) int {
		return cmp.Or(cmp.Compare(b.Score.Value(), a.Score.Value()), a.Item.Ref.Compare(b.Item.Ref))
	})
	return nil
}

// sectionTexts lists the sections of documents that have text, and that text.
func sectionTexts(docs []*docFile) (list []sectionPlace, texts []signal.SectionText) {
	for k, d := range docs {
		for i := range d.doc.Sections {
			s := &d.doc.Sections[i]
			from, to := d.body(s)
			if from > to {
				continue
			}
			t := signal.SectionText{Doc: k, Title: s.Title(), Trail: d.path}
			for _, h := range s.Trail[:len(s.Trail)-1] {
				t.Trail += " " + h
			}
			if s.Level == 0 {
				for _, tag := range d.doc.Front.Tags {
					t.Trail += " " + tag
				}
			}
			t.Prose, t.Code = d.lines(from, to)
			list, texts = append(list, sectionPlace{d, s, from, to}), append(texts, t)
		}
	}
	return list, texts
}

// measure fills what is known of sections but their meaning. fresh is
// rank.Freshness.Weight of each.
func (s *docSearch) measure(list []sectionPlace, matches []signal.SectionMatch) (rows []rank.DocumentRow, fresh []float64) {
	value := func(m *signal.SectionMatch) float32 {
		if s.o.Plain {
			return m.BM25
		}
		return m.BM25F
	}
	var top, whole float32
	for i := range matches {
		top, whole = max(top, value(&matches[i])), max(whole, matches[i].Whole)
	}

	rows, fresh = make([]rank.DocumentRow, len(list)), make([]float64, len(list))
	for i, p := range list {
		x := &rows[i]
		if top > 0 {
			x.Words = float64(value(&matches[i]) / top)
			x.Whole = float64(matches[i].Whole / whole)
			x.Cover = float64(matches[i].Cover)
		}
		if l := s.reached[p.d]; l != nil {
			x.Linked = l.linked
			if l.headings[document.Slug(p.s.Title())] && p.s.Part == 0 {
				x.Heading = 1
			}
		}
		fresh[i] = 1
		if !s.o.NoFresh && p.d.file >= 0 && !isRecord(p.d.path) {
			f := p.d.fresh.section(p.from, p.to)
			fresh[i] = f.Weight()
			x.Stale = max(0, rank.Doubtful-fresh[i]) / rank.Doubtful
		}
		if isRecord(p.d.path) {
			x.Record = 1
		}
		if p.s == &p.d.doc.Sections[0] {
			x.Opening = 1
		}
	}
	return rows, fresh
}

// measureMeaning asks how alike in meaning the task and the sections are. A failure
// is a Diagnostic: words alone rank then.
func (s *docSearch) measureMeaning(ctx context.Context, list []sectionPlace, rows []rank.DocumentRow) error {
	sections := make([]DocText, len(list))
	for i, p := range list {
		sections[i] = docText(p.s, p.d.text.Between(p.from, p.to).String())
	}
	alike, err := s.o.Similar(ctx, s.task, sections)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		d := satchel.Diagnostic{Text: "documents are ranked by words alone: " + err.Error()}
		if !slices.Contains(s.out.Diagnostics, d) {
			s.out.Diagnostics = append(s.out.Diagnostics, d)
		}
	case len(alike) == len(rows):
		for i := range rows {
			rows[i].Similarity = min(max(alike[i], -1), 1)
		}
	}
	return nil
}
