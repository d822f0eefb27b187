package proctree

import (
	"cmp"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A tree has the job object that holds the processes. Without one, which should
// not happen, the command alone is ended.
type tree struct {
	cmd *exec.Cmd

	mu     sync.Mutex
	job    windows.Handle
	killed bool
}

// prepare has the command wait when it is started, so that it is in its job before
// it can start another one.
func prepare(cmd *exec.Cmd, session bool) *Tree {
	t := &Tree{tree{cmd: cmd}}
	cmd.SysProcAttr = cmp.Or(cmd.SysProcAttr, new(syscall.SysProcAttr))
	if session {
		cmd.SysProcAttr.CreationFlags |= windows.CREATE_NO_WINDOW // a console of its own, which nobody sees
	}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return t
	}
	// Whatever ends this process closes the handle.
	if err := limit(job, windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE); err != nil {
		_ = windows.CloseHandle(job)
		return t
	}
	t.job = job
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_SUSPENDED
	return t
}

// limit sets what a job does by itself.
func limit(job windows.Handle, flags uint32) error {
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = flags
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	return err
}

func (t *Tree) started(err error) error {
	if err != nil {
		return err
	}
	if err = t.run(uint32(t.cmd.Process.Pid)); err != nil {
		// Not locked: Wait may wait for a Cancel that calls Kill.
		_ = t.cmd.Process.Kill()
		_ = t.cmd.Wait() // it did nothing yet
	}
	return os.NewSyscallError("start in a job", err)
}

// run puts the waiting command into its job and lets it go.
func (t *Tree) run(pid uint32) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job == 0 {
		return nil // it does not wait
	}
	if err := assign(t.job, pid); err != nil {
		return err
	}
	if t.killed {
		return windows.ERROR_CANCELLED
	}
	return resume(pid)
}

func assign(job windows.Handle, pid uint32) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(job, h)
}

// resume lets a process run that was started suspended: its one thread, whose
// handle os/exec does not keep.
func resume(pid uint32) error {
	list, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(list)
	e := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(list, &e); err == nil; err = windows.Thread32Next(list, &e) {
		if e.OwnerProcessID != pid {
			continue
		}
		h, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, e.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(h)
		_ = windows.CloseHandle(h)
		return err
	}
	return err
}

// signal does nothing for Ctrl-C and Ctrl-Break: the console tells them to every
// process on it.
func (t *Tree) signal(s os.Signal) {
	if s != os.Interrupt {
		t.kill()
	}
}

// terminate ends the processes: there is no signal for one tree alone.
func (t *Tree) terminate() { t.kill() }

func (t *Tree) kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.killed = true
	switch {
	case t.job != 0:
		_ = windows.TerminateJobObject(t.job, killedCode)
	case t.cmd.Process != nil:
		_ = t.cmd.Process.Kill()
	}
}

// killedCode is what [os.Process.Kill] has a process end with.
const killedCode = 1

func (t *Tree) close(well bool) {
	if !well {
		t.kill()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job != 0 {
		if well {
			_ = limit(t.job, 0) // else closing it ends them
		}
		_ = windows.CloseHandle(t.job)
		t.job = 0
	}
}
