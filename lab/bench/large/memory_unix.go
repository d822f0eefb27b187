//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// mostMemory is how many bytes a process that has ended held at one time.
func mostMemory(p *os.ProcessState) int64 {
	most := int64(p.SysUsage().(*syscall.Rusage).Maxrss) // 32 bits on some systems
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return most
	}
	return most << 10 // the others count in KiB
}
