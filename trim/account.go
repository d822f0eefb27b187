package trim

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// nearby is how many messages ahead a message is looked for in the result, which may have
// a digest first and lack what a repair took out.
const nearby = 8

// account fills the accounts and omissions.
func (t *cutter) account(res *Result) {
	shown, told := t.standing()
	t.accountMessages(res)
	t.accountParts(res, shown, told)
	for i := range res.Accounts {
		res.Accounts[i].Fate = cmp.Or(res.Accounts[i].Fate, Dropped)
	}
	t.explain(res)
}

// explain says why each message has its fate, as choosing recorded it.
func (t *cutter) explain(res *Result) {
	type verdict struct {
		choice           int    // the number of the first that was made for its worth, from 1
		why              string // of one that was made for another reason
		offered, refused bool
		bound            float64
	}
	c := t.conv
	of := make([]verdict, len(t.in))
	choices := 0
	for _, x := range t.chooser.taken {
		if x.worth && x.unit.group < t.first {
			choices++
		}
		parts := []int{x.unit.part}
		for _, i := range x.lines {
			if at := x.unit.lines[i].at; at >= 0 {
				parts = append(parts, c.Lines[at].Part)
			}
		}
		for _, p := range parts {
			v := &of[c.Parts[p].Message]
			if v.why = cmp.Or(v.why, x.why); x.worth && v.choice == 0 {
				v.choice = choices
			}
		}
	}
	for _, u := range t.units {
		v := &of[c.Parts[u.part].Message]
		v.offered, v.refused, v.bound = true, v.refused || u.refused, max(v.bound, u.bound)
	}

	for i := range res.Accounts {
		a, v := &res.Accounts[i], &of[i]
		first := c.Messages[i].Role == transcript.User && c.Messages[i].Kind != transcript.Results
		switch {
		case slices.Contains(t.o.Pins, i):
			a.Why = "pinned"
		case a.Fate == Kept:
			a.Why = "one of the newest"
		case a.Fate == Elided:
			a.Why = rewriting(&t.placed[i], "the newest, cut to fit")
		case a.Fate == Digested && v.choice > 0:
			a.Why = fmt.Sprintf("ranked %d of %d by value per token", v.choice, choices)
		case a.Fate == Digested && first && v.why == "":
			a.Why = "the user's words"
		case a.Fate == Digested:
			a.Why = cmp.Or(v.why, "the command of a shown output")
		case first && !v.offered:
			a.Why = "no room for more of the user's words"
		case v.refused:
			a.Why = "worth it, but no room"
		case v.bound > 0:
			a.Why = "worth less than what fit"
		case v.offered:
			a.Why = "later text says it"
		default:
			a.Why = "empty, or replaced later"
		}
	}
}

// rewriting returns the mark that cleaning left in a message, or otherwise.
func rewriting(m *transcript.Message, otherwise string) string {
	for i := range m.Blocks {
		text := m.Blocks[i].Text
		if slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(text, mark) }) {
			return strings.Trim(cutting.Headline(text), "[]")
		}
	}
	return otherwise
}

// standing says which lines stand in the result, and of which parts something is in the
// digest.
func (t *cutter) standing() (shown, told []bool) {
	c := t.conv
	shown, told = make([]bool, len(c.Lines)), make([]bool, len(c.Parts))
	for _, units := range [][]*unit{t.units, t.words, t.inPlace} {
		for _, u := range units {
			for i := range u.lines {
				if l := &u.lines[i]; l.shown {
					told[u.part] = true
					if l.at >= 0 {
						shown[l.at] = true
						told[c.Lines[l.at].Part] = true
					}
				}
			}
		}
	}
	for p := range c.Parts {
		part := &c.Parts[p]
		if part.Group >= t.first && !t.cut[p] || t.isPinned(p) {
			for i := part.From; i < part.To; i++ {
				shown[i] = true
			}
			told[p] = told[p] || part.Group < t.first
		}
	}
	return shown, told
}

// accountMessages counts the tokens of each message, and what stays of it in place.
func (t *cutter) accountMessages(res *Result) {
	next := 0 // message of the result
	res.Accounts = make([]Account, len(t.in))
	for g, gr := range t.conv.Groups {
		for i := gr.From; i < gr.To; i++ {
			a := &res.Accounts[i]
			a.Message, a.Before = i, int(cutting.MessageSize(&t.in[i])+0.5)
			if g < t.first {
				continue
			}
			m := t.shrink(i)
			a.After, a.Fate = int(cutting.MessageSize(&m)+0.5), Elided
			for k := next; k < min(next+nearby, len(res.Messages)); k++ {
				if same(&m, &res.Messages[k]) {
					if next = k + 1; same(&t.in[i], &m) {
						a.Fate = Kept
					}
					break
				}
			}
		}
	}
}

// accountParts adds what of each part stands in the digest, and lists what was left out.
func (t *cutter) accountParts(res *Result, shown, told []bool) {
	c := t.conv
	for p := range c.Parts {
		part := &c.Parts[p]
		a := &res.Accounts[part.Message]
		missing, left := 0, 0.0
		for i := part.From; i < part.To; i++ {
			l := &c.Lines[i]
			a.Lines++
			if shown[i] {
				a.Left++
				left += l.Tokens
			} else if !blank(l.Text) {
				missing++
			}
		}
		if part.Group < t.first {
			a.After += int(left + 0.5)
			if told[p] || left > 0 {
				a.Fate = Digested
			}
		}
		orig := &t.in[part.Message].Blocks[part.Block]
		short := part.Source == reuse.Call && t.inputs > 0 && part.Group == t.first && !t.isPinned(p)
		if missing == 0 && !short && (part.Group < t.first || orig.Text == t.placed[part.Message].Blocks[part.Block].Text) {
			continue
		}
		res.Omitted = append(res.Omitted, omission(t.handle(p), t.in, part.Message, part.Block, missing, left))
	}
}

// omission says of which block lines were left out, and what tokens are left of it.
func omission(handle string, in []transcript.Message, message, block, lines int, left float64) Omission {
	text := cutting.TextOf(&in[message].Blocks[block])
	sum := sha256.Sum256([]byte(text))
	return Omission{Handle: handle, Message: message, Block: block, Hash: hex.EncodeToString(sum[:]),
		Lines: lines, Tokens: max(0, int(reuse.Size(text)-left)), Spans: in[message].Spans}
}

// rewritten lists the blocks of messages that stay in place whose text cleaning
// replaced.
func rewritten(before, after []transcript.Message, handles [][]string) []Omission {
	var out []Omission
	for i := range before {
		for b := range before[i].Blocks {
			if was, is := &before[i].Blocks[b], &after[i].Blocks[b]; was.Text != is.Text {
				out = append(out, omission(handles[i][b], before, i, b, strings.Count(was.Text, "\n")+1, reuse.Size(is.Text)))
			}
		}
	}
	return out
}

// accounts accounts for messages that stay in place.
func accounts(before, after []transcript.Message) []Account {
	as := make([]Account, len(before))
	for i := range before {
		n := int(cutting.MessageSize(&before[i]) + 0.5)
		as[i] = Account{Message: i, Fate: Kept, Why: "it fits", Before: n, After: n}
		if after != nil && !same(&before[i], &after[i]) {
			as[i].Fate, as[i].Why, as[i].After = Elided, rewriting(&after[i], "rewritten"), int(cutting.MessageSize(&after[i])+0.5)
		}
	}
	return as
}

// same reports whether two messages show the same. Blocks that show nothing, such as
// hidden thinking, do not count.
func same(a, b *transcript.Message) bool {
	shown := func(m *transcript.Message) []transcript.Block {
		return slices.DeleteFunc(slices.Clone(m.Blocks), func(x transcript.Block) bool { return x.Text == "" && x.Type != transcript.Call })
	}
	return slices.EqualFunc(shown(a), shown(b), func(x, y transcript.Block) bool {
		return x.Type == y.Type && x.Text == y.Text && bytes.Equal(x.Input, y.Input)
	})
}
