package base

import (
	"errors"
	"fmt"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/render"
)

// An IncompleteError says that something is missing in a result that was written. Why
// is empty if the result itself lists it.
type IncompleteError struct{ Why []string }

func (e *IncompleteError) Exit() (int, string) { return ExitIncomplete, "" }

func (e *IncompleteError) Error() string {
	switch len(e.Why) {
	case 0:
		return "incomplete: the result lists what is missing"
	case 1:
		return "incomplete: " + e.Why[0]
	}
	return fmt.Sprintf("incomplete: %d things are missing", len(e.Why))
}

// A BudgetError is a budget that is too small for what must stay.
type BudgetError struct {
	Text, Hint string
	Over       *satchel.OverflowError // nil if the command has its own count
}

func (e *BudgetError) Exit() (int, string) { return ExitBudget, e.Hint }

func (e *BudgetError) Error() string { return e.Text }

func (e *BudgetError) Unwrap() error {
	if e.Over == nil {
		return nil
	}
	return e.Over
}

// PackTooSmall returns the error for a pack whose pinned paths and context files
// exceed the budget.
func PackTooSmall(over *satchel.OverflowError, pins, kept int) error {
	what := "the shortest pack"
	if kept > 0 {
		what = "a pack with " + render.Plural(kept, "pinned context file")
	}
	hint := fmt.Sprintf("use --budget %d or more", over.Need)
	if pins > 0 {
		what = "a pack with " + render.Plural(pins, "pinned path")
		if kept > 0 {
			what += " and " + render.Plural(kept, "pinned context file")
		}
		hint += "; or pin less"
	}
	if kept > 0 {
		hint += "; satchel context list shows the size of context files"
	}
	text := fmt.Sprintf("a budget of %s tokens is too small: %s takes %s", render.Thousands(over.Limit), what, render.Thousands(over.Need))
	return &BudgetError{Text: text, Hint: hint, Over: over}
}

// A UsageError is a command line that cannot be understood.
type UsageError struct {
	Err  error
	Hint string // what to do next, or "" for the command's help
}

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

func (e *UsageError) Exit() (int, string) { return ExitUsage, e.Hint }

// Usage makes err a [UsageError]. The hint says what to do next; "" refers to the help.
func Usage(err error, hint string) *UsageError { return &UsageError{err, hint} }

// Usagef returns a [UsageError] without a hint of its own.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...), "") }

type hintError struct {
	error
	hint string
}

func (e *hintError) Unwrap() error { return e.error }

// Exit returns the exit code of the error within.
func (e *hintError) Exit() (int, string) {
	code := ExitFailed
	if inner, ok := errors.AsType[interface {
		error
		Exit() (int, string)
	}](e.error); ok {
		code, _ = inner.Exit()
	}
	return code, e.hint
}

// Hint adds to an error what to do next.
func Hint(err error, hint string) error { return &hintError{err, hint} }

// An UnwellError says how many problems doctor found and has shown.
type UnwellError struct {
	Problems int
	Store    bool // all problems are in the index or the notes
}

func (e *UnwellError) Exit() (int, string) {
	if e.Store {
		return ExitStore, ""
	}
	return ExitFailed, ""
}

func (e *UnwellError) Error() string { return render.Plural(e.Problems, "problem") + " found" }

// A storeError is an index that could not be updated on disk.
type storeError struct{ dir, why string }

func (e *storeError) Exit() (int, string) {
	return ExitStore, "commands work without it, but slower; --cache-dir moves it"
}

func (e *storeError) Error() string { return "index " + e.dir + ": " + e.why }

// A credentialError is a missing key.
type credentialError struct {
	what, variable, host, without string
	fault                         error // of the command that prints it
}

func (e *credentialError) Error() string {
	if e.fault != nil {
		return fmt.Sprintf("%s by %s needs a key: %v", e.what, e.host, e.fault)
	}
	return fmt.Sprintf("%s by %s needs a key, and %s is not set", e.what, e.host, e.variable)
}

func (e *credentialError) Exit() (int, string) {
	if e.fault != nil {
		return ExitCredential, "run the key-command of your config.toml by hand; or " + e.without
	}
	return ExitCredential, fmt.Sprintf("set %s, which key-env in your config.toml names; or %s", e.variable, e.without)
}

// A StatusError ends satchel with the exit code of another program.
type StatusError struct {
	Code int
	Err  error
}

func (e *StatusError) Exit() (int, string) { return e.Code, "" }

func (e *StatusError) Error() string { return e.Err.Error() }

func (e *StatusError) Unwrap() error { return e.Err }

// Exit codes. Scripts may rely on them; an unknown code is a failure.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2   // the command line, a variable or the user's configuration is wrong
	ExitBudget      = 3   // the budget is too small for what must be packed
	ExitCredential  = 4   // a model's server needs a key
	ExitStore       = 5   // the index is locked or damaged and could not be rebuilt, or the notes are
	ExitIncomplete  = 6   // something was not looked at, not answered or not verified: the result says what
	ExitFound       = 7   // review --fail-on was met
	ExitInterrupted = 130 // 128 + SIGINT
)

// StateHint says what to do if the database of notes cannot be used.
func StateHint(err error) (string, bool) {
	var damaged *state.DamagedError
	var locked *state.LockedError
	var newer *state.NewerError
	switch {
	case errors.As(err, &damaged) && errors.Is(err, git.ErrNotRepository):
		return "git status shows the problem; packs work without notes and context files", true
	case errors.Is(err, git.ErrOwnLink):
		return "remove the link: it may lead to another project's notes", true
	case errors.As(err, &damaged):
		return "move the file away to start again (sqlite3's .recover may save the old notes); packs work without it", true
	case errors.As(err, &locked):
		return "try again when the other process is done", true
	case errors.As(err, &newer):
		return "update satchel, or use that version; packs work without notes and context files", true
	}
	return "", false
}

// LiftsProtection says how to allow changes of a protected file.
const LiftsProtection = "satchel context remove allows changes"

// NeedsGit says which git to install.
const NeedsGit = "install git " + git.MinVersion + " or newer; plain folders work without git"
