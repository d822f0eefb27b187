package session

import (
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/trim"
	"github.com/satchel-dev/satchel/trim/cutting"
)

// trimResult is the JSON form of a dry run.
type trimResult struct {
	Version     int                  `json:"version"`
	Path        string               `json:"path"`
	Profile     profile              `json:"profile"`
	Budget      int                  `json:"budget"` // in tokens of o200k_base, as Before and After; 0 means no limit
	Before      int                  `json:"before"`
	After       int                  `json:"after"`
	Changed     bool                 `json:"changed"`
	Fates       map[string]int       `json:"fates"` // messages by what becomes of them; they add up to all
	Turns       []fate               `json:"turns"`
	Omitted     []omitted            `json:"omitted"`
	Summary     *askedSummary        `json:"summary"` // what a model would be asked; null if none would be
	Diagnostics []satchel.Diagnostic `json:"diagnostics"`
}

// A fate is what becomes of a turn.
type fate struct {
	Turn   int       `json:"turn"`
	Fate   trim.Fate `json:"fate"` // the worst of its messages
	Before int       `json:"before"`
	After  int       `json:"after"`
	Why    string    `json:"why"` // of that message, as trim recorded it
	Title  string    `json:"title"`
}

type omitted struct {
	Handle string `json:"handle"`
	Turn   int    `json:"turn"`
	Tokens int    `json:"tokens"`
}

// The fates from the best to the worst.
var fateOrder = []trim.Fate{trim.Kept, trim.Elided, trim.Digested, trim.Dropped}

func worse(a, b trim.Fate) trim.Fate {
	for i := len(fateOrder) - 1; i >= 0; i-- {
		if a == fateOrder[i] || b == fateOrder[i] {
			return fateOrder[i]
		}
	}
	return a
}

// fates counts the messages by what becomes of them.
func (t *trimRun) fates() map[string]int {
	n := make(map[string]int, len(fateOrder))
	for _, f := range fateOrder {
		n[string(f)] = 0
	}
	for _, acc := range t.result.Accounts {
		n[string(acc.Fate)]++
	}
	return n
}

// turns returns what becomes of each turn, and which turn a message is of.
func (t *trimRun) turns() (turns []fate, turnOf map[int]int) {
	turns, turnOf = []fate{}, make(map[int]int)
	for i, turn := range trim.Turns(cutting.Masked(t.session.Messages, session.WithoutSecrets)) {
		title, _ := clean.Turn(turn.Title)
		f := fate{Turn: i, Fate: trim.Kept, Title: title.String()}
		for m := turn.From; m < turn.To; m++ {
			turnOf[m] = i
			acc := t.result.Accounts[m]
			f.Fate = worse(f.Fate, acc.Fate)
			f.Before += acc.Before
			f.After += acc.After
		}
		if f.Fate == trim.Dropped && f.After > 0 { // some of its messages are gone
			f.Fate = trim.Digested
		}
		most := -1
		for _, acc := range t.result.Accounts[turn.From:turn.To] {
			if acc.Fate == f.Fate && acc.After > most {
				why, _ := clean.Turn(acc.Why)
				f.Why, most = why.String(), acc.After
			}
		}
		turns = append(turns, f)
	}
	return turns, turnOf
}

func (t *trimRun) account() *trimResult {
	r := &trimResult{Version: 3, Path: t.name, Profile: t.profile, Budget: t.budget, Before: t.result.Before, After: t.result.After, Changed: t.result.Changed,
		Fates: t.fates(), Omitted: []omitted{}, Diagnostics: append([]satchel.Diagnostic{}, t.session.Diagnostics...)}
	var turnOf map[int]int
	r.Turns, turnOf = t.turns()
	for _, o := range t.result.Omitted {
		r.Omitted = append(r.Omitted, omitted{o.Handle, turnOf[o.Message], o.Tokens})
	}
	r.Diagnostics = append(r.Diagnostics, t.result.Diagnostics...)
	r.Summary = t.summary.asked()
	return r
}

// fateWord is a fate in the words of the line that counts them.
func fateWord(f trim.Fate) string {
	switch f {
	case trim.Elided:
		return "shortened"
	case trim.Digested:
		return "in digest"
	case trim.Dropped:
		return "gone"
	}
	return string(f)
}

// fatesText says what becomes of a session: one line, and with explain a table
// of its turns.
func (a *app) fatesText(t *trimRun, explain bool) string {
	r := t.result
	var b strings.Builder
	if explain {
		fmt.Fprintf(&b, "%4s  %-9s  %8s  %8s  %s\n", "turn", "fate", "before", "after", "why: about")
		width := a.Width()
		turns, _ := t.turns()
		for _, f := range turns {
			head := fmt.Sprintf("%4d  %-9s  %8s  %8s  ", f.Turn, fateWord(f.Fate), render.Thousands(f.Before), render.Thousands(f.After))
			text := f.Why + ": " + near(" "+f.Title, t.session.Dir)[1:]
			b.WriteString(head + base.FitWidth(clean.Inline(text), base.Rest(width, render.Width(head))) + "\n")
		}
	}
	if s := t.summary.asked(); s != nil {
		fmt.Fprintf(&b, "for a summary %s bytes would go to %s (%s), with %s redacted\n", render.Thousands(s.Bytes), clean.Inline(s.Endpoint), clean.Inline(s.Model), render.Plural(s.Redacted, "secret"))
	}
	if !r.Changed && r.Before > t.budget && t.budget > 0 {
		from := t.tokens(t.options.Trigger)
		if t.trigger > 0 { // and back again it would be a token less
			from = "about " + render.Thousands(t.trigger) + " tokens"
		}
		fmt.Fprintf(&b, "%s of messages stay as they are: trimming starts at %s\n", t.tokens(r.Before), from)
		return b.String()
	}
	if len(t.session.Messages) == 0 {
		return "the session has no messages to send\n"
	}
	if !r.Changed {
		fmt.Fprintf(&b, "%s of messages fit as they are\n", t.tokens(r.Before))
		return b.String()
	}
	after, left := t.tokens(r.After), base.ShareText(r.After, r.Before)
	if t.after > 0 && t.summary == nil {
		after, left = "about "+render.Thousands(t.after)+" tokens", base.ShareText(t.after, t.inWindow().Tokens(r.Before))
	}
	fates := t.fates()
	fmt.Fprintf(&b, "%s of messages are left of %s (%s); of %s, %d kept, %d shortened, %d in the digest, %d gone\n",
		after, t.tokens(r.Before), left, render.Plural(len(r.Accounts), "message"),
		fates["kept"], fates["elided"], fates["digested"], fates["dropped"])
	return b.String()
}

// tokens writes a number of tokens in the unit of the budget: tokens of the model, or of
// o200k_base.
func (t *trimRun) tokens(n int) string {
	if t.inModelTokens {
		return "about " + render.Thousands(t.inWindow().Tokens(n)) + " tokens"
	}
	return render.Thousands(n) + " tokens"
}
