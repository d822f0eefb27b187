//go:build unix

package runner

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// forwarded are the signals that go on to the command.
var forwarded = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// exitOf says how a command that was waited for ended.
func exitOf(cmd *exec.Cmd) Exit {
	s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && s.Signaled() {
		return Exit{Code: codeSignal + int(s.Signal()), Signal: s.Signal().String()}
	}
	return Exit{Code: cmd.ProcessState.ExitCode()}
}

// Shell returns a command that runs a line which the user wrote for a shell: sh.
func Shell(ctx context.Context, line string, env []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Env = env
	return cmd
}

// LookPath finds a program as a shell in dir would, in the PATH of env. A folder
// of PATH that is not absolute is passed over.
func LookPath(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, executable(name)
	}
	var path string
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
	}
	found := error(exec.ErrNotFound)
	for _, d := range filepath.SplitList(path) {
		if !filepath.IsAbs(d) {
			continue
		}
		full := filepath.Join(d, name)
		err := executable(full)
		if err == nil {
			return full, nil
		}
		if os.IsPermission(err) {
			found = err
		}
	}
	return "", found
}

func executable(name string) error {
	fi, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case fi.IsDir():
		return &os.PathError{Op: "exec", Path: name, Err: syscall.EISDIR}
	case fi.Mode().Perm()&0o111 == 0:
		return &os.PathError{Op: "exec", Path: name, Err: os.ErrPermission}
	}
	return nil
}

func refuse(string, []string) error { return nil }
