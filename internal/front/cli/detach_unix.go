//go:build unix

package cli

import "syscall"

// ownSession makes a process that no terminal and no parent ends.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// yieldToOthers gives this process a low priority. It is a courtesy: that it may
// fail is no matter.
func yieldToOthers() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) }
