//go:build unix

package program

import "syscall"

// ownSession makes a process that no terminal and no parent ends.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
