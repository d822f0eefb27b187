package main

import (
	"testing"

	"github.com/satchel-dev/satchel"
)

func TestCompare(t *testing.T) {
	text := []byte("class A {\n int f;\n void g() {}\n}\n@@ broken\n")
	class := satchel.Symbol{Kind: "class", Name: "A", Signature: "class A", From: 1, To: 4, NameLine: 1}
	field := satchel.Symbol{Kind: "field", Name: "f", Parent: "A", Signature: "int f", From: 2, To: 2, NameLine: 2}
	method := satchel.Symbol{Kind: "method", Name: "g", Parent: "A", Signature: "void g()", From: 3, To: 3, NameLine: 3}
	lost := satchel.Symbol{Kind: "var", Name: "broken", From: 5, To: 5, NameLine: 5}
	moved, renamed := field, method
	moved.Kind = "const"
	renamed.Name, renamed.Signature = "h", "void h()"

	var got tally
	want := truth{Symbols: []satchel.Symbol{class, field, method, lost}, Broken: []satchel.Range{{From: 5, To: 5}}}
	got.compare("a.java", text, want, []satchel.Symbol{class, moved, renamed})

	if got.trees != 3 || got.lines != 3 || got.found != 2 || got.agreed != 1 || got.full != 1 || got.apart != 1 {
		t.Errorf("compare counts %+v, want 3 and 3, of which 2 found, 1 agreed and full, 1 apart", got)
	}
	causes := []string{"kind field is const of field", "missed method: n n ( )", "invented method: n n ( )"}
	for i, d := range got.differences {
		if i >= len(causes) || d.cause != causes[i] {
			t.Errorf("difference %d is %q, want %q", i, d.cause, causes)
		}
	}
}
