package engine

import (
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/pack"
)

// offered returns the candidates for a limit, with what must be shown in the forms
// that fit it.
func (sel *selection) offered(o pack.Options) ([]satchel.Candidate, error) {
	if len(sel.Musts) == 0 {
		return sel.Candidates, nil
	}
	whole, err := sel.wholeWithin(o)
	if err != nil {
		return nil, err
	}

	list := slices.Clone(sel.Candidates)
	for i := range sel.Musts {
		m := &sel.Musts[i]
		c := m.Candidate
		switch {
		case o.Limit <= 0:
			list = append(list, c)
		case whole[c.Ref]:
			c.Forms = c.Forms[:1]
			list = append(list, c)
		default:
			sel.TakeApart(m)
			if len(m.Parts) > 0 {
				// The functions come before a longer outline.
				c.Forms = outlineFrom(c.Forms, sel.Req.Budget/source.OutlineShare)
			}
			list = append(append(list, c), m.Parts...)
		}
	}
	return list, nil
}

// wholeWithin returns what must be shown that fits a limit whole, beside all else
// that must.
func (sel *selection) wholeWithin(o pack.Options) (map[satchel.Ref]bool, error) {
	if o.Limit <= 0 {
		return nil, nil
	}
	list := make([]satchel.Candidate, 0, len(sel.Musts))
	for i := range sel.Candidates {
		if sel.Candidates[i].Pinned {
			list = append(list, sel.Candidates[i])
		}
	}
	for i := range sel.Musts {
		list = append(list, sel.Musts[i].Candidate)
	}
	r, err := pack.Fit(list, o)
	if err != nil {
		return nil, err
	}
	whole := make(map[satchel.Ref]bool)
	for i := range r.Entries {
		whole[r.Entries[i].Ref] = r.Entries[i].Detail == satchel.Full
	}
	return whole, nil
}

// outlineFrom drops the full text of a file, and outlines of more than so many
// tokens but for the shortest.
func outlineFrom(forms []satchel.Form, most int) []satchel.Form {
	for k := 1; k < len(forms); k++ {
		if forms[k].Tokens <= most || k == len(forms)-1 {
			return forms[k:]
		}
	}
	return forms
}
