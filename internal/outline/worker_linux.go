package outline

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// executable is this program, even if its file has been replaced since.
func executable() (string, error) { return "/proc/self/exe", nil }

// attend makes a process end when this one does.
func attend(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// limitMemory bounds what the process may map beyond what it has mapped.
func limitMemory(bytes int64) error {
	mapped := uint64(0)
	if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
		if f := strings.Fields(string(statm)); len(f) > 0 {
			pages, _ := strconv.ParseUint(f[0], 10, 64)
			mapped = pages * uint64(os.Getpagesize())
		}
	}
	limit := mapped + uint64(bytes)
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		return fmt.Errorf("limit memory: %v", err)
	}
	return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
