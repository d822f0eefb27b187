package git

import (
	"os/exec"
	"syscall"
)

// attend has the kernel end a process when this one ends.
func attend(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
