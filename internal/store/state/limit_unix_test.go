//go:build unix

package state

import (
	"os/signal"
	"strconv"

	"golang.org/x/sys/unix"
)

// errNoLimit is what a system says that knows no such limit; this one does.
const errNoLimit = "file limits are not supported"

// limitFiles makes writing fail at the given offset, as on a full disk.
func limitFiles(limit string) error {
	n, err := strconv.ParseUint(limit, 10, 64)
	if err != nil {
		return err
	}
	signal.Ignore(unix.SIGXFSZ)
	return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n})
}
