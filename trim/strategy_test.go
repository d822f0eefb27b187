package trim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/transcript/transcripttest"
	"github.com/satchel-dev/satchel/trim"
)

// bytesOf counts a token for each byte of text, so that a test can tell sizes
// by looking.
func bytesOf(m *transcript.Message) int {
	n := 0
	for _, b := range m.Blocks {
		n += len(b.Text) + len(b.Input)
	}
	return n
}

func pack(t *testing.T, ms []transcript.Message, o trim.PackOptions) *trim.Packing {
	t.Helper()
	if o.Tokens == nil {
		o.Tokens = bytesOf
	}
	p, err := trim.Pack(ms, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestScoreMessage(t *testing.T) {
	old := math.Exp(-3)
	for _, tt := range []struct {
		why  string
		m    transcript.Message
		s    trim.Strategy
		at   int
		want float64
	}{
		{"the newest", prompt("x"), trim.Recent, 10, 1},
		{"the oldest", prompt("x"), trim.Recent, 0, old},
		{"compression discounts the old", prompt("x"), trim.Compression, 0, old * 0.3},
		{"and not the new", prompt("x"), trim.Compression, 10, 1},
		{"half of the task's words", prompt("the PROXY is slow"), trim.Relevance, 0, 0.5},
		{"hybrid, user", prompt("proxy timeout"), trim.Hybrid, 10, 0.4 + 0.3 + 0.07 + 0.05 + 0.1},
		{"hybrid, assistant", answer("proxy"), trim.Hybrid, 10, 0.4 + 0.15 + 0.05 + 0.05 + 0.1},
		{"hybrid, result", results(result("1", "fine")), trim.Hybrid, 0, 0.4*old + 0.06 + 0.04 + 0.1},
		{"hybrid, result that tells of an error", results(result("1", "panic: x")), trim.Hybrid, 0, 0.4*old + 0.06 + 0.1 + 0.1},
		{"hybrid, longer", prompt(strings.Repeat("a", 101)), trim.Hybrid, 0, 0.4*old + 0.07 + 0.05 + 0.08},
		{"hybrid, long", prompt(strings.Repeat("a", 501)), trim.Hybrid, 0, 0.4*old + 0.07 + 0.05 + 0.06},
		{"hybrid, very long", prompt(strings.Repeat("a", 2001)), trim.Hybrid, 0, 0.4*old + 0.07 + 0.05 + 0.04},
	} {
		if got := trim.ScoreMessage(&tt.m, "The proxy timeout", tt.at, 11, tt.s); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", tt.why, got, tt.want)
		}
	}
	m := prompt("x")
	if got := trim.ScoreMessage(&m, "", 0, 1, trim.Recent); got != 1 {
		t.Errorf("the only message: %v, want 1", got)
	}
}

// TestPackKeeps: the first prompt, the last four messages, and pins.
func TestPackKeeps(t *testing.T) {
	var ms []transcript.Message
	for i := range 20 {
		ms = append(ms, prompt(fmt.Sprintf("message %02d", i)))
	}
	p := pack(t, ms, trim.PackOptions{Budget: 60, Pins: []int{7}})
	if want := []int{0, 7, 16, 17, 18, 19}; !slices.Equal(p.Kept, want) {
		t.Errorf("kept %v, want %v", p.Kept, want)
	}
	if p.Tokens != 60 || p.Must != 6 || len(p.Dropped) != 14 {
		t.Errorf("%d tokens, must %d, dropped %v", p.Tokens, p.Must, p.Dropped)
	}
	if _, err := trim.Pack(ms, trim.PackOptions{Budget: 100, Pins: []int{20}}); err == nil {
		t.Error("a pin outside is taken")
	}
	if _, err := trim.Pack(ms, trim.PackOptions{Strategy: "best"}); err == nil {
		t.Error("an unknown strategy is taken")
	}
}

func TestPackRecentHasNoHole(t *testing.T) {
	ms := []transcript.Message{prompt("task"), answer("tiny"), answer(strings.Repeat("x", 500)), answer("a"), answer("b"), answer("c"), answer("d"), answer("e")}
	p := pack(t, ms, trim.PackOptions{Strategy: trim.Recent, Budget: 100})
	if want := []int{0, 3, 4, 5, 6, 7}; !slices.Equal(p.Kept, want) {
		t.Errorf("kept %v, want %v: nothing before what did not fit", p.Kept, want)
	}
}

func TestPackCompression(t *testing.T) {
	var ms []transcript.Message
	for i := range 12 {
		id := fmt.Sprint(i)
		ms = append(ms, answer("look "+id, read(id, "f"+id)), results(result(id, body("line of "+id))))
	}
	ms = append([]transcript.Message{prompt("task")}, ms...)
	p := pack(t, ms, trim.PackOptions{Strategy: trim.Compression, Budget: 4000})
	if err := valid(p.Messages); err != nil {
		t.Error(err)
	}
	if len(p.Cut) < 4 || p.Tokens > 4000 || len(p.Kept) < 12 {
		t.Errorf("cut %v, kept %v, %d tokens", p.Cut, p.Kept, p.Tokens)
	}
	for _, i := range p.Cut {
		if i >= len(ms)-4 {
			t.Errorf("message %d is one of the last, and cut", i)
		}
	}
	if !strings.Contains(p.Report(), fmt.Sprintf("  Cut: the results of %d messages\n", len(p.Cut))) {
		t.Errorf("report:\n%s", p.Report())
	}
}

// The defects of the reference packer, by their numbers in our notes on it.

// TestDefectPairsApart (6): only must-keep messages were linked, and only to
// one neighbour, so that parallel results lost their call.
func TestDefectPairsApart(t *testing.T) {
	ms := []transcript.Message{
		prompt("task"),
		answer("", read("1", "a"), read("2", "b"), read("3", "c")),
		results(result("1", "error: proxy"), result("2", strings.Repeat("y", 300)), result("3", "z")),
		answer("a"), answer("b"), answer("c"), answer("d"),
	}
	for _, s := range trim.Strategies {
		for budget := 4; budget < 600; budget += 7 {
			p, err := trim.Pack(ms, trim.PackOptions{Strategy: s, Budget: budget, Task: "proxy", Tokens: bytesOf})
			if err == nil && valid(p.Messages) != nil {
				t.Fatalf("%s, budget %d: %v", s, budget, valid(p.Messages))
			}
		}
	}
}

// TestDefectDensity (7): by score for each token, ten tokens of chatter beat a
// long answer that is all about the task.
func TestDefectDensity(t *testing.T) {
	relevant := answer("The proxy timeout comes from the dialer: " + strings.Repeat("detail ", 100))
	ms := []transcript.Message{prompt("start"), relevant}
	for range 30 {
		ms = append(ms, answer("ok then, fine, thank you very much indeed"))
	}
	ms = append(ms, answer("a"), answer("b"), answer("c"), answer("d"))
	p := pack(t, ms, trim.PackOptions{Strategy: trim.Relevance, Budget: 800, Task: "proxy timeout dialer"})
	if !slices.Contains(p.Kept, 1) {
		t.Errorf("the relevant message is dropped for chatter: kept %v", p.Kept)
	}
}

// TestDefectPositions (8): indices of a part of a conversation were taken for
// those of the whole.
func TestDefectPositions(t *testing.T) {
	var ms []transcript.Message
	for i := range 30 {
		ms = append(ms, prompt(fmt.Sprint("message ", i)))
	}
	p := pack(t, ms[10:], trim.PackOptions{Budget: 80})
	for k, i := range p.Kept {
		if diff := cmp.Diff(ms[10:][i], p.Messages[k]); diff != "" {
			t.Errorf("index %d is another message:\n%s", i, diff)
		}
	}
}

// TestDefectHiddenOverflow (9): what must be kept went over the budget, and the
// report said 100 %.
func TestDefectHiddenOverflow(t *testing.T) {
	ms := []transcript.Message{prompt(strings.Repeat("x", 150)), answer("a")}
	p, err := trim.Pack(ms, trim.PackOptions{Budget: 100, Tokens: bytesOf})
	var overflow *satchel.OverflowError
	if !errors.As(err, &overflow) || overflow.Need != 151 || overflow.Limit != 100 {
		t.Fatalf("error %v", err)
	}
	want := "Context Packing:\n  Kept: 2/2 messages (151/100 tokens, 151%)\n  Strategy: hybrid\n  Must-keep: 2 (pinned + tool pairs)\n"
	if diff := cmp.Diff(want, p.Report()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPackKnown: sizes and scores of the caller come before our own.
func TestPackKnown(t *testing.T) {
	ms := []transcript.Message{prompt("a"), answer("b"), answer("", read("1", "x")), results(result("1", "y")), answer("c"), answer("d")}
	p := pack(t, ms, trim.PackOptions{
		PinsOnly: true, Pins: []int{4}, Budget: 1000,
		Sizes:  []int{300, 300, 200, 200, 300, 0},
		Scores: []float64{math.NaN(), math.Inf(-1), -1, 0.5, 0, 0.4},
	})
	// 4 is pinned, 2 and 3 are one group with the best score, 5 is one byte, and
	// neither 0 nor 1 fits then.
	if want := []int{2, 3, 4, 5}; !slices.Equal(p.Kept, want) || p.Tokens != 701 {
		t.Errorf("kept %v, %d tokens, want %v, 701", p.Kept, p.Tokens, want)
	}
	if got, want := p.Utilization(), 0.701; got != want {
		t.Errorf("utilization %v, want %v", got, want)
	}
	p = pack(t, ms, trim.PackOptions{PinsOnly: true, Strategy: trim.Compression, Whole: true, Budget: 3})
	if len(p.Cut) > 0 || p.Tokens > 3 {
		t.Errorf("cut %v, %d tokens", p.Cut, p.Tokens)
	}
	var overflow *satchel.OverflowError
	if _, err := trim.Pack(ms, trim.PackOptions{Sizes: slices.Repeat([]int{math.MaxInt}, len(ms)), Budget: math.MaxInt - 1}); !errors.As(err, &overflow) || overflow.Need != math.MaxInt {
		t.Errorf("absurd sizes: %v", err)
	}
	for _, o := range []trim.PackOptions{{Sizes: []int{1}}, {Scores: []float64{1}}} {
		if _, err := trim.Pack(ms, o); err == nil {
			t.Errorf("Pack takes %+v for %d messages", o, len(ms))
		}
	}
}

// TestDefectCollapse (10): collapsing dropped results 2 to n of a message, put
// in the id "collapsed", took empty outputs for alike and a person's "Error
// handling…" for an error.
func TestDefectCollapse(t *testing.T) {
	same := "FAIL: the same words\n" + strings.Repeat("at line 1\n", 20)
	ms := []transcript.Message{
		prompt("Error handling is missing"), prompt("Error handling is missing"),
		answer("", bash("1", "t"), bash("2", "t")), results(result("1", same), result("2", same)),
		answer("", bash("3", "t")), results(result("3", same)),
		answer("", bash("4", "t"), bash("5", "t"), bash("6", "t")), results(result("4", ""), result("5", ""), result("6", "")),
		answer("now errors", bash("7", "u"), bash("8", "u")), results(failed("7", "error: no such file or directory: somewhere/else"), failed("8", "error: no such file or directory: somewhere/else")),
	}
	before, err := json.Marshal(ms)
	if err != nil {
		t.Fatal(err)
	}
	out := trim.Collapse(ms)
	if after, _ := json.Marshal(ms); string(after) != string(before) {
		t.Error("the input was changed")
	}
	if err := valid(out[1:]); err != nil {
		t.Error(err)
	}
	var got []string
	for i := range out {
		if len(out[i].Blocks) != len(ms[i].Blocks) {
			t.Errorf("message %d has %d blocks, had %d", i, len(out[i].Blocks), len(ms[i].Blocks))
		}
		for b := range out[i].Blocks {
			if x := out[i].Blocks[b]; x.Text != ms[i].Blocks[b].Text {
				got = append(got, x.ID+" "+x.Text)
			}
		}
	}
	want := []string{
		"2 [same output as call 1]",
		"7 [same error as call 8, 1 of 2 times]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rewritten (-want +got):\n%s", diff)
	}
}

// TestCollapseRows: two alike are no run, and speech ends one.
func TestCollapseRows(t *testing.T) {
	var ms []transcript.Message
	for i := range 4 {
		id := fmt.Sprint(i)
		text := ""
		if i == 2 {
			text = "let me look again"
		}
		ms = append(ms, answer(text, bash(id, "t")), results(result(id, body("same"))))
	}
	if diff := cmp.Diff(ms, trim.Collapse(ms)); diff != "" {
		t.Errorf("two and two are collapsed:\n%s", diff)
	}
}

func TestSummarizeDropped(t *testing.T) {
	ms := []transcript.Message{
		prompt("Fix the login page\nplease"), answer("On it", read("1", "a")), results(result("1", "x")), answer("On it"), prompt("ok"),
	}
	want := "Earlier: 5 messages dropped; 1 tool calls; 2 user messages; 2 assistant messages; topics: Fix the login page, On it"
	got := trim.SummarizeDropped(ms, []int{0, 1, 2, 3, 4})
	if want := strings.Replace(want, ", On it", ", On it", 1); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := trim.SummarizeDropped(ms, nil); got != "" {
		t.Errorf("nothing dropped: %q", got)
	}
}

// TestPackOpens: a conversation begins with the user, also where an answer stands
// before the first prompt.
func TestPackOpens(t *testing.T) {
	hello := transcript.Message{Role: transcript.User, Kind: transcript.Meta, Blocks: []transcript.Block{{Type: transcript.Text, Text: "hello"}}}
	long := hello
	long.Blocks = []transcript.Block{{Type: transcript.Text, Text: strings.Repeat("rules ", 20)}}
	ms := []transcript.Message{long, hello, answer("The proxy?"), prompt("start"), answer("a"), answer("b"), answer("c"), answer("d")}
	for _, s := range trim.Strategies {
		for _, x := range []struct {
			budget int
			pins   []int
			want   []int
		}{
			{9, nil, []int{3, 4, 5, 6, 7}},
			{23, nil, []int{3, 4, 5, 6, 7}}, // there is room for the answer, and none for hello
			{24, nil, []int{1, 2, 3, 4, 5, 6, 7}},
			{24, []int{2}, []int{1, 2, 3, 4, 5, 6, 7}},
			{500, nil, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		} {
			if s == trim.Compression && x.budget == 24 && x.pins == nil {
				x.budget = 39 // half of what is left is for whole messages
			}
			want := x.want
			if s != trim.Recent && x.budget == 23 {
				want = []int{1, 3, 4, 5, 6, 7}
			}
			if p := pack(t, ms, trim.PackOptions{Strategy: s, Budget: x.budget, Pins: x.pins, Task: "proxy"}); !slices.Equal(p.Kept, want) {
				t.Errorf("%s, %d tokens, pins %v: kept %v, want %v", s, x.budget, x.pins, p.Kept, want)
			}
		}
	}
	// Nothing can stand before an answer that comes first.
	if p := pack(t, ms[2:], trim.PackOptions{Budget: 500}); len(p.Kept) != 6 {
		t.Errorf("kept %v", p.Kept)
	}
}

// TestCollapseAgain: what was collapsed is left alone, and what came since is
// collapsed with what was left.
func TestCollapseAgain(t *testing.T) {
	var ms []transcript.Message
	add := func(n int) {
		for range n {
			id := fmt.Sprint("call", len(ms))
			ms = append(ms, answer("", bash(id, "t")), results(result(id, "make: nothing to be done for all\n"+strings.Repeat("x", 80+len(ms)))))
		}
	}
	add(6)
	once := trim.Collapse(ms)
	if diff := cmp.Diff(once, trim.Collapse(once)); diff != "" {
		t.Errorf("again (-once +twice):\n%s", diff)
	}
	ms = once
	add(1)
	var whole []string
	for _, m := range trim.Collapse(ms) {
		if b := m.Blocks[0]; b.Type == transcript.Result && !strings.HasPrefix(b.Text, "[") {
			whole = append(whole, b.ID)
		}
	}
	if want := []string{"call0", "call12"}; !slices.Equal(whole, want) {
		t.Errorf("whole are %v, want %v", whole, want)
	}
}

// FuzzPack: groups whole, everything once, in order, never over unless told; a
// conversation begins with the user. Collapsing keeps every block and pair, and
// doing it twice is doing it once.
func FuzzPack(f *testing.F) {
	if testing.Short() {
		f.Skip("takes about a second")
	}
	for seed := range int64(60) {
		f.Add(seed, 100+int(seed)*97, uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed int64, budget int, strategy uint8) {
		rnd := rand.New(rand.NewSource(seed))
		ms := transcripttest.Random(rnd.Intn)
		if seed%3 == 0 { // what comes before the first prompt
			before := []transcript.Message{prompt("say rules"), prompt("say more rules, and more"), answer("say a"), answer("", read("b", "b.go")), results(result("b", "c"))}
			before[0].Kind, before[1].Kind = transcript.Meta, transcript.Meta
			ms = append(before[rnd.Intn(2):], ms...)
		}
		o := trim.PackOptions{Strategy: trim.Strategies[int(strategy)%len(trim.Strategies)], Budget: budget, Task: "fix the error", Pins: []int{int(strategy) % len(ms)}}
		if seed%2 == 0 {
			o.Tokens = bytesOf
		}
		p, err := trim.Pack(ms, o)
		var overflow *satchel.OverflowError
		if err != nil && !errors.As(err, &overflow) {
			t.Fatal(err)
		}
		if err == nil && p.Tokens > budget {
			t.Fatalf("%d tokens, budget %d", p.Tokens, budget)
		}
		if err := transcript.Valid(p.Messages); err != nil {
			t.Fatal(err)
		}
		if o.Tokens != nil {
			sum := 0
			for i := range p.Messages {
				sum += bytesOf(&p.Messages[i])
			}
			if sum != p.Tokens {
				t.Fatalf("%d tokens are kept, it says %d", sum, p.Tokens)
			}
		}
		all := slices.Concat(p.Kept, p.Dropped)
		slices.Sort(all)
		for i := range ms {
			if i >= len(all) || all[i] != i {
				t.Fatalf("kept %v, dropped %v, of %d messages", p.Kept, p.Dropped, len(ms))
			}
		}
		if !slices.IsSorted(p.Kept) || len(p.Messages) != len(p.Kept) {
			t.Fatalf("kept %v, %d messages", p.Kept, len(p.Messages))
		}
		once := trim.Collapse(ms)
		if err := transcript.Valid(once); err != nil {
			t.Fatal(err)
		}
		for i := range ms {
			for b := range ms[i].Blocks {
				old, now := ms[i].Blocks[b], once[i].Blocks[b]
				if old.Text != now.Text && (old.Type != transcript.Result || len(now.Text) >= len(old.Text)) {
					t.Fatalf("message %d, block %d: %q became %q", i, b, old.Text, now.Text)
				}
				if old.ID != now.ID || old.Type != now.Type || old.Failed != now.Failed {
					t.Fatalf("message %d, block %d: %+v became %+v", i, b, old, now)
				}
			}
		}
		if diff := cmp.Diff(once, trim.Collapse(once)); diff != "" {
			t.Fatalf("collapsed twice (-once +twice):\n%s", diff)
		}
	})
}
