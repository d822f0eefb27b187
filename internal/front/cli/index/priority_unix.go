//go:build unix

package index

import "syscall"

// yieldToOthers gives this process a low priority. A failure has no consequences.
func yieldToOthers() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) }
