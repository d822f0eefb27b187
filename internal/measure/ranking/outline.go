package ranking

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// Brief outlines name this many definitions of a file at most, those with the
// most lines of their own. The 6, 12 and 24 largest hold 46, 61 and 77 % of the
// definitions that past tasks changed, in a tenth, a fifth and a third of the
// whole outline's tokens; the first 12 hold 38 %, and the 12 whose names the most
// files use 40 %.
var briefs = [...]int{24, 12, 6}

// The most bytes of a signature in a brief outline and in a whole one: the rest
// is type parameters, or a table that was taken for a declaration.
const (
	briefSignature = 100
	longSignature  = 200
)

// Outlines returns the outline of file i and, if that is long, brief ones that
// name only its largest definitions; with a task, whose words score chunks of the
// view (nil means none), those that are also the likeliest. The forms are the most
// detailed first; there is none for a file without definitions.
func (r *Reader) Outlines(i int32, chunks []float32) []satchel.Form {
	symbols := r.View.Symbols(r.View.Files()[i].Doc)
	lines := r.outlineLines(i, symbols)
	if len(lines) == 0 {
		return nil
	}
	for k := range lines {
		lines[k] = cutLine(lines[k], longSignature)
	}
	forms := []satchel.Form{r.form(satchel.Outline, clean.Concat(lines...))}
	if len(lines) != len(symbols) {
		return forms
	}
	order := make([]int, len(symbols))
	for k := range order {
		order[k] = k
	}
	weights := weigh(symbols)
	if chunks != nil {
		r.weighByTask(weights, i, symbols, chunks)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	for _, n := range briefs {
		if n >= len(order) {
			continue
		}
		keep := slices.Sorted(slices.Values(order[:n]))
		var b clean.Builder
		for _, k := range keep {
			b.Write(cutLine(lines[k], briefSignature))
		}
		b.Write(clean.Sprintf("⋮ %s more\n", clean.Int(len(order)-n)))
		f := r.form(satchel.Outline, b.Text())
		if last := forms[len(forms)-1]; f.Tokens < last.Tokens {
			forms = append(forms, f)
		}
	}
	return forms
}

// weigh returns how much a reader would miss each definition: its lines, those
// of the definitions in it much less, and tests hardly.
func weigh(symbols []satchel.Symbol) []float64 {
	own, inner := make([]float64, len(symbols)), make([]float64, len(symbols))
	var around []int // definitions that are open, outermost first
	for k, s := range symbols {
		n := float64(max(s.To-s.From+1, 0))
		for len(around) > 0 && symbols[around[len(around)-1]].To < s.To {
			around = around[:len(around)-1]
		}
		own[k] = n
		if len(around) > 0 {
			outer := around[len(around)-1]
			own[outer] = max(own[outer]-n, 0)
			inner[outer] += n
		}
		around = append(around, k)
	}
	for k, s := range symbols {
		own[k] += containerWeight * math.Sqrt(inner[k])
		if test(s.Name) || slices.ContainsFunc(strings.Split(s.Parent, "."), test) {
			own[k] *= testWeight
		}
	}
	return own
}

// weighByTask turns weights into those of the definitions for a task: by the best
// score of their chunks, relative to the file's, more than by their lines. The 12
// that weigh most hold 71 % of the definitions that past tasks changed, where the
// 12 largest hold 61 %, and the 12 of the best scores alone 70 %.
func (r *Reader) weighByTask(weights []float64, i int32, symbols []satchel.Symbol, chunks []float32) {
	doc := r.View.Docs()[r.View.Files()[i].Doc]
	here := chunks[doc.Chunk0:doc.Chunk1]
	if len(here) == 0 {
		return
	}
	best := max(float64(slices.Max(here)), 1e-9)
	for k, s := range symbols {
		var top float32
		for c, score := range here {
			x := r.View.Chunks()[int(doc.Chunk0)+c]
			if int(x.From) <= s.To && int(x.To) >= s.From {
				top = max(top, score)
			}
		}
		rel := taskFloor + float64(top)/best
		weights[k] = math.Sqrt(weights[k]) * rel * rel
	}
}

// taskFloor is what a definition without a word of the task has of the best one.
const taskFloor = 0.1

// Constants of weigh, of which the outlines of past tasks' files held the most.
const (
	containerWeight = 3
	testWeight      = 0.1
)

// test reports whether a definition of this name is a test, or holds tests.
func test(name string) bool {
	name = strings.ToLower(name)
	return name == "tests" || name == "test" || strings.HasPrefix(name, "test_")
}

// Named is how many definitions an outline names, and whether those are all.
func Named(f *satchel.Form) (n int, all bool) {
	text := f.Text.String()
	n = strings.Count(text, "\n")
	last := strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n') + 1
	if strings.HasPrefix(text[last:], "⋮ ") {
		return n - 1, false
	}
	return n, true
}

// outlineLines returns the signatures of definitions, one a line, indented by
// nesting, with secrets redacted.
func (r *Reader) outlineLines(i int32, symbols []satchel.Symbol) []clean.Text {
	var b strings.Builder
	for _, s := range symbols {
		depth := 0
		if s.Parent != "" {
			depth = 1 + strings.Count(s.Parent, ".")
		}
		b.WriteString(strings.Repeat("  ", depth) + cmp.Or(s.Signature, s.Kind+" "+s.Name) + "\n")
	}
	if b.Len() == 0 {
		return nil
	}
	return clean.New(r.View.Files()[i].Path, b.String()).Split()
}

// cutLine shortens a line to about n bytes, at the end of a character.
func cutLine(line clean.Text, n int) clean.Text {
	if line.Len() <= n+len("…\n") {
		return line
	}
	return clean.Concat(line.Cut(n), clean.Const("…\n"))
}

// headSearched is how many lines of a document are searched for its first prose.
const headSearched = 60

// Head returns the first prose of file i, which [Reader.Load] has read: whole
// lines of at most so many tokens, after the badges and logos at the top. There
// is none if the file is not much longer.
func (r *Reader) Head(i int32, most int) (satchel.Form, bool) {
	t := r.texts[i]
	last := t.Last()
	from := 1
	for n := 1; n <= min(last, headSearched); n++ {
		if prose(t.Between(n, n).String()) {
			from = n
			break
		}
	}
	to, sum := from-1, 0
	for to < last {
		n := r.Count.Count(t.Between(to+1, to+1).String())
		if sum+n > most {
			break
		}
		sum += n
		to++
	}
	for to > from && t.Between(to, to).Blank() {
		to--
	}
	if to < from || (to-from+1)*10 > last*7 {
		return satchel.Form{}, false
	}
	return r.form(satchel.Trimmed, t.Between(from, to), satchel.Range{From: from, To: to}), true
}

// prose reports whether a line of a document begins its text: a heading or
// words, not markup, a badge or a rule.
func prose(line string) bool {
	line = strings.TrimSpace(line)
	if heading := strings.TrimLeft(line, "#"); heading != line {
		line = strings.TrimSpace(heading)
	}
	if line == "" || strings.ContainsRune("<![|=-*`.:>{", rune(line[0])) {
		return false
	}
	return true
}
