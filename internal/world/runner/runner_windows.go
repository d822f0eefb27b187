package runner

import (
	"os"
	"os/exec"
)

// forwarded are the signals after which the command has some time to end. The
// console has told it of them, too.
var forwarded = []os.Signal{os.Interrupt}

func exitOf(cmd *exec.Cmd) Exit { return windowsExit(uint32(cmd.ProcessState.ExitCode())) }

// LookPath finds a program as cmd.exe would, in the PATH of env, save that a folder
// that is not absolute is passed over, and so is the current one.
func LookPath(name, dir string, env []string) (string, error) {
	return windowsLook(name, dir, env, func(name string) bool {
		fi, err := os.Stat(name)
		return err == nil && !fi.IsDir()
	})
}

// refuse says why a program must not be started with such arguments.
func refuse(program string, args []string) error { return batchArgs(program, args) }
