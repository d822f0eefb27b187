package source

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/rank"
)

// tokensPerFile is how many candidates there are when a budget will not hold
// all files: the least that says anything about a file takes some 30 tokens.
const tokensPerFile = 30

// WholeFiles offers the files of the repository, most important first.
type WholeFiles struct{}

func (WholeFiles) Offer(ctx context.Context, sc *scene.Scene) (o scene.Offer, err error) {
	important := signal.Important(sc.View, scene.Now(&sc.Req))
	all := everyFile(sc)
	slices.SortFunc(all, func(a, c int32) int {
		return cmp.Or(cmp.Compare(important[c].Value(), important[a].Value()), cmp.Compare(a, c))
	})
	sc.Order = sc.Within(all)
	n := len(sc.Order)
	if sc.Req.Budget > 0 {
		n = min(n, max(50, sc.Req.Budget/tokensPerFile))
	}
	var take, read []int32
	for _, i := range sc.Order[:n] {
		if sc.Accounted[i] {
			continue
		}
		take = append(take, i)
		if mayShowText(sc, &sc.View.Files()[i]) {
			read = append(read, i)
		}
	}
	if err := sc.Reader.Load(ctx, read); err != nil {
		return o, err
	}
	few := namedFiles(sc)
	parts, places := parts(sc), map[string]int{}
	for _, i := range take {
		c := satchel.Candidate{Item: wholeFile(sc, i)}
		if len(c.Forms) == 0 {
			continue // it can only be named
		}
		sc.Take(i)
		if few && c.Forms[0].Detail == satchel.Full {
			o.Musts = append(o.Musts, sc.Must(c, i))
			continue
		}
		x := important[i]
		c.Score.Add("imported and used", rank.Round(x.Central))
		c.Score.Add("changed", rank.Round(x.Changed))
		c.Score.Add("size", rank.Round(x.Size))
		c.Score.Add("kind of file", x.Kind)
		c.Score.Add(entryPoint, x.Entry)
		if sc.Req.Budget > 0 {
			c.Score.Add("after others of "+parts[i], spread(places[parts[i]]))
			places[parts[i]]++
		}
		o.Candidates = append(o.Candidates, c)
	}
	evenly(sc, o.Candidates)
	return o, nil
}

// namedFiles reports whether the request is for a few files by their names: what
// does not fit whole is shown by its functions then, as what is pinned is.
func namedFiles(sc *scene.Scene) bool {
	if sc.Req.Budget <= 0 || len(sc.Req.Paths) == 0 || len(sc.Req.Paths) > mostOfOne || len(sc.Order) > len(sc.Req.Paths) {
		return false
	}
	return !slices.ContainsFunc(sc.Req.Paths, func(p string) bool {
		_, ok := sc.View.File(p)
		return !ok
	})
}

// mostOfOne is the part of a budget that the text of one file may take where not all
// of the repository fits: in 16,000 tokens a file of 8,700 stood beside the outlines
// of all others. A longer text shows as its outline.
const mostOfOne = 6

// evenly drops texts that are too long a part of the budget, unless all fit.
func evenly(sc *scene.Scene, list []satchel.Candidate) {
	sum := 0
	for i := range list {
		sum += list[i].Forms[0].Tokens
	}
	if sc.Req.Budget <= 0 || sum <= sc.Req.Budget {
		return
	}
	for i := range list {
		for c := &list[i]; len(c.Forms) > 1 && c.Forms[0].Tokens > sc.Req.Budget/mostOfOne; {
			c.Forms = c.Forms[1:]
		}
	}
}

// longestToken is how many bytes a token of a long text has at most, on
// average: hardly a text of source has more.
const longestToken = 8

// mayShowText reports whether the text of a file may be shown: it is asked for,
// and either all of it or its head fits.
func mayShowText(sc *scene.Scene, f *index.File) bool {
	switch {
	case sc.Req.Detail != 0 && sc.Req.Detail < satchel.Trimmed:
		return false
	case sc.Req.Budget <= 0, signal.Readme(strings.ToLower(f.Path)):
		return true
	}
	return f.Size/longestToken < int64(sc.Req.Budget)
}

// wholeFile makes the item of a file: full text, head of a first page, outlines.
// A file without text is in the list of paths, where it takes less room.
func wholeFile(sc *scene.Scene, i int32) satchel.Item {
	f := &sc.View.Files()[i]
	var it satchel.Item
	if mayShowText(sc, f) {
		it = sc.Reader.File(i)
	} else {
		it = sc.Reader.Outline(i, nil)
	}
	it.Ref.Kind = Kind(sc, i)
	if signal.Readme(strings.ToLower(f.Path)) && mayShowText(sc, f) && sc.Req.Budget > 0 {
		most := min(max(sc.Req.Budget/headShare, leastHead), mostHead)
		if head, ok := sc.Reader.Head(i, most); ok && len(it.Forms) > 0 && it.Forms[0].Detail == satchel.Full {
			it.Forms = slices.Insert(it.Forms, 1, head)
		}
	}
	if sc.Req.Budget > 0 && sc.Req.Detail != satchel.Mention {
		it.Forms = slices.DeleteFunc(it.Forms, func(f satchel.Form) bool { return f.Detail == satchel.Mention })
	}
	return it
}

// The first page says what the rest is about: its head may take this part of
// the budget, within limits, in tokens.
const (
	headShare = 24
	leastHead = 60
	mostHead  = 300
)

// Kind is the kind of a file without a task: documents stand behind the code,
// except for the first page.
func Kind(sc *scene.Scene, i int32) satchel.Kind {
	f := &sc.View.Files()[i]
	if sc.Ranking == nil && f.Class == outline.Docs && !(path.Dir(f.Path) == "." && signal.Readme(strings.ToLower(f.Path))) {
		return satchel.KindDoc
	}
	return satchel.KindFile
}

// WholeValue is what showing a form of a whole file is worth. An
// outline is worth as much as the share of the definitions that past tasks
// changed that are named in it: 6, 12 and 24 of the largest of a file hold 46,
// 60 and 77 %. All of the text is worth twice a whole outline.
func WholeValue(c *satchel.Candidate, f *satchel.Form) float64 {
	v := math.Exp(c.Score.Value())
	switch f.Detail {
	case satchel.Full:
		for _, r := range c.Score {
			if r.Why == entryPoint && r.Add > 0 {
				// A reader starts from its head; the rest is worth what it is
				// in any such file.
				return 1.5*v + 2*math.Exp(c.Score.Value()-r.Add)
			}
		}
		return 2 * v
	case satchel.Trimmed:
		return 1.5 * v
	case satchel.Outline:
		if n, all := ranking.Named(f); !all {
			return v * min(0.95, 0.46*math.Pow(float64(n)/6, 0.37))
		}
		return v
	}
	return 0.1 * v
}

// entryPoint is the reason of what a reader starts from.
const entryPoint = "entry point"

// TokensOf counts a name once.
func TokensOf(sc *scene.Scene, name string) int {
	n, ok := sc.Names[name]
	if !ok {
		n = sc.Encoding.Count(name)
		if sc.Names == nil {
			sc.Names = map[string]int{}
		}
		sc.Names[name] = n
	}
	return n
}
