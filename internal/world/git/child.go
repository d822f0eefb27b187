package git

import (
	"os/exec"
	"runtime"
	"sync"
)

// start starts git so that it ends with this process and holds at most memory bytes: see
// attend and limitMemory. Linux ends a child with the thread that started it, and the
// runtime ends threads of its own, so one thread that lasts starts all children.
func start(cmd *exec.Cmd, memory uint64) error {
	attend(cmd)
	done := make(chan error, 1)
	starter() <- func() { done <- cmd.Start() }
	err := <-done
	if err == nil {
		limitMemory(cmd.Process.Pid, memory)
	}
	return err
}

// Limits of the memory that one git may hold, without the packs that it maps.
const (
	usualMemory   = 1 << 30   // two files of maxCompared take half of it
	historyMemory = 160 << 20 // git holds the names of one commit at a time: 80 MB for mostChanged
	stagedMemory  = 400 << 20 // git holds the index, some 200 MB for a million files, and what differs
	fetchMemory   = 2 << 30
)

var starter = sync.OnceValue(func() chan<- func() {
	calls := make(chan func())
	go func() {
		runtime.LockOSThread()
		for call := range calls {
			call()
		}
	}()
	return calls
})
