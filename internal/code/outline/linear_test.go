package outline

import (
	"runtime"
	"strings"
	"testing"
)

// hostile are what texts may be full of, so that work grows faster than they do.
var hostile = []string{
	"{", "}", "(", ")", "[", "]", "<", ">", "\"", "'", "`", "/", "/*", "*/", "//", "#", "@a ", "${", "`${", "\"${", "r#\"", "R\"x(", "\"\"\"", "<<<X\n", "<<A\n", "<?php ", "?>", "\\\n", "\n", "  a\n",
	"f(", "f(){", "():a{},", "b{},", "=> {", "x=>(", "= function(", "a=", "a = b = ", "x,", "a.b", "a::", "A<", "if (a) {\n} else {\n", "case a:", "a: ", "@a\n", "@a(", "#if\n", "#else\n", "#endif\n",
	"class A {", "class A\n", "def f\n", "do\n", "end\n", "function f() {", "fn a() {", "func (a A) f() {", "impl<", "const a = ", "val a = {", "trait A { a: ", "given a: ", "template <", "requires (", "operator ",
	"typedef struct {", "} a;", "namespace a {", "M(a)\n", "type A = B |\n", "=begin\n", "*/ /*", "it's ",
}

// A cost is the steps that searches take, and the bytes and objects that are allocated.
type cost [3]int

// above reports whether a part of the cost is above a limit for each of n bytes.
func (c cost) above(limit cost, n int) bool {
	return c[0] > limit[0]*n || c[1] > limit[1]*n || c[2] > limit[2]*n
}

// work returns what outlining a text costs.
func work(row *language, src []byte) cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l := &lines{src: src, masked: src, starts: lineStarts(src)}
	l.read(row)
	l.Sorted(len(l.starts))
	runtime.ReadMemStats(&after)
	return cost{l.steps, int(after.TotalAlloc - before.TotalAlloc), int(after.Mallocs - before.Mallocs)}
}

// TestWorkIsLinear outlines hostile texts. What costs more than is usual for each byte is
// compared with a text a quarter as long: the cost may grow by little more than the
// text does. No text may cost more than a fixed amount for each byte.
func TestWorkIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	const size, times = 2 << 10, 4
	few, most := cost{10, 200, 1}, cost{1500, 4000, 20} // for each byte of text
	for i := range table {
		row := &table[i]
		if row.outline.find == nil {
			continue
		}
		for _, shape := range hostile {
			text := func(n int) []byte { return []byte("class A {\n" + strings.Repeat(shape, n/len(shape)) + "\n") }
			long := text(times * size)
			if !work(row, long).above(few, times*size) {
				continue
			}
			one, more := work(row, text(size)), work(row, long) // again, since patterns are compiled at their first use
			for k, what := range []string{"steps", "bytes", "objects"} {
				if more[k] > 2*times*one[k] && more[k] > few[k]*times*size || more[k] > most[k]*times*size {
					t.Errorf("%s: %q, %d times as often: %s grow from %d to %d", row.name, shape, times, what, one[k], more[k])
				}
			}
		}
	}
}
