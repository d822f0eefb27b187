package rank

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

func TestAnalyze(t *testing.T) {
	q := Analyze("login() times out behind a proxy\r\n" +
		"<!-- please search first -->\n" +
		"- [x] I have searched the issues\n" +
		"#### What version of tool are you using?\n" +
		"1.2\n" +
		"See https://example.org/src/other.go and `retry_count` in net/http_client.go and the Dockerfile.\n" +
		"```\n" +
		"Traceback (most recent call last):\n" +
		"  File \"/home/me/app/main.py\", line 10, in <module>\n" +
		"  File \"/home/me/app/session.py\", line 42, in open\n" +
		"```\n" +
		"   at org.acme.Login.open(Login.java:7)\n" +
		"sessionCookie is in pkg.auth.token\n")
	if got, want := q.Title, "login() times out behind a proxy"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
	for _, gone := range []string{"please search", "I have searched", "What version", "example.org"} {
		if strings.Contains(q.Text, gone) {
			t.Errorf("text still holds %q", gone)
		}
	}
	for _, f := range []string{"net/http_client.go", "Dockerfile", "home/me/app/session.py"} {
		if !slices.Contains(q.Files, f) {
			t.Errorf("files %v, want %s among them", q.Files, f)
		}
	}
	names := map[string]bool{}
	for _, n := range q.Names {
		names[n.Spelling] = true
	}
	for _, n := range []string{"retry_count", "sessionCookie", "login", "proxy"} {
		if !names[n] {
			t.Errorf("names %v, want %s among them", names, n)
		}
	}
	var frames []string
	for _, f := range q.Frames {
		frames = append(frames, fmt.Sprintf("%s:%d %.2f", f.Path, f.Line, f.Weight))
	}
	want := []string{"home/me/app/main.py:10 0.65", "home/me/app/session.py:42 1.00", "org/acme/Login.java:7 1.00"}
	if diff := cmp.Diff(want, frames[:3]); diff != "" {
		t.Errorf("frames: -want +got\n%s", diff)
	}
}

func TestAnalyzeAsks(t *testing.T) {
	for task, want := range map[string]ask{
		"Add tests for the parser":         AskTests,
		"README: say how to install":       AskDocs,
		"fix the example of the scheduler": askExamples,
		"CI: run on arm":                   AskConfig,
	} {
		if q := Analyze(task); !q.Wants[want] {
			t.Errorf("Analyze(%q).Wants = %v, want %s", task, q.Wants, want)
		}
	}
	if q := Analyze("parser drops the last token"); len(q.Wants) != 0 {
		t.Errorf("a plain report wants %v", q.Wants)
	}
}

func TestPhrases(t *testing.T) {
	q := Analyze("the session cookie. Header is lost")
	joined, across := terms.Ident("sessioncookie"), terms.Ident("cookieheader")
	var got []uint64
	for _, p := range q.Phrases {
		got = append(got, p.Joined)
	}
	if !slices.Contains(got, joined) {
		t.Errorf("no phrase of session and cookie in %v", got)
	}
	if slices.Contains(got, across) {
		t.Errorf("a phrase crosses the end of a sentence")
	}
}

func FuzzAnalyze(f *testing.F) {
	f.Add("a `b` ```c``` File \"x.py\", line 99999999999999999999\n#\n**x**")
	f.Fuzz(func(t *testing.T, task string) {
		q := Analyze(task)
		for _, x := range q.Terms {
			if x.Count < 0 || x.Title > 0 && x.Count == 0 {
				t.Errorf("term counts %+v", x)
			}
		}
		for _, fr := range q.Frames {
			if fr.Line < 0 || fr.Weight < 0.3 || fr.Weight > 1 {
				t.Errorf("frame %+v", fr)
			}
		}
	})
}

// random returns a table of n rows with values in every column.
func random(n int, seed uint64) *Table {
	r := rand.New(rand.NewPCG(seed, 1))
	t := &Table{Rows: n, Primary: make([]bool, n), Demotion: make([]Demotion, n)}
	for i := range n {
		t.Primary[i] = r.IntN(5) > 0
		if r.IntN(4) == 0 {
			t.Demotion[i] = Demotion{"test, not asked for", 5}
		}
	}
	for s := range NumSignals {
		col := t.Column(s)
		for i := range col {
			if r.IntN(3) == 0 {
				col[i] = float32(r.IntN(50)) / 10
			}
		}
	}
	return t
}

// TestExplain checks that an explanation is the score.
func TestExplain(t *testing.T) {
	table := random(200, 7)
	f := table.Scale()
	for _, m := range []*Model{&First, &files} {
		scores := m.Scores(table, f)
		for i, s := range scores {
			if got := m.Explain(table, f, i).Value(); math.Abs(got-float64(s)) > 1e-3 {
				t.Fatalf("row %d: the reasons add up to %v, the score is %v", i, got, s)
			}
		}
	}
}

func TestScale(t *testing.T) {
	n := 3000 // more than the number of ranks that count
	table := &Table{Rows: n, Primary: make([]bool, n), Demotion: make([]Demotion, n)}
	col := table.Column(BM25F)
	for i := range col {
		table.Primary[i] = true
		col[i] = float32((i * 7919) % n)
	}
	f := table.Scale()
	slow := slices.Clone(col)
	slices.Sort(slow)
	slices.Reverse(slow)
	for i, v := range col {
		rank := slices.Index(slow, v)
		want := float32(0)
		if rank < maxRank && v > 0 {
			want = float32(1 / (1 + math.Log2(float64(rank)+1)))
		}
		if f.Rank[BM25F][i] != want {
			t.Fatalf("value %v of rank %d: discount %v, want %v", v, rank, f.Rank[BM25F][i], want)
		}
		if want := v / slow[0]; f.Max[BM25F][i] != want {
			t.Fatalf("value %v: share %v, want %v", v, f.Max[BM25F][i], want)
		}
	}
}

func TestSeeds(t *testing.T) {
	rows, weights := Seeds([]float32{1, 5, 3, 5}, 3)
	if diff := cmp.Diff([]int{1, 3, 2}, rows); diff != "" {
		t.Errorf("rows: -want +got\n%s", diff)
	}
	var sum float32
	for k, w := range weights {
		sum += w
		if k > 0 && w > weights[k-1] {
			t.Errorf("weights %v are not descending", weights)
		}
	}
	if math.Abs(float64(sum)-1) > 1e-5 {
		t.Errorf("weights add up to %v", sum)
	}
}

func TestSignalNames(t *testing.T) {
	seen := map[string]bool{}
	for _, n := range SignalNames() {
		if n == "" || seen[n] {
			t.Errorf("signal name %q is empty or twice", n)
		}
		seen[n] = true
		if s, ok := SignalByName(n); !ok || s.String() != n {
			t.Errorf("SignalByName(%q) = %v, %v", n, s, ok)
		}
	}
	for c := range numChunkSignals {
		if c.String() == "" || chunkWhy[c].why == "" {
			t.Errorf("chunk signal %d has no name", c)
		}
	}
}

func TestChunkExplain(t *testing.T) {
	var row ChunkRow
	for i := range row {
		row[i] = float32(i) / 3
	}
	if got, want := Chunks.Explain(&row).Value(), Chunks.Score(&row); math.Abs(got-want) > 1e-9 {
		t.Errorf("the reasons add up to %v, the score is %v", got, want)
	}
}

func BenchmarkScale(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			t := random(n, 3)
			b.ReportAllocs()
			for b.Loop() {
				files.Scores(t, t.Scale())
			}
		})
	}
}
