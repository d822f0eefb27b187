package git

import (
	"syscall"
	"testing"
)

// reportPeak says how much memory this process and git took at most.
func reportPeak(b *testing.B) {
	var self, children syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &self))
	must(b, syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children))
	b.ReportMetric(float64(self.Maxrss)/1024, "MiB-peak")
	b.ReportMetric(float64(children.Maxrss)/1024, "MiB-peak-git")
}
