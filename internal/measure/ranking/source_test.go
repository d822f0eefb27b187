package ranking

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/tokens"
)

func textOf(s string) *fileText { return newFileText("", []byte(s)) }

func TestLines(t *testing.T) {
	for _, test := range []struct {
		text     string
		from, to int
		want     string
		lines    int
	}{
		{"a\nb\nc\n", 2, 2, "b\n", 3},
		{"a\nb\nc", 2, 0, "b\nc", 3},
		{"a\nb", 0, 0, "a\nb", 2},
		{"\n\n", 1, 1, "\n", 2},
		{"", 0, 0, "", 0},
		{"a", 5, 9, "", 1},
	} {
		part, lines, _ := Lines("f.go", []byte(test.text), test.from, test.to)
		if part.String() != test.want || lines != test.lines {
			t.Errorf("Lines(%q, %d, %d) = %q, %d, want %q, %d", test.text, test.from, test.to, part, lines, test.want, test.lines)
		}
	}
}

func TestLinesRedacts(t *testing.T) {
	key := "gh" + "p_" + "x8Kd03LqPz7vTn5RbWm1YsJc9HfGa2Ee4UiO"
	part, _, redacted := Lines("f.go", []byte("a\nkey = \""+key+"\"\n"), 0, 0)
	if strings.Contains(part.String(), key) || redacted != 1 {
		t.Errorf("Lines shows %q, %d redacted", part, redacted)
	}
}

func TestBlank(t *testing.T) {
	f := textOf("a\n\n \t\nb\n\n")
	for n, want := range map[int]int{1: 0, 2: 2, 3: 1, 4: 0, 5: 1, 6: 0, 0: 0} {
		if got := f.Blank(n); got != want {
			t.Errorf("blank(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestTrimmed(t *testing.T) {
	var b strings.Builder
	for n := 1; n <= 100; n++ {
		if n == 60 {
			b.WriteString("the needle is here\n")
			continue
		}
		fmt.Fprintf(&b, "line %d\n", n)
	}
	f := textOf(b.String())
	r := &Reader{Count: tokens.O200k()}
	q := newLineFinder(map[uint64]float32{terms.Word("needle"): 1})
	forms := r.trimmed(f, "", 1, 100, q)
	if len(forms) != 1 {
		t.Fatalf("%d trimmed forms, want 1", len(forms))
	}
	form := forms[0]
	if diff := cmp.Diff([]satchel.Range{{From: 1, To: 3}, {From: 54, To: 66}}, form.Lines); diff != "" {
		t.Errorf("lines: -want +got\n%s", diff)
	}
	if got := strings.Count(form.Text.String(), Mark); got != 2 {
		t.Errorf("%d marks in\n%s\nwant 2", got, form.Text)
	}
	if form.Tokens != r.Count.Count(form.Text.String()) {
		t.Errorf("form says %d tokens", form.Tokens)
	}
	if forms := r.trimmed(f, "", 1, 20, q); forms != nil {
		t.Error("a short chunk has a trimmed form")
	}
	if forms := r.trimmed(f, "", 1, 40, newLineFinder(nil)); forms != nil {
		t.Error("a chunk that nothing hits has a trimmed form")
	}
}

// TestTrimmedCuts: a long comment shrinks before code does, and what is left out
// begins and ends between statements.
func TestTrimmedCuts(t *testing.T) {
	const code = `def f(a, b):
    """Join a and b. It does
    so with care.

    Parameters
    ----------
    a : int
        The one.
    b : int
        The other.
    """
    x = a
    y = b
    for i in range(x):
        call(
            x,
            y,
            "needle",
            1,
            2,
            3,
            4,
            5,
            6,
            7,
        )
    z = [
        x,
        y,
    ]
    a = z
    a = z
    a = z
    a = z
    a = z
    a = z
    a = z
    a = z
    return z
`
	f := textOf(code)
	r := &Reader{Count: tokens.O200k()}
	forms := r.trimmed(f, "python", 1, f.Last(), newLineFinder(map[uint64]float32{terms.Word("needle"): 1, terms.Word("parameters"): 9}))
	var got [][]satchel.Range
	for _, f := range forms {
		got = append(got, f.Lines)
	}
	want := [][]satchel.Range{{{From: 1, To: 2}, {From: 11, To: f.Last()}}, {{From: 1, To: 2}, {From: 11, To: 26}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines of the forms: -want +got\n%s", diff)
	}
	if forms[0].Worth <= pack.Value(new(satchel.Candidate), &satchel.Form{Detail: satchel.Trimmed}) {
		t.Error("all code is worth no more than some of it")
	}
	far := strings.Replace(code, "    x = a\n", strings.Repeat("    x = a\n", 20), 1)
	f = textOf(far)
	forms = r.trimmed(f, "python", 1, f.Last(), newLineFinder(map[uint64]float32{terms.Word("needle"): 1}))
	if diff := cmp.Diff([]satchel.Range{{From: 1, To: 2}, {From: 11, To: 11}, {From: 31, To: 45}}, forms[len(forms)-1].Lines); diff != "" {
		t.Errorf("lines where the match is far from the head: -want +got\n%s", diff)
	}
}
