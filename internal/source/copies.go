package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/tokens"
)

// What makes a text a copy of another. Blank lines and indentation do not count;
// lines that differ are told, so there may be few of them, and none in a short text,
// which is all about them: one of twenty, at most three. A text of less than five
// lines takes no more room than the note that would name it.
const (
	leastCopied  = 5
	copyShare    = 20
	mostDiffer   = 3
	mostCopies   = 2  // that a note names
	commonLine   = 64 // texts that have a line from which on it tells nothing
	mostCompared = 8  // texts, of those that share most of the telling lines
	lookedAt     = 4  // budgets of text that is no copy; what comes after has no room
)

// originals takes out of likely files those that are copies of others as a whole,
// bundles and declarations, and claims them. What is asked for by its path stays, and
// so does what the request wants without its original, or the task spells a name of
// that the original does not define.
func originals(sc *scene.Scene, likely []int32) (kept []int32, copies []satchel.Omission) {
	files := sc.View.Files()
	for _, i := range likely {
		of, ok := sc.Ranking.CopyOf(i)
		if !ok || askedFor(sc, files[i].Path) || !slices.Contains(likely, of) || isSpelled(sc, i) && !isSpelled(sc, of) {
			kept = append(kept, i)
			continue
		}
		if sc.Take(i) {
			copies = append(copies, satchel.Omission{
				Ref: satchel.Ref{Kind: Kind(sc, i), Path: files[i].Path}, Why: satchel.WhyCopy,
				SameAs: satchel.Ref{Kind: Kind(sc, of), Path: files[of].Path},
				Score:  sc.Ranking.Score(i), Tokens: int(files[i].Size / tokens.CodeBytes),
			})
		}
	}
	return kept, copies
}

// once takes out of candidates the pieces of files that are copies of a likelier one,
// which is told where they stand: they are Omissions. What the task or the request
// names by its path stays. The order of candidates stays, too.
func once(sc *scene.Scene, list []satchel.Candidate) (kept []satchel.Candidate, copies []satchel.Omission) {
	order := make([]int, 0, len(list))
	for i := range list {
		if c := &list[i]; c.Ref.From > 0 && len(c.Forms) > 0 && c.Forms[0].Detail == satchel.Full {
			order = append(order, i)
		}
	}
	scores := make([]float64, len(list))
	for i := range list {
		scores[i] = list[i].Score.Value()
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), list[a].Ref.Compare(list[b].Ref))
	})

	s := &shelf{ids: map[string]int32{}}
	out := make([]bool, len(list))
	notes := map[int]*copyNote{}
	room := lookedAt * sc.Req.Budget
	for _, i := range order {
		c := &list[i]
		if room < 0 {
			break
		}
		p := s.piece(i, c)
		if len(p.lines) < leastCopied {
			continue
		}
		of, differ, ok := s.original(&p)
		if !ok || askedFor(sc, c.Ref.Path) {
			s.put(p)
			room -= c.Forms[0].Tokens
			continue
		}
		out[i] = true
		original := &list[of]
		copies = append(copies, satchel.Omission{
			Ref: c.Ref, Why: satchel.WhyCopy, SameAs: original.Ref, Score: scores[i], Tokens: c.Forms[0].Tokens,
		})
		if notes[of] == nil {
			notes[of] = new(copyNote)
		}
		notes[of].add(c.Ref, differ)
	}
	for i := range list {
		if n := notes[i]; n != nil {
			list[i].Note = n.text(list[i].Ref)
		}
	}
	kept = list[:0]
	for i := range list {
		if !out[i] {
			kept = append(kept, list[i])
		}
	}
	return kept, copies
}

// A copyNote gathers where the copies of one piece stand.
type copyNote struct {
	named []string
	n     int
}

func (n *copyNote) add(r satchel.Ref, differ []int) {
	if n.n++; n.n > mostCopies {
		return
	}
	s := r.String()
	for k, line := range differ {
		if k == 0 {
			s += " but for "
		} else {
			s += ", "
		}
		s += fmt.Sprint(line)
	}
	n.named = append(n.named, s)
}

func (n *copyNote) text(of satchel.Ref) clean.Text {
	s := fmt.Sprintf("%d-%d is the same as %s", of.From, of.To, strings.Join(n.named, "; "))
	if more := n.n - len(n.named); more > 0 {
		s += fmt.Sprintf("; and %d more", more)
	}
	return clean.Line(s)
}

// A shelf holds pieces that are no copies.
type shelf struct {
	ids    map[string]int32 // of each line
	pieces []piece
	having [][]int32 // by line: the pieces that have it, each once
	shared []int32   // by piece; scratch
}

// A piece is a candidate as its lines.
type piece struct {
	candidate int
	lines     []int32 // ids, ascending
	at        []int   // where each of them stands in the file
}

// piece takes a candidate apart.
func (s *shelf) piece(i int, c *satchel.Candidate) piece {
	p := piece{candidate: i}
	type placed struct {
		id int32
		at int
	}
	var list []placed
	n := c.Ref.From - 1
	for line := range strings.Lines(c.Forms[0].Text.String()) {
		n++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		id, ok := s.ids[line]
		if !ok {
			id = int32(len(s.ids))
			s.ids[line] = id
			s.having = append(s.having, nil)
		}
		list = append(list, placed{id, n})
	}
	slices.SortFunc(list, func(a, b placed) int { return cmp.Or(cmp.Compare(a.id, b.id), a.at-b.at) })
	for _, x := range list {
		p.lines, p.at = append(p.lines, x.id), append(p.at, x.at)
	}
	return p
}

// put adds a piece.
func (s *shelf) put(p piece) {
	n := int32(len(s.pieces))
	s.pieces = append(s.pieces, p)
	s.shared = append(s.shared, 0)
	for k, id := range p.lines {
		if k == 0 || p.lines[k-1] != id {
			s.having[id] = append(s.having[id], n)
		}
	}
}

// original returns the candidate that a piece is a copy of, and the lines of the
// copy that are not those of the original.
func (s *shelf) original(p *piece) (candidate int, differ []int, ok bool) {
	var near []int32
	for k, id := range p.lines {
		if have := s.having[id]; (k == 0 || p.lines[k-1] != id) && len(have) < commonLine {
			for _, n := range have {
				if s.shared[n] == 0 {
					near = append(near, n)
				}
				s.shared[n]++
			}
		}
	}
	slices.SortFunc(near, func(a, b int32) int { return cmp.Or(cmp.Compare(s.shared[b], s.shared[a]), cmp.Compare(a, b)) })
	for _, n := range near {
		s.shared[n] = 0
	}
	for _, n := range near[:min(len(near), mostCompared)] {
		q := &s.pieces[n]
		only, missing := p.beside(q)
		most := min(len(p.lines)/copyShare, mostDiffer)
		if len(only) <= most && missing <= most {
			slices.Sort(only)
			return q.candidate, only, true
		}
	}
	return 0, nil, false
}

// beside returns where lines of p stand that q has not, and how many q has besides.
func (p *piece) beside(q *piece) (only []int, missing int) {
	i, j := 0, 0
	for i < len(p.lines) || j < len(q.lines) {
		switch {
		case j == len(q.lines) || i < len(p.lines) && p.lines[i] < q.lines[j]:
			only = append(only, p.at[i])
			i++
		case i == len(p.lines) || q.lines[j] < p.lines[i]:
			missing++
			j++
		default:
			i++
			j++
		}
	}
	return only, missing
}

// askedFor reports whether the text of a file itself is wanted, be it a copy: the
// task names its whole path, or it is to be edited.
func askedFor(sc *scene.Scene, path string) bool {
	return slices.Contains(sc.Query.Files, path) || slices.Contains(sc.Req.Edit, path)
}

// isSpelled reports whether the task spells a file, or a name that it defines.
func isSpelled(sc *scene.Scene, file int32) bool {
	return slices.ContainsFunc(sc.Ranking.Exact, func(e ranking.Exact) bool { return e.File == file })
}
