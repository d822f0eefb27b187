package hawk_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/dialect/hawk"
)

// reference is hawk's NewContextBudget and Allocate, as its page describes them:
// the nine categories in their order.
func reference(size, conversation int) []int {
	clamp := func(n, least, most int) int { return max(least, min(n, most)) }
	system, tools := clamp(size*3/100, 3000, 5000), clamp(size*2/100, 2000, 3000)
	repo, memory := clamp(size*2/100, 2000, 4000), clamp(size/100, 1000, 2000)
	workspace := clamp(size/200, 300, 500)
	output, margin := clamp(size*10/100, 4000, 20000), clamp(size*7/100, 2000, 15000)
	adaptive := size - system - tools - repo - memory - workspace - output - margin
	files := clamp(size*15/100, 5000, 30000)
	if files > adaptive {
		files = adaptive / 2
	}
	least := clamp(size*5/100, 2000, 10000)
	switch {
	case conversation <= 0:
	case conversation >= adaptive-least:
		files = least
	default:
		files -= (files - least) * conversation / (adaptive - least)
	}
	return []int{system, tools, repo, memory, workspace, files, adaptive - files, output, margin}
}

func tokensOf(d budget.Division) (out []int) {
	for _, p := range d.Parts {
		out = append(out, p.Tokens)
	}
	return out
}

// TestReference compares with the reference wherever its numbers are sane.
func TestReference(t *testing.T) {
	for window := 28_000; window <= 200_000; window += 997 {
		for _, conversation := range []int{-5, 0, 1, window / 10, window / 3, window / 2, window, 10 * window} {
			d, err := hawk.Divide(window, conversation, 0)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tokensOf(d), reference(window, conversation)); diff != "" {
				t.Fatalf("window %d, conversation %d (-got +want):\n%s", window, conversation, diff)
			}
		}
	}
	// As measured of the original: files and conversation, empty and full.
	for _, tt := range []struct{ window, files, talk, filesFull, talkFull int }{
		{32_000, 5_000, 12_460, 2_000, 15_460},
		{128_000, 19_200, 76_300, 6_400, 89_100},
		{200_000, 30_000, 121_500, 10_000, 141_500},
	} {
		empty, _ := hawk.Divide(tt.window, 0, 0)
		full, _ := hawk.Divide(tt.window, tt.window, 0)
		got := []int{empty.Tokens(hawk.PreloadedFiles), empty.Tokens(hawk.Conversation), full.Tokens(hawk.PreloadedFiles), full.Tokens(hawk.Conversation)}
		if diff := cmp.Diff(got, []int{tt.files, tt.talk, tt.filesFull, tt.talkFull}); diff != "" {
			t.Errorf("window %d (-got +want):\n%s", tt.window, diff)
		}
	}
}

// TestSmallWindows: the reference gives negative numbers below windows of
// 14,300 tokens, and a conversation of 850 tokens at 16,000.
func TestSmallWindows(t *testing.T) {
	if r := reference(8_000, 0); r[5] >= 0 {
		t.Fatalf("the reference gives files %d: the test has lost its point", r[5])
	}
	for window := 1_000; window <= 28_000; window += 13 {
		for _, conversation := range []int{0, window / 2, window} {
			d, err := hawk.Divide(window, conversation, 0)
			if err != nil {
				t.Fatalf("window %d: %v", window, err)
			}
			checkSum(t, d)
			if got := d.Tokens(hawk.Conversation); got < window*30/100 {
				t.Fatalf("window %d leaves a conversation of %d tokens", window, got)
			}
		}
	}
	for _, window := range []int{1, 2, 7, 999} {
		d, err := hawk.Divide(window, 0, 0)
		if err != nil {
			t.Errorf("window %d: %v", window, err)
		}
		checkSum(t, d)
	}
	for _, window := range []int{0, -1} {
		if _, err := hawk.Divide(window, 0, 0); err == nil {
			t.Errorf("divides a window of %d", window)
		}
	}
}

// TestLargeWindows: the ceilings of the reference were made for 200,000 tokens;
// of a window of a million they give 30,000 to files and 20,000 to the answer.
func TestLargeWindows(t *testing.T) {
	d, err := hawk.Divide(1_000_000, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, p := range d.Parts {
		got[p.Name] = p.Tokens
	}
	want := map[string]int{
		hawk.SystemPrompt: 5_000, hawk.ToolDefs: 3_000, hawk.RepoMap: 20_000, hawk.Memory: 10_000, hawk.Workspace: 500,
		hawk.PreloadedFiles: 150_000,
		hawk.OutputReserve:  100_000, hawk.SafetyMargin: 70_000,
	}
	want[hawk.Conversation] = 1_000_000 - (5_000 + 3_000 + 20_000 + 10_000 + 500 + 150_000 + 100_000 + 70_000)
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("a window of a million (-got +want):\n%s", diff)
	}
	// The reserve is no larger than the model's longest answer.
	d, _ = hawk.Divide(1_000_000, 0, 64_000)
	if n := d.Tokens(hawk.OutputReserve); n != 64_000 {
		t.Errorf("output reserve %d, want 64000", n)
	}
	for window := 200_000; window <= 10_000_000; window += 99_991 {
		a, _ := hawk.Divide(window, 0, 0)
		b, _ := hawk.Divide(window, window, 0)
		checkSum(t, a)
		checkSum(t, b)
		if f := a.Tokens(hawk.PreloadedFiles); f < window*14/100 {
			t.Fatalf("window %d: files %d do not grow with it", window, f)
		}
		if b.Tokens(hawk.PreloadedFiles) > a.Tokens(hawk.PreloadedFiles) {
			t.Fatalf("window %d: files grow with the conversation", window)
		}
	}
}

// TestAdapt: from what a window gives beside no conversation follows what it
// gives beside any.
func TestAdapt(t *testing.T) {
	for window := 28_000; window <= 2_000_000; window += 9_973 {
		empty, err := hawk.Divide(window, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, conversation := range []int{-5, 0, 1, window / 10, window / 3, window / 2, window, 10 * window} {
			got, err := hawk.Adapt(&empty, conversation)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := hawk.Divide(window, conversation, 0)
			if diff := cmp.Diff(got, want); diff != "" {
				t.Fatalf("window %d, conversation %d (-got +want):\n%s", window, conversation, diff)
			}
		}
	}
	// Small windows, and numbers that nobody can have meant.
	for _, window := range []int{1, 7, 999, 4_000, 8_000, 16_000, 20_000} {
		for _, change := range []func(p *budget.Part){
			func(*budget.Part) {},
			func(p *budget.Part) { p.Tokens = -p.Tokens },
			func(p *budget.Part) { p.Tokens = math.MaxInt },
			func(p *budget.Part) { p.Tokens *= 3 },
		} {
			d, _ := hawk.Divide(window, 0, 0)
			for i := range d.Parts {
				change(&d.Parts[i])
			}
			last := math.MaxInt
			for _, conversation := range []int{math.MinInt, 0, window / 2, window, math.MaxInt} {
				got, err := hawk.Adapt(&d, conversation)
				if err != nil {
					t.Fatalf("window %d: %v", window, err)
				}
				checkSum(t, got)
				if n := got.Tokens(hawk.Conversation); n < window*30/100 {
					t.Fatalf("window %d leaves a conversation of %d tokens", window, n)
				}
				f := got.Tokens(hawk.PreloadedFiles)
				if f > last {
					t.Fatalf("window %d: files grow with the conversation, from %d to %d", window, last, f)
				}
				last = f
			}
		}
	}
	if _, err := hawk.Adapt(&budget.Division{}, 0); err == nil {
		t.Error("divides a window of 0")
	}
}

func checkSum(t *testing.T, d budget.Division) {
	t.Helper()
	sum := d.Free
	for _, p := range d.Parts {
		if p.Tokens < 0 {
			t.Fatalf("negative: %+v", d)
		}
		sum += p.Tokens
	}
	if sum != d.Window || d.Free < 0 {
		t.Fatalf("adds up to %d of %d: %+v", sum, d.Window, d)
	}
}

// FuzzDivide: any window, any conversation, any answer.
func FuzzDivide(f *testing.F) {
	f.Add(200_000, 60_000, 64_000)
	f.Add(1_000, -1, -1)
	f.Add(10_000_000, 1<<62, 1)
	f.Fuzz(func(t *testing.T, window, conversation, output int) {
		d, err := hawk.Divide(window, conversation, output)
		if window <= 0 || window > 1_000_000_000 {
			if err == nil {
				t.Fatalf("divides a window of %d", window)
			}
			return
		}
		if err != nil {
			t.Fatalf("Divide(%d, %d, %d): %v", window, conversation, output, err)
		}
		checkSum(t, d)
	})
}

func TestThresholds(t *testing.T) {
	if err := hawk.Thresholds.Check(); err != nil || hawk.Thresholds.Note != 0.85 || hawk.Thresholds.Warn != 0.95 {
		t.Errorf("thresholds %+v, error %v", hawk.Thresholds, err)
	}
}
