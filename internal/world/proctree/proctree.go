// Package proctree ends a command together with all that it starts: on Unix by its
// process group, on Windows by a job object.
//
// Make a [Tree] before the command is started, and call [Tree.Started] after.
package proctree

import (
	"os"
	"os/exec"
)

// A Tree is a command and what it starts, and they in turn. On Unix a process can
// leave it on purpose, as daemons do; on Windows none can.
type Tree struct{ tree }

// New has a command, which is not started yet, begin a tree.
func New(cmd *exec.Cmd) *Tree { return prepare(cmd, false) }

// NewSession is New for a command that shall not be able to ask on a terminal.
func NewSession(cmd *exec.Cmd) *Tree { return prepare(cmd, true) }

// Started is told how starting the command went, and returns that. On Windows the
// command only runs from here on.
func (t *Tree) Started(err error) error { return t.started(err) }

// Signal passes on a signal that this process got.
func (t *Tree) Signal(s os.Signal) { t.signal(s) }

// Terminate asks the processes to end, where that is possible, and ends them where
// it is not.
func (t *Tree) Terminate() { t.terminate() }

// Kill ends the processes that are left.
func (t *Tree) Kill() { t.kill() }

// Close lets go of the tree, after the command was waited for, or was not started.
// What a command leaves that ended well stays, such as a daemon that keeps
// passwords; after any other end the processes that are left are ended.
func (t *Tree) Close() {
	t.close(t.cmd.ProcessState != nil && t.cmd.ProcessState.Success())
}
