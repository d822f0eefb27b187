//go:build unix

package proctree

import (
	"cmp"
	"os"
	"os/exec"
	"syscall"
)

type tree struct{ cmd *exec.Cmd }

func prepare(cmd *exec.Cmd, session bool) *Tree {
	cmd.SysProcAttr = cmp.Or(cmd.SysProcAttr, new(syscall.SysProcAttr))
	if session {
		cmd.SysProcAttr.Setsid = true // is a group, too
	} else {
		cmd.SysProcAttr.Setpgid = true
	}
	return &Tree{tree{cmd}}
}

func (t *Tree) started(err error) error { return err }

func (t *Tree) signal(s os.Signal) {
	if n, ok := s.(syscall.Signal); ok && t.cmd.Process != nil {
		_ = syscall.Kill(-t.cmd.Process.Pid, n) // it may be gone
	}
}

func (t *Tree) terminate() { t.signal(syscall.SIGTERM) }

func (t *Tree) kill() { t.signal(syscall.SIGKILL) }

func (t *Tree) close(well bool) {
	if !well {
		t.kill()
	} // else the number of the group may be that of another by now
}
