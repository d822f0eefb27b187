package changeset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/rank"
)

// What was written is read again as it was, and whatever is read can only move
// scores within bounds.
func FuzzParseFeedback(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte(`{"version":1,"multipliers":{"lines":1.2,"class_test":0},"verdicts":[{"id":"a","files":[{"path":"a.go","mattered":true,"signals":{"lines":0.3}}]}]}`))
	f.Add([]byte(`{"version":1,"multipliers":{"lines":-1}}`))
	f.Add([]byte(`{"version":1,"multipliers":{"lines":1e999}}`))
	f.Add([]byte(`{"version":1,"verdicts":[{"files":[{"signals":{"lines":1e300}}]}]}`))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(`[`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := parseFeedback(b)
		if err != nil {
			return
		}
		for name, m := range got.Multipliers {
			if !(m >= 0 && m <= mostMultiplier) {
				t.Errorf("multiplier %s = %v", name, m)
			}
		}
		first, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseFeedback(first)
		if err != nil {
			t.Fatalf("what was written is refused: %v\n%s", err, first)
		}
		second, err := json.Marshal(again)
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("written twice, %v:\n%s\n%s", err, first, second)
		}
		if len(b) < 4096 { // learning of large files is for the benchmark
			got.learn()
			for name, m := range got.Multipliers {
				if !(m >= 0 && m <= mostMultiplier) {
					t.Errorf("learned %s = %v", name, m)
				}
			}
		}
	})
}

func TestVerdictFill(t *testing.T) {
	scored := func(n int) []change.Scored {
		files := make([]change.Scored, n)
		for i := range files {
			files[i].Path = fmt.Sprint(i)
			files[i].Signals = []satchel.Signal{{Name: "lines", Value: 0.123456}}
		}
		return files
	}
	count := func(v *FeedbackVerdict) (yes, no int) {
		for i := range v.Files {
			if v.Files[i].Mattered {
				yes++
			} else {
				no++
			}
		}
		return yes, no
	}
	for _, tc := range []struct {
		files, mattered int
		yes, no         int
		err             error
	}{
		{3, 1, 1, 2, nil},
		{3, 0, 0, 3, ErrNoneMattered},
		{3, 3, 3, 0, ErrAllMattered},
		{0, 0, 0, 0, ErrNoneMattered},
		{1000, 1, 1, maxVerdictFiles - 1, nil},
		{1000, 999, maxVerdictFiles / 2, 1, nil},
	} {
		var v FeedbackVerdict
		n := 0
		err := v.fill(scored(tc.files), func(*change.Scored) bool { n++; return n <= tc.mattered })
		yes, no := count(&v)
		if err != tc.err || yes != tc.yes || no != tc.no {
			t.Errorf("%d of %d: %d and %d, %v; want %d and %d, %v", tc.mattered, tc.files, yes, no, err, tc.yes, tc.no, tc.err)
		}
		if err == nil && v.Files[0].Signals["lines"] != 0.1235 {
			t.Errorf("signals %v", v.Files[0].Signals)
		}
	}
}

func TestProse(t *testing.T) {
	got := prose("proxy: wait\n\nBecause.\n# a comment\nSigned-off-by: Cache Keep <a@b>\nReviewed-By: x\nby: hand\n" + scissors + "\ndiff --git a/x b/x\n")
	if diff := cmp.Diff("proxy: wait\n\nBecause.\nby: hand\n", got); diff != "" {
		t.Error(diff)
	}
}

// As much as is ever kept is learned from in a moment.
func BenchmarkLearnFeedback(b *testing.B) {
	names := rank.ChangeSignalNames()
	f := &Feedback{}
	for i := range maxVerdicts {
		v := FeedbackVerdict{}
		for k := range maxVerdictFiles {
			file := FeedbackFile{Mattered: k%7 == i%7, Signals: map[string]float64{}}
			for s := range 20 {
				file.Signals[names[(s*3+k+i)%len(names)]] = float64((i+k+s)%10) / 10
			}
			v.Files = append(v.Files, file)
		}
		f.Verdicts = append(f.Verdicts, v)
	}
	for b.Loop() {
		f.learn()
	}
}
