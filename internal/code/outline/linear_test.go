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

// work returns what outlining a text costs: the steps that searches take, and the
// bytes and objects that are allocated.
func work(row *language, src []byte) (steps, bytes, objects int) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l := &lines{src: src, masked: src, starts: lineStarts(src)}
	l.read(row)
	l.Sorted(len(l.starts))
	runtime.ReadMemStats(&after)
	return l.steps, int(after.TotalAlloc - before.TotalAlloc), int(after.Mallocs - before.Mallocs)
}

// TestWorkIsLinear makes hostile texts four times as long: what they cost may grow by
// little more, and so may each byte of them.
func TestWorkIsLinear(t *testing.T) {
	const size, times = 4 << 10, 4
	for i := range table {
		row := &table[i]
		if row.outline.find == nil || testing.Short() && !row.grammar {
			continue
		}
		for _, shape := range hostile {
			text := func(n int) []byte { return []byte("class A {\n" + strings.Repeat(shape, n/len(shape)) + "\n") }
			work(row, text(100)) // patterns are compiled once
			steps, bytes, objects := work(row, text(size))
			moreSteps, moreBytes, moreObjects := work(row, text(times*size))
			for _, c := range []struct {
				what      string
				one, more int
				few, most int // for each byte of text: what is no trouble, and what is too much
			}{{"steps", steps, moreSteps, 20, 1500}, {"bytes", bytes, moreBytes, 400, 4000}, {"objects", objects, moreObjects, 2, 20}} {
				if c.more > 2*times*c.one && c.more > c.few*times*size || c.more > c.most*times*size {
					t.Errorf("%s: %q, %d times as often: %s grow from %d to %d", row.name, shape, times, c.what, c.one, c.more)
				}
			}
		}
	}
}
