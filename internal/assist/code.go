package assist

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/code/outline"
)

// A code is what a change stands in, for package finding: the files of both sides, as
// they may be shown. It keeps what it has read.
type code struct {
	ctx      context.Context
	engine   *engine.Engine
	old, now string // revisions; now "" is the work tree
	report   *change.Report

	mu    sync.Mutex
	texts map[sided]sideText
}

type sided struct {
	path string
	side finding.Side
}

// A sideText is a file of one side; ok is false if it is not there or may not be shown.
type sideText struct {
	text string
	ok   bool
}

func newCode(ctx context.Context, e *engine.Engine, req *engine.DiffRequest, r *change.Report) *code {
	c := &code{ctx: ctx, engine: e, old: cmp.Or(r.Base, "HEAD"), now: req.NewSide(), report: r, texts: map[sided]sideText{}}
	c.now = cmp.Or(r.To, c.now)
	return c
}

// forFindings is the code as package finding asks for it.
func (c *code) forFindings() finding.Code {
	return finding.Code{Text: c.text, Symbols: c.symbols, Known: c.known}
}

// text returns a file of one side, secrets redacted; false if it is not there or may
// not be shown.
func (c *code) text(path string, side finding.Side) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := sided{path, side}
	if t, ok := c.texts[key]; ok {
		return t.text, t.ok
	}
	rev := c.now
	if side == finding.Old {
		rev = c.old
	}
	text, ok := textOf(c.ctx, c.engine, rev, path)
	c.texts[key] = sideText{text, ok}
	return text, ok
}

// textOf returns a file of a revision as models may see it; false if it is not there or
// may not be shown.
func textOf(ctx context.Context, e *engine.Engine, rev, path string) (string, bool) {
	if e.Refuses(ctx, rev, path) != nil {
		return "", false
	}
	shown, err := e.Files().Show(ctx, path, 0, 0, rev)
	if err != nil {
		return "", false
	}
	return shown.Text, true
}

func (c *code) symbols(path string, side finding.Side) []satchel.Symbol {
	text, ok := c.text(path, side)
	if !ok {
		return nil
	}
	return outline.Parse(outline.Language(path, []byte(text)), []byte(text)).Symbols
}

// known reports whether a name stands in the change, in a changed file, or is that of
// a definition or a file of the repository.
func (c *code) known(name string) bool {
	last := name
	if i := strings.LastIndexAny(name, ".:#/"); i+1 < len(name) {
		last = name[i+1:]
	}
	last = strings.TrimSuffix(last, "()")
	for i := range c.report.Files {
		f := &c.report.Files[i]
		if strings.HasSuffix(f.Path, name) || strings.HasSuffix(f.OldPath, name) {
			return true
		}
		for j := range f.Hunks {
			if strings.Contains(f.Hunks[j].Body, last) {
				return true
			}
		}
	}
	for i := range c.report.Files {
		for _, side := range []finding.Side{finding.New, finding.Old} {
			if text, ok := c.text(c.report.Files[i].Path, side); ok && strings.Contains(text, last) {
				return true
			}
		}
	}
	if c.engine.Refuses(c.ctx, c.now, name) == nil {
		return true // a file
	}
	res, err := c.engine.Search(c.ctx, engine.SearchRequest{Query: last, Rev: c.now, Symbols: true, Limit: knownHits})
	if err != nil {
		return true // nobody knows
	}
	return slices.ContainsFunc(res.Symbols, func(h engine.SymbolHit) bool { return h.Symbol.Name == last })
}

// knownHits is among how many definitions a name is looked for.
const knownHits = 5
