package git

import (
	"os/exec"
	"syscall"
)

// attend has the kernel end a process when this one ends: with a signal at which git
// removes its lock files, which would stop every later writer of a reference.
func attend(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
}
