package index

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

// maxLine is how many bytes of a line are looked at for terms. Longer lines
// are data in practice.
const maxLine = 2000

// A docKey names a document: the first 16 bytes of its blob's id, the last eight of
// them mixed with its language. Git relies on longer ids, but a collision is
// infeasible here too.
type docKey [16]byte

func keyOf(blob, lang string) (k docKey) {
	_, _ = hex.Decode(k[:], []byte(blob[:min(len(blob), 2*len(k))])) // git's ids are hex
	h := fnv.New64a()
	h.Write([]byte(lang))
	le := binary.LittleEndian
	le.PutUint64(k[8:], le.Uint64(k[8:])^h.Sum64())
	return k
}

// A count is how often a term occurs in one chunk, by field.
type count struct {
	term               uint64
	body, def, comment uint16
}

// A document is everything that the index knows about one blob in one language.
type document struct {
	key                docKey
	lang               string
	bytes, lines       int
	body, def, comment int // lengths of the fields in terms
	chunks             []docChunk
	counts             []count // of all chunks, one chunk after the other
	symbols            []satchel.Symbol
	imports            []string
	partial            string // why the outline is missing or not whole; "" if it is whole
}

type docChunk struct {
	span
	terms  int // length in body terms
	counts int // number of elements of document.counts
}

// An analyst makes documents. It keeps scratch space between them and is not
// safe for concurrent use.
type analyst struct {
	words  terms.Analyzer
	tally  tally
	starts []int32
	com    []bool
}

// document analyses text.
func (a *analyst) document(blob, lang string, text []byte) *document {
	d := &document{key: keyOf(blob, lang), lang: lang, bytes: len(text)}
	a.starts = lineStarts(a.starts[:0], text)
	d.lines = len(a.starts) - 1
	a.com = slices.Grow(a.com[:0], d.lines)[:d.lines]
	clear(a.com)

	// Names, signatures and comments are kept as text and cut to length, so
	// that a secret must go before: half of one is not known as such later.
	clean, _ := secrets.Redact("", text)
	o := outline.Parse(lang, clean)
	if o.Partial {
		d.partial = cmp.Or(o.Why, "not whole")
	}
	d.symbols, d.imports = o.Symbols, o.Imports
	for _, r := range o.Comments {
		for l := max(r.From, 1); l <= min(r.To, d.lines); l++ {
			a.com[l-1] = true
		}
	}

	a.count(d, text)
	return d
}

// count cuts the document into chunks and counts their terms.
func (a *analyst) count(d *document, text []byte) {
	spans := cutChunks(text, a.starts, d.symbols, prose(d.lang))
	named := byNameLine(d.symbols)
	for i, s := range spans {
		a.tally.reset()
		body, com := 0, 0
		for l := s.from; l <= s.to; l++ {
			from, to := a.starts[l-1], a.starts[l]
			if to-from > maxLine {
				to = from + maxLine
			}
			n := 0
			if a.com[l-1] {
				a.words.Each(text[from:to], func(t uint64) {
					c := a.tally.at(t)
					c.body, c.comment = inc(c.body), inc(c.comment)
					n++
				})
				com += n
			} else {
				a.words.Each(text[from:to], func(t uint64) {
					c := a.tally.at(t)
					c.body = inc(c.body)
					n++
				})
			}
			body += n
		}
		for ; len(named) > 0 && d.symbols[named[0]].NameLine <= s.to; named = named[1:] {
			name := d.symbols[named[0]].Name
			a.words.Each([]byte(name), func(t uint64) {
				c := a.tally.at(t)
				c.def = inc(c.def)
				d.def++
			})
			if name != "" {
				c := a.tally.at(terms.Def(name))
				c.def = 1
			}
		}
		if i == 0 {
			for _, imp := range d.imports {
				if comp := importComponent(imp); comp != "" {
					a.tally.at(terms.Import(comp)).body = 1
				}
			}
		}
		d.counts = append(d.counts, a.tally.counts...)
		d.chunks = append(d.chunks, docChunk{span: s, terms: body, counts: len(a.tally.counts)})
		d.body += body
		d.comment += com
	}
}

// byNameLine returns the indices of symbols, by the line of their names.
func byNameLine(symbols []satchel.Symbol) []int {
	n := make([]int, len(symbols))
	for i := range n {
		n[i] = i
	}
	slices.SortStableFunc(n, func(a, b int) int { return symbols[a].NameLine - symbols[b].NameLine })
	return n
}

func inc(n uint16) uint16 {
	if n < math.MaxUint16 {
		n++
	}
	return n
}

// importComponent returns what an import is looked up by: the last component of
// its path, in lower case, without an extension. It is "" if nothing is left.
func importComponent(imp string) string {
	imp = strings.ToLower(strings.Trim(imp, "\"'<>` "))
	imp = strings.TrimRight(imp, "/.*:;")
	if i := strings.LastIndexByte(imp, '/'); i >= 0 {
		imp = imp[i+1:]
		if ext := path.Ext(imp); ext != imp {
			imp = strings.TrimSuffix(imp, ext)
		}
		return imp
	}
	if i := strings.LastIndex(imp, "::"); i >= 0 {
		return imp[i+2:]
	}
	if i := strings.LastIndexByte(imp, '\\'); i >= 0 {
		return imp[i+1:]
	}
	switch i := strings.LastIndexByte(imp, '.'); {
	case i < 0:
	case importExtensions[imp[i+1:]]:
		return imp[:i]
	default:
		return imp[i+1:]
	}
	return imp
}

// importExtensions distinguishes file names among imports without a slash ("util.h")
// from dotted modules ("os.path").
var importExtensions = map[string]bool{
	"h": true, "hh": true, "hpp": true, "hxx": true, "inc": true, "inl": true, "ipp": true,
	"js": true, "mjs": true, "cjs": true, "jsx": true, "ts": true, "tsx": true, "json": true,
	"css": true, "scss": true, "less": true, "vue": true, "svelte": true,
	"py": true, "rb": true, "php": true, "sh": true, "bash": true, "proto": true,
}

// prose reports whether a language is cut at headings and paragraphs.
func prose(lang string) bool { return lang == "" || outline.TraitsOf(lang).Prose }

// A tally counts terms. It is an open-addressing table whose slots remember the
// round they were filled in, so that starting over costs nothing.
type tally struct {
	slots  []slot // a power of two
	round  uint32
	counts []count // in order of first appearance
}

type slot struct {
	round uint32
	at    uint32 // index into counts
}

func (t *tally) reset() {
	t.counts = t.counts[:0]
	if t.round++; t.round == 0 || t.slots == nil {
		t.slots, t.round = make([]slot, 1<<10), 1
	}
}

// at returns the count of a term, zero at first. It is valid until the next call.
func (t *tally) at(term uint64) *count {
	mask := uint64(len(t.slots) - 1)
	for i := term & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.round != t.round {
			if 2*len(t.counts) >= len(t.slots) {
				t.grow()
				return t.at(term)
			}
			*s = slot{t.round, uint32(len(t.counts))}
			t.counts = append(t.counts, count{term: term})
			return &t.counts[len(t.counts)-1]
		}
		if c := &t.counts[s.at]; c.term == term {
			return c
		}
	}
}

func (t *tally) grow() {
	t.slots = make([]slot, 2*len(t.slots))
	t.round = 1
	mask := uint64(len(t.slots) - 1)
	for at, c := range t.counts {
		i := c.term & mask
		for ; t.slots[i].round != 0; i = (i + 1) & mask {
		}
		t.slots[i] = slot{1, uint32(at)}
	}
}
