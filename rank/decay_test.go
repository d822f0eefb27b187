package rank_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/rank"
)

var (
	day   = 24 * time.Hour
	start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestWeight(t *testing.T) {
	d := rank.Decay{HalfLife: day, Floor: 0.1}
	fresh := rank.Fresh(start)
	for _, test := range []struct {
		name  string
		trace rank.Trace
		after time.Duration
		want  float64
	}{
		{"new", fresh, 0, 1},
		{"half-life", fresh, day, 0.5},
		{"two", fresh, 2 * day, 0.25},
		{"floor", fresh, 30 * day, 0.1},
		{"forever", fresh, math.MaxInt64, 0.1},
		{"pinned", fresh.Pin(start), 1000 * day, 1},
		{"clock goes backwards", fresh, -day, 1},
		{"clock far backwards", fresh, math.MinInt64, 1},
		{"zero trace", rank.Trace{}, 0, 0.1},
		{"no number", rank.Trace{Base: math.NaN(), Spaced: math.NaN(), Touched: start}, 0, 0.1},
		{"too much", rank.Trace{Base: math.Inf(1), Touched: start}, day, 0.5},
	} {
		if got := d.Weight(test.trace, start.Add(test.after)); !near(got, test.want) {
			t.Errorf("%s: weight %v, want %v", test.name, got, test.want)
		}
	}
	if got := (rank.Decay{}).Weight(fresh, start.Add(rank.NoteHalfLife)); !near(got, 0.5) {
		t.Errorf("zero Decay: weight %v after NoteHalfLife, want 0.5", got)
	}
	if got := (rank.Decay{HalfLife: -1}).Weight(fresh, start.Add(rank.NoteHalfLife)); !near(got, 0.5) {
		t.Errorf("negative half-life: weight %v after NoteHalfLife, want 0.5", got)
	}
}

// hawk stored the decayed weight and decayed it again, so that after one
// half-life a quarter was left. Here asking changes nothing.
func TestHawk1DecayIsAppliedOnce(t *testing.T) {
	d := rank.Decay{HalfLife: 30 * time.Minute}
	list := []rank.Note{{ID: 1, Trace: rank.Fresh(start)}}
	for range 5 {
		d.Weights(list, start.Add(10*time.Minute))
		d.Heaviest(list, 1, start.Add(20*time.Minute))
		d.Stats(list, start.Add(25*time.Minute))
	}
	if got := d.Weight(list[0].Trace, start.Add(30*time.Minute)); !near(got, 0.5) {
		t.Errorf("weight after one half-life = %v, want 0.5", got)
	}
}

// In hawk a touch of a fresh entry did nothing, and the next decay overwrote
// any boost.
func TestHawk2TouchesCount(t *testing.T) {
	d := rank.Decay{HalfLife: day}
	at := func(touches ...time.Duration) float64 {
		trace := rank.Fresh(start)
		for _, after := range touches {
			trace = d.Touch(trace, start.Add(after))
		}
		if trace.Touches != len(touches) {
			t.Errorf("%d touches counted, want %d", trace.Touches, len(touches))
		}
		return d.Weight(trace, start.Add(5*day))
	}
	never, once, thrice := at(), at(0), at(0, 0, 0)
	spaced, late := at(0, 6*time.Hour, 12*time.Hour), at(day, 2*day, 4*day)
	if !(never < once && once < thrice && thrice < spaced && spaced < late && late < 1) {
		t.Errorf("weights never %.3f, once %.3f, three at once %.3f, three over half a day %.3f, over four days %.3f: want them to rise", never, once, thrice, spaced, late)
	}
	// The boost is half of what is missing, and stays when weights are computed.
	trace := d.Touch(rank.Fresh(start), start.Add(day))
	for range 3 {
		if got := d.Weight(trace, start.Add(day)); !near(got, 0.75) {
			t.Errorf("weight after a touch at half weight = %v, want 0.75", got)
		}
	}
}

// hawk's prune compared the floored weight, so that a threshold below the floor
// removed nothing; and what was unpinned kept the time of its last touch, so
// that it was gone at once.
func TestHawk3PruneAndUnpin(t *testing.T) {
	d := rank.Decay{HalfLife: day, Floor: 0.1}
	list := []rank.Note{
		{ID: 1, Trace: rank.Fresh(start)},
		{ID: 2, Trace: rank.Fresh(start).Pin(start)},
		{ID: 3, Trace: rank.Fresh(start.Add(99 * day))},
	}
	now := start.Add(100 * day)
	for _, below := range []float64{0.05, 0.1, 0.3} {
		if diff := cmp.Diff([]int{0}, d.Faded(list, below, now)); diff != "" {
			t.Errorf("Faded below %v (-want +got):\n%s", below, diff)
		}
	}
	if got := d.Faded(list, 0, now); got != nil {
		t.Errorf("Faded below 0 = %v, want none", got)
	}
	list[1].Trace = list[1].Unpin(now)
	if got := d.Weight(list[1].Trace, now.Add(day)); !near(got, 0.5) {
		t.Errorf("weight a half-life after the pin was taken away = %v, want 0.5", got)
	}
	if got := d.Faded(list, 0.3, now.Add(day)); slices.Contains(got, 1) {
		t.Errorf("Faded = %v right after an unpin", got)
	}
}

// hawk gave out pointers into its slice, which were read after the lock.
func TestHawk4ValuesOnly(t *testing.T) {
	d := rank.Decay{HalfLife: day}
	before := rank.Fresh(start)
	after := d.Touch(before, start.Add(day))
	if before != rank.Fresh(start) || after == before {
		t.Errorf("Touch changed its argument: %+v", before)
	}
	list := []rank.Note{{ID: 1, Tokens: 3, Trace: before}, {ID: 2, Tokens: 3, Trace: after}}
	kept := slices.Clone(list)
	done := make(chan bool)
	for range 4 { // the race detector would tell
		go func() {
			_, _ = d.Within(list, 5, start)
			d.Heaviest(list, 2, start)
			d.Faded(list, 0.5, start)
			done <- true
		}()
	}
	for range 4 {
		<-done
	}
	if diff := cmp.Diff(kept, list); diff != "" {
		t.Errorf("the list was changed:\n%s", diff)
	}
}

// In hawk, pinned entries competed by weight, with an unstable sort, and could be
// dropped.
func TestHawk5PinsAreGuaranteed(t *testing.T) {
	d := rank.Decay{HalfLife: day}
	var list []rank.Note
	for i := range 50 {
		list = append(list, rank.Note{ID: int64(i + 1), Tokens: 10, Created: start, Trace: rank.Fresh(start.Add(time.Hour))})
	}
	list[30].Trace = rank.Fresh(start).Pin(start)
	list[7].Trace = rank.Fresh(start).Pin(start)
	got, err := d.Within(list, 25, start.Add(100*day))
	if err != nil || !cmp.Equal(got, []int{30, 7}) {
		t.Errorf("Within 25 tokens = %v, %v, want the two pins", got, err)
	}
	got, err = d.Within(list, 15, start)
	var pins *rank.PinError
	if !errors.As(err, &pins) || pins.Need != 20 || pins.Limit != 15 || !cmp.Equal(got, []int{30, 7}) {
		t.Errorf("Within 15 tokens = %v, %v, want the pins and that they need 20", got, err)
	}
	first, _ := d.Within(list, 200, start.Add(day))
	slices.Reverse(list)
	second, _ := d.Within(list, 200, start.Add(day))
	for i := range second {
		second[i] = len(list) - 1 - second[i]
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the order of the list matters (-forwards +backwards):\n%s", diff)
	}
}

func TestHeaviest(t *testing.T) {
	d := rank.Decay{HalfLife: day}
	list := []rank.Note{
		{ID: 1, Trace: rank.Fresh(start)},
		{ID: 2, Trace: rank.Fresh(start.Add(day))},
		{ID: 3, Trace: rank.Fresh(start).Pin(start)},
	}
	for n, want := range map[int][]int{-5: {}, 0: {}, 1: {2}, 2: {2, 1}, 3: {2, 1, 0}, 99: {2, 1, 0}} {
		if diff := cmp.Diff(want, d.Heaviest(list, n, start.Add(2*day))); diff != "" {
			t.Errorf("Heaviest %d (-want +got):\n%s", n, diff)
		}
	}
}

func TestChoose(t *testing.T) {
	list := []rank.Note{{ID: 1, Tokens: 50}, {ID: 2, Tokens: 500}, {ID: 3, Tokens: 30}, {ID: 4, Tokens: -7}, {ID: 5, Tokens: 1}}
	value := []float64{0.9, 0.8, 0.7, math.NaN(), 0}
	for limit, want := range map[int][]int{-1: {}, 0: {}, 29: {}, 30: {2}, 79: {0}, 80: {0, 2}, 1000: {0, 1, 2}} {
		got, err := rank.Choose(list, value, limit)
		if limit < 0 != (err != nil) {
			t.Errorf("Choose within %d: error %v", limit, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Choose within %d (-want +got):\n%s", limit, diff)
		}
	}
}

func TestStats(t *testing.T) {
	d := rank.Decay{HalfLife: day}
	if diff := cmp.Diff(rank.NoteStats{}, d.Stats(nil, start)); diff != "" {
		t.Errorf("no memos: %s", diff)
	}
	list := []rank.Note{
		{Tokens: 5, Created: start.Add(day), Trace: rank.Fresh(start.Add(day))},
		{Tokens: 7, Created: start, Trace: rank.Fresh(start).Pin(start)},
		{Tokens: 9, Created: start.Add(3 * day), Trace: rank.Fresh(start.Add(3 * day))},
	}
	want := rank.NoteStats{Notes: 3, Pinned: 1, Tokens: 21, Mean: (1 + 1.0/16 + 0.25) / 3, Fading: 1, Oldest: start, Newest: start.Add(3 * day)}
	if diff := cmp.Diff(want, d.Stats(list, start.Add(5*day))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestOverlaps(t *testing.T) {
	q := rank.Analyze("Store sessions in sqlite")
	list := []rank.Note{
		{Text: "the API uses sqlite, sqlite, sqlite"}, {Text: "sessions: store them in SQLite"}, {Text: "releases happen on Fridays"},
		{Text: "", Category: "sessions"}, {},
	}
	got := rank.Overlaps(&q, nil, list)
	if !(got[1] == 1 && got[1] > got[0] && got[0] > 0 && got[2] == 0 && got[3] > 0 && got[4] == 0) {
		t.Errorf("overlaps %v", got)
	}
	// A word that half of the repository uses says little.
	weights := map[uint64]float32{}
	for _, term := range q.Terms {
		weights[term.Hash] = 0.1
	}
	delete(weights, q.Terms[len(q.Terms)-1].Hash) // sqlite, which no file knows
	if got := rank.Overlaps(&q, weights, list); !(got[0] > 5*got[3]) {
		t.Errorf("overlaps %v, want the rare word to weigh", got)
	}
	none := rank.Analyze("")
	if got := rank.Overlaps(&none, nil, list); slices.Max(got) != 0 {
		t.Errorf("overlaps with no words: %v", got)
	}
}

// With more notes than are sorted at a time, the result is that of plain greed.
func TestChooseMany(t *testing.T) {
	list := manyNotes()[:20_000]
	value := rank.NoteDecay().Weights(list, start.Add(500*day))
	for _, limit := range []int{2_000, 60_000, 400_000, 10_000_000} {
		var want []int
		room := limit
		for _, i := range rank.Order(list, value) {
			if list[i].Tokens <= room {
				room -= list[i].Tokens
				want = append(want, i)
			}
		}
		got, err := rank.Choose(list, value, limit)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("within %d: %d chosen, %v; want %d", limit, len(got), err, len(want))
		}
	}
}

// checkDecay holds the laws of a Decay and a trace that was touched at times.
func checkDecay(t *testing.T, d rank.Decay, touches []time.Duration, ask, more time.Duration) {
	t.Helper()
	plain, trace := rank.Fresh(start), rank.Fresh(start)
	for i, after := range touches {
		if i%2 == 0 {
			plain = d.Touch(plain, start.Add(after))
		}
		trace = d.Touch(trace, start.Add(after))
	}
	one, two := start.Add(ask), start.Add(ask)
	if more > 0 {
		two = two.Add(more)
	}
	w1, w2 := d.Weight(trace, one), d.Weight(trace, two)
	floor := min(max(d.Floor, 0), 1)
	switch {
	case !(w1 >= floor && w1 <= 1):
		t.Fatalf("weight %v, floor %v", w1, floor)
	case w2 > w1:
		t.Fatalf("weight rises from %v to %v without a touch", w1, w2)
	case d.Left(trace, one) > w1:
		t.Fatalf("more left than it weighs: %v, %v", d.Left(trace, one), w1)
	case d.Weight(trace.Pin(one), two) != 1:
		t.Fatalf("pinned: %v", d.Weight(trace.Pin(one), two))
	case d.Weight(trace.Pin(one).Unpin(one), one) < w1:
		t.Fatalf("a pin taken away lowers the weight")
	case d.Weight(trace, two) != w2:
		t.Fatalf("asking changes the weight")
	}
	touched := d.Touch(trace, one)
	if got := d.Weight(touched, two); got < w2-1e-12 {
		t.Fatalf("a touch lowers the later weight from %v to %v", w2, got)
	}
	if touched.Touched.Before(trace.Touched) {
		t.Fatalf("a touch goes back in time")
	}
}

func FuzzDecay(f *testing.F) {
	f.Add(int64(day), 0.1, int64(time.Hour), int64(2*day), int64(day), int64(3*day))
	f.Add(int64(0), -3.0, int64(-day), int64(math.MaxInt64), int64(math.MinInt64), int64(1))
	f.Add(int64(1), math.NaN(), int64(0), int64(0), int64(0), int64(0))
	f.Add(int64(-5), math.Inf(1), int64(1), int64(1), int64(math.MaxInt64), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, half int64, floor float64, a, b, ask, more int64) {
		if math.IsNaN(floor) {
			floor = 0
		}
		checkDecay(t, rank.Decay{HalfLife: time.Duration(half), Floor: floor}, []time.Duration{time.Duration(a), time.Duration(b), 0, time.Duration(a)}, time.Duration(ask), time.Duration(more))
	})
}

// FuzzChoose checks the laws of Choose against what anybody can see.
func FuzzChoose(f *testing.F) {
	f.Add([]byte{10, 200, 3, 0, 7, 7, 90, 1, 1}, 40)
	f.Add([]byte{}, 0)
	f.Add([]byte{255, 255, 255, 255, 0, 1}, -9)
	f.Fuzz(func(t *testing.T, b []byte, limit int) {
		limit %= 1000
		var list []rank.Note
		var value []float64
		for i := 0; i+2 < len(b); i += 3 {
			m := rank.Note{ID: int64(i), Tokens: int(b[i]), Created: start.Add(time.Duration(b[i+1]))}
			m.Pinned = b[i+2]%7 == 0
			list, value = append(list, m), append(value, float64(b[i+2]%5)/4)
		}
		chosen, err := rank.Choose(list, value, limit)
		used, pins := 0, 0
		in := make([]bool, len(list))
		for _, i := range chosen {
			if in[i] {
				t.Fatalf("%d chosen twice", i)
			}
			in[i] = true
			used += list[i].Tokens
		}
		for i := range list {
			if list[i].Pinned {
				pins += list[i].Tokens
				if !in[i] {
					t.Fatalf("pinned %d is missing", i)
				}
				continue
			}
			if in[i] && value[i] <= 0 {
				t.Fatalf("%d is worth nothing and was chosen", i)
			}
			if !in[i] && value[i] > 0 && used+list[i].Tokens <= limit {
				t.Fatalf("%d would still fit", i)
			}
		}
		if (pins > limit) != (err != nil) || err == nil && used > limit {
			t.Fatalf("%d tokens, %d of pins, limit %d, error %v", used, pins, limit, err)
		}
	})
}

func ExampleDecay() {
	d := rank.Decay{HalfLife: 24 * time.Hour}
	monday := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	note := rank.Fresh(monday)
	fmt.Printf("%.2f\n", d.Weight(note, monday.Add(24*time.Hour)))
	note = d.Touch(note, monday.Add(24*time.Hour))
	fmt.Printf("%.2f\n", d.Weight(note, monday.Add(24*time.Hour)))
	fmt.Printf("%.2f\n", d.Weight(note, monday.Add(48*time.Hour)))
	// Output:
	// 0.50
	// 0.75
	// 0.49
}

// manyNotes are 100,000 notes of all ages and lengths.
func manyNotes() []rank.Note {
	list := make([]rank.Note, 100_000)
	x := uint32(1)
	next := func(n uint32) int {
		x = x*1664525 + 1013904223
		return int((x >> 8) % n)
	}
	for i := range list {
		created := start.Add(time.Duration(next(500*24*3600)) * time.Second)
		list[i] = rank.Note{ID: int64(i + 1), Tokens: 5 + next(60), Created: created, Trace: rank.Fresh(created)}
		list[i].Spaced = float64(next(4))
		list[i].Pinned = next(2000) == 0
	}
	return list
}

func BenchmarkWithin(b *testing.B) {
	list := manyNotes()
	for _, limit := range []int{2_000, 200_000, 100_000_000} {
		b.Run(fmt.Sprint(limit), func(b *testing.B) {
			for b.Loop() {
				_, _ = rank.NoteDecay().Within(list, limit, start.Add(500*day))
			}
		})
	}
}
