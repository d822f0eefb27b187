package git

import (
	"os/exec"
	"syscall"
)

// attend has the kernel end a process when this one ends.
func attend(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
