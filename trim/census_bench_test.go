package trim_test

import (
	"testing"

	"github.com/satchel-dev/satchel/trim"
)

// The session has 400 messages and 1.3 MB.
func BenchmarkCensus(b *testing.B) {
	ms := long(100, 300)
	for i := range ms {
		ms[i].Sent = true
	}
	size := int64(0)
	for i := range ms {
		for _, x := range ms[i].Blocks {
			size += int64(len(x.Text) + len(x.Input))
		}
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		var c trim.Census
		for i := range ms {
			c.Add(&ms[i])
		}
	}
}
