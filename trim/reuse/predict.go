package reuse

import "math"

// The features of a name. Ages are in groups.
var entityFeatures = []string{
	"one", "age", "age own", "never own", "own", "groups", "count", "calls", "path", "prompt", "newest prompt", "last group", "last three",
	"number", "error name", "density", "def", "err", "edited", "in result", "in read", "in search", "in call", "file edited", "file age", "age first", "length", "task words", "url", "flag", "camel", "heat", "age x own", "one-off", "topic", "asked", "asked and unchanged", "unchanged",
}

const nEntity = 38

// log1 is log(1+n), and 0 below 0.
func log1(n int) float64 {
	if n = max(n, 0); n < len(logs) {
		return logs[n]
	}
	return math.Log1p(float64(n))
}

// logs are the logarithms of the counts that nearly all are.
var logs = func() (t [1024]float64) {
	for n := range t {
		t[n] = math.Log1p(float64(n))
	}
	return t
}()

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// entity fills x with the features of a name.
func (c *Conversation) entity(e *Entity, x *[nEntity]float64) {
	now := len(c.Groups)
	age := now - 1 - int(e.Last)
	own := now
	if e.LastOwn >= 0 {
		own = now - 1 - int(e.LastOwn)
	}
	n := e.Name
	isPath, upper := false, false
	for i := 0; i < len(n); i++ {
		switch {
		case n[i] == '/':
			isPath = true
		case n[i] >= 'A' && n[i] <= 'Z':
			upper = true
		}
	}
	isURL := len(n) > 8 && n[:4] == "http" && isPath
	edited, fileAge := 0.0, log1(now)
	if e.inFile != nil {
		edited = log1(e.inFile.edits)
		fileAge = log1(now - 1 - max(e.inFile.read, e.inFile.edited))
	}
	*x = [nEntity]float64{
		1, log1(age), log1(own), bit(e.LastOwn < 0), log1(int(e.Own)), log1(int(e.Groups)), log1(int(e.Count)), log1(int(e.Calls)),
		bit(isPath && !isURL), bit(e.Prompts > 0), bit(e.LastPrompt), bit(age == 0), bit(age < 3),
		bit(class[n[0]] == digit), bit(failure(n)), float64(e.Groups) / float64(e.Last-e.First+1), bit(e.Def), bit(e.Err), log1(int(e.Edited)),
		bit(e.Newest.Result()), bit(e.Newest == Read), bit(e.Newest == Search), bit(e.Newest == Call), edited, fileAge,
		log1(now - 1 - int(e.First)), math.Log(float64(len(n))), log1(int(e.term)), bit(isURL), bit(n[0] == '-'), bit(upper),
		e.heat, log1(age) * log1(int(e.Own)), bit(e.Count == 1), float64(e.topic), bit(e.asked), bit(e.asked && e.unread), bit(e.unread),
	}
}

// The features of a phrase.
var gramFeatures = []string{
	"one", "age", "age own", "never own", "own", "groups", "count", "calls", "prompt", "newest prompt", "last group", "last three",
	"in read", "in command", "in search", "in result", "in call", "in answer", "in user", "in meta", "file edited", "top", "age first", "age x own", "density",
}

const nGram = 25

func (c *Conversation) gram(g *Gram, x *[nGram]float64) {
	now := len(c.Groups)
	age := now - 1 - int(g.Last)
	own := now
	if g.LastOwn >= 0 {
		own = now - 1 - int(g.LastOwn)
	}
	*x = [nGram]float64{
		1, log1(age), log1(own), bit(g.LastOwn < 0), log1(int(g.Own)), log1(int(g.Groups)), log1(int(g.Count)), log1(int(g.Calls)),
		bit(g.Prompts > 0), bit(g.LastPrompt), bit(age == 0), bit(age < 3),
		bit(g.Newest == Read), bit(g.Newest == Command), bit(g.Newest == Search), bit(g.Newest.Result()), bit(g.Newest == Call), bit(g.Newest == Answer), bit(g.Newest == User), bit(g.Newest == Meta),
		bit(g.Path), bit(g.Top), log1(now - 1 - int(g.First)), log1(age) * log1(int(g.Own)), float64(g.Groups) / float64(g.Last-g.First+1),
	}
}

// The features of a line that an edit may quote.
var lineFeatures = []string{
	"one", "age", "in read", "in call", "in edit", "in command", "in search", "in answer", "has file", "file edits", "file edit age", "file never edited", "file reads", "file read age",
	"part lines", "length", "def", "err", "names", "mean heat", "max heat", "indented", "after newest prompt", "asked", "newest read of file", "whole", "last group", "tail of part", "topic", "asked and unchanged",
}

const nLine = 30

// minEdit is the length from which a line says which place an edit means.
const minEdit = 12

func (c *Conversation) line(i int, x *[nLine]float64) bool {
	l := &c.Lines[i]
	p := &c.Parts[l.Part]
	if l.body < minEdit || l.Continues || p.Source == User || p.Source == Meta || p.Source == write {
		return false
	}
	now := len(c.Groups)
	age := now - 1 - p.Group
	f := c.fileOf(p)
	edits, editAge, reads, readAge, newest := 0.0, log1(now), 0.0, log1(now), false
	if f != nil {
		edits, reads = log1(f.edits), log1(f.reads)
		if f.edited >= 0 {
			editAge = log1(now - 1 - f.edited)
		}
		if f.read >= 0 {
			readAge = log1(now - 1 - f.read)
		}
		newest = p.Source == Read && f.read == p.Group
	}
	mean, most := 0.0, 0.0
	refs := c.Refs(l)
	for _, r := range refs {
		mean += c.Entities[r].heat
		most = max(most, c.Entities[r].heat)
	}
	if len(refs) > 0 {
		mean /= float64(len(refs))
	}
	*x = [nLine]float64{
		1, log1(age), bit(p.Source == Read), bit(p.Source == Call), bit(p.Edits), bit(p.Source == Command), bit(p.Source == Search), bit(p.Source == Answer),
		bit(f != nil), edits, editAge, bit(f != nil && f.edited < 0), reads, readAge,
		log1(p.To - p.From), math.Log(float64(l.body)), bit(l.def), bit(l.Failing), log1(len(refs)), mean, most,
		bit(l.Text[0] == ' ' || l.Text[0] == '\t'), bit(p.Group > c.last), bit(p.Asked), bit(newest), bit(p.Whole), bit(age == 0), bit(p.To-i < 4), float64(l.topic), bit(p.Asked && f != nil && f.edited < 0),
	}
	return true
}

// A Model holds the weights of the features.
type Model struct {
	Entity []float64 // of names
	Gram   []float64 // of phrases
	Line   []float64 // of lines that an edit may quote
}

// Committed returns a copy of the committed model.
func Committed() Model { return committed }

// Predict sets the probabilities of names, phrases and lines. A nil model means
// the committed weights.
func (c *Conversation) Predict(m *Model) {
	if m == nil {
		m = &committed
	}
	c.warm()
	var xe [nEntity]float64
	n := float64(len(c.Groups))
	for i := range c.Entities {
		e := &c.Entities[i]
		c.entity(e, &xe)
		e.P = logistic(m.Entity, xe[:])
		e.Rarity = math.Log(1 + n/float64(e.Groups))
	}
	var xg [nGram]float64
	for i := range c.Grams {
		c.gram(&c.Grams[i], &xg)
		c.Grams[i].P = logistic(m.Gram, xg[:])
	}
	var xl [nLine]float64
	for i := range c.Lines {
		if c.line(i, &xl) {
			c.Lines[i].Edit = logistic(m.Line, xl[:])
		}
	}
}

// warm sets the heat of each name: the highest mean warmth of the other names in
// one of its lines and the lines beside it. Names are warm that the agent itself
// used lately.
func (c *Conversation) warm() {
	warmth := make([]float64, len(c.Entities))
	now := len(c.Groups) - 1
	for i := range c.Entities {
		e := &c.Entities[i]
		e.heat = 0
		warmth[i] = 0.2 / float64(1+now-int(e.Last))
		if e.LastOwn >= 0 {
			warmth[i] = 1 / (1 + float64(now-int(e.LastOwn))/4)
		}
	}
	for p := range c.Parts {
		part := &c.Parts[p]
		for i := part.From; i < part.To; i++ {
			refs := c.Refs(&c.Lines[i])
			if len(refs) == 0 {
				continue
			}
			sum, n := 0.0, 0
			for j := max(part.From, i-1); j <= min(part.To-1, i+1); j++ {
				for _, r := range c.Refs(&c.Lines[j]) {
					sum += warmth[r]
					n++
				}
			}
			if n < 2 {
				continue
			}
			for _, r := range refs {
				e := &c.Entities[r]
				e.heat = max(e.heat, (sum-warmth[r])/float64(n-1))
			}
		}
	}
}

func logistic(w, x []float64) float64 {
	z := 0.0
	for i, v := range x {
		z += w[i] * v
	}
	return 1 / (1 + math.Exp(-z))
}

// Each calls fn with the features of every item that a part of the model looks
// at, as Predict sees them: "entity" for names, "gram" for phrases,
// "line" for lines. Call it after Predict. The features are only valid during
// the call.
func (c *Conversation) Each(part string, fn func(item int, features []float64)) {
	switch part {
	case "entity":
		var x [nEntity]float64
		for i := range c.Entities {
			c.entity(&c.Entities[i], &x)
			fn(i, x[:])
		}
	case "gram":
		var x [nGram]float64
		for i := range c.Grams {
			c.gram(&c.Grams[i], &x)
			fn(i, x[:])
		}
	case "line":
		var x [nLine]float64
		for i := range c.Lines {
			if c.line(i, &x) {
				fn(i, x[:])
			}
		}
	}
}

// Features returns the names of the features of a part of the model.
func Features(part string) []string {
	switch part {
	case "entity":
		return entityFeatures
	case "gram":
		return gramFeatures
	case "line":
		return lineFeatures
	}
	return nil
}
