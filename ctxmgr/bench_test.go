package ctxmgr_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/ctxmgr"
)

func BenchmarkGetByBudget(b *testing.B) {
	cd := ctxmgr.NewContextDecay(time.Hour)
	var ids []string
	for i := range 100_000 {
		ids = append(ids, cd.Add(fmt.Sprint("note ", i), "fact", 5+i%50))
	}
	for i := range cd.Entries {
		cd.Entries[i].LastAccessed = cd.Entries[i].LastAccessed.Add(-time.Duration(i*7919%100_000) * time.Second)
	}
	cd.Pin(ids[7])
	b.ReportAllocs()
	for b.Loop() {
		cd.GetByBudget(16_000)
	}
}
