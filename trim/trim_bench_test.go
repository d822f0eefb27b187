package trim_test

import (
	"testing"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

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
