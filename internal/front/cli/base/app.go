// Package base has what several families of commands need: one run of the program with
// its streams and settings, arguments that are paths, errors with exit codes, and tables,
// progress and JSON as output. It has no command.
package base

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// An Env is everything that the program takes from its surroundings.
type Env struct {
	Dir     string   // the current folder
	Environ []string // names in upper case on Windows, which ignores case
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer

	// Whether the streams are terminals, and the width of the one behind
	// Stderr in columns; 0 means unknown.
	StdinTTY, StdoutTTY, StderrTTY bool
	Width                          int

	// Detach starts this program again with other arguments, in a folder and with
	// an environment, and does not wait for it. It may be nil.
	Detach func(dir string, environ []string, args ...string) error

	// Now is the clock for dates in stored data. Nil means the system's.
	Now func() time.Time

	// Pause waits before a request to a model's server is repeated. Nil means the
	// system's clock.
	Pause func(ctx context.Context, d time.Duration) error

	// HookDeadline is the most time that a hook may take. Zero means as long as agents
	// and people wait.
	HookDeadline time.Duration
}

// An App is one run of the command.
type App struct {
	Env     Env
	Out     *bufio.Writer // standard output
	Bar     *Progress
	Given   map[string][]string // settings on the command line, by name
	Written map[string]string   // how --set spelled each of them
	Args    []string            // of the command line
	Dir     string              // --dir

	JSON    bool          // --json
	lines   *bufio.Reader // answers on the terminal
	asking  bool          // the command sends what it reads to a model: see engine.Options.Asking
	Records bool          // the file of SATCHEL_RECORD is open
	Serves  bool          // this process answers more than one question

	Settings *config.Settings // set by Load
	Faults   []config.Fault   // errors in the settings, for doctor; other commands end with the first
}

// NewApp returns a run of the program without settings; Load reads them.
func NewApp(env Env) *App {
	a := &App{Env: env, Bar: new(Progress), Given: make(map[string][]string), Written: make(map[string]string)}
	a.Out = bufio.NewWriterSize(results{a}, 64<<10)
	return a
}

// results writes to standard output and removes the progress bar first.
type results struct{ *App }

func (r results) Write(p []byte) (int, error) {
	r.Bar.Clear()
	return r.Env.Stdout.Write(p)
}

// Flush writes buffered output to standard output.
func (a *App) Flush() error {
	a.Bar.Clear()
	if err := a.Out.Flush(); err != nil {
		return fmt.Errorf("write standard output: %w", fsx.Cause(err))
	}
	return nil
}

// Now returns the time for dates in stored data. Ranking and packing do not use it.
func (a *App) Now() time.Time {
	if a.Env.Now != nil {
		return a.Env.Now()
	}
	return time.Now()
}
