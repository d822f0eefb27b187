// Package git reads git repositories without trusting them.
//
// A repository is hostile input: its configuration, attributes, file names and
// objects may all have been written by someone else, and git runs programs that
// a repository configures (filters, text converters, external diffs, file system
// monitors, hooks, signature checkers, transports). This package therefore
// starts git only for reads of objects, the index and ignore rules, with an
// environment built from nothing and the dangerous settings overridden, and
// reads the bytes of work-tree files itself, through [os.Root]. It never
// compares the work tree with git (no status, no diff, no ls-files -m), never
// shows a file through a filter, and fetches in one place alone, a repository of
// our own ([Options.Fetch]). It writes to a repository in
// one way only, new objects and references that a caller names ([NewObjects],
// [Repo.UpdateRefs]); nothing that exists is changed. A partial clone, the
// attributes of a revision, and a comparison need files in the temporary folder
// while a git process runs; a comparison has a repository of its own there,
// without any of the other one's configuration.
//
// Start at [Open], then [Repo.WorkTree] for what is on disk, [Repo.Tree] for a
// revision, [Repo.Objects] for contents, [Repo.Log] for history and [Repo.Diff] for what
// changed; [ParsePatch] reads a change from a patch instead. [OpenFolder]
// gives the same listing for a folder without git.
//
// Paths are slash-separated, relative to the root of the repository, and bytes
// rather than text: they may hold newlines and invalid UTF-8. Listings are
// sorted by the bytes of the path. Sizes are bytes; times are Unix times. Object
// ids are lower-case hex, 40 digits in a SHA-1 repository and 64 in a SHA-256
// one. A Repo is safe for concurrent use.
package git

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// A Mode is the kind of a tree entry or file, with git's numbers.
type Mode uint32

const (
	modeSpecial    Mode = 0       // a FIFO, socket or device; git has no number for it
	ModeDir        Mode = 0o40000 // a directory where a file was tracked
	ModeFile       Mode = 0o100644
	modeExecutable Mode = 0o100755
	ModeSymlink    Mode = 0o120000
	ModeSubmodule  Mode = 0o160000
)

// modeType selects the bits of a Mode that say what kind of thing it is.
const modeType Mode = 0o170000

// IsRegular reports whether m is an ordinary file, executable or not.
func (m Mode) IsRegular() bool { return m&modeType == 0o100000 }

var (
	// ErrNoGit means that no usable git program was found.
	ErrNoGit = errors.New("no git program found in PATH")

	// ErrNotRepository means that a folder is not inside a git repository.
	ErrNotRepository = errors.New("not a git repository")

	// errEmbeddedBare means that a folder is a bare repository inside the work
	// tree of another one, which may have come with a clone of that one. Its
	// configuration is not read.
	errEmbeddedBare = errors.New("bare repository inside another work tree")

	// errWorkTreeElsewhere means that a repository's configuration claims a
	// folder as work tree that does not belong to the repository.
	errWorkTreeElsewhere = errors.New("core.worktree is not the repository's own folder")

	// ErrNoWorkTree means that the repository is bare.
	ErrNoWorkTree = errors.New("repository has no work tree")

	// ErrUnborn means that the branch has no commit yet.
	ErrUnborn = errors.New("no commit yet")

	// ErrMissing means that the repository does not have an object, as in a
	// partial or damaged clone. Callers report it as a Diagnostic and go on.
	ErrMissing = errors.New("object missing")

	// ErrNotRegular means that a path is not a regular file reached without
	// symbolic links.
	ErrNotRegular = errors.New("not a regular file")
)

// An OwnerError means that git refuses a repository because another user owns it.
type OwnerError struct {
	Dir     string
	Message string // git's own explanation
}

func (e *OwnerError) Error() string {
	return fmt.Sprintf("repository %s: %s", clean(e.Dir), e.Message)
}

// A VersionError means that the installed git is older than [MinVersion].
type VersionError struct{ Path, Found string }

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s is version %s, need %d.%d or newer", e.Path, e.Found, minMajor, minMinor)
}

// An UnknownRevisionError means that a revision names no commit.
type UnknownRevisionError struct {
	Rev string
	Why string // may be empty
}

func (e *UnknownRevisionError) Error() string {
	s := fmt.Sprintf("unknown revision %q", clean(e.Rev))
	if e.Why != "" {
		s += ": " + e.Why
	}
	return s
}

// A TooLargeError means that something was not read because it is larger than
// the limit.
type TooLargeError struct {
	What        string
	Size, Limit int64 // Size is 0 if only known to be over Limit
}

func (e *TooLargeError) Error() string {
	if e.Size == 0 {
		return fmt.Sprintf("%s: more than %d bytes", clean(e.What), e.Limit)
	}
	return fmt.Sprintf("%s: %d bytes, limit is %d", clean(e.What), e.Size, e.Limit)
}

// A CommandError is a git command that failed.
type CommandError struct {
	Command string // the subcommand, such as ls-tree
	Stderr  string // what git said, without control characters
	Err     error
}

func (e *CommandError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("git %s: %v", e.Command, e.Err)
	}
	return fmt.Sprintf("git %s: %s", e.Command, e.Stderr)
}

func (e *CommandError) Unwrap() error { return e.Err }

// clean returns s for a message: control characters, bidirectional controls and
// invalid UTF-8 become U+FFFD, newlines become spaces.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < 0x20, r >= 0x7f && r < 0xa0,
			r == 0x061c, r >= 0x200e && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069,
			r >= 0xe0000 && r <= 0xe007f:
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// validPath reports whether p is a relative slash-separated path that stays
// below its root and does not enter a repository's own folder.
func validPath(p string) bool { return validPathOn(p, runtime.GOOS == "windows") }

// validPathOn is validPath for Windows, or for the other systems.
func validPathOn(p string, windows bool) bool {
	if p == "" || strings.IndexByte(p, 0) >= 0 {
		return false
	}
	for {
		name, rest, more := strings.Cut(p, "/")
		if name == "" || name == "." || name == ".." || len(name) == 4 && strings.EqualFold(name, ".git") {
			return false
		}
		if windows && !windowsName(name) {
			return false
		}
		if !more {
			return true
		}
		p = rest
	}
}
