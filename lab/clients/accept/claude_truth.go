package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// claudeSnapshot has a session with all that makes Claude Code send requests, and
// compares what satchel says that the model was sent with what it was sent.
func claudeSnapshot(t *trial) {
	b := t.setup("claude")
	t.installed(b, "claude")
	read := ` @@tool Read {"file_path":"` + filepath.Join(b.repo, answer) + `"}@@ `
	pack := ` @@tool mcp__satchel__pack {"task":"` + task + `","budget":1500}@@ `
	agent := ` @@tool Agent {"description":"look","prompt":"as an agent:` + ` @@say SUB@@","subagent_type":"general-purpose"}@@ `
	r := b.claudeTurns([]string{
		"first: " + task + read + pack + "@@say ONE@@",
		"second <&> \u00fc \u2603 " + agent + "@@say TWO@@",
		"/context",
		"third " + full + " @@say THREE@@",
		"fourth, after a compaction" + read + unsummed + " @@say FOUR@@",
		"/compact which fails",
		"fifth @@say FIVE@@",
	}, "--autocompact", "100000", "--allowedTools", "Agent,Read,mcp__satchel__pack")
	t.want(r.code == 0, "claude ended with %d: %s", r.code, r.err)
	session := sessionOf(r.out)
	r = b.claude("sixth, in another process"+read+"@@say SIX@@", "--resume", session)
	t.want(r.code == 0, "claude ended with %d: %s", r.code, r.err)
	t.reconcile(b, session)
}

// A sent request is a body as the fake API got it, or what a snapshot says of one.
type sent struct {
	messages []string // canonical JSON, like the others
	tools    string
	system   string // without the block that Claude Code does not record
	params   object
}

// key is what two requests must have in common to be the same.
func (s *sent) key() string {
	var b strings.Builder
	for _, m := range s.messages {
		b.WriteString(inBlocks(m) + "\n")
	}
	return b.String() + s.tools + "\n" + s.system
}

// notification begins what Claude Code says to its model when a task of the
// background ends. Now and then it records that as a block of text (with its hash,
// which satchel proves) and sends it as a string, which the API takes for the same.
const notification = "<system-reminder>\n[SYSTEM NOTIFICATION"

// inBlocks writes a notification that is a string as the block of text. Any other
// message must be what was sent to the letter.
func inBlocks(message string) string {
	var m struct{ Content, Role any }
	if json.Unmarshal([]byte(message), &m) != nil {
		return message
	}
	text, ok := m.Content.(string)
	if !ok || !strings.HasPrefix(text, notification) {
		return message
	}
	list, _ := json.Marshal(object{"content": []any{object{"text": text, "type": "text"}}, "role": m.Role}) // it was JSON
	return canonical(list)
}

// unrecorded are the classes of requests that no transcript of Claude Code holds,
// and how they are told apart.
var unrecorded = []struct {
	name string
	is   func(path string, body object, turns []turn) bool
}{
	{"token counts", func(path string, _ object, _ []turn) bool { return strings.HasSuffix(path, "/count_tokens") }},
	{"summaries for a compaction", func(_ string, _ object, turns []turn) bool {
		return len(turns) > 0 && asksForSummary(turns[len(turns)-1])
	}},
}

// reconcile reads the requests that a session and its agents recorded, and compares
// them with the requests that the API got.
func (t *trial) reconcile(b *box, session string) {
	files, _ := filepath.Glob(filepath.Join(b.home, ".claude/projects/*", session+".jsonl")) // the patterns are fine
	agents, _ := filepath.Glob(filepath.Join(b.home, ".claude/projects/*", session, "subagents/*.jsonl"))
	if session == "" || len(files) != 1 {
		t.fail("claude recorded no session")
		return
	}
	var kept []sent
	for _, name := range append(files, agents...) {
		kept = append(kept, t.recorded(name)...)
	}

	left := map[string]int{} // snapshots of which no request was found
	params := map[string][]object{}
	recorded := map[string][][]string{} // messages, as they are recorded
	for i := range kept {
		left[kept[i].key()]++
		params[kept[i].key()] = append(params[kept[i].key()], kept[i].params)
		recorded[kept[i].key()] = append(recorded[kept[i].key()], kept[i].messages)
	}
	classes := map[string]int{}
	matched, messages, otherwise := 0, 0, 0
	for _, r := range b.api.seen() {
		var body object
		if json.Unmarshal(r.Body, &body) != nil {
			classes["without a body"]++
			continue
		}
		wire := onWire(r.Body)
		key := wire.key()
		if left[key] > 0 {
			left[key]--
			matched++
			messages += len(wire.messages)
			p := params[key][0]
			params[key] = params[key][1:]
			for i, m := range recorded[key][0] {
				if m != wire.messages[i] {
					otherwise++
				}
			}
			recorded[key] = recorded[key][1:]
			for name, v := range p {
				if got, ok := body[name]; ok { // betas are in the header
					t.want(fmt.Sprint(got) == fmt.Sprint(v), "%s of a request was %v, and the snapshot says %v", name, got, v)
				}
			}
			continue
		}
		class := classOf(r.Path, body)
		if classes[class]++; class == "" {
			t.fail("no snapshot is what the model was sent: %d messages, the last %s", len(wire.messages), tail([]byte(strings.Join(wire.messages, "")), 300))
		}
	}
	for _, n := range left {
		t.want(n == 0, "%d snapshots are of a request that was not sent", n)
	}
	t.reconciled(matched, len(kept), len(files)+len(agents), messages, otherwise, classes)
}

// classOf says of what kind a request is that is never recorded, "" if of none.
func classOf(path string, body object) string {
	for _, u := range unrecorded {
		if u.is(path, body, turnsOf(body)) {
			return u.name
		}
	}
	return ""
}

// reconciled reports what reconcile counted.
func (t *trial) reconciled(matched, kept, files, messages, otherwise int, classes map[string]int) {
	t.want(matched == kept && matched > 0, "%d snapshots of %d requests", kept, matched)
	t.fact("%d of %d recorded requests in %d transcripts are what the model was sent, in both directions: %d messages, and tools, system prompt and parameters of each", matched, kept, files, messages)
	if otherwise > 0 {
		t.fact("%d notifications were sent as a string and recorded as its block of text", otherwise)
	}
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		t.fact("never recorded: %d %s", classes[name], name)
	}
}

// onWire reads a request as the API got it.
func onWire(raw []byte) *sent {
	var body struct {
		Messages, System []json.RawMessage
		Tools            json.RawMessage
	}
	_ = json.Unmarshal(raw, &body) // then it is empty, and no snapshot
	s := &sent{tools: canonical(body.Tools)}
	for _, m := range body.Messages {
		s.messages = append(s.messages, canonical(m))
	}
	if len(body.System) > 0 {
		list, _ := json.Marshal(body.System[1:]) // it was JSON
		s.system = canonical(list)
	}
	return s
}

// recorded returns the requests that a transcript records, as satchel reads them.
func (t *trial) recorded(name string) (list []sent) {
	f, err := os.Open(name)
	if err != nil {
		t.fail("%v", err)
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.fail("%v", err)
		return nil
	}
	requests, _, err := transcript.Requests(f, info.Size())
	if err != nil {
		t.fail("requests of %s: %v", name, err)
		return nil
	}
	for i := range requests {
		r := &requests[i]
		k := sent{tools: canonical(r.Tools), system: canonical(r.System)}
		for n, m := range r.Messages {
			c := canonical(m.JSON)
			k.messages = append(k.messages, c)
			sum := sha256.Sum256([]byte(c))
			t.want(m.JSON != nil && m.Hash == hex.EncodeToString(sum[:]), "the hash of message %d in request %s is not %s", n, r.ID, m.Hash)
		}
		_ = json.Unmarshal(r.Params, &k.params) // none then
		sum := sha256.Sum256([]byte(`{"system":` + k.system + `,"tools":` + k.tools + `}`))
		t.want(r.Shape == hex.EncodeToString(sum[:]), "the hash of system and tools in request %s is not %s", r.ID, r.Shape)
		list = append(list, k)
	}
	return list
}

// canonical writes JSON as the hashes of Claude Code's record are of: with sorted
// names and no space, and without the marks of the cache, which are recorded apart.
func canonical(text []byte) string {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return ""
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case object:
			delete(v, "cache_control")
			for _, e := range v {
				strip(e)
			}
		case []any:
			for _, e := range v {
				strip(e)
			}
		}
	}
	strip(v)
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it was JSON
	return strings.TrimSuffix(out.String(), "\n")
}
