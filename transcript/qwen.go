package transcript

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
)

// Qwen is the format of Qwen Code.
const Qwen Format = "qwen"

// Qwen Code appends records that form a tree by parentUuid, as Claude Code does,
// whose messages are contents of Gemini's API: a role and parts. What goes on is
// the branch of the last record of the file. A compression is a record that holds
// all that is sent from then on; the records before it stay. (Read in its source:
// chatRecordingService.ts, session-api-history.ts and conversation-chain.ts.)
var qwenLayout = layout{
	format: Qwen,
	naming: &naming{members: []string{"sessionId"}, always: true},
	sniff: func(p *probe) bool {
		return p.any(func(l []byte) bool {
			return isString(field(l, "sessionId")) && isString(field(l, "uuid")) &&
				(isArray(field(field(l, "message"), "parts")) || isObject(field(l, "systemPayload")))
		})
	},
	family: "qwen",
	plan:   func() planner { return &qwenPlan{tree: newTree()} },
	open:   func(b *builder) decoder { return &qwenDecoder{b: b} },
	write:  writeQwen,
}

// A qwenPlan finds the branch that goes on, and its last compression.
type qwenPlan struct{ tree *tree }

func (p *qwenPlan) skim(n int, raw []byte) {
	x := node{record: n}
	if parent := field(raw, "parentUuid"); isString(parent) {
		x.parent = hashBytes(parent)
	}
	if isTrue(field(raw, "isSidechain")) {
		x.flags |= isSide
	}
	if is(field(raw, "subtype"), "chat_compression") && isArray(field(field(raw, "systemPayload"), "compressedHistory")) {
		x.flags |= isBound
	}
	if uuid := field(raw, "uuid"); isString(uuid) {
		p.tree.add(uuid, x)
	}
}

func (p *qwenPlan) plan() plan {
	t := p.tree
	out := plan{skip: t.records(isCopy).has, sent: bitset(nil).has}
	leaf := t.len() - 1
	for leaf >= 0 && *t.is(leaf)&isCopy != 0 {
		leaf--
	}
	if leaf < 0 {
		return out
	}
	mended := t.walk(leaf, true, func(i int) bool {
		f := t.is(i)
		if out.compactions == 0 {
			*f |= inPath
		}
		if *f&isBound != 0 {
			if out.compactions == 0 {
				out.bound = t.record(i)
			}
			out.compactions++
		}
		return true
	})
	if mended > 0 {
		out.notes = append(out.notes, fmt.Sprintf("%d links to a parent that is missing or makes a circle: bridged", mended))
	}
	out.sent = t.records(inPath).has
	return out
}

type qwenDecoder struct{ b *builder }

func (d *qwenDecoder) head(string, []byte) {}

func (d *qwenDecoder) record(raw []byte) {
	var kind, subtype, provenance, message, payload, usage, uuid, parent, at, model, window, id, dir, branch, version []byte
	read(raw,
		member{"type", &kind}, member{"subtype", &subtype}, member{"provenance", &provenance}, member{"message", &message},
		member{"systemPayload", &payload}, member{"usageMetadata", &usage}, member{"uuid", &uuid}, member{"parentUuid", &parent},
		member{"timestamp", &at}, member{"model", &model}, member{"contextWindowSize", &window},
		member{"sessionId", &id}, member{"cwd", &dir}, member{"gitBranch", &branch}, member{"version", &version},
	)
	m := Message{ID: str(uuid), Parent: str(parent), Time: clock(at), Model: str(model)}
	s := d.b.sess
	if window != nil {
		s.Window = num(window)
	}
	set(&s.ID, id)
	set(&s.Dir, dir)
	set(&s.Branch, branch)
	set(&s.Version, version)
	d.b.seen(m.Time)
	switch {
	case is(kind, "system") && is(subtype, "custom_title"):
		set(&s.Title, field(payload, "customTitle"))
	case is(kind, "system") && is(subtype, "chat_compression") && d.b.sent:
		d.compressed(payload, m)
	case is(kind, "assistant"):
		m.Usage = qwenUsage(usage)
		d.answer(message, m)
	case is(kind, "user"), is(kind, "tool_result"):
		if is(subtype, "realtime_message") || is(subtype, "code_mode_tool_result") {
			return // not sent
		}
		if is(subtype, "notification") || is(subtype, "cron") || is(provenance, "system") {
			m.Kind = Meta
		}
		d.user(message, m)
	}
}

// compressed adds what a compression left: contents, whose kinds our writer notes
// beside them.
func (d *qwenDecoder) compressed(payload []byte, like Message) {
	var kinds []string
	for it := walk(field(payload, "satchel")); it.next(); {
		kinds = append(kinds, str(it.val))
	}
	n := 0
	for it := walk(field(payload, "compressedHistory")); it.next(); n++ {
		m := Message{Parent: like.Parent, Time: like.Time}
		if n < len(kinds) {
			m.Kind = Kind(kinds[n])
		}
		if is(field(it.val, "role"), "model") {
			d.answer(it.val, m)
			continue
		}
		d.user(it.val, m)
	}
}

func (d *qwenDecoder) answer(content []byte, m Message) {
	var stray []Block
	m.Kind, m.Blocks = Answer, geminiParts(field(content, "parts"), &stray)
	d.b.add(m)
}

// user adds what a content of the user's role holds: results of tools, and runs of
// text and images of one kind each, or all of the kind that m has.
func (d *qwenDecoder) user(content []byte, m Message) {
	r := Message{Kind: Results, ID: m.ID, Parent: m.Parent, Time: m.Time}
	blocks := geminiParts(field(content, "parts"), &r.Blocks)
	if len(r.Blocks) > 0 {
		d.b.add(r)
		m.ID = ""
	}
	s := splitter{b: d.b, like: m}
	for _, x := range blocks {
		k := m.Kind
		switch {
		case x.Type == Call || x.Type == Thinking:
			continue
		case k == "" && x.Type == Text && geminiSummary(x.Text):
			k = Summary
		case k == "" && x.Type == Text:
			k = said(x.Text, false)
		case k == "":
			k = Prompt
		}
		s.part(k, x)
	}
	s.flush()
}

// qwenUsage reads usageMetadata of Gemini's API. Providers differ in whether
// thoughts are part of the candidates: the total tells.
func qwenUsage(raw []byte) *Usage {
	var u Usage
	var candidates, total int
	readNumbers(raw,
		number{"promptTokenCount", &u.Input}, number{"cachedContentTokenCount", &u.CacheRead},
		number{"candidatesTokenCount", &candidates}, number{"thoughtsTokenCount", &u.Reasoning},
		number{"totalTokenCount", &total},
	)
	u.Output = max(candidates, total-u.Input)
	u.Reasoning = min(u.Reasoning, u.Output)
	u.CacheRead = min(u.CacheRead, u.Input)
	u.Input -= u.CacheRead
	return u.known()
}

// writeQwen appends the record of a compression, as Qwen Code does.
func writeQwen(x *rewriter) error {
	var leaf string
	var like object // what every record repeats
	if _, err := each(x.r, x.size, x.layout, nil, func(_ int, rec record) error {
		id := field(rec.raw, "uuid")
		if !isString(id) {
			return nil
		}
		leaf, like = str(id), object{}
		for it := walk(rec.raw); it.next(); {
			if key := string(it.key); slices.Contains([]string{"sessionId", "cwd", "version", "gitBranch", "isSidechain", "agentId"}, key) {
				like.raw(key, slices.Clone(it.val))
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := x.copyLines(); err != nil {
		return err
	}
	at := x.tick().Format(stamp)
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", x.size, leaf, at))
	var o, payload, info object
	o.str("uuid", fmt.Sprintf("%x-%x-8%x-8%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])).str("parentUuid", leaf)
	o.str("type", "system").str("subtype", "chat_compression").str("timestamp", at)
	kinds := listOf(x.Messages, func(m *Message) []byte { return quote(string(m.Kind)) })
	info.raw("originalTokenCount", strconv.AppendInt(nil, int64(x.TokensBefore), 10)).raw("newTokenCount", []byte("0")).raw("compressionStatus", []byte("1"))
	payload.raw("info", info.bytes()).raw("compressedHistory", listOf(x.Messages, qwenContent)).raw("satchel", kinds)
	o.raw("systemPayload", payload.bytes())
	if len(like.b) > 0 {
		o.b = append(append(o.b, ','), like.b[1:]...)
	}
	return x.line(o.bytes())
}

// qwenContent makes a content of a message.
func qwenContent(m *Message) []byte {
	role := "user"
	if m.Kind == Answer {
		role = "model"
	}
	var o object
	return o.str("role", role).raw("parts", listOf(m.Blocks, geminiEncode)).bytes()
}
