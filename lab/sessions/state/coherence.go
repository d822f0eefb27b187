package state

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// An Origin is where every line of a session stands in it, to tell what of a
// trimmed session was taken from it as it was.
type Origin struct {
	lines    map[string][]spot
	blocks   []piece
	verbatim map[string]bool // the texts of whole blocks
	size     func(string) float64
}

// A spot is a line of a piece.
type spot struct{ piece, line int }

// A piece is what belongs together: a block of text, a result, one field of a
// call, or what an edit takes out or puts in.
type piece struct {
	kind  pieceKind
	lines int
}

type pieceKind uint8

const (
	fieldPiece pieceKind = iota
	commandPiece
	prosePiece // of the agent, or a plan
	resultPiece
	userPiece
)

// NewOrigin takes a session apart. Tokens are counted by size.
func NewOrigin(ms []transcript.Message, size func(string) float64) *Origin {
	o := &Origin{lines: map[string][]spot{}, verbatim: map[string]bool{}, size: size}
	for i := range ms {
		m := &ms[i]
		for k := range m.Blocks {
			b := &m.Blocks[k]
			if !shows(b) {
				continue
			}
			o.verbatim[textOf(b)] = true
			switch {
			case b.Type == transcript.Call:
				o.call(b)
			case b.Type == transcript.Result:
				o.piece(resultPiece, b.Text)
			case b.Type == transcript.Text && m.Role == transcript.User && (m.Kind == transcript.Prompt || m.Kind == transcript.Summary):
				o.piece(userPiece, b.Text)
			case b.Type == transcript.Text:
				o.piece(prosePiece, b.Text)
			}
		}
	}
	return o
}

// call adds the fields of a call, and what it takes out and puts in.
func (o *Origin) call(b *transcript.Block) {
	in := parse(b.Input)
	for _, l := range in.leaves() {
		kind := fieldPiece
		switch l.key {
		case "command", "cmd":
			kind = commandPiece
		case "text", "plan", "prompt":
			kind = prosePiece
		}
		o.piece(kind, l.text)
	}
	for _, h := range hunksOf(in) {
		added, removed := changedLines(h.before, h.after)
		o.piece(fieldPiece, strings.Join(added, "\n"))
		o.piece(fieldPiece, strings.Join(removed, "\n"))
	}
}

func (o *Origin) piece(kind pieceKind, text string) {
	n := 0
	for l := range strings.SplitSeq(text, "\n") {
		if l = normalBody(l); l != "" {
			o.lines[l] = append(o.lines[l], spot{len(o.blocks), n})
			n++
		}
	}
	if n > 0 {
		o.blocks = append(o.blocks, piece{kind, n})
	}
}

// A Reading is how what was selected reads: everything of a trimmed session but
// the blocks that stand there whole and the user's words. All are shares.
type Reading struct {
	// Coherent is the share of the tokens in five or more consecutive lines of
	// one text, in a whole one, or in a paragraph.
	Coherent float64

	// Added is the share of the tokens in lines that the session lacks: headings,
	// marks, handles.
	Added float64

	// Repeated is the share of the tokens in absolute paths that stood there
	// before.
	Repeated float64

	// Single is the share of the runs that are a single line.
	Single float64

	// Marked is the share in handles and in lines that only say that something
	// was left out, of the tokens of all that the trimmed session says.
	Marked float64

	Selected bool // anything was selected: Coherent, Added and Repeated say something
	Runs     int  // Single is of so many
}

var (
	absolute = regexp.MustCompile(`(?:^|[^\pL\pN_.])(/(?:[\pL\pN_.@+-]+/){2,}[\pL\pN_.@+-]+)`)
	handle   = regexp.MustCompile(`\B(@[a-z]{5,13})(?:[^\w/.-]|$)`)

	// Lines that say nothing but that something was left out.
	leftOut = regexp.MustCompile(`^\s*(?:\[?(?:\.\.\.|…).*|\[.*(?:omitted|truncated|cleared|compressed|left out|condensed).*\])\s*$`)
)

// paths returns the absolute paths in a text.
func paths(text string) []string {
	var out []string
	for _, m := range absolute.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// perLine is what the end of a line takes, in tokens.
const perLine = 0.72

// Read tells how a trimmed session reads.
func (o *Origin) Read(out []transcript.Message) *Reading {
	t := tally{o: o, seen: map[string]bool{}}
	for i := range out {
		for k := range out[i].Blocks {
			if b := &out[i].Blocks[k]; shows(b) {
				t.block(textOf(b))
			}
		}
	}
	r := &Reading{Selected: t.all > 0, Runs: t.runs}
	if t.all > 0 {
		r.Coherent, r.Added, r.Repeated = t.coherent/t.all, t.added/t.all, t.repeated/t.all
	}
	if t.runs > 0 {
		r.Single = float64(t.single) / float64(t.runs)
	}
	if t.said > 0 {
		r.Marked = t.marked / t.said
	}
	return r
}

// A tally sums tokens over the blocks of a trimmed session.
type tally struct {
	o                                            *Origin
	seen                                         map[string]bool // paths
	all, coherent, added, repeated, marked, said float64
	runs, single                                 int
}

// A shownLine has its tokens and the places that it may have been taken from.
type shownLine struct {
	text  string
	size  float64
	spots []spot
}

func (t *tally) block(text string) {
	t.said += t.o.size(text)
	if t.o.verbatim[text] {
		return
	}
	for _, p := range paths(text) {
		if t.seen[p] {
			t.repeated += t.o.size(p)
		}
		t.seen[p] = true
	}
	var ls []shownLine
	for l := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(l) != "" {
			ls = append(ls, shownLine{l, t.o.size(l) + perLine, t.o.find(l)})
		}
	}
	for i := 0; i < len(ls); {
		l := &ls[i]
		switch {
		case t.o.users(l.spots):
			i++
		case len(l.spots) == 0:
			t.all, t.added = t.all+l.size, t.added+l.size
			t.mark(l)
			i++
		default:
			i += t.run(ls[i:])
		}
	}
}

// mark counts what of a line that the session lacks is a mark.
func (t *tally) mark(l *shownLine) {
	if leftOut.MatchString(l.text) {
		t.marked += l.size
		return
	}
	for _, h := range handle.FindAllStringSubmatch(l.text, -1) {
		t.marked += t.o.size(h[1])
	}
}

// run counts the lines that follow one another as they did in one piece, and
// returns how many they are.
func (t *tally) run(ls []shownLine) int {
	spots := ls[0].spots
	size, n := ls[0].size, 1
	text := strings.TrimSpace(ls[0].text)
	for ; n < len(ls) && len(ls[n].spots) > 0 && !t.o.users(ls[n].spots); n++ {
		next := following(spots, ls[n].spots)
		if len(next) == 0 {
			break
		}
		spots = next
		size += ls[n].size
		text += " " + strings.TrimSpace(ls[n].text)
	}
	t.all += size
	t.runs++
	whole := t.o.whole(spots, n, text)
	if whole || n >= leastRun {
		t.coherent += size
	}
	if !whole && n == 1 {
		t.single++
	}
	return n
}

// following returns the spots that come right behind others, among some that are
// in order.
func following(spots, among []spot) []spot {
	var out []spot
	for _, s := range spots {
		s.line++
		if _, ok := slices.BinarySearchFunc(among, s, compareSpots); ok {
			out = append(out, s)
		}
	}
	return out
}

func compareSpots(a, b spot) int {
	return cmp.Or(cmp.Compare(a.piece, b.piece), cmp.Compare(a.line, b.line))
}

// What reads as a unit: so many lines in a row, a text that says so much and is
// shown whole, prose that says so much. In lines and characters.
const (
	leastRun   = 5
	leastWhole = 25
	leastProse = 40
)

// whole reports whether a run of n lines that ends at the spots is a unit: all of
// a piece, unless it is a mere path or word, or prose.
func (o *Origin) whole(spots []spot, n int, text string) bool {
	chars := len([]rune(text))
	kind := o.blocks[spots[0].piece].kind
	if kind == prosePiece && chars >= leastProse {
		return true
	}
	if chars < leastWhole && kind != commandPiece {
		return false
	}
	if bare := strings.TrimPrefix(text, fieldName.FindString(text)); len(paths(bare)) == 1 && paths(bare)[0] == bare {
		return false
	}
	return slices.ContainsFunc(spots, func(s spot) bool { return o.blocks[s.piece].lines == n })
}

func (o *Origin) users(spots []spot) bool {
	return slices.ContainsFunc(spots, func(s spot) bool { return o.blocks[s.piece].kind == userPiece })
}

// find returns where a line may have been taken from: as it is, or without the
// name of a field, the sign of a patch or a prompt before it.
func (o *Origin) find(l string) []spot {
	if s := o.lines[normalBody(l)]; s != nil {
		return s
	}
	l = strings.TrimSpace(l)
	if s := o.lines[normal(strings.TrimPrefix(l, fieldName.FindString(l)))]; s != nil {
		return s
	}
	if l[0] == '+' || l[0] == '-' {
		if s := o.lines[normalBody(l[1:])]; s != nil {
			return s
		}
	}
	if strings.HasPrefix(l, "$ ") || strings.HasPrefix(l, "> ") {
		return o.lines[normal(l[2:])]
	}
	return nil
}
