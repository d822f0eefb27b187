package git

import (
	"os/exec"
	"runtime"
	"sync"
)

// start starts git so that it does not outlive this process, however that ends; see
// attend. Linux ends a child with the thread that started it, and the runtime ends
// threads of its own, so all children are started by one that lasts.
func start(cmd *exec.Cmd) error {
	attend(cmd)
	done := make(chan error, 1)
	starter() <- func() { done <- cmd.Start() }
	return <-done
}

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
