package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
)

// body is a text of so many lines, of which those named are the function's own.
func body(lines int, own ...int) string {
	var b strings.Builder
	for n := 1; n <= lines; n++ {
		fmt.Fprintf(&b, "\tstep%d()\n", n)
		for _, o := range own {
			if n == o {
				fmt.Fprintf(&b, "\tonly%d()\n\n", o)
			}
		}
	}
	return b.String()
}

func TestOnce(t *testing.T) {
	type piece struct {
		path, text string
		score      float64
	}
	for _, tt := range []struct {
		name   string
		pieces []piece
		copies map[string]string // of what each is one
		note   string            // of the first piece
	}{
		{"the likelier is the original", []piece{{"a.go", body(40), 1}, {"b.go", body(40), 2}}, map[string]string{"a.go:11-50": "b.go:11-50"}, ""},
		{"indentation and blank lines do not count", []piece{{"a.go", body(8), 2}, {"b.go", strings.ReplaceAll(body(8), "\t", "\n    "), 1}}, map[string]string{"b.go:11-26": "a.go:11-18"}, "11-18 is the same as b.go:11-26"},
		{"a line of forty may differ", []piece{{"a.go", body(40), 2}, {"b.go", body(40, 3), 1}}, map[string]string{"b.go:11-52": "a.go:11-50"}, "11-50 is the same as b.go:11-52 but for 14"},
		{"a line of ten may not", []piece{{"a.go", body(10), 2}, {"b.go", body(10, 3), 1}}, nil, ""},
		{"nor may four of a hundred", []piece{{"a.go", body(100), 2}, {"b.go", body(100, 3, 5, 7, 9), 1}}, nil, ""},
		{"nor may it lack them", []piece{{"a.go", body(100, 3, 5, 7, 9), 2}, {"b.go", body(100), 1}}, nil, ""},
		{"what is short stays", []piece{{"a.go", body(4), 2}, {"b.go", body(4), 1}}, nil, ""},
		{"what is named by its path stays", []piece{{"a.go", body(40), 2}, {"lib/asked.go", body(40), 1}}, nil, ""},
		{"so does what is to be edited", []piece{{"a.go", body(40), 2}, {"edited.go", body(40), 1}}, nil, ""},
		{"many are counted", []piece{{"a.go", body(9), 9}, {"b.go", body(9), 8}, {"c.go", body(9), 7}, {"d.go", body(9), 6}},
			map[string]string{"b.go:11-19": "a.go:11-19", "c.go:11-19": "a.go:11-19", "d.go:11-19": "a.go:11-19"}, "11-19 is the same as b.go:11-19; c.go:11-19; and 1 more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sc := &scene.Scene{Req: satchel.Request{Budget: 8000, Edit: []string{"edited.go"}}}
			sc.Query.Files = []string{"lib/asked.go"}
			var list []satchel.Candidate
			for _, p := range tt.pieces {
				c := satchel.Candidate{Item: satchel.Item{
					Ref:   satchel.Ref{Kind: satchel.KindSnippet, Path: p.path, From: 11, To: 10 + strings.Count(p.text, "\n")},
					Forms: []satchel.Form{{Detail: satchel.Full, Text: satchel.Clean("", p.text), Tokens: len(p.text) / 3}},
				}}
				c.Score.Add("test", p.score)
				list = append(list, c)
			}
			kept, copies := once(sc, list)
			got := map[string]string{}
			for _, o := range copies {
				got[o.Ref.String()] = o.SameAs.String()
				if o.Why != satchel.WhyCopy {
					t.Errorf("%v is left out as %q", o.Ref, o.Why)
				}
			}
			if len(tt.copies) > 0 || len(got) > 0 {
				if d := cmp.Diff(tt.copies, got); d != "" {
					t.Errorf("copies (-want +got):\n%s", d)
				}
			}
			if len(kept)+len(copies) != len(tt.pieces) {
				t.Errorf("%d kept and %d copies of %d", len(kept), len(copies), len(tt.pieces))
			}
			if kept[0].Ref.Path == "a.go" && kept[0].Note.String() != tt.note {
				t.Errorf("note = %q, want %q", kept[0].Note, tt.note)
			}
		})
	}
}
