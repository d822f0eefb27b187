package budget_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/budget"
)

// splits are divisions in a little language. A section is
// name:min/want/max*weight, with ~ for elastic and !N for what may be dropped as
// the Nth; what it is given follows the arrow.
const splits = `
# everyone has what they want, and the rest is free
100: a:10/20 b:5/30 = a 20 b 30 free 50

# between minimum and want, by weight
60: a:10/40*1 b:10/100*3 = a 20 b 40 free 0

# what a full section cannot take goes to the others
100: a:0/5*10 b:0/80 c:0/80 = a 5 b 48 c 47 free 0

# elastic sections share the rest, up to their maximum
100: a:10/10 b:0/10/30~ c:0/10~*2 = a 10 b 30 c 60 free 0

# the larger remainder gets the odd token
10: a:0/9 b:0/9 c:0/9 = a 4 b 3 c 3 free 0

# optional sections go in their order until the rest fits
100: a:60/60 b:30/30!2 c:20/20!1 = a 60 b 30 c - free 10 | need 110 of 100, dropped c

# what is left after dropping is divided as ever
100: a:60/90 b:50/50!1 = a 90 b - free 10 | need 110 of 100, dropped b

# nothing may go: everyone gets a part of their minimum
90: a:60/60 b:120/120 = a 30 b 60 free 0 | need 180 of 90, short a b

# a window of nothing
0: a:1/1 b:0/5!1 = a 0 b 0 free 0 | need 1 of 0, dropped b, short a
`

func TestSplit(t *testing.T) {
	n := 0
	for line := range strings.Lines(splits) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		n++
		in, want, _ := strings.Cut(line, " = ")
		var window int
		head, list, _ := strings.Cut(in, ": ")
		if _, err := fmt.Sscan(head, &window); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		var sections []budget.Section
		for word := range strings.FieldsSeq(list) {
			sections = append(sections, parseSection(t, word))
		}
		d, err := budget.Split(window, sections)
		if got := divided(d, err); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
	if n < 9 {
		t.Fatalf("%d cases were read", n)
	}
}

func parseSection(t *testing.T, word string) (s budget.Section) {
	t.Helper()
	s.Name, word, _ = strings.Cut(word, ":")
	number := func(sep byte) (v float64, ok bool) {
		i := strings.IndexByte(word, sep)
		if i < 0 {
			return 0, false
		}
		if _, err := fmt.Sscan(word[i+1:], &v); err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		word = word[:i]
		return v, true
	}
	if strings.Contains(word, "~") {
		s.Elastic = true
		word = strings.Replace(word, "~", "", 1)
	}
	drop, _ := number('!')
	s.Drop = int(drop)
	s.Weight, _ = number('*')
	sizes := strings.Split(word, "/")
	for i, p := range []*int{&s.Min, &s.Want, &s.Max}[:len(sizes)] {
		if _, err := fmt.Sscan(sizes[i], p); err != nil {
			t.Fatalf("%s: %v", word, err)
		}
	}
	return s
}

func divided(d budget.Division, err error) string {
	var b strings.Builder
	for _, p := range d.Parts {
		if p.Dropped && p.Short > 0 {
			fmt.Fprintf(&b, "%s - ", p.Name)
		} else {
			fmt.Fprintf(&b, "%s %d ", p.Name, p.Tokens)
		}
	}
	fmt.Fprintf(&b, "free %d", d.Free)
	var e *budget.DeficitError
	if errors.As(err, &e) {
		fmt.Fprintf(&b, " | need %d of %d", e.Need, e.Window)
		if len(e.Dropped) > 0 {
			fmt.Fprintf(&b, ", dropped %s", strings.Join(e.Dropped, " "))
		}
		if len(e.Short) > 0 {
			fmt.Fprintf(&b, ", short %s", strings.Join(e.Short, " "))
		}
	} else if err != nil {
		fmt.Fprintf(&b, " | %v", err)
	}
	return b.String()
}

func TestSplitRefuses(t *testing.T) {
	for _, tt := range []struct {
		window int
		s      budget.Section
		want   string
	}{
		{-1, budget.Section{}, "window of -1 tokens"},
		{math.MaxInt, budget.Section{}, "tokens: want 0 to 1000000000"},
		{10, budget.Section{Min: -1}, "min -1"},
		{10, budget.Section{Want: math.MaxInt}, "want 9223372036854775807"},
		{10, budget.Section{Want: 5, Max: 4}, "max 4"},
		{10, budget.Section{Weight: math.NaN()}, "weight NaN"},
		{10, budget.Section{Weight: math.Inf(1)}, "weight +Inf"},
		{10, budget.Section{Weight: -1}, "weight -1"},
		{10, budget.Section{Drop: -1}, "drop -1"},
	} {
		_, err := budget.Split(tt.window, []budget.Section{tt.s})
		var deficit *budget.DeficitError
		if err == nil || errors.As(err, &deficit) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Split(%d, %+v): error %v, want one about %q", tt.window, tt.s, err, tt.want)
		}
	}
}

// checkSplit holds the laws of Split for any input.
func checkSplit(t *testing.T, window int, sections []budget.Section) {
	t.Helper()
	d, err := budget.Split(window, sections)
	var deficit *budget.DeficitError
	if err != nil && !errors.As(err, &deficit) {
		return // makes no sense; TestSplitRefuses has those
	}
	sum, need := d.Free, 0
	for i, p := range d.Parts {
		s := sections[i]
		sum += p.Tokens
		need += s.Min
		most := max(s.Min, s.Want)
		if s.Elastic {
			most = s.Max
			if most == 0 {
				most = math.MaxInt
			}
		}
		switch {
		case p.Tokens < 0 || p.Short < 0 || d.Free < 0:
			t.Fatalf("Split(%d, %+v) has a negative number: %+v", window, sections, d)
		case p.Tokens > most:
			t.Fatalf("Split(%d, %+v): %s has %d, more than %d", window, sections, p.Name, p.Tokens, most)
		case deficit == nil && (p.Tokens < s.Min || p.Short > 0 || p.Dropped):
			t.Fatalf("Split(%d, %+v) without an error: %+v", window, sections, p)
		case p.Dropped && (s.Drop == 0 || p.Tokens > 0):
			t.Fatalf("Split(%d, %+v) dropped %+v", window, sections, p)
		case deficit != nil && p.Short != max(0, s.Min-p.Tokens):
			t.Fatalf("Split(%d, %+v): short is %+v", window, sections, p)
		}
		if d.Free > 0 && !p.Dropped && p.Tokens < most {
			t.Fatalf("Split(%d, %+v) leaves %d free, and %s could have more than %d", window, sections, d.Free, p.Name, p.Tokens)
		}
	}
	if sum != window {
		t.Fatalf("Split(%d, %+v) adds up to %d: %+v", window, sections, sum, d)
	}
	if (deficit != nil) != (need > window) || deficit != nil && deficit.Deficit != need-window {
		t.Fatalf("Split(%d, %+v): %v, and the minimums are %d", window, sections, err, need)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(100, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add(1_000_000_000, []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add(0, []byte("aaaaaaaaaaaabbbbbbbbbbbb"))
	f.Fuzz(func(t *testing.T, window int, data []byte) {
		checkSplit(t, window, sectionsOf(data))
	})
}

// sectionsOf makes sections of bytes, six for each.
func sectionsOf(data []byte) (out []budget.Section) {
	for ; len(data) >= 6 && len(out) < 40; data = data[6:] {
		size := func(b byte) int { return int(b>>3) << (b & 7 * 3) }
		s := budget.Section{Name: fmt.Sprint(len(out)), Min: size(data[0]), Want: size(data[1]),
			Weight: float64(data[3]) / 7, Elastic: data[4]&1 > 0, Drop: int(data[4] >> 6)}
		if data[2] > 0 {
			s.Max = max(size(data[2]), s.Min, s.Want)
		}
		if data[5] == 0 {
			s.Weight = 1e-9
		}
		out = append(out, s)
	}
	return out
}

// FuzzApportion holds the laws of largest remainders.
func FuzzApportion(f *testing.F) {
	f.Add(10, []byte{1, 1, 1})
	f.Add(7, []byte{0, 200, 3})
	f.Fuzz(func(t *testing.T, n int, data []byte) {
		n = max(0, n%1_000_000_000)
		data = data[:min(len(data), 200)]
		weights, total := make([]float64, len(data)), 0.0
		for i, b := range data {
			weights[i] = float64(b) * math.Pow(2, float64(i%5))
			total += weights[i]
		}
		got := budget.Apportion(n, weights)
		sum := 0
		for i, k := range got {
			sum += k
			exact := float64(n) * weights[i] / max(total, 1)
			if k < 0 || math.Abs(float64(k)-exact) > 1+1e-6*exact {
				t.Fatalf("Apportion(%d, %v)[%d] = %d, want %v or next to it", n, weights, i, k, exact)
			}
		}
		if total > 0 && sum != n {
			t.Fatalf("Apportion(%d, %v) adds up to %d", n, weights, sum)
		}
		if again := budget.Apportion(n, weights); !slices.Equal(got, again) {
			t.Fatalf("Apportion differs from itself: %v, %v", got, again)
		}
	})
}
