package engine

import (
	"errors"
	"math"
	"path"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
)

// offered returns the candidates for a limit. What the user named (musts and context
// files) comes first, and gets no more than its share as long as the rest can fill
// the limit.
func (sel *selection) offered(o pack.Options) ([]satchel.Candidate, error) {
	var named, rest []satchel.Candidate
	for _, c := range sel.Candidates {
		if c.Pinned || c.Ref.Kind == satchel.KindContext {
			named = append(named, c)
		} else {
			rest = append(rest, c)
		}
	}
	if len(named)+len(sel.Musts) == 0 {
		return sel.Candidates, nil
	}
	if o.Limit <= 0 {
		for i := range sel.Musts {
			named = append(named, sel.Musts[i].Candidate)
		}
		return append(named, rest...), nil
	}

	share := o
	share.Limit = sel.share(o.Limit, named, rest)
	entries, err := fitNamed(append(slices.Clone(named), sel.mustsIn(nil)...), share, o)
	if err != nil {
		return nil, err
	}
	named = append(named, sel.mustsIn(entries)...)
	if share.Limit < o.Limit {
		if entries, err = fitNamed(named, share, o); err != nil {
			return nil, err
		}
		keepShare(named, entries)
	}
	return append(named, rest...), nil
}

// keepShare limits candidates to the forms that their share has room for. What it
// has no room for comes after all others.
func keepShare(named []satchel.Candidate, entries map[satchel.Ref]satchel.Entry) {
	for i := range named {
		c := &named[i]
		e, shown := entries[c.Ref]
		if !shown {
			c.Score = slices.Clone(c.Score)
			c.Score.Add("beyond its share of the budget", -2*scene.PinnedScore)
			continue
		}
		if c.Ref.Kind == satchel.KindContext && c.Ref.From == 0 && e.Tokens < c.Forms[0].Tokens && c.Note.IsZero() {
			c.Note = cutFrom(c)
		}
		c.Forms = formsWithin(c.Forms, e.Tokens)
	}
}

// cutFrom tells an agent that a candidate is shown in part.
func cutFrom(c *satchel.Candidate) satchel.Text {
	return clean.New(c.Ref.Path, "cut from "+render.Thousands(c.Forms[0].Tokens)+" tokens to fit its share of the budget")
}

// share returns the part of a limit for what the user named: all that the other
// candidates cannot fill, and at least half of what the files to edit leave.
func (sel *selection) share(limit int, named, rest []satchel.Candidate) int {
	fixed, shared, others := 0, false, 0
	for i := range named {
		if named[i].Pinned {
			fixed += named[i].Forms[0].Tokens
		} else {
			shared = true
		}
	}
	for i := range sel.Musts {
		if m := &sel.Musts[i]; m.Shares {
			shared = true
		} else {
			fixed += m.Forms[0].Tokens
		}
	}
	if !shared {
		return limit
	}
	for i := range rest {
		if len(rest[i].Forms) > 0 {
			others += rest[i].Forms[0].Tokens
		}
	}
	fixed = min(fixed, limit)
	return max(limit-others, fixed+(limit-fixed)/2)
}

// fitNamed returns what of the candidates fits a share of the budget. If not even
// their shortest forms do, they may take all of it.
func fitNamed(list []satchel.Candidate, share, all pack.Options) (map[satchel.Ref]satchel.Entry, error) {
	r, err := pack.Fit(list, share)
	if errors.As(err, new(*satchel.OverflowError)) {
		r, err = pack.Fit(list, all)
	}
	if err != nil {
		return nil, err
	}
	entries := make(map[satchel.Ref]satchel.Entry, len(r.Entries))
	for _, e := range r.Entries {
		entries[e.Ref] = e
	}
	return entries, nil
}

// mustsIn returns candidates for what must be shown: whole if entries have it so, or
// else its functions below an outline. Without entries all forms are left.
func (sel *selection) mustsIn(entries map[satchel.Ref]satchel.Entry) (list []satchel.Candidate) {
	for i := range sel.Musts {
		m := &sel.Musts[i]
		c := m.Candidate
		switch {
		case entries == nil:
		case entries[c.Ref].Detail == satchel.Full:
			c.Forms = c.Forms[:1]
		default:
			if m.Shares && c.Note.IsZero() {
				c.Note = cutFrom(&c)
			}
			sel.TakeApart(m)
			list = append(list, m.Parts...)
			if len(m.Parts) > 0 {
				// The functions come before a longer outline.
				c.Forms = formsWithin(c.Forms[min(1, len(c.Forms)-1):], sel.Req.Budget/source.OutlineShare)
			}
		}
		list = append(list, c)
	}
	return list
}

// formsWithin drops the forms that have more tokens than most, but keeps the shortest.
func formsWithin(forms []satchel.Form, most int) []satchel.Form {
	for len(forms) > 1 && forms[0].Tokens > most {
		forms = forms[1:]
	}
	return forms
}

// listShare is the part of the budget that the list of the files that are not
// shown may take.
const listShare = 10

// rest returns files that are not shown, most important first as far as their
// part of the budget goes, sorted by path.
func (sel *selection) rest(shown map[string]bool) []string {
	room := math.MaxInt
	if sel.Req.Budget > 0 {
		room = sel.Req.Budget / listShare
	}
	files := sel.View.Files()
	var list []string
	folders := map[string]bool{}
	for _, i := range sel.Order {
		p := files[i].Path
		if shown[p] {
			continue
		}
		var cost int
		if sel.Format == render.JSON {
			cost = source.TokensOf(sel.Scene, p) + 3 // quotes, comma, newline
		} else {
			folder, name := path.Split(p)
			cost = source.TokensOf(sel.Scene, name) + 1
			if !folders[folder] {
				folders[folder] = true
				cost += source.TokensOf(sel.Scene, folder) + 2
			}
		}
		if room -= cost; room < 0 {
			break
		}
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}
