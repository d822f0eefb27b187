package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// Cause returns what went wrong without the call and the path, and without what was
// written around them, for a message that names the file as its user did. It is
// [ErrInUse] if err is, and says so. Its text is that of Unix systems on Windows, too,
// as [Message] writes it.
func Cause(err error) error {
	used := errors.Is(err, ErrInUse)
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	if used && !errors.Is(err, ErrInUse) {
		err = fmt.Errorf("%w: %w", ErrInUse, err)
	}
	if err == nil || runtime.GOOS != "windows" {
		return err
	}
	return cause{err}
}

// A cause is an error with the text of Message.
type cause struct{ err error }

func (c cause) Error() string { return Message(c.err) }

func (c cause) Unwrap() error { return c.err }

// Message returns the text of an error in which Windows, if it is what failed, speaks
// as Unix systems do: "no such file or directory", not "The system cannot find the
// file specified." in the language of the user. So one message means one thing on
// all systems, wherever people search for it.
func Message(err error) string {
	var code syscall.Errno
	if runtime.GOOS != "windows" || !errors.As(err, &code) {
		return err.Error()
	}
	return strings.ReplaceAll(err.Error(), code.Error(), unixWords(uint(code), code.Error()))
}

// unixWords returns how Unix systems say what Windows means by an error code, or
// what Windows says, as a part of a sentence.
func unixWords(code uint, said string) string {
	switch code {
	case 2, 3, 53, 67: // ERROR_FILE_NOT_FOUND, PATH_NOT_FOUND, BAD_NETPATH, BAD_NET_NAME
		return "no such file or directory"
	case 4: // ERROR_TOO_MANY_OPEN_FILES
		return "too many open files"
	case 5: // ERROR_ACCESS_DENIED
		return "permission denied"
	case 17: // ERROR_NOT_SAME_DEVICE
		return "invalid cross-device link"
	case 19: // ERROR_WRITE_PROTECT
		return "read-only file system"
	case 32, 33: // ERROR_SHARING_VIOLATION, LOCK_VIOLATION
		return "another program has it open"
	case 80, 183: // ERROR_FILE_EXISTS, ALREADY_EXISTS
		return "file exists"
	case 112: // ERROR_DISK_FULL
		return "no space left on device"
	case 123: // ERROR_INVALID_NAME
		return "no name that a file can have"
	case 145: // ERROR_DIR_NOT_EMPTY
		return "directory not empty"
	case 206: // ERROR_FILENAME_EXCED_RANGE
		return "file name too long"
	case 267: // ERROR_DIRECTORY
		return "not a directory"
	case 1314: // ERROR_PRIVILEGE_NOT_HELD
		return "operation not permitted"
	case 1921: // ERROR_CANT_RESOLVE_FILENAME
		return "too many levels of symbolic links"
	}
	said = strings.TrimSuffix(said, ".")
	if len(said) > 1 && 'A' <= said[0] && said[0] <= 'Z' && 'a' <= said[1] && said[1] <= 'z' || strings.HasPrefix(said, "A ") {
		said = strings.ToLower(said[:1]) + said[1:]
	}
	return said
}
