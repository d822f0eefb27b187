package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/pack"
)

// mostPages is how many pages of a pack can be asked for. Each one takes as much
// work as all before it together, since nothing is stored between calls; and
// what was not among the first pages is better searched for.
const mostPages = 20

// PackPage is [Engine.Pack], a page at a time: without a cursor it is the pack
// itself, and with the one that the page before gave it is the pack that can be
// made when what all earlier pages showed is left out. Next is "" when every
// candidate was shown. A later page has no list of likely files.
//
// Nothing is stored between calls: the earlier pages are made again, and the
// cursor holds a digest of them. It is a *[pack.CursorError] if they, or the request,
// are not the same any more. The other errors are those of Pack.
func (e *Engine) PackPage(ctx context.Context, req satchel.Request, cursor string) (p *satchel.Pack, next string, err error) {
	page, want := 1, ""
	if cursor != "" {
		c, err := pack.ParseCursor(cursor)
		if err != nil {
			return nil, "", err
		}
		page, want = c.At, c.Digest
		if page < 2 || page > mostPages {
			return nil, "", &pack.CursorError{Cursor: cursor, Why: fmt.Sprintf("a pack has pages 2 to %d", mostPages)}
		}
	}
	asked, err := json.Marshal(req)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.New()
	sum.Write(asked)
	shown := make(map[satchel.Ref]bool)
	m := scene.NewMeaning(e.project)
	for n := 1; ; n++ {
		sel, err := e.offers(ctx, req, m)
		if err != nil {
			return nil, "", err
		}
		sel.leaveOut(shown)
		if p, err = e.choose(ctx, sel); err != nil {
			return nil, "", err
		}
		for i := range p.Entries {
			x := &p.Entries[i]
			shown[x.Ref] = true
			if x.Ref.Old {
				sum.Write([]byte("old "))
			}
			fmt.Fprintf(sum, "%q %d %d %s %s\n", x.Ref.Path, x.Ref.From, x.Ref.To, x.Blob, x.Detail)
		}
		digest := hex.EncodeToString(sum.Sum(nil)[:8])
		if n == page-1 && digest != want {
			return nil, "", &pack.CursorError{Cursor: cursor, Why: "it belongs to another pack: the repository or the request has changed"}
		}
		if n < page {
			continue
		}
		if sel.offers > len(p.Entries) && len(p.Entries) > 0 && n < mostPages {
			next = pack.Cursor{At: n + 1, Digest: digest}.String()
		}
		return p, next, nil
	}
}

// leaveOut takes away the candidates that were shown before.
func (sel *selection) leaveOut(shown map[satchel.Ref]bool) {
	if len(shown) == 0 {
		return
	}
	sel.again = true
	sel.Musts = slices.DeleteFunc(sel.Musts, func(w scene.Must) bool {
		if !shown[w.Ref] {
			return false
		}
		sel.Omitted = append(sel.Omitted, satchel.Omission{Ref: w.Ref, Why: satchel.WhyShown, Score: w.Score.Value()})
		// Of one that was shown in part, the other functions follow.
		if sel.TakeApart(&w); slices.ContainsFunc(w.Parts, func(c satchel.Candidate) bool { return shown[c.Ref] }) {
			sel.Candidates = append(sel.Candidates, w.Parts...)
		}
		return true
	})
	sel.Candidates = slices.DeleteFunc(sel.Candidates, func(c satchel.Candidate) bool {
		if shown[c.Ref] {
			sel.Omitted = append(sel.Omitted, satchel.Omission{Ref: c.Ref, Why: satchel.WhyShown, Score: c.Score.Value()})
		}
		return shown[c.Ref]
	})
}
