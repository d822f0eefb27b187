package ranking

import (
	"path"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/document"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// A DocFreshness is how much of a document still holds.
type DocFreshness struct {
	rank.Freshness
	dead []weighed // for sections
}

type weighed struct {
	line        int
	dead, alive float64
}

// section returns the freshness of the lines from..to of the document: what they
// mention themselves, and sectionPrior's worth of the rest.
func (f *DocFreshness) section(from, to int) rank.Freshness {
	out := rank.Freshness{Changes: f.Changes}
	for _, w := range f.dead {
		if w.line >= from && w.line <= to {
			out.Dead += w.dead
			out.Alive += w.alive
		}
	}
	if sum := f.Dead + f.Alive; sum > 0 {
		part := min(sectionPrior/sum, 1)
		out.Dead += f.Dead * part
		out.Alive += f.Alive * part
	}
	return out
}

const sectionPrior = 3

// A census knows what there is in a view and what there was, to judge what
// documents say.
type census struct {
	view    *index.View
	code    []bool // of View.Docs: it is no document
	paths   map[string]bool
	bases   map[string][]string // paths by their last component
	ever    map[string]bool     // paths that the history names, and their folders
	lastly  map[string][]string // of those, by last component
	changed map[string][]int32  // commits that changed a path, newest first
	names   map[string]standing
	once    map[string]bool // names that were in the code; see lookBack
	stems   map[string]bool // names of files and folders, without extension
	others  map[string]bool // see foreign
	some    []index.DocPosting
	files   [][]string // paths of a doc
}

// A standing is what is known of a name.
type standing struct {
	defined, used bool
	files         []string // that define it, if they are few
}

func newCensus(v *index.View) *census {
	c := &census{
		view: v, code: make([]bool, len(v.Docs())), paths: map[string]bool{}, bases: map[string][]string{},
		ever: map[string]bool{}, lastly: map[string][]string{}, changed: map[string][]int32{}, names: map[string]standing{},
		files: make([][]string, len(v.Docs())), stems: map[string]bool{}, others: map[string]bool{},
	}
	there := func(p string) {
		for ; p != "." && p != "/" && !c.paths[p]; p = path.Dir(p) {
			c.paths[p] = true
			base := path.Base(p)
			c.bases[base] = append(c.bases[base], p)
			c.stems[strings.TrimSuffix(base, path.Ext(base))] = true
		}
	}
	for i := range v.Files() {
		f := &v.Files()[i]
		there(f.Path)
		if !IsDocument(f) && f.Class != outline.Docs {
			c.code[f.Doc] = true
		}
		c.files[f.Doc] = append(c.files[f.Doc], f.Path)
	}
	for _, o := range v.Excluded() {
		there(strings.TrimSuffix(o.Ref.Path, "/"))
	}
	h := v.History()
	for i, commit := range h.Commits {
		for _, f := range commit.Files {
			p := h.Paths[f]
			c.changed[p] = append(c.changed[p], int32(i))
		}
	}
	for _, p := range h.Paths {
		for ; p != "." && p != "/" && !c.ever[p]; p = path.Dir(p) {
			c.ever[p] = true
			c.lastly[path.Base(p)] = append(c.lastly[path.Base(p)], p)
		}
	}
	return c
}

// A verdict is what is known of something that a document mentions.
type verdict struct {
	dead, alive float64  // weights; both 0 if nothing is known
	files       []string // what it stands for, if it is there
}

// Weights of what is known, by how sure it is that the program is meant.
const (
	sure   = 1.0
	likely = 0.5
)

// judge says what is known of a mention in the document at from.
func (c *census) judge(m *document.Mention, from string) verdict {
	if m.Path {
		return c.judgePath(m, from)
	}
	return c.judgeName(m)
}

func (c *census) judgePath(m *document.Mention, from string) verdict {
	name := strings.TrimSuffix(m.Name, "/")
	var tries []string
	for _, p := range [...]string{path.Join(path.Dir(from), name), path.Join(strings.TrimLeft(name, "/"))} {
		if p != "." && p != ".." && !strings.HasPrefix(p, "../") {
			tries = append(tries, p)
		}
	}
	if len(tries) == 0 {
		return verdict{}
	}
	for _, p := range tries {
		for _, e := range endings {
			for _, full := range [...]string{p + e, strings.TrimSuffix(p, ".html") + e} {
				if c.paths[full] {
					return verdict{alive: sure, files: []string{full}}
				}
			}
		}
	}
	// The end of a path, as people write it.
	tail := tries[len(tries)-1]
	if m.Place != document.InLink {
		if found := endsLike(c.bases[path.Base(tail)], tail); len(found) > 0 {
			v := verdict{alive: likely}
			if len(found) <= mostNamed {
				v.files = found
			}
			return v
		}
	}
	for _, p := range tries {
		if c.ever[p] {
			return verdict{dead: sure}
		}
	}
	if m.Place != document.InLink && strings.Contains(tail, "/") {
		if found := endsLike(c.lastly[path.Base(tail)], tail); len(found) > 0 {
			return verdict{dead: sure}
		}
	}
	if m.Place == document.InLink && !strings.HasPrefix(m.Name, "/") && path.Ext(name) != "" && path.Ext(name) != ".html" {
		return verdict{dead: likely}
	}
	return verdict{}
}

// endsLike returns the paths that end with a path.
func endsLike(paths []string, tail string) (out []string) {
	for _, p := range paths {
		if p == tail || strings.HasSuffix(p, "/"+tail) {
			out = append(out, p)
		}
	}
	return out
}

func (c *census) judgeName(m *document.Mention) verdict {
	s := c.standing(m.Name)
	owner := m.Owner
	if !s.defined && c.foreign(owner) {
		return verdict{}
	}
	if i := strings.LastIndexAny(owner, ".:>#"); i >= 0 {
		owner = owner[i+1:]
	}
	weight := sure
	if m.Place == document.InBlock {
		weight = likely
	}
	switch {
	case s.defined:
		return verdict{alive: sure, files: s.files}
	case s.used:
		return verdict{alive: likely}
	case c.once[m.Name]:
		return verdict{dead: weight}
	case m.Place == document.InSpan && owner != "" && c.standing(owner).defined && terms.Compound(m.Name):
		return verdict{dead: likely} // what it is said to be part of is ours
	}
	return verdict{} // an example's, or a name of somebody else's
}

// foreign reports whether what a name is said to be part of is imported from
// outside the repository, as torch in torch.float16.
func (c *census) foreign(owner string) bool {
	first := owner
	if i := strings.IndexAny(owner, ".:->#"); i >= 0 {
		first = owner[:i]
	}
	if first == "" {
		return false
	}
	known, ok := c.others[first]
	if !ok {
		c.some = c.view.DocPostings(c.some[:0], terms.Import(first), 1)
		known = len(c.some) > 0 && !c.stems[first]
		c.others[first] = known
	}
	return known
}

// standing looks a name up in the code.
func (c *census) standing(name string) standing {
	s, ok := c.names[name]
	if ok {
		return s
	}
	const many = 200
	c.some = c.view.DocPostings(c.some[:0], terms.Def(name), many)
	for _, p := range c.some {
		if c.code[p.Doc] {
			s.defined = true
			s.files = append(s.files, c.files[p.Doc]...)
		}
	}
	if len(s.files) > mostNamed {
		s.files = nil
	}
	term := terms.Word(strings.ToLower(name))
	if terms.Compound(name) {
		term = terms.Ident(name)
	}
	c.some = c.view.DocPostings(c.some[:0], term, many)
	for _, p := range c.some {
		s.used = s.used || c.code[p.Doc]
	}
	// Of a term that so many have, some are code.
	s.used = s.used || len(c.some) > many
	c.names[name] = s
	return s
}

// freshness judges a document of the view.
func (c *census) freshness(d *docFile) DocFreshness {
	f := DocFreshness{}
	type key struct {
		path bool
		name string
	}
	seen := map[key]bool{}
	files := map[string]bool{}
	for i := range d.doc.Mentions {
		m := &d.doc.Mentions[i]
		v := c.judge(m, d.path)
		if v.dead == 0 && v.alive == 0 {
			continue
		}
		f.dead = append(f.dead, weighed{m.Line, v.dead, v.alive})
		k := key{m.Path, m.Owner + "." + m.Name}
		if seen[k] {
			continue
		}
		seen[k] = true
		f.Dead += v.dead
		f.Alive += v.alive
		for _, p := range v.files {
			if p != d.path {
				files[p] = true
			}
		}
	}
	h := c.view.History()
	last := int32(len(h.Commits)) // index of the commit that touched it last
	if at := c.changed[d.path]; len(at) > 0 {
		last = at[0]
	} else if d.dirty || len(h.Commits) == 0 {
		last = 0
	}
	commits := map[int32]bool{}
	for p := range files {
		for _, i := range c.changed[p] {
			if i >= last {
				break
			}
			commits[i] = true
		}
	}
	f.Changes = len(commits)
	return f
}
