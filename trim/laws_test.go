package trim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
)

// A generator makes conversations: valid ones, and with hostile set, ones that
// no provider would take.
type generator struct {
	r       *rand.Rand
	hostile bool
	ids     int
}

var words = []string{"parse", "the", "internal/world/git/diff.go", "Fit(cands, limit)", "error:", "cannot find", "README.md", "TestTrim", "42", "a1b2c3d4e5",
	"https://example.com/a?b=c", "func", "return nil", "}", "{", "  ", "naïve", "日本語", "🎒", "--budget", "x", "\t", "…", "@abcde", "## User", "[User]", "[Plan]", "<", "\u200b", "e\u0301"}

func (g *generator) n(most int) int { return g.r.IntN(most + 1) }

func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *generator) text() string {
	var b strings.Builder
	lines := g.n(8)
	if g.chance(1) {
		lines = 200
	}
	for i := 0; i <= lines; i++ {
		if i > 0 {
			b.WriteByte('\n')
		}
		for range g.n(9) {
			b.WriteString(words[g.r.IntN(len(words))])
			b.WriteByte(' ')
		}
		if g.chance(1) {
			b.WriteString(strings.Repeat(words[g.r.IntN(len(words))], 300))
		}
		if g.hostile && g.chance(5) {
			b.WriteString("\xff\xfe\x00")
		}
	}
	return b.String()
}

func (g *generator) words() string {
	for {
		if s := g.text(); g.hostile || strings.TrimSpace(s) != "" {
			return s
		}
	}
}

func (g *generator) call() transcript.Block {
	g.ids++
	id := "call" + strconv.Itoa(g.ids)
	if g.hostile && g.chance(15) {
		id = "REDACTED"
	}
	name := []string{"Read", "Bash", "Edit", "Grep", "mcp__x__y", "apply_patch"}[g.r.IntN(6)]
	input, _ := json.Marshal(map[string]any{"file_path": "src/" + strconv.Itoa(g.n(5)) + ".go", "command": g.text(), "n": g.n(9), "edits": []any{map[string]any{"old_string": g.text()}}})
	if g.hostile && g.chance(10) {
		input = []byte([]string{"", "null", "{", `"text"`, "[[[[", "{\"a\":"}[g.r.IntN(6)])
	}
	return transcript.Block{Type: transcript.Call, ID: id, Name: name, Input: input}
}

func (g *generator) conversation() []transcript.Message {
	var ms []transcript.Message
	user := func(kind transcript.Kind) {
		ms = append(ms, transcript.Message{Role: transcript.User, Kind: kind, Blocks: []transcript.Block{{Type: transcript.Text, Text: g.words()}}})
	}
	user(transcript.Prompt)
	for range g.n(14) {
		a := transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer}
		if g.chance(30) {
			a.Blocks = append(a.Blocks, transcript.Block{Type: transcript.Thinking, Text: g.text(), Opaque: g.n(100)})
		}
		if g.chance(60) {
			a.Blocks = append(a.Blocks, transcript.Block{Type: transcript.Text, Text: g.words()})
		}
		calls := g.n(3)
		r := transcript.Message{Role: transcript.User, Kind: transcript.Results}
		for range calls {
			c := g.call()
			a.Blocks = append(a.Blocks, c)
			if g.hostile && g.chance(10) {
				continue
			}
			r.Blocks = append(r.Blocks, transcript.Block{Type: transcript.Result, ID: c.ID, Text: g.text(), Failed: g.chance(20), Images: g.n(20) / 20})
		}
		if len(a.Blocks) == 0 && !g.hostile {
			a.Blocks = append(a.Blocks, transcript.Block{Type: transcript.Text, Text: g.words()})
		}
		if g.hostile && g.chance(5) {
			a, r = r, a
		}
		ms = append(ms, a)
		if len(r.Blocks) > 0 && !(g.hostile && g.chance(5)) {
			ms = append(ms, r)
		}
		if len(r.Blocks) == 0 || g.chance(20) {
			user([]transcript.Kind{transcript.Prompt, transcript.Meta, transcript.Summary}[g.r.IntN(3)])
		}
	}
	if g.hostile && g.chance(5) {
		ms = nil
	}
	return ms
}

// refused says why a provider would refuse messages, or "".
func refused(ms []transcript.Message) string {
	if len(ms) == 0 || ms[0].Role != transcript.User {
		return "does not begin with the user"
	}
	for i := range ms {
		m := &ms[i]
		if len(m.Blocks) == 0 {
			return fmt.Sprintf("message %d is empty", i)
		}
		var waiting, given []string
		if i > 0 {
			waiting = callsOf(&ms[i-1])
		}
		other := false
		for _, b := range m.Blocks {
			switch b.Type {
			case transcript.Text:
				if strings.TrimSpace(b.Text) == "" {
					return fmt.Sprintf("message %d has empty text", i)
				}
				other = true
			case transcript.Result:
				if other {
					return fmt.Sprintf("message %d has a result after text", i)
				}
				given = append(given, b.ID)
			}
		}
		slices.Sort(waiting)
		slices.Sort(given)
		if !slices.Equal(waiting, given) {
			return fmt.Sprintf("message %d answers %q, the calls are %q", i, given, waiting)
		}
	}
	return ""
}

func copied(ms []transcript.Message) []transcript.Message {
	out := slices.Clone(ms)
	for i := range out {
		out[i].Blocks = slices.Clone(out[i].Blocks)
		for b := range out[i].Blocks {
			out[i].Blocks[b].Input = slices.Clone(out[i].Blocks[b].Input)
		}
	}
	return out
}

// checkAgain trims a conversation again and fails if the result is not the same.
func checkAgain(t *testing.T, in []transcript.Message, o Options, res *Result) {
	t.Helper()
	again, _ := Trim(in, o)
	if !reflect.DeepEqual(res, again) {
		t.Fatalf("Trim gave two results for the same input")
	}
}

// checkLaws trims a conversation and fails if a law does not hold. It returns what Trim
// returns.
func checkLaws(t *testing.T, in []transcript.Message, o Options) *Result {
	t.Helper()
	before := copied(in)
	res, err := Trim(in, o)
	if !reflect.DeepEqual(before, in) {
		t.Fatalf("Trim changed its input (-before +after):\n%s", cmp.Diff(before, in))
	}
	var overflow *satchel.OverflowError
	if errors.As(err, &overflow) {
		if overflow.Need <= o.Budget || overflow.Limit != o.Budget {
			t.Fatalf("Trim(budget %d) = %v: need is not above the limit", o.Budget, err)
		}
		return res
	}
	if err != nil {
		t.Fatal(err)
	}
	m := cutting.NewMeter(o.Count)
	if res.Changed && o.Budget > 0 {
		if why := refused(res.Messages); why != "" {
			t.Fatalf("Trim(budget %d): %s", o.Budget, why)
		}
		if n, e := m.Exact(res.Messages), m.Size(res.Messages); n > o.Budget || e > float64(o.Budget) || n != res.After {
			t.Fatalf("Trim(budget %d) takes %d tokens (estimate %.0f, reported %d)", o.Budget, n, e, res.After)
		}
	}
	checkAccounts(t, in, res)
	checkOrder(t, in, res)
	for _, p := range o.Pins {
		if p < 0 || p >= len(in) {
			continue
		}
		all := textsOf(res.Messages)
		for _, b := range in[p].Blocks {
			if b.Type == transcript.Text && !blank(b.Text) && !strings.Contains(all, b.Text) {
				t.Fatalf("pinned message %d is not verbatim", p)
			}
		}
	}
	if res.Changed && o.Budget > 0 { // and then nothing happens until it has grown
		next, err := Trim(res.Messages, o)
		if err != nil || next.Changed || !reflect.DeepEqual(next.Messages, res.Messages) {
			t.Fatalf("a second Trim changed the result of the first (%v)", err)
		}
	}
	return res
}

func textsOf(ms []transcript.Message) string {
	var b strings.Builder
	for i := range ms {
		for k := range ms[i].Blocks {
			b.WriteString(cutting.TextOf(&ms[i].Blocks[k]))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// checkAccounts checks that every message is accounted for once, with a reason.
func checkAccounts(t *testing.T, in []transcript.Message, res *Result) {
	t.Helper()
	if len(res.Accounts) != len(in) {
		t.Fatalf("%d messages, %d accounts", len(in), len(res.Accounts))
	}
	for i, a := range res.Accounts {
		if a.Message != i || a.Left > a.Lines || a.Before != int(cutting.MessageSize(&in[i])+0.5) {
			t.Fatalf("account %d: %+v", i, a)
		}
		if a.Why == "" || strings.HasPrefix(a.Why, "ranked ") && a.Fate != Digested {
			t.Fatalf("message %d is %s, because: %q", i, a.Fate, a.Why)
		}
		switch a.Fate {
		case Kept:
			if !slices.ContainsFunc(res.Messages, func(m transcript.Message) bool { return same(&m, &in[i]) }) {
				t.Fatalf("message %d is said to be kept, and is not", i)
			}
			if a.After != a.Before {
				t.Fatalf("message %d is kept, and takes %d tokens of %d", i, a.After, a.Before)
			}
		case Dropped:
			if a.Left > 0 || a.After > 0 {
				t.Fatalf("message %d is said to be dropped: %+v", i, a)
			}
		case Elided, Digested:
		default:
			t.Fatalf("message %d has no fate", i)
		}
	}
	checkHandles(t, in, res)
}

// checkHandles: a handle names the block that was left out, and no block with
// another text. Of a million conversations some sixty have two texts whose first
// five letters are the same.
func checkHandles(t *testing.T, in []transcript.Message, res *Result) {
	t.Helper()
	text := make(map[string]string) // by handle
	for _, o := range res.Omitted {
		own, _, ok := Named(&in[o.Message].Blocks[o.Block], o.Handle)
		if other, twice := text[o.Handle]; !ok || twice && other != own {
			t.Fatalf("omission %+v does not name its block alone", o)
		}
		text[o.Handle] = own
	}
	if len(text) == 0 {
		return
	}
	for i := range in {
		for b := range in[i].Blocks {
			blk := &in[i].Blocks[b]
			if !nameable(blk) {
				continue
			}
			all := cutting.TextOf(blk)
			long := letters(all)
			for _, h := range []string{long[:1+minHandle], long} {
				if want, ok := text[h]; ok && want != all {
					t.Fatalf("message %d, block %d has the handle of another text", i, b)
				}
			}
		}
	}
}

// checkOrder: calls that stay in place stay in order.
func checkOrder(t *testing.T, in []transcript.Message, res *Result) {
	t.Helper()
	at, last := make(map[string]int), -1
	for i := range in {
		for _, id := range callsOf(&in[i]) {
			if _, ok := at[id]; ok {
				return // ids that are not unique say nothing about order
			}
			at[id] = i
		}
	}
	for i := range res.Messages {
		for _, id := range callsOf(&res.Messages[i]) {
			n, ok := at[id]
			if !ok || n < last {
				t.Fatalf("call %s is out of order or invented", id)
			}
			last = n
		}
	}
}

// try checks the laws on a made-up conversation. With again set it checks, too, that a
// second trim gives the same and that what is written can be read.
func try(t *testing.T, seed uint64, again bool) {
	t.Helper()
	defer func() {
		if t.Failed() { // as a Fatalf leaves it
			t.Errorf("with seed %d", seed)
		}
	}()
	g := &generator{r: rand.New(rand.NewPCG(seed, 1)), hostile: seed%2 == 1}
	in := g.conversation()
	o := Options{Budget: 20 + g.n(3000)}
	if g.chance(20) {
		o.Budget = int(float64(Estimate(in)) * float64(g.n(100)) / 100)
	}
	if len(in) > 0 && g.chance(15) {
		o.Pins = []int{g.r.IntN(len(in))}
	}
	if seed%10 > 1 { // the tokens of a text are asked for up to ten times
		o.Count = remembered(tokens.O200k().Count)
	}
	res := checkLaws(t, in, o)
	if again {
		checkAgain(t, in, o, res)
		g.checkWritten(t, in, o)
	}
}

// hollow are elements of an array that say nothing: of a message that was cut off,
// or of thinking that nobody signed.
var hollow = []string{`{"role":"assistant","content":[]}`, `{"role":"user","content":""}`, `{"role":"assistant","content":[{"type":"text","text":" "}]}`,
	`{"role":"assistant","content":[{"type":"thinking","thinking":""}]}`}

// checkWritten trims the conversation as an array of messages that holds elements
// which say nothing, and reads what is written: a provider takes it, and it is what
// the trim left.
func (g *generator) checkWritten(t *testing.T, in []transcript.Message, o Options) {
	t.Helper()
	f := []transcript.Format{transcript.Messages, transcript.Anthropic}[g.n(1)]
	var doc bytes.Buffer
	if transcript.Encode(&doc, f, in) != nil {
		return // no provider took it in the first place
	}
	elements := elementsOf(t, doc.Bytes())
	for range 1 + g.n(2) {
		elements = slices.Insert(elements, g.n(len(elements)), json.RawMessage(hollow[g.n(len(hollow)-1)]))
	}
	holed, err := json.Marshal(map[string]any{"format": f, "messages": elements})
	if err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(holed)
	s, err := transcript.Read(r, r.Size())
	if err != nil {
		t.Fatal(err)
	}
	res, err := Trim(s.Messages, o)
	if err != nil || !res.Changed {
		return
	}
	var out bytes.Buffer
	if err := transcript.Write(&out, r, r.Size(), &transcript.Rewrite{Messages: res.Messages}); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(out.Bytes(), holed) {
		return // nothing but what says nothing was left out: the document stays
	}
	for i, raw := range elementsOf(t, out.Bytes()) {
		var e struct {
			Role    string
			Content []struct{ Type, Text, Thinking string }
		}
		if err := json.Unmarshal(raw, &e); err != nil || len(e.Content) == 0 || i == 0 && e.Role != "user" {
			t.Fatalf("element %d of what is written: %s (%v)", i, raw, err)
		}
		for _, b := range e.Content {
			if b.Type == "text" && blank(b.Text) {
				t.Fatalf("element %d of what is written has empty text: %s", i, raw)
			}
		}
	}
	back, err := transcript.Read(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if why := refused(back.Messages); why != "" {
		t.Fatalf("what is written is read again and %s", why)
	}
	if d := cmp.Diff(textsOf(res.Messages), textsOf(back.Messages)); d != "" {
		t.Fatalf("what is written is read again as something else (-trimmed +read):\n%s", d)
	}
}

// elementsOf returns the elements of a document of messages.
func elementsOf(t *testing.T, doc []byte) (all []json.RawMessage) {
	t.Helper()
	if json.Unmarshal(doc, &all) == nil {
		return all
	}
	var o struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(doc, &o); err != nil {
		t.Fatal(err)
	}
	return o.Messages
}

// remembered is count, for each text once.
func remembered(count func(string) int) func(string) int {
	known := make(map[string]int)
	return func(text string) int {
		n, ok := known[text]
		if !ok {
			n = count(text)
			known[text] = n
		}
		return n
	}
}

// rounds returns how many random conversations a test tries: few, a fifth of them with
// -short, or many if SATCHEL_SOAK_ROUNDS is set.
func rounds(few, many uint64) uint64 {
	switch {
	case os.Getenv("SATCHEL_SOAK_ROUNDS") != "":
		return many
	case testing.Short():
		return few / 5
	}
	return few
}

func FuzzTrim(f *testing.F) {
	if testing.Short() {
		f.Skip("takes about a second")
	}
	for seed := range rounds(100, 200) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { try(t, seed, true) })
}

// TestSoak tries SATCHEL_SOAK_ROUNDS conversations, from seed SATCHEL_SOAK_FROM
// on (0).
func TestSoak(t *testing.T) {
	rounds, err := strconv.ParseUint(os.Getenv("SATCHEL_SOAK_ROUNDS"), 10, 64)
	if err != nil {
		t.Skip("set SATCHEL_SOAK_ROUNDS")
	}
	from, _ := strconv.ParseUint(os.Getenv("SATCHEL_SOAK_FROM"), 10, 64)
	for seed := from; seed < from+rounds; seed++ {
		try(t, seed, seed%8 == 0)
	}
}
