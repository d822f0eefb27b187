package ranking

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/terms"
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
	form, ok := r.trimmed(f, 1, 100, q)
	if !ok {
		t.Fatal("no trimmed form")
	}
	if diff := cmp.Diff([]satchel.Range{{From: 1, To: 3}, {From: 54, To: 66}}, form.Lines); diff != "" {
		t.Errorf("lines: -want +got\n%s", diff)
	}
	if got := strings.Count(form.Text.String(), Mark); got != 2 {
		t.Errorf("%d marks in\n%s\nwant 2", got, form.Text)
	}
	if form.Tokens != r.Count.Count(form.Text.String()) {
		t.Errorf("form says %d tokens", form.Tokens)
	}
	if _, ok := r.trimmed(f, 1, 20, q); ok {
		t.Error("a short chunk has a trimmed form")
	}
	if _, ok := r.trimmed(f, 1, 40, newLineFinder(nil)); ok {
		t.Error("a chunk that nothing hits has a trimmed form")
	}
}
