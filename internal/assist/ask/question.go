package ask

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// QuestionOptions are what [Question] says beside the question.
type QuestionOptions struct {
	Budget       int    // tokens of the messages; 0 means DefaultBudget
	Instructions string // the user's own
	Language     string // to write in, as a tag; empty means that of the question
}

// Question asks about a repository, of which a pack is shown: its likeliest files,
// then its entries, every line with its number. What does not fit comes last in the
// pack's order of use, and is named.
//
// The error is a *satchel.OverflowError if the question itself does not fit.
func Question(p *satchel.Pack, question string, o QuestionOptions) (*Ask, error) {
	a := &Ask{Name: "ask", System: questionSystem, Schema: schemaOf(answerSchema)}
	var w wording
	w.said("Instructions of the user:", o.Instructions)
	w.language(o.Language)
	w.said("The question:", question)
	w.line("Answer it from the repository.")
	a.Question = w.take()
	a.Receipt.Redacted = w.secrets

	entries := slices.Clone(p.Entries)
	sortEntries(entries)
	count := tokens.O200k()
	budget := budgetOr(o.Budget) - count.Count(a.Question)
	least := repositoryText(p, nil)
	if n := count.Count(least); n > budget {
		return nil, &satchel.OverflowError{Need: n + count.Count(a.Question), Limit: budgetOr(o.Budget)}
	}
	v, err := widen(&view{text: least}, 0, budget, len(entries), func(n int) *view {
		return &view{text: repositoryText(p, entries[:n]), context: n}
	})
	if err != nil {
		return nil, err
	}
	a.Shared = v.text
	a.Receipt.Tokens = count.Count(a.Shared) + count.Count(a.Question)
	a.Receipt.Diagnostics = p.Diagnostics
	for i := range entries[:v.context] {
		a.beside(entries[i].Ref.Path, Part)
	}
	for _, l := range p.Paths[:min(mostListed, len(p.Paths))] {
		a.beside(l.Path, Listed)
	}
	return a, nil
}

// mostListed is how many of the likeliest files are named.
const mostListed = 60

// repositoryText writes what a pack tells, and some entries.
func repositoryText(p *satchel.Pack, entries []satchel.Entry) string {
	var b, paths strings.Builder
	for _, l := range p.Paths[:min(mostListed, len(p.Paths))] {
		paths.WriteString(clean.Inline(l.Path) + "\n")
	}
	if paths.Len() > 0 {
		b.WriteString("The files of the repository that are likeliest to matter:\n" + render.Fenced("", paths.String()))
	}
	if len(entries) > 0 {
		b.WriteString("Parts of the repository, each below its path and lines; the number at the left of a line is its own.\n")
	}
	for i := range entries {
		writeEntry(&b, &entries[i])
	}
	return b.String()
}

// What submit takes for a question.
var answerSchema = object(
	"claims", list(object(
		"text", text,
		"cites", list(object("path", text, "from", number, "to", number, "quote", text)),
	)),
	"not_found", list(text),
)

// An Answer is what a model says to a question.
type Answer struct {
	Claims   []Claim  `json:"claims"`
	NotFound []string `json:"not_found"` // what was looked for in vain
}

// A Claim is one sentence of an answer, and where it comes from.
type Claim struct {
	Text  string `json:"text"`
	Cites []Cite `json:"cites"`
}

// Sourced reports whether a line that the claim cites was found.
func (c *Claim) Sourced() bool {
	return slices.ContainsFunc(c.Cites, func(c Cite) bool { return c.OK })
}

// A Cite names lines of a file, and copies the first of them.
type Cite struct {
	Path  string `json:"path"`
	From  int    `json:"from"`
	To    int    `json:"to"`
	Quote string `json:"quote"`
	OK    bool   `json:"ok"` // the quote stands there, as [CheckAnswer] found
}

// ReadAnswer reads what a model submitted to a [Question]; see [Ask.Read].
func ReadAnswer(a *Ask, input json.RawMessage) (ans Answer, err error) {
	err = a.Read(input, &ans)
	ans.Claims = slices.DeleteFunc(ans.Claims, func(c Claim) bool {
		if strings.TrimSpace(c.Text) == "" {
			err = fault(err, "a claim is empty")
			return true
		}
		return false
	})
	if err == nil && len(ans.Claims)+len(ans.NotFound) == 0 {
		err = fault(err, "claims and not_found are both empty")
	}
	return ans, err
}

// CheckAnswer verifies the citations of an answer by their quotes: lines returns
// those of a file as they were shown, and false if there is no such file. A quote
// that stands at another line of its file, once, moves the citation there. Lines are
// compared without the space around them, the number or mark that a model copied
// along, and what is more than the first line.
//
// It returns how many claims have no source.
func CheckAnswer(a *Answer, lines func(path string) ([]string, bool)) (unsourced int) {
	for i := range a.Claims {
		c := &a.Claims[i]
		for k := range c.Cites {
			c.Cites[k].check(lines)
		}
		if !c.Sourced() {
			unsourced++
		}
	}
	return unsourced
}

// leastQuote is how many bytes of a quote say something; a brace stands everywhere.
const leastQuote = 4

func (c *Cite) check(lines func(path string) ([]string, bool)) {
	c.OK = false
	text, ok := lines(c.Path)
	quote := firstLine(c.Quote)
	if !ok || len(quote) < leastQuote {
		return
	}
	same := func(n int) bool {
		if n < 1 || n > len(text) {
			return false
		}
		line := strings.TrimSpace(text[n-1])
		return line == quote || line != "" && line == bare(quote) || len(quote) >= 3*leastQuote && strings.Contains(line, quote)
	}
	c.From = max(1, min(c.From, len(text)+1))
	c.To = max(c.From, min(c.To, c.From+len(text)))
	more := c.To - c.From // lines after the first
	for n := c.From; n <= min(c.From+more, len(text)); n++ {
		if same(n) {
			c.To, c.OK = min(c.From+more, len(text)), true
			return
		}
	}
	at := 0
	for n := 1; n <= len(text); n++ {
		if same(n) {
			if at > 0 {
				return // which one is meant is not known
			}
			at = n
		}
	}
	if at > 0 {
		c.From, c.To, c.OK = at, min(at+more, len(text)), true
	}
}

// firstLine returns the first line of a quote that is not blank.
func firstLine(quote string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(quote), "\n")
	return strings.TrimSpace(line)
}

// bare returns a line without the number or mark that stood at its left.
func bare(line string) string {
	line = strings.TrimSpace(strings.TrimLeft(line, "0123456789"))
	if line != "" && (line[0] == '+' || line[0] == '-') {
		line = line[1:]
	}
	return strings.TrimSpace(line)
}
