package trim_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// numbered is the text of lines from to to of a file.
func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "%6d\tsome text of line %d\n", i, i)
	}
	return b.String()
}

// TestClean cleans an earlier and a later call: markers stand for results that
// the later one repeats, and for nothing else.
func TestClean(t *testing.T) {
	call := func(name string, input map[string]any) transcript.Block {
		raw, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		return transcript.Block{Type: transcript.Call, Name: name, Input: raw}
	}
	whole := call("Read", map[string]any{"file_path": "a.go"})
	part := call("Read", map[string]any{"file_path": "a.go", "offset": 10, "limit": 20})
	far := call("Read", map[string]any{"file_path": "a.go", "offset": 3000, "limit": 20})
	other := call("Read", map[string]any{"file_path": "b.go"})
	run := call("Bash", map[string]any{"command": "go test"})
	for _, x := range []struct {
		name            string
		earlier         transcript.Block
		text            string
		later           transcript.Block
		again           string
		failed, picture bool // of the earlier, of the later
		want            string
	}{
		{name: "the same output", earlier: run, text: numbered(1, 20), later: run, again: numbered(1, 20), want: "[identical to a later result]"},
		{name: "another output", earlier: run, text: numbered(1, 20), later: run, again: numbered(1, 21)},
		{name: "a short output", earlier: run, text: "ok", later: run, again: "ok"},
		{name: "the file as it is now", earlier: whole, text: numbered(1, 20), later: whole, again: numbered(1, 30), want: "[superseded: a.go is read again later]"},
		{name: "a part of it", earlier: part, text: numbered(10, 29), later: whole, again: numbered(1, 100), want: "[superseded: a.go is read again later]"},
		{name: "the whole by a part", earlier: whole, text: numbered(1, 100), later: part, again: numbered(10, 29)},
		{name: "another file", earlier: whole, text: numbered(1, 20), later: other, again: numbered(2, 21)},
		{name: "a part that a cut read lacks", earlier: far, text: numbered(3000, 3019), later: whole, again: numbered(1, 2000)},
		{name: "a part of a file cut by bytes", earlier: far, text: numbered(3000, 3019), later: whole, again: strings.Repeat(strings.Repeat("x", 99)+"\n", 500)},
		{name: "a whole of a cut read", earlier: whole, text: numbered(1, 2000), later: whole, again: numbered(2, 2001), want: "[superseded: a.go is read again later]"},
		{name: "an error is no read", earlier: whole, text: numbered(1, 20), later: whole, again: numbered(1, 30), failed: true},
		{name: "a picture", earlier: run, text: numbered(1, 20), later: run, again: numbered(1, 20), picture: true},
	} {
		t.Run(x.name, func(t *testing.T) {
			a, b := x.earlier, x.later
			a.ID, b.ID = "a", "b"
			first, second := result("a", x.text), result("b", x.again)
			first.Failed = x.failed
			if x.picture {
				second.Images = 1
			}
			in := []transcript.Message{prompt("go"), answer("", a), results(first), answer("", b), results(second), answer("done")}
			before, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			out := trim.Clean(in)
			want := x.want
			if want == "" {
				want = x.text
			}
			if got := out[2].Blocks[0].Text; got != want {
				t.Errorf("the earlier result is %.60q, want %.60q", got, want)
			}
			out[2].Blocks[0] = in[2].Blocks[0]
			if !reflect.DeepEqual(in, out) {
				t.Error("something else changed")
			}
			if after, err := json.Marshal(in); err != nil || string(before) != string(after) {
				t.Errorf("the input changed (%v)", err)
			}
		})
	}
}

// An error that comes again and again is told as a count; the last one stays.
func TestCleanErrors(t *testing.T) {
	text := "--- FAIL: TestDial (10.00s)\n" + strings.Repeat("    dial tcp: i/o timeout\n", 4)
	var ms []transcript.Message
	for i := range 4 {
		id := string(rune('a' + i))
		r := result(id, text)
		r.Failed = i != 1 // one of them did not say that it failed
		ms = append(ms,
			transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer, Blocks: []transcript.Block{{Type: transcript.Call, ID: id, Name: "Bash", Input: json.RawMessage(`{"command":"go test"}`)}}},
			transcript.Message{Role: transcript.User, Kind: transcript.Results, Blocks: []transcript.Block{r}})
	}
	var got []string
	for _, m := range trim.Clean(ms) {
		if m.Kind == transcript.Results {
			got = append(got, m.Blocks[0].Text)
		}
	}
	want := []string{"[the same error, 1 of 3; the last is whole]", text, "[the same error, 2 of 3; the last is whole]", text}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Clean (-want +got):\n%s", diff)
	}
}

// TestCleanedOmissions: what cleaning replaced has a handle, also where nothing
// else has to be cut.
func TestCleanedOmissions(t *testing.T) {
	old, now := strings.Repeat("var a = 1 // as it was\n", 60), strings.Repeat("var b = 2 // as it is\n", 60)
	ms := []transcript.Message{prompt("go"), answer("", read("c1", "a.go")), results(result("c1", old)), answer("", read("c2", "a.go")), results(result("c2", now)), answer("done")}
	for _, budget := range []int{0, trim.Estimate(ms) - 100} {
		res, err := trim.Trim(ms, trim.Options{Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Omitted) != 1 || res.Omitted[0].Message != 2 || res.Accounts[2].Fate != trim.Elided || res.Accounts[4].Fate != trim.Kept {
			t.Fatalf("budget %d: omitted %+v, accounts %+v", budget, res.Omitted, res.Accounts)
		}
		if text, _, ok := trim.Named(&ms[2].Blocks[0], res.Omitted[0].Handle); !ok || text != old {
			t.Errorf("budget %d: %s does not name what was replaced", budget, res.Omitted[0].Handle)
		}
	}
}
