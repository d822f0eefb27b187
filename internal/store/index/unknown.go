package index

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
)

// build looks at every blob that is not known.
func (m *viewBuilder) build(ctx context.Context) error {
	attrs, err := m.readAttributes(ctx)
	if err != nil {
		return err
	}
	byBlob := map[string]int{}
	var jobs []job
	for i := range m.listing.entries {
		e := &m.listing.entries[i]
		if m.skip[i] || m.places[i].seg != nil {
			continue
		}
		n, ok := byBlob[e.blob]
		if !ok {
			n = len(jobs)
			byBlob[e.blob] = n
			jobs = append(jobs, job{blob: e.blob})
		}
		j := &jobs[n]
		j.entries = append(j.entries, i)
		if e.dirty {
			j.text, j.dirty = m.source.held[e.path], true
		} else {
			j.tracked = true
		}
	}
	segs := m.segs
	w := m.newWriter(len(jobs), m.live)
	known := func(k docKey) bool {
		return findPlace(segs, k).seg != nil
	}
	look := func(a *analyst, j *job, f fetched) (finding, error) {
		text, err := f.text, f.err
		if text == nil && err == nil {
			path := m.listing.entries[j.entries[0]].path
			text, err = m.source.fromWorkTree(path, j.blob, m.limit(path))
		}
		if err != nil {
			return finding{err: err}, nil
		}
		return m.look(a, j, text, attrs, known), nil
	}
	// What is checked out is read from the work tree, which is cheaper than git;
	// what differs there (line endings, filters) is read from git afterwards.
	var rest []job
	take := func(jobs []job, last bool) func(int, finding) error {
		return func(i int, f finding) error {
			j := &jobs[i]
			if f.err != nil && !last && j.tracked {
				rest = append(rest, *j)
				return nil
			}
			return m.take(w, j, f)
		}
	}
	if m.listing.workTree {
		err := m.analyse(ctx, jobs, func(_ context.Context, send func(fetched) error) error {
			for i := range jobs {
				if err := send(fetched{job: i, text: jobs[i].text}); err != nil {
					return err
				}
			}
			return nil
		}, look, take(jobs, false))
		if err != nil {
			return errors.Join(err, w.close())
		}
		jobs = rest
	}
	if len(jobs) > 0 {
		err := m.analyse(ctx, jobs, func(ctx context.Context, send func(fetched) error) error {
			return m.source.fetch(ctx, jobs, max(m.opts.MaxFileBytes, maxIncluded), send)
		}, look, take(jobs, true))
		if err != nil {
			return errors.Join(err, w.close())
		}
	}
	if err := w.close(); err != nil {
		return err
	}
	m.recall()
	return nil
}

// live returns what the view needs of segments that pass.
func (m *viewBuilder) live() wanted {
	docs, facts := map[docKey]bool{}, map[factKey]bool{}
	for i := range m.listing.entries {
		e := &m.listing.entries[i]
		if m.facts[i].class == "" {
			continue
		}
		docs[keyOf(e.blob, m.facts[i].lang)] = true
		if e.dirty {
			facts[factKeyOf(m.attrsKey, e.path, e.blob)] = true
		}
	}
	return wanted{
		doc:  func(k docKey) bool { return docs[k] },
		fact: func(k factKey) bool { return facts[k] },
	}
}

// take records a finding, and writes a segment when there is enough.
func (m *viewBuilder) take(w *writer, j *job, f finding) error {
	w.step()
	if f.err != nil {
		m.lacking = true
		for _, i := range j.entries {
			m.exclude(i, verdict{whyUnread(f.err), m.listing.entries[i].path})
		}
		return nil
	}
	for k, i := range j.entries {
		m.facts[i] = f.facts[k]
		w.builder(j.dirty).addFact(factKeyOf(m.attrsKey, m.listing.entries[i].path, j.blob), f.facts[k])
	}
	for _, d := range f.docs {
		if err := w.document(d, j.dirty); err != nil {
			return err
		}
	}
	return nil
}

// readAttributes reads the .gitattributes files of the listing.
func (m *viewBuilder) readAttributes(ctx context.Context) (*attributes, error) {
	var files []int
	for i := range m.listing.entries {
		e := &m.listing.entries[i]
		if _, ok := attributeFile(e.path); ok && e.kind == regular && !m.skip[i] {
			files = append(files, i)
		}
	}
	// Outer directories first: a path sorts after the files of its parents only in an
	// order by depth.
	slices.SortStableFunc(files, func(a, b int) int {
		return cmp.Compare(strings.Count(m.listing.entries[a].path, "/"), strings.Count(m.listing.entries[b].path, "/"))
	})
	attrs := &attributes{}
	for _, i := range files {
		e := &m.listing.entries[i]
		text, err := m.source.read(ctx, m.listing.workTree, e.path, e.blob, e.dirty, m.opts.MaxFileBytes)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // it will be reported as a file of the listing
		}
		dir, _ := attributeFile(e.path)
		attrs.add(dir, text)
	}
	return attrs, nil
}
