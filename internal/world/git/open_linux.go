package git

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// resolve makes the kernel refuse every path that passes a symbolic link or
// leaves the folder.
const resolve = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS

// open opens a regular file of up to limit bytes and returns its size. One openat2
// replaces several calls of [os.Root] for each folder, and also refuses links on the
// way; without openat2, os.Root does the work.
func (f *Folder) open(path string, limit int64) (io.ReadCloser, int64, error) {
	conn, err := f.base.SyscallConn()
	if err != nil {
		return nil, 0, readError(path, err)
	}
	var file rawFile
	var st unix.Stat_t
	if ctlErr := conn.Control(func(base uintptr) { file, err = openBeneath(int(base), path, limit, &st) }); ctlErr != nil {
		return nil, 0, readError(path, ctlErr)
	}
	switch {
	case err == unix.ENOSYS, err == unix.EPERM: // an old kernel, or a sandbox that does not know the call
		return f.openRoot(path, limit)
	case err == unix.ELOOP, err == unix.EXDEV, err == unix.ENXIO: // a link; a way out; a socket
		err = ErrNotRegular
	case err == errOverLimit:
		return nil, 0, &TooLargeError{What: path, Size: st.Size, Limit: limit}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", clean(path), err)
	}
	return file, st.Size, nil
}

// openBeneath opens path only after it has seen that it is a regular file, since
// opening a device can already have an effect, and makes sure that it opened the
// file it saw.
func openBeneath(base int, path string, limit int64, st *unix.Stat_t) (rawFile, error) {
	seen, err := openat2(base, path, unix.O_PATH)
	if err != nil {
		return -1, err
	}
	defer unix.Close(seen)
	if err := unix.Fstat(seen, st); err != nil {
		return -1, err
	}
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return -1, ErrNotRegular
	case st.Size > limit:
		return -1, errOverLimit
	}
	dev, ino := st.Dev, st.Ino
	fd, err := openat2(base, path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return -1, err
	}
	if err = unix.Fstat(fd, st); err == nil && (st.Dev != dev || st.Ino != ino) {
		err = errChanged
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return rawFile(fd), nil
}

func openat2(base int, path string, flags uint64) (int, error) {
	how := unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Resolve: resolve}
	for range 100 { // EAGAIN: a rename happened at the same time
		fd, err := unix.Openat2(base, path, &how)
		if !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN) {
			return fd, err
		}
	}
	return -1, errChanged
}

// A rawFile is the descriptor of a regular file, read without the runtime's
// poller.
type rawFile int

func (f rawFile) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(f), p)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (f rawFile) Close() error { return unix.Close(int(f)) }
