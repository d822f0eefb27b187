package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/satchel-dev/satchel"
)

// mostPages is how many pages of a pack can be asked for. Each one takes as much
// work as all before it together, since nothing is stored between calls; and
// what was not among the first pages is better searched for.
const mostPages = 20

// pageCursor is the cursor of a page: PAGE.DIGEST.
var pageCursor = regexp.MustCompile(`^([0-9]{1,2})\.([0-9a-f]{16})$`)

// PackPage is [Engine.Pack], a page at a time: without a cursor it is the pack
// itself, and with the one that the page before gave it is the pack that can be
// made when what all earlier pages showed is left out. Next is "" when every
// candidate was shown. A later page has no list of likely files.
//
// Nothing is stored between calls: the earlier pages are made again, and the
// cursor holds a digest of them. It is a *[CursorError] if they, or the request,
// are not the same any more. The other errors are those of Pack.
func (e *Engine) PackPage(ctx context.Context, req satchel.Request, cursor string) (p *satchel.Pack, next string, err error) {
	if wantsEverything(&req) && cursor == "" {
		p, err = e.packEverything(ctx, req)
		return p, "", err
	}
	page, want := 1, ""
	if cursor != "" {
		m := pageCursor.FindStringSubmatch(cursor)
		if m == nil {
			return nil, "", &CursorError{cursor, "it is not one that a pack gave"}
		}
		page, _ = strconv.Atoi(m[1])
		want = m[2]
		if page < 2 || page > mostPages {
			return nil, "", &CursorError{cursor, fmt.Sprintf("a pack has pages 2 to %d", mostPages)}
		}
	}
	asked, err := json.Marshal(req)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.New()
	sum.Write(asked)
	shown := make(map[satchel.Ref]bool)
	m := e.meaning()
	for n := 1; ; n++ {
		b, err := e.build(ctx, req, m)
		if err != nil {
			return nil, "", err
		}
		b.leaveOut(shown)
		if p, err = e.choose(ctx, b); err != nil {
			return nil, "", err
		}
		for i := range p.Entries {
			x := &p.Entries[i]
			shown[x.Ref] = true
			fmt.Fprintf(sum, "%q %d %d %s %s\n", x.Ref.Path, x.Ref.From, x.Ref.To, x.Blob, x.Detail)
		}
		digest := hex.EncodeToString(sum.Sum(nil)[:8])
		if n == page-1 && digest != want {
			return nil, "", &CursorError{cursor, "it is that of another pack: the repository, or what is asked for, is not the same any more"}
		}
		if n < page {
			continue
		}
		if b.offers > len(p.Entries) && len(p.Entries) > 0 && n < mostPages {
			next = fmt.Sprintf("%d.%s", n+1, digest)
		}
		return p, next, nil
	}
}

// leaveOut takes away the candidates that were shown before.
func (b *builder) leaveOut(shown map[satchel.Ref]bool) {
	if len(shown) == 0 {
		return
	}
	b.again = true
	b.wanted = slices.DeleteFunc(b.wanted, func(w wanted) bool {
		if !shown[w.c.Ref] {
			return false
		}
		b.left = append(b.left, satchel.Omission{Ref: w.c.Ref, Why: satchel.WhyShown, Score: w.c.Score.Value()})
		// Of one that was shown in part, the other functions follow.
		if b.takeApart(&w); slices.ContainsFunc(w.parts, func(c satchel.Candidate) bool { return shown[c.Ref] }) {
			b.candidates = append(b.candidates, w.parts...)
		}
		return true
	})
	b.candidates = slices.DeleteFunc(b.candidates, func(c satchel.Candidate) bool {
		if shown[c.Ref] {
			b.left = append(b.left, satchel.Omission{Ref: c.Ref, Why: satchel.WhyShown, Score: c.Score.Value()})
		}
		return shown[c.Ref]
	})
}
