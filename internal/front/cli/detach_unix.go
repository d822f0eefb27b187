//go:build unix

package cli

import "syscall"

// ownSession makes a process that no terminal and no parent ends.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// yieldToOthers gives this process a low priority. A failure has no consequences.
func yieldToOthers() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) }
