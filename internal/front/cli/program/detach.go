package program

import (
	"os"
	"os/exec"
)

// detach starts this program again, with other arguments, as a process of its own
// that holds none of our streams, and does not wait for it.
func detach(dir string, environ []string, args ...string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, args...)
	if len(os.Args) > 0 {
		cmd.Args[0] = os.Args[0]
	}
	cmd.Dir, cmd.Env = dir, environ
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
