package program

import "syscall"

// detachedProcess is DETACHED_PROCESS of the Windows API.
const detachedProcess = 0x00000008

// ownSession makes a process that no console and no parent ends.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}
