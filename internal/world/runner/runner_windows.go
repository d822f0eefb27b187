package runner

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"syscall"
)

// forwarded are the signals after which the command has some time to end. The
// console has told it of them, too.
var forwarded = []os.Signal{os.Interrupt}

func exitOf(cmd *exec.Cmd) Exit { return windowsExit(uint32(cmd.ProcessState.ExitCode())) }

// LookPath finds a program as cmd.exe would, in the PATH of env, save that a folder
// that is not absolute is passed over, and so is the current one.
func LookPath(name, dir string, env []string) (string, error) {
	return windowsLook(name, dir, env, isFile)
}

func isFile(name string) bool {
	fi, err := os.Stat(name)
	return err == nil && !fi.IsDir()
}

// Shell returns a command that runs a line which the user wrote for a shell: sh, that
// of Git for Windows if none is on PATH, else cmd.exe, which takes no program from the
// folder that it runs in.
func Shell(ctx context.Context, line string, env []string) *exec.Cmd {
	if sh := windowsSh(env, isFile); sh != "" {
		cmd := exec.CommandContext(ctx, sh, "-c", line)
		cmd.Env = env
		return cmd
	}
	program := windowsCmd(env)
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(slices.Clip(env), "NoDefaultCurrentDirectoryInExePath=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: windowsCmdLine(program, line)}
	return cmd
}

// refuse says why a program must not be started with such arguments.
func refuse(program string, args []string) error { return batchArgs(program, args) }
