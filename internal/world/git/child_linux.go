package git

import (
	"cmp"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// attend has the kernel end a process when this one ends: with a signal at which git
// removes its lock files, which would stop every later writer of a reference.
func attend(cmd *exec.Cmd) {
	cmd.SysProcAttr = cmp.Or(cmd.SysProcAttr, new(syscall.SysProcAttr))
	cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
}

// limitMemory has git fail, and say that memory is out, where it would take more.
func limitMemory(pid int, most uint64) {
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most}, nil) // it may have ended
}
