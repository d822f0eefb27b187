package trim_test

import (
	"testing"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// BenchmarkTrim packs the session of [BenchmarkCensus], 1.3 MB, from scratch, as
// a new process does: count, predict, choose, write.
func BenchmarkTrim(b *testing.B) {
	ms := long(100, 300)
	size := int64(0)
	for i := range ms {
		for _, x := range ms[i].Blocks {
			size += int64(len(x.Text) + len(x.Input))
		}
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		res, err := trim.Trim(ms, trim.Options{Budget: 20_000})
		if err != nil || res.After > 20_000 || !res.Changed {
			b.Fatal(err, res)
		}
	}
}

// BenchmarkTrimWide has one answer with as many calls as a session has lines.
func BenchmarkTrimWide(b *testing.B) {
	ask := answer("")
	reply := results()
	for range 4000 {
		id := "c" + string(rune('a'+len(ask.Blocks)%26)) + string(rune(0x4E00+len(ask.Blocks)))
		ask.Blocks = append(ask.Blocks, read(id, "x.go"))
		reply.Blocks = append(reply.Blocks, result(id, "package x // "+id))
	}
	ms := []transcript.Message{prompt("go"), ask, reply, answer("done")}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := trim.Trim(ms, trim.Options{Budget: 20_000}); err != nil {
			b.Fatal(err)
		}
	}
}
