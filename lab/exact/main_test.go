package main

import (
	"fmt"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

func TestMeasure(t *testing.T) {
	gittest.Isolate(t)
	r := gittest.New(t)
	for i := range 4 {
		r.WriteAll(map[string]string{
			fmt.Sprintf("p%d/a.go", i):      fmt.Sprintf("package p%d\n\n// flush writes all that is pending.\nfunc flush() int {\n\treturn %d\n}\n", i, i),
			fmt.Sprintf("p%d/a_test.go", i): fmt.Sprintf("package p%d\n\nfunc TestFlush_pending%d(t *testing.T) {\n\tif flush() != %d {\n\t\tt.Fatal()\n\t}\n}\n", i, i, i),
		})
	}
	r.Commit("first")
	all := map[string]*tally{}
	if err := measure(t.Context(), r.Dir, 3, false, all); err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds {
		if x := all[kind]; x.n != 3 || x.first != 3 || x.symbol != 3 || x.shown != [3]int{3, 3, 3} {
			t.Errorf("%s: %+v, want all three first and shown", kind, *x)
		}
	}
}
