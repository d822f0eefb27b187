package state

import (
	"math"
	"strings"
	"testing"
)

// words counts words as tokens.
func words(s string) float64 { return float64(len(strings.Fields(s))) }

func TestCoherence(t *testing.T) {
	var long strings.Builder
	for _, l := range strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa") {
		long.WriteString("line " + l + " of a long file\n")
	}
	s := new(talk).user("the words of the user are apart").
		calls("Read", long.String(), false, "file_path", "/src/pkg/a.go").
		says("A sentence of the agent that is long enough to be prose.")
	lines := strings.Split(long.String(), "\n")
	five, three := strings.Join(lines[:5], "\n"), strings.Join(lines[7:10], "\n")
	for _, c := range []struct {
		name, shown              string
		coherent, added, singles float64
	}{
		{"five lines in a row", five, 1, 0, 0},
		{"three lines", three, 0, 0, 0},
		{"lines apart", lines[0] + "\n" + lines[2] + "\n" + lines[4], 0, 0, 1},
		{"both", five + "\n" + three, 0.625, 0, 0},
		{"a heading", "## a.go\n" + five, 0.95, 0.05, 0},
		{"prose", "…\nA sentence of the agent that is long enough to be prose.", 0.87, 0.13, 0},
		{"the user", "the words of the user are apart\n" + five, 1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewOrigin(s.ms, words).Read(digest(c.shown))
			near := func(name string, got, want float64) {
				if math.Abs(got-want) > 0.03 {
					t.Errorf("%s = %.3f, want %.3f", name, got, want)
				}
			}
			near("Coherent", r.Coherent, c.coherent)
			near("Added", r.Added, c.added)
			near("Single", r.Single, c.singles)
		})
	}
}

// TestVerbatim: blocks that stand there whole are not looked at.
func TestVerbatim(t *testing.T) {
	s := new(talk).user("do it").run("ls", "a\nb", false)
	if r := NewOrigin(s.ms, words).Read(s.ms); r.Selected || r.Marked != 0 {
		t.Errorf("Read(the session) = %+v, want nothing selected", *r)
	}
}

func TestMarked(t *testing.T) {
	s := new(talk).user("do it").run("ls", "one line of it\nanother line of it", false)
	o := NewOrigin(s.ms, words)
	for shown, want := range map[string]float64{
		"[12 lines omitted]\none line of it": 3.72 / 7, // the mark is counted with the end of its line
		"< 12 lines @abcde":                  1.0 / 4,
		"mail me@example.com, @angular/core": 0,
		"one line of it":                     0,
	} {
		if got := o.Read(digest(shown)).Marked; math.Abs(got-want) > 0.02 {
			t.Errorf("Marked = %.3f for %q, want %.3f", got, shown, want)
		}
	}
}

func TestRepeated(t *testing.T) {
	s := new(talk).user("do it")
	r := NewOrigin(s.ms, words).Read(digest("in /home/me/src/a.go\nin /home/me/src/b.go\nin /home/me/src/a.go, and src/a.go, and /tmp"))
	if got, want := r.Repeated, 1/(10+3*0.72); math.Abs(got-want) > 0.01 {
		t.Errorf("Repeated = %.3f, want %.3f", got, want)
	}
}
