package transcript

import (
	"fmt"
	"strconv"
)

// pi appends entries that form a tree by parentId; version 1 has no ids and is
// a plain list. A compaction entry names the first entry that stays.
var piLayout = layout{
	format: Pi,
	naming: &naming{members: []string{"id"}, kind: "session"}, // an entry has an id, too
	sniff: func(p *probe) bool {
		return p.any(func(l []byte) bool {
			var kind, id, message, custom []byte
			read(l, member{"type", &kind}, member{"id", &id}, member{"message", &message}, member{"customType", &custom})
			return is(kind, "session") && id != nil || is(kind, "message") && field(message, "role") != nil ||
				custom != nil && (is(kind, "custom") || is(kind, "custom_message"))
		})
	},
	open:  func(b *builder) decoder { return &pi{b: b} },
	plan:  func() planner { return &piPlan{tree: newTree(), last: -1} },
	write: writePi,
}

type pi struct{ b *builder }

func (p *pi) head(string, []byte) {}

func (p *pi) record(raw []byte) {
	var kind, id, parent, at, message, summary, body []byte
	read(raw,
		member{"type", &kind}, member{"id", &id}, member{"parentId", &parent}, member{"timestamp", &at},
		member{"message", &message}, member{"summary", &summary}, member{"content", &body},
	)
	m := Message{ID: str(id), Parent: str(parent), Time: clock(at)}
	p.b.seen(m.Time)
	s := p.b.sess
	switch {
	case is(kind, "session"):
		if !p.b.owns(id) {
			return
		}
		set(&s.Dir, field(raw, "cwd"))
		if v := field(raw, "version"); v != nil {
			s.Version = strconv.Itoa(num(v))
		}
	case is(kind, "session_info"):
		set(&s.Title, field(raw, "name"))
	case is(kind, "compaction"), is(kind, "branch_summary"):
		// pi wraps the summary in a sentence of its own when it sends it.
		p.b.addText(m, Summary, str(summary))
	case is(kind, "custom_message"):
		userTurn(p.b, body, m, true)
	case is(kind, "message"):
		p.message(message, m)
	}
}

func (p *pi) message(v []byte, m Message) {
	var role, body, call, name, failed, model, usage, stop, at []byte
	read(v,
		member{"role", &role}, member{"content", &body}, member{"toolCallId", &call}, member{"toolName", &name},
		member{"isError", &failed}, member{"model", &model}, member{"usage", &usage}, member{"stopReason", &stop},
		member{"timestamp", &at},
	)
	if m.Time.IsZero() {
		m.Time = clock(at)
	}
	switch string(role) {
	case `"user"`:
		userTurn(p.b, body, m, false)
	case `"assistant"`:
		m.Kind, m.Model, m.Usage = Answer, str(model), piUsage(usage)
		m.Blocks = answerBlocks(body)
		if is(stop, "error") || is(stop, "aborted") {
			p.b.sent = false // pi does not send them again
		}
		p.b.add(m)
	case `"toolResult"`:
		x := resultBlock(body)
		x.ID, x.Name, x.Failed = str(call), str(name), isTrue(failed)
		p.b.addOne(m, Results, x)
	case `"bashExecution"`:
		if !isTrue(field(v, "excludeFromContext")) {
			p.b.addText(m, Meta, piBash(v))
		}
	case `"branchSummary"`, `"compactionSummary"`:
		p.b.addText(m, Summary, str(field(v, "summary")))
	default: // custom, hookMessage
		userTurn(p.b, body, m, true)
	}
}

// piBash is a command that the user ran, in pi's words.
func piBash(v []byte) string {
	text := "Ran `" + str(field(v, "command")) + "`\n"
	if out := str(field(v, "output")); out != "" {
		text += "```\n" + out + "\n```"
	} else {
		text += "(no output)"
	}
	if code := field(v, "exitCode"); isTrue(field(v, "cancelled")) {
		text += "\n\n(command cancelled)"
	} else if num(code) != 0 {
		text += fmt.Sprintf("\n\nCommand exited with code %d", num(code))
	}
	return text
}

func piUsage(v []byte) *Usage {
	var u Usage
	readNumbers(v,
		number{"input", &u.Input}, number{"output", &u.Output}, number{"cacheRead", &u.CacheRead},
		number{"cacheWrite", &u.CacheWrite}, number{"reasoning", &u.Reasoning},
	)
	return u.known()
}

// piPlan finds the path from the last entry to the root, as pi does, and what
// the last compaction on it leaves.
type piPlan struct {
	tree *tree
	last int // node of the last entry

	compactions []piCompaction
	order       piOrder
}

// A piOrder finds out how the entries of a session hang together: version 1 is
// a list, whatever ids stand in it; later ones are trees, even where an entry
// lacks its id. Of a file that lost its header the ids must tell.
type piOrder struct {
	version int // of the header; 0 if there is none
	ids     bool
}

// header takes the record that says the version; one that does not is of
// version 1. The first header counts.
func (o *piOrder) header(raw []byte) {
	if o.version == 0 {
		o.version = max(num(field(raw, "version")), 1)
	}
}

func (o *piOrder) list() bool { return o.version == 1 || o.version == 0 && !o.ids }

type piCompaction struct {
	node  int
	keep  uint64 // hash of the id of the first entry that stays; 0 if it has none
	index int    // of that entry among all, the header being 0 (version 1); -1 if none
}

func (p *piPlan) skim(n int, raw []byte) {
	var kind, id, parent, keep, index []byte
	read(raw,
		member{"type", &kind}, member{"id", &id}, member{"parentId", &parent}, member{"firstKeptEntryId", &keep},
		member{"firstKeptEntryIndex", &index},
	)
	if is(kind, "session") {
		p.order.header(raw)
		return
	}
	if !isString(kind) {
		return // no entry of any version
	}
	x := node{record: n}
	if isString(parent) {
		x.parent = hashBytes(parent)
	}
	p.order.ids = p.order.ids || isString(id)
	if !isString(id) || p.order.version == 1 {
		id = nil
	}
	if is(kind, "compaction") {
		x.flags |= isBound
		c := piCompaction{node: p.tree.len(), index: -1}
		if isString(keep) {
			c.keep = hashBytes(keep)
		}
		if !isNull(index) {
			c.index = num(index)
		}
		p.compactions = append(p.compactions, c)
	}
	p.last, _ = p.tree.add(id, x)
}

func (p *piPlan) plan() plan {
	t := p.tree
	out := plan{skip: bitset(nil).has}
	if !p.order.list() {
		out.skip = t.records(isCopy).has
		for i := range t.len() {
			if *t.is(i)&isCopy != 0 && p.last == i { // the leaf is the entry that this is a copy of
				p.last--
			}
		}
	}
	if p.last < 0 {
		return out
	}
	cut := -1 // the last compaction
	broken := p.path(func(i int) {
		*t.is(i) |= inPath
		if *t.is(i)&isBound != 0 {
			out.compactions++
			if cut < 0 {
				cut = i
			}
		}
	})
	if broken > 0 {
		out.notes = append(out.notes, "an entry's parent is missing, or its parents make a circle: nothing before it is sent, as in pi")
	}
	if cut >= 0 {
		p.cutPath(&out, cut)
	}
	out.sent = t.records(inPath).has
	return out
}

// path calls fn for the entries that hang together with the last one, newest first.
func (p *piPlan) path(fn func(i int)) (broken int) {
	if p.order.list() {
		for i := p.last; i >= 0; i-- {
			fn(i)
		}
		return 0
	}
	return p.tree.walk(p.last, false, func(i int) bool { fn(i); return true })
}

// cutPath takes off the path what the compaction at a node replaced. Of the
// compactions that stay before it pi sends nothing.
func (p *piPlan) cutPath(out *plan, at int) {
	t := p.tree
	var c piCompaction
	for _, x := range p.compactions {
		if x.node == at {
			c = x
		}
	}
	from := -1 // node of the first entry that stays
	if i, ok := t.find(c.keep); ok {
		from = i
	} else if c.index > 0 {
		for i := range t.len() {
			if t.record(i) == c.index {
				from = i
			}
		}
	}
	older := func(fn func(i int)) {
		behind := false
		p.path(func(i int) {
			if behind {
				fn(i)
			}
			behind = behind || i == at
		})
	}
	found := from == at // a compaction that names itself keeps nothing, and says so
	stays := false
	older(func(i int) { stays = stays || i == from })
	found = found || stays
	older(func(i int) {
		if !stays || *t.is(i)&isBound != 0 {
			*t.is(i) &^= inPath
		}
		if i == from {
			stays = false
		}
	})
	if !found && (c.keep != 0 || c.index > 0) {
		out.notes = append(out.notes, "the last compaction keeps entries from one on that is not on this branch: nothing before it is sent, as in pi")
	}
	out.bound = t.record(at)
	out.first = []int{out.bound}
}
